package options

// manifestOptions declares the options of manifests.
func manifestOptions() []Def {
	return []Def{
		{Key: "manifest.compression", Kind: Codec, Default: "zstd", Doc: "codec of manifests"},
		{Key: "manifest.delete-file-drop-stats", Kind: Bool, Default: "false", Doc: "no stats in DELETE entries"},
		{Key: "manifest.format", Kind: Enum, Default: "avro", Values: []string{"avro", "orc", "parquet"}, Tier: NoEffect, Doc: "format of manifests; manifests are always written as Avro"},
		{Key: "manifest.full-compaction-threshold-size", Kind: Size, Default: "16 mb", Doc: "changed bytes that trigger a full manifest rewrite"},
		{Key: "manifest.merge-min-count", Kind: Int, Default: "30", Min: 1, HasMin: true, Doc: "manifests needed for a minor merge"},
		{Key: "manifest.target-file-size", Kind: Size, Default: "8 mb", Min: 1, HasMin: true, Doc: "target manifest size"},
	}
}
