package options

// lifecycleOptions declares the options of expiry, tags and partitions.
func lifecycleOptions() []Def {
	return []Def{
		{Key: "partition.default-name", Kind: Text, Default: "__DEFAULT_PARTITION__", NoHint: true, Doc: "directory of partition values that are null or empty"},
		{Key: "partition.end-input-to-done", Kind: Bool, Default: "false", Tier: Later, Feature: "marking partitions done", Doc: "mark partitions done when a batch job ends"},
		{Key: "partition.expiration-batch-size", Kind: Int, Tier: Later, Feature: "partition expiry", Doc: "partitions that one commit of expiry drops"},
		{Key: "partition.expiration-check-interval", Kind: Duration, Default: "1 h", Tier: Later, Feature: "partition expiry", Doc: "how often expiry of partitions is looked at"},
		{Key: "partition.expiration-max-num", Kind: Int, Default: "100", Tier: Later, Feature: "partition expiry", Doc: "most partitions that one expiry drops"},
		{Key: "partition.expiration-strategy", Kind: Enum, Default: "values-time", Values: []string{"values-time", "update-time", "custom"}, Tier: Later, Feature: "partition expiry", Doc: "what tells the age of a partition"},
		{Key: "partition.expiration-time", Kind: Duration, Tier: Later, Feature: "partition expiry", Doc: "age from which partitions are dropped"},
		{Key: "partition.legacy-name", Kind: Bool, Default: "true", NoHint: true, Doc: "DATE, TIME and TIMESTAMP stand in directory names as stored numbers and ISO times, not as SQL shows them"},
		{Key: "partition.mark-done-action", Kind: Text, Default: "success-file", Tier: Later, Feature: "marking partitions done", Doc: "what marks a partition done: success-file, done-partition, mark-event, http-report or custom, with commas between"},
		{Key: "partition.timestamp-format.strict", Kind: Bool, Default: "false", Tier: Later, Feature: "partition expiry", Doc: "a partition value that is no time is an error"},
		{Key: "partition.timestamp-formatter", Kind: Text, Tier: Later, Feature: "partition expiry", Doc: "how partition values are written as times"},
		{Key: "partition.timestamp-pattern", Kind: Text, Tier: Later, Feature: "partition expiry", Doc: "which partition columns make the time, such as '$dt $hour:00'"},
		{Key: "sink.process-time-zone", Kind: Text, Tier: Later, Feature: "automatic tags", Doc: "time zone of automatic tags"},
		{Key: "sink.watermark-time-zone", Kind: Text, Default: "UTC", Tier: NoEffect, Doc: "time zone of watermarks"},
		{Key: "snapshot.clean-empty-directories", Kind: Bool, Default: "false", Fallbacks: []string{"snapshot.expire.clean-empty-directories"}, Doc: "expiry removes directories that it leaves empty"},
		{Key: "snapshot.expire.execution-mode", Kind: Enum, Default: "sync", Values: []string{"sync", "async"}, Tier: NoEffect, Doc: "whether expiry runs within a commit or beside it"},
		{Key: "snapshot.expire.limit", Kind: Int, Default: "50", Min: 1, HasMin: true, Doc: "most snapshots that one run of expiry removes"},
		{Key: "snapshot.num-retained.max", Kind: Int, Default: "2147483647", Min: 1, HasMin: true, Doc: "most snapshots that expiry keeps"},
		{Key: "snapshot.num-retained.min", Kind: Int, Default: "10", Min: 1, HasMin: true, Doc: "fewest snapshots that expiry keeps"},
		{Key: "snapshot.time-retained", Kind: Duration, Default: "1 h", Doc: "how long expiry keeps a snapshot"},
		{Key: "tag.automatic-completion", Kind: Bool, Default: "false", Tier: Later, Feature: "automatic tags", Doc: "make tags of periods that were missed"},
		{Key: "tag.automatic-creation", Kind: Enum, Default: "none", Values: []string{"none", "process-time", "watermark", "batch"}, Tier: Later, Feature: "automatic tags", Doc: "what makes tags by themselves"},
		{Key: "tag.batch.customized-name", Kind: Text, Tier: Later, Feature: "automatic tags", Doc: "name of the tag that a batch job makes"},
		{Key: "tag.create-success-file", Kind: Bool, Default: "false", Tier: Later, Feature: "automatic tags", Doc: "write a marker file beside each tag"},
		{Key: "tag.creation-delay", Kind: Duration, Default: "0 ms", Tier: Later, Feature: "automatic tags", Doc: "how long after its period a tag is made"},
		{Key: "tag.creation-period", Kind: Enum, Default: "daily", Values: []string{"daily", "hourly", "two-hours"}, Tier: Later, Feature: "automatic tags", Doc: "how often a tag is made"},
		{Key: "tag.creation-period-duration", Kind: Duration, Tier: Later, Feature: "automatic tags", Doc: "the same as a time span"},
		{Key: "tag.default-time-retained", Kind: Duration, Doc: "how long new tags are kept; without, for ever"},
		{Key: "tag.num-retained-max", Kind: Int, Tier: Later, Feature: "automatic tags", Doc: "most automatic tags that are kept"},
		{Key: "tag.period-formatter", Kind: Enum, Default: "with_dashes", Values: []string{"with_dashes", "without_dashes", "without_dashes_and_spaces"}, Tier: Later, Feature: "automatic tags", Doc: "how names of automatic tags are written"},
		{Key: "tag.time-expire-enabled", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "tags expire by their age"},
	}
}
