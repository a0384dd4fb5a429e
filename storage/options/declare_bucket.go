package options

// bucketOptions declares the options of buckets.
func bucketOptions() []Def {
	return []Def{
		{Key: "bucket", Kind: Int, Default: "-1", Min: -2, HasMin: true, NoHint: true, Doc: "number of buckets of a partition; -1: dynamic for primary key tables, none for append tables; -2: postpone"},
		{Key: "bucket-append-ordered", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "rows of a bucket of an append table keep the order in which they were written"},
		{Key: "bucket-function.type", Kind: Enum, Default: "default", Values: []string{"default", "mod", "hive"}, Immutable: true, Doc: "how the bucket is made from the bucket key"},
		{Key: "bucket-key", Kind: Columns, Immutable: true, Doc: "the columns that say the bucket; by default the primary key without partition columns"},
		{Key: "cross-partition-upsert.index-ttl", Kind: Duration, Tier: Later, Feature: "cross-partition updates", Doc: "age from which keys leave the index over all partitions"},
		{Key: "dynamic-bucket.initial-buckets", Kind: Int, Min: 1, HasMin: true, Tier: NoEffect, Immutable: true, Doc: "number of buckets that a partition begins with"},
		{Key: "dynamic-bucket.max-buckets", Kind: Int, Default: "-1", Min: -1, HasMin: true, Doc: "most buckets of a partition; -1: any number"},
		{Key: "dynamic-bucket.target-row-num", Kind: Long, Default: "2000000", Min: 1, HasMin: true, Doc: "keys after which the next dynamic bucket is begun"},
		{Key: "postpone.batch-write-fixed-bucket", Kind: Bool, Default: "true", Tier: Later, Feature: "postpone buckets", Doc: "batch writes go to real buckets at once"},
		{Key: "postpone.batch-write-fixed-bucket.max-parallelism", Kind: Int, Default: "2048", Tier: Later, Feature: "postpone buckets", Doc: "most buckets that such a write chooses"},
		{Key: "postpone.batch-write-fixed-bucket.rescale-load-factor", Kind: Int, Default: "32", Tier: Later, Feature: "postpone buckets", Doc: "ratio of wanted to present buckets from which the layout is enlarged"},
		{Key: "postpone.default-bucket-num", Kind: Int, Tier: Later, Feature: "postpone buckets", Doc: "number of buckets of new partitions"},
		{Key: "postpone.target-row-num-per-bucket", Kind: Long, Tier: Later, Feature: "postpone buckets", Doc: "rows of a bucket, when their number is estimated"},
		{Key: "postpone.target-size-per-bucket", Kind: Size, Default: "1 gb", Tier: Later, Feature: "postpone buckets", Doc: "size of a bucket, when the number of buckets is estimated"},
	}
}
