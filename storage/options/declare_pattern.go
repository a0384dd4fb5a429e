package options

// patternOptions declares the options whose keys hold a column name (<f>) or
// another free part (<x>).
func patternOptions() []Def {
	const agg = "merge engine aggregation"
	return []Def{
		{Key: "fields.<f>.stats-mode", Kind: StatsMode, Doc: "statistics mode of one column"},
		{Key: "fields.<f>.aggregate-function", Kind: Text, Tier: Later, Feature: agg, Doc: "how the column's values are folded"},
		{Key: "fields.<f>.ignore-retract", Kind: Bool, Default: "false", Tier: Later, Feature: agg, Doc: "the column's aggregate passes over retractions"},
		{Key: "fields.<f>.list-agg-delimiter", Kind: Text, Default: ",", Tier: Later, Feature: agg, Doc: "text that listagg puts between values"},
		{Key: "fields.<f>.distinct", Kind: Bool, Default: "false", Tier: Later, Feature: agg, Doc: "collect and listagg keep each value once"},
		{Key: "fields.<f>.nested-key", Kind: Columns, Tier: Later, Feature: agg, Doc: "members of a nested row that make its key"},
		{Key: "fields.<f>.nested-key-null-strategy", Kind: Enum, Default: "merge", Values: []string{"merge", "ignore", "error"}, Tier: Later, Feature: agg, Doc: "what happens to nested rows with a null key"},
		{Key: "fields.<f>.nested-sequence-field", Kind: Columns, Tier: Later, Feature: agg, Doc: "members of a nested row that order its versions"},
		{Key: "fields.<f>.count-limit", Kind: Int, Default: "2147483647", Tier: Later, Feature: agg, Doc: "most nested rows that are kept"},
		{Key: "fields.<f>.ts-field", Kind: Text, Tier: Later, Feature: agg, Doc: "member that holds the time of a map entry"},
		{Key: "fields.<f>.sequence-group", Kind: Columns, Tier: Later, Feature: "merge engine partial-update", Doc: "columns that are ordered by the columns <f>"},
		{Key: "fields.<f>.map.storage-layout", Kind: Enum, Default: "default", Values: []string{"default", "shared-shredding"}, Tier: Later, Feature: "shredded MAP columns", Doc: "how a MAP column is laid out in files"},
		{Key: "fields.<f>.map.shared-shredding.max-columns", Kind: Int, Default: "256", Tier: Later, Feature: "shredded MAP columns", Doc: "most physical columns of a shredded MAP"},
		{Key: "fields.<f>.map.shared-shredding.column-placement-policy", Kind: Enum, Default: "lru", Values: []string{"plain", "sequential", "lru"}, Tier: Later, Feature: "shredded MAP columns", Doc: "which physical column a map key takes"},
		{Key: "fields.<f>.pk-vector.<x>", Kind: Text, Tier: Later, Feature: "indexes of primary key tables", Doc: "settings of a vector index"},
		{Key: "file-index.bloom-filter.<x>", Kind: Text, Tier: Supported, Doc: "columns and settings of bloom filter indexes in data files"},
		{Key: "file-index.bitmap.<x>", Kind: Text, Tier: NoEffect, Doc: "columns and settings of bitmap indexes in data files"},
		{Key: "file-index.bsi.<x>", Kind: Text, Tier: NoEffect, Doc: "columns and settings of bit-sliced indexes in data files"},
		{Key: "file-index.range-bitmap.<x>", Kind: Text, Tier: NoEffect, Doc: "columns and settings of range bitmap indexes in data files"},
		{Key: "parquet.<x>", Kind: Text, Doc: "handed to the Parquet writer, which takes what it knows"},
		{Key: "avro.<x>", Kind: Text, Doc: "handed to the Avro writer, which takes what it knows"},
		{Key: "orc.<x>", Kind: Text, Tier: NoEffect, Doc: "settings of ORC writers"},
		{Key: "metadata.iceberg.storage", Kind: Enum, Default: "disabled", Values: []string{"disabled", "table-location", "hadoop-catalog", "hive-catalog", "rest-catalog"}, Tier: Later, Feature: "Iceberg metadata", Doc: "where Iceberg metadata is kept beside Paimon's"},
		{Key: "metadata.iceberg.<x>", Kind: Text, Tier: Later, Feature: "Iceberg metadata", Doc: "settings of the Iceberg metadata beside Paimon's"},
		{Key: "commit.callback.<x>.param", Kind: Text, Tier: Later, Feature: "commit callbacks", Doc: "argument of a class that is called after commits"},
		{Key: "tag.callback.<x>.param", Kind: Text, Tier: Later, Feature: "tag callbacks", Doc: "argument of a class that is called after a tag is made"},
	}
}
