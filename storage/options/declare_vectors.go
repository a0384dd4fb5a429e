package options

// vectorsOptions declares the options of deletion vectors.
func vectorsOptions() []Def {
	return []Def{
		{Key: "deletion-vector.index-file.target-size", Kind: Size, Default: "2 mb", Tier: Later, Feature: "deletion vectors", Doc: "size of a file of deletion vectors"},
		{Key: "deletion-vectors.bitmap64", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "64-bit deletion vectors, which Iceberg reads too"},
		{Key: "deletion-vectors.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "writers mark old rows as deleted instead of leaving that to readers"},
		{Key: "deletion-vectors.merge-on-read", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "batch reads merge the newest files too"},
		{Key: "deletion-vectors.modifiable", Kind: Bool, Default: "false", Tier: Later, Feature: "deletion vectors", Doc: "deletion-vectors.enabled may be changed on a table with snapshots"},
	}
}
