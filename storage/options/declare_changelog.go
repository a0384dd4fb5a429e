package options

// changelogOptions declares the options of changelogs.
func changelogOptions() []Def {
	return []Def{
		{Key: "changelog-file.compression", Kind: Codec, Doc: "codec of changelog files; by default that of data files"},
		{Key: "changelog-file.format", Kind: Format, Doc: "format of changelog files; by default that of data files"},
		{Key: "changelog-file.prefix", Kind: Text, Default: "changelog-", Doc: "how names of changelog files begin"},
		{Key: "changelog-file.stats-mode", Kind: StatsMode, Doc: "statistics of changelog files; by default as for data files"},
		{Key: "changelog-producer", Kind: Enum, Default: "none", Values: []string{"none", "input", "full-compaction", "lookup"}, Later: []string{"input", "full-compaction", "lookup"}, Doc: "how the changelog is made"},
		{Key: "changelog-producer.row-deduplicate", Kind: Bool, Default: "false", Tier: Later, Feature: "changelog producers", Doc: "leave out updates that change nothing"},
		{Key: "changelog-producer.row-deduplicate-ignore-fields", Kind: Columns, Tier: Later, Feature: "changelog producers", Doc: "columns that do not count as a change"},
		{Key: "changelog.num-retained.max", Kind: Int, Min: 1, HasMin: true, Tier: Later, Feature: "long-lived changelogs", Doc: "most changelogs that are kept beyond their snapshots; by default as for snapshots"},
		{Key: "changelog.num-retained.min", Kind: Int, Min: 1, HasMin: true, Tier: Later, Feature: "long-lived changelogs", Doc: "fewest changelogs that are kept; by default as for snapshots"},
		{Key: "changelog.time-retained", Kind: Duration, Tier: Later, Feature: "long-lived changelogs", Doc: "how long changelogs are kept; by default as for snapshots"},
	}
}
