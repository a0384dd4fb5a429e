package options

// bucketOptions declares the options of buckets.
func bucketOptions() []Def {
	return []Def{
		{Key: "bucket", Kind: Int, Default: "-1", Min: -2, HasMin: true, NoHint: true, Doc: "bucket count or mode: n>0 fixed, −1 dynamic/unaware, −2 postpone"},
		{Key: "bucket-append-ordered", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "bucketed append: keep write order inside a bucket"},
		{Key: "bucket-function.type", Kind: Enum, Default: "default", Values: []string{"default", "mod", "hive"}, Immutable: true, Doc: "'default', 'mod', 'hive' bucket function"},
		{Key: "bucket-key", Kind: Columns, Immutable: true, Doc: "columns hashed to a bucket; default trimmed pk"},
		{Key: "cross-partition-upsert.index-ttl", Kind: Duration, Tier: Later, Feature: "cross-partition updates", Doc: "drop old keys from the cross-partition index"},
		{Key: "dynamic-bucket.initial-buckets", Kind: Int, Min: 1, HasMin: true, Immutable: true, Doc: "initial buckets per partition"},
		{Key: "dynamic-bucket.max-buckets", Kind: Int, Default: "-1", Min: -1, HasMin: true, Doc: "cap of buckets per partition; −1 none"},
		{Key: "dynamic-bucket.target-row-num", Kind: Long, Default: "2000000", Min: 1, HasMin: true, Doc: "keys per dynamic bucket"},
		{Key: "postpone.batch-write-fixed-bucket", Kind: Bool, Default: "true", Tier: Later, Feature: "postpone buckets", Doc: "batch writes go to real buckets"},
		{Key: "postpone.batch-write-fixed-bucket.max-parallelism", Kind: Int, Default: "2048", Tier: Later, Feature: "postpone buckets", Doc: "cap of the inferred bucket count"},
		{Key: "postpone.batch-write-fixed-bucket.rescale-load-factor", Kind: Int, Default: "32", Tier: Later, Feature: "postpone buckets", Doc: "ratio that enlarges the layout"},
		{Key: "postpone.default-bucket-num", Kind: Int, Tier: Later, Feature: "postpone buckets", Doc: "exact bucket count for new partitions"},
		{Key: "postpone.target-row-num-per-bucket", Kind: Long, Tier: Later, Feature: "postpone buckets", Doc: "rows per bucket for the estimate"},
		{Key: "postpone.target-size-per-bucket", Kind: Size, Default: "1 gb", Tier: Later, Feature: "postpone buckets", Doc: "bytes per bucket for the estimate"},
	}
}
