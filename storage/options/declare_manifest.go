package options

// manifestOptions declares the options of manifests.
func manifestOptions() []Def {
	return []Def{
		{Key: "manifest.compression", Kind: Codec, Default: "zstd", Doc: "codec of manifests"},
		{Key: "manifest.delete-file-drop-stats", Kind: Bool, Default: "false", Tier: NoEffect, Doc: "entries that delete a file hold no statistics"},
		{Key: "manifest.format", Kind: Enum, Default: "avro", Values: []string{"avro", "orc", "parquet"}, Tier: NoEffect, Doc: "format of manifests in old releases; they are always written as Avro"},
		{Key: "manifest.full-compaction-threshold-size", Kind: Size, Default: "16 mb", Doc: "size of changed manifests from which all are rewritten"},
		{Key: "manifest.merge-min-count", Kind: Int, Default: "30", Min: 1, HasMin: true, Doc: "number of small manifests from which they are merged"},
		{Key: "manifest.target-file-size", Kind: Size, Default: "8 mb", Min: 1, HasMin: true, Doc: "size up to which manifests are merged"},
	}
}
