package options

// changelogOptions declares the options of changelogs.
func changelogOptions() []Def {
	return []Def{
		{Key: "changelog-file.compression", Kind: Codec, Doc: "compression of changelog files; default file.compression"},
		{Key: "changelog-file.format", Kind: Format, Doc: "format of changelog files; default file.format"},
		{Key: "changelog-file.prefix", Kind: Text, Default: "changelog-", Doc: "file-name prefix of changelog files"},
		{Key: "changelog-file.stats-mode", Kind: StatsMode, Doc: "stats mode for changelog files"},
		{Key: "changelog-producer", Kind: Enum, Default: "none", Values: []string{"none", "input", "full-compaction", "lookup"}, Later: []string{"input", "full-compaction", "lookup"}, Doc: "none, input, full-compaction, lookup"},
		{Key: "changelog-producer.row-deduplicate", Kind: Bool, Default: "false", Tier: Later, Feature: "changelog producers", Doc: "suppress '-U/+U' of equal rows (lookup, full-compaction)"},
		{Key: "changelog-producer.row-deduplicate-ignore-fields", Kind: Columns, Tier: Later, Feature: "changelog producers", Doc: "columns ignored in that comparison"},
		{Key: "changelog.num-retained.max", Kind: Int, Min: 1, HasMin: true, Tier: Later, Feature: "long-lived changelogs", Doc: "long-lived changelog: max count; default snapshot value"},
		{Key: "changelog.num-retained.min", Kind: Int, Min: 1, HasMin: true, Tier: Later, Feature: "long-lived changelogs", Doc: "long-lived changelog: min count; default snapshot value"},
		{Key: "changelog.time-retained", Kind: Duration, Tier: Later, Feature: "long-lived changelogs", Doc: "long-lived changelog: max age; default snapshot value"},
	}
}
