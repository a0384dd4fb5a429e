package options

// vectorsOptions declares the options of deletion vectors.
func vectorsOptions() []Def {
	return []Def{
		{Key: "deletion-vector.index-file.target-size", Kind: Size, Default: "2 mb", Tier: Later, Feature: "deletion vectors", Doc: "rolling size of DV index files"},
		{Key: "deletion-vectors.bitmap64", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "64-bit, Iceberg-compatible bitmaps"},
		{Key: "deletion-vectors.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "merge-on-write with deletion vectors"},
		{Key: "deletion-vectors.merge-on-read", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "DV tables: batch reads merge L0 too"},
		{Key: "deletion-vectors.modifiable", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "allows toggling deletion-vectors.enabled"},
	}
}
