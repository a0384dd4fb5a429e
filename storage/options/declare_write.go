package options

// writeOptions declares the options of writing and committing.
func writeOptions() []Def {
	return []Def{
		{Key: "commit.force-create-snapshot", Kind: Bool, Default: "false", Tier: NoEffect, Doc: "streaming writers make a snapshot without data too"},
		{Key: "commit.max-retries", Kind: Int, Default: "10", Min: 0, HasMin: true, Doc: "how often a commit that lost the race for a snapshot is tried again"},
		{Key: "commit.max-retry-wait", Kind: Duration, Default: "10 s", Doc: "longest pause before the next try"},
		{Key: "commit.min-retry-wait", Kind: Duration, Default: "10 ms", Doc: "shortest pause before the next try"},
		{Key: "commit.strict-mode.last-safe-snapshot", Kind: Long, Tier: Later, Feature: "strict commits", Doc: "refuse to commit when another user compacted or overwrote since this snapshot"},
		{Key: "commit.timeout", Kind: Duration, Doc: "time after which a commit is no longer tried"},
		{Key: "commit.user-prefix", Kind: Text, Tier: NoEffect, Doc: "how the names of commit users begin"},
		{Key: "delete.force-produce-changelog", Kind: Bool, Default: "false", Tier: Later, Feature: "changelog producers", Doc: "DELETE writes deletes where it could drop whole partitions"},
		{Key: "dynamic-partition-overwrite", Kind: Bool, Default: "true", Doc: "INSERT OVERWRITE without PARTITION replaces only the partitions that it writes to"},
		{Key: "end-input.check-partition-expire", Kind: Bool, Default: "false", Tier: Later, Feature: "partition expiry", Doc: "look for expired partitions when a batch job ends"},
		{Key: "record-level.expire-time", Kind: Duration, Tier: Later, Feature: "record-level expiry", Doc: "age from which compaction drops a row"},
		{Key: "record-level.time-field", Kind: Text, Tier: Later, Feature: "record-level expiry", Doc: "column that tells the age of a row"},
		{Key: "snapshot.ignore-empty-commit", Kind: Bool, Tier: NoEffect, Doc: "a commit that changes nothing makes no snapshot"},
		{Key: "target-file-row-num", Kind: Long, Default: "9223372036854775807", Min: 1, HasMin: true, Doc: "most rows of a new file"},
		{Key: "target-file-size", Kind: Size, Min: 1, HasMin: true, Doc: "size at which the next file is begun; by default 128 mb for primary key tables, 256 mb for append tables"},
		{Key: "visibility-callback.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "visibility callbacks", Doc: "a commit waits until compaction has made its rows visible"},
		{Key: "write-buffer-size", Kind: Size, Default: "256 mb", Min: 1, HasMin: true, Doc: "memory of a writer before it makes a file"},
		{Key: "write-buffer-spill.max-disk-size", Kind: Size, Tier: NoEffect, Doc: "disk that a writer may use before it makes a file"},
		{Key: "write-buffer-spillable", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "a writer sorts on disk when its memory is full"},
		{Key: "write-max-writers-to-spill", Kind: Int, Default: "10", Tier: NoEffect, Doc: "number of open writers from which append writers buffer on disk"},
		{Key: "write.batch-size", Kind: Int, Default: "1024", Tier: NoEffect, Fallbacks: []string{"orc.write.batch-size"}, Doc: "rows that a format writer takes at once"},
		{Key: "write.sequence-number-init-mode", Kind: Enum, Default: "scan", Values: []string{"scan", "snapshot"}, Tier: NoEffect, Doc: "whether the first sequence number of a writer is found from files or from the snapshot"},
	}
}
