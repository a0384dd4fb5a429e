package options

// fileOptions declares the options of data files and statistics.
func fileOptions() []Def {
	return []Def{
		{Key: "data-file.path-directory", Kind: Text, Immutable: true, Doc: "directory under the table that holds the partitions"},
		{Key: "data-file.prefix", Kind: Text, Default: "data-", Doc: "how names of data files begin"},
		{Key: "data-file.thin-mode", Kind: Bool, Default: "false", Doc: "key columns are stored once, as columns of the row"},
		{Key: "file-index.in-manifest-threshold", Kind: Size, Default: "500 bytes", Tier: Supported, Doc: "size up to which the indexes of a file are kept in the manifest"},
		{Key: "file-index.read.enabled", Kind: Bool, Default: "true", Tier: Supported, Doc: "use the indexes of data files"},
		{Key: "file-operation.thread-num", Kind: Int, Tier: NoEffect, Fallbacks: []string{"delete-file.thread-num"}, Doc: "threads that list and delete files"},
		{Key: "file.block-size", Kind: Size, Min: 1, HasMin: true, Doc: "size of a Parquet row group, an Avro block or an ORC stripe"},
		{Key: "file.compression", Kind: Codec, Default: "zstd", Doc: "codec of data files"},
		{Key: "file.compression.per.level", Kind: Levels, Elem: Codec, Doc: "codec of data files by level, such as 0:lz4,1:zstd"},
		{Key: "file.compression.zstd-level", Kind: Int, Default: "1", Min: -131072, HasMin: true, Max: 22, HasMax: true, Doc: "level of the zstd codec"},
		{Key: "file.format", Kind: Format, Default: "parquet", Doc: "format of new data files; files that exist keep theirs"},
		{Key: "file.format.per.level", Kind: Levels, Elem: Format, Doc: "format of new data files by level, such as 0:avro,3:parquet"},
		{Key: "file.suffix.include.compression", Kind: Bool, Default: "false", Tier: Later, Feature: "codec names in file names", Doc: "names of data files tell the codec"},
		{Key: "index-file-in-data-file-dir", Kind: Bool, Default: "false", Tier: Later, Feature: "index files beside data files", Immutable: true, Doc: "index files lie beside the data files of their bucket"},
		{Key: "metadata.stats-dense-store", Kind: Bool, Default: "true", Doc: "manifests hold statistics only of the columns that have any"},
		{Key: "metadata.stats-keep-first-n-columns", Kind: Int, Default: "-1", Min: -1, HasMin: true, Doc: "keep statistics of the first columns only; -1: of all"},
		{Key: "metadata.stats-mode", Kind: StatsMode, Default: "truncate(16)", Doc: "which statistics of columns are kept in manifests"},
		{Key: "metadata.stats-mode.per.level", Kind: Levels, Elem: StatsMode, Doc: "the same by level, such as 0:none"},
	}
}
