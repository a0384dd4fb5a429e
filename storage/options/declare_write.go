package options

// writeOptions declares the options of writing and committing.
func writeOptions() []Def {
	return []Def{
		{Key: "commit.force-create-snapshot", Kind: Bool, Default: "false", Tier: NoEffect, Doc: "stream: create a snapshot even without data"},
		{Key: "commit.max-retries", Kind: Int, Default: "10", Min: 0, HasMin: true, Doc: "attempts after losing the snapshot race"},
		{Key: "commit.max-retry-wait", Kind: Duration, Default: "10 s", Doc: "upper bound of the back-off"},
		{Key: "commit.min-retry-wait", Kind: Duration, Default: "10 ms", Doc: "lower bound of the back-off"},
		{Key: "commit.strict-mode.last-safe-snapshot", Kind: Long, Tier: Later, Feature: "strict commits", Doc: "abort if another user committed COMPACT/OVERWRITE (or fixed-bucket APPEND) after this id; −1 skips the first check"},
		{Key: "commit.timeout", Kind: Duration, Doc: "give up retrying after this time"},
		{Key: "commit.user-prefix", Kind: Text, Doc: "prefix of generated commit users"},
		{Key: "delete.force-produce-changelog", Kind: Bool, Default: "false", Tier: Later, Feature: "changelog producers", Doc: "DELETE writes '-D' instead of dropping partitions/truncating"},
		{Key: "dynamic-partition-overwrite", Kind: Bool, Default: "true", Doc: "INSERT OVERWRITE replaces only touched partitions"},
		{Key: "end-input.check-partition-expire", Kind: Bool, Default: "false", Tier: Later, Feature: "partition expiry", Doc: "run partition expiry at batch end"},
		{Key: "record-level.expire-time", Kind: Duration, Tier: Later, Feature: "record-level expiry", Doc: "row lifetime"},
		{Key: "record-level.time-field", Kind: Text, Tier: Later, Feature: "record-level expiry", Doc: "its time column"},
		{Key: "snapshot.ignore-empty-commit", Kind: Bool, Doc: "skip commits without changes"},
		{Key: "target-file-row-num", Kind: Long, Default: "9223372036854775807", Min: 1, HasMin: true, Tier: Later, Feature: "row count limits of files", Doc: "rows per newly written file"},
		{Key: "target-file-size", Kind: Size, Min: 1, HasMin: true, Doc: "rolling size; 128 MB pk / 256 MB append"},
		{Key: "visibility-callback.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "visibility callbacks", Doc: "batch commit waits until compaction made data visible (DV, postpone)"},
		{Key: "write-buffer-size", Kind: Size, Default: "256 mb", Min: 1, HasMin: true, Doc: "memory before a flush"},
		{Key: "write-buffer-spill.max-disk-size", Kind: Size, Tier: NoEffect, Doc: "spill disk budget"},
		{Key: "write-buffer-spillable", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "spill instead of flushing early"},
		{Key: "write-max-writers-to-spill", Kind: Int, Default: "10", Tier: NoEffect, Doc: "batch append: writers above this buffer and spill"},
		{Key: "write.batch-size", Kind: Int, Default: "1024", Tier: NoEffect, Fallbacks: []string{"orc.write.batch-size"}, Doc: "rows per write batch"},
		{Key: "write.sequence-number-init-mode", Kind: Enum, Default: "scan", Values: []string{"scan", "snapshot"}, Doc: "scan / snapshot"},
	}
}
