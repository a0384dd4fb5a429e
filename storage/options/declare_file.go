package options

// fileOptions declares the options of data files and statistics.
func fileOptions() []Def {
	return []Def{
		{Key: "data-file.path-directory", Kind: Text, Immutable: true, Doc: "subdirectory under the table for data files"},
		{Key: "data-file.prefix", Kind: Text, Default: "data-", Doc: "file-name prefix of data files"},
		{Key: "data-file.thin-mode", Kind: Bool, Default: "false", Doc: "do not store key columns twice"},
		{Key: "file-index.in-manifest-threshold", Kind: Size, Default: "500 bytes", Tier: NoEffect, Doc: "indexes up to this size are embedded in the manifest"},
		{Key: "file-index.read.enabled", Kind: Bool, Default: "true", Tier: NoEffect, Doc: "use file indexes when planning/reading"},
		{Key: "file-operation.thread-num", Kind: Int, Tier: NoEffect, Fallbacks: []string{"delete-file.thread-num"}, Doc: "threads for delete/list operations"},
		{Key: "file.block-size", Kind: Size, Min: 1, HasMin: true, Doc: "ORC stripe / Parquet row-group size"},
		{Key: "file.compression", Kind: Codec, Default: "zstd", Doc: "default codec of data files"},
		{Key: "file.compression.per.level", Kind: Levels, Elem: Codec, Doc: "codec by level, '0:lz4,1:zstd'"},
		{Key: "file.compression.zstd-level", Kind: Int, Default: "1", Min: -131072, HasMin: true, Max: 22, HasMax: true, Doc: "zstd level"},
		{Key: "file.format", Kind: Format, Default: "parquet", Doc: "parquet, orc, avro (also csv, json, text, row, lance … for special tables)"},
		{Key: "file.format.per.level", Kind: Levels, Elem: Format, Doc: "format by level, '0:avro,3:parquet'"},
		{Key: "file.suffix.include.compression", Kind: Bool, Default: "false", Tier: Later, Feature: "codec names in file names", Doc: "codec name in file names"},
		{Key: "index-file-in-data-file-dir", Kind: Bool, Default: "false", Tier: Later, Feature: "index files beside data files", Immutable: true, Doc: "index files in the bucket directory"},
		{Key: "metadata.stats-dense-store", Kind: Bool, Default: "true", Doc: "store only existing column stats"},
		{Key: "metadata.stats-keep-first-n-columns", Kind: Int, Default: "-1", Min: -1, HasMin: true, Doc: "stats for the first n columns; −1 all"},
		{Key: "metadata.stats-mode", Kind: StatsMode, Default: "truncate(16)", Doc: "none, counts, truncate(n), full; also 'fields.<f>.stats-mode'"},
		{Key: "metadata.stats-mode.per.level", Kind: Levels, Elem: StatsMode, Doc: "stats mode by level"},
	}
}
