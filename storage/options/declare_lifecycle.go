package options

// lifecycleOptions declares the options of expiry, tags and partitions.
func lifecycleOptions() []Def {
	return []Def{
		{Key: "partition.default-name", Kind: Text, Default: "__DEFAULT_PARTITION__", NoHint: true, Doc: "directory name for NULL/empty partition value"},
		{Key: "partition.end-input-to-done", Kind: Bool, Default: "false", Tier: Later, Feature: "marking partitions done", Doc: "mark partitions done at batch end"},
		{Key: "partition.expiration-batch-size", Kind: Int, Tier: Later, Feature: "partition expiry", Doc: "partitions per expire commit"},
		{Key: "partition.expiration-check-interval", Kind: Duration, Default: "1 h", Tier: Later, Feature: "partition expiry", Doc: "how often expiry is considered"},
		{Key: "partition.expiration-max-num", Kind: Int, Default: "100", Tier: Later, Feature: "partition expiry", Doc: "max partitions per expiry"},
		{Key: "partition.expiration-strategy", Kind: Enum, Default: "values-time", Values: []string{"values-time", "update-time", "custom"}, Tier: Later, Feature: "partition expiry", Doc: "values-time, update-time, custom"},
		{Key: "partition.expiration-time", Kind: Duration, Tier: Later, Feature: "partition expiry", Doc: "partition lifetime"},
		{Key: "partition.legacy-name", Kind: Bool, Default: "true", NoHint: true, Doc: "partition directory text uses toString (true) or SQL cast"},
		{Key: "partition.mark-done-action", Kind: Text, Default: "success-file", Tier: Later, Feature: "marking partitions done", Doc: "success-file, done-partition, mark-event, http-report, custom"},
		{Key: "partition.timestamp-format.strict", Kind: Bool, Default: "false", Tier: Later, Feature: "partition expiry", Doc: "reject partition values not matching the pattern"},
		{Key: "partition.timestamp-formatter", Kind: Text, Tier: Later, Feature: "partition expiry", Doc: "formatter of partition time"},
		{Key: "partition.timestamp-pattern", Kind: Text, Tier: Later, Feature: "partition expiry", Doc: "pattern such as '$dt'"},
		{Key: "sink.process-time-zone", Kind: Text, Tier: Later, Feature: "automatic tags", Doc: "zone of the auto-tag clock"},
		{Key: "sink.watermark-time-zone", Kind: Text, Default: "UTC", Tier: NoEffect, Doc: "zone of the watermark clock"},
		{Key: "snapshot.clean-empty-directories", Kind: Bool, Default: "false", Fallbacks: []string{"snapshot.expire.clean-empty-directories"}, Doc: "remove empty directories at expiry"},
		{Key: "snapshot.expire.execution-mode", Kind: Enum, Default: "sync", Values: []string{"sync", "async"}, Doc: "sync / async"},
		{Key: "snapshot.expire.limit", Kind: Int, Default: "50", Min: 1, HasMin: true, Doc: "snapshots per expiry run"},
		{Key: "snapshot.num-retained.max", Kind: Int, Default: "2147483647", Min: 1, HasMin: true, Doc: "most snapshots that expiry keeps"},
		{Key: "snapshot.num-retained.min", Kind: Int, Default: "10", Min: 1, HasMin: true, Doc: "fewest snapshots that expiry keeps"},
		{Key: "snapshot.time-retained", Kind: Duration, Default: "1 h", Doc: "how long expiry keeps a snapshot"},
		{Key: "tag.automatic-completion", Kind: Bool, Default: "false", Tier: Later, Feature: "automatic tags", Doc: "create missing period tags"},
		{Key: "tag.automatic-creation", Kind: Enum, Default: "none", Values: []string{"none", "process-time", "watermark", "batch"}, Tier: Later, Feature: "automatic tags", Doc: "none, process-time, watermark, batch"},
		{Key: "tag.batch.customized-name", Kind: Text, Tier: Later, Feature: "automatic tags", Doc: "name of the batch tag"},
		{Key: "tag.create-success-file", Kind: Bool, Default: "false", Tier: Later, Feature: "automatic tags", Doc: "success marker per tag"},
		{Key: "tag.creation-delay", Kind: Duration, Default: "0 ms", Tier: Later, Feature: "automatic tags", Doc: "wait after period end"},
		{Key: "tag.creation-period", Kind: Enum, Default: "daily", Values: []string{"daily", "hourly", "two-hours"}, Tier: Later, Feature: "automatic tags", Doc: "daily, hourly, two-hours"},
		{Key: "tag.creation-period-duration", Kind: Duration, Tier: Later, Feature: "automatic tags", Doc: "arbitrary period, overrides the enum"},
		{Key: "tag.default-time-retained", Kind: Duration, Doc: "retention of new tags"},
		{Key: "tag.num-retained-max", Kind: Int, Tier: Later, Feature: "automatic tags", Doc: "max auto tags"},
		{Key: "tag.period-formatter", Kind: Enum, Default: "with_dashes", Values: []string{"with_dashes", "without_dashes", "without_dashes_and_spaces"}, Tier: Later, Feature: "automatic tags", Doc: "with_dashes, without_dashes, without_dashes_and_spaces"},
		{Key: "tag.time-expire-enabled", Kind: Bool, Default: "true", Doc: "expire tags by retention"},
	}
}
