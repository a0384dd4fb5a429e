package options

// mergeOptions declares the options of merge engines and the order of records.
func mergeOptions() []Def {
	return []Def{
		{Key: "aggregation.remove-record-on-delete", Kind: Bool, Default: "false", Tier: Later, Feature: "merge engine aggregation", Immutable: true, Doc: "aggregation: '-D' removes the whole row"},
		{Key: "fields.default-aggregate-function", Kind: Text, Tier: Later, Feature: "merge engine aggregation", Doc: "default aggregate for all fields"},
		{Key: "ignore-delete", Kind: Bool, Default: "false", NoHint: true, Fallbacks: []string{"first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete"}, Doc: "drop '-D' and '-U' on write"},
		{Key: "ignore-update-before", Kind: Bool, Default: "false", NoHint: true, Doc: "drop '-U' on write"},
		{Key: "merge-engine", Kind: Enum, Default: "deduplicate", Values: []string{"deduplicate", "partial-update", "aggregation", "first-row"}, Later: []string{"partial-update", "aggregation", "first-row"}, Immutable: true, Doc: "deduplicate, partial-update, aggregation, first-row"},
		{Key: "partial-update.remove-record-on-delete", Kind: Bool, Default: "false", Tier: Later, Feature: "merge engine partial-update", Immutable: true, Doc: "partial-update: '-D' removes the row"},
		{Key: "partial-update.remove-record-on-sequence-group", Kind: Columns, Tier: Later, Feature: "merge engine partial-update", Immutable: true, Doc: "'-D' on these group fields removes the row"},
		{Key: "rowkind.field", Kind: Text, Immutable: true, Doc: "STRING column that gives the row kind"},
		{Key: "sequence.field", Kind: Columns, Doc: "user ordering columns"},
		{Key: "sequence.field.sort-order", Kind: Enum, Default: "ascending", Values: []string{"ascending", "descending"}, Doc: "ascending / descending"},
		{Key: "sequence.snapshot-ordering", Kind: Bool, Default: "false", Tier: Later, Feature: "snapshot ordering", Immutable: true, Doc: "the snapshot id orders the versions of a key"},
	}
}
