package options

// mergeOptions declares the options of merge engines and the order of records.
func mergeOptions() []Def {
	return []Def{
		{Key: "aggregation.remove-record-on-delete", Kind: Bool, Default: "false", Tier: Later, Feature: "merge engine aggregation", Immutable: true, Doc: "a delete removes the whole row"},
		{Key: "fields.default-aggregate-function", Kind: Text, Tier: Later, Feature: "merge engine aggregation", Doc: "how columns without a function of their own are folded"},
		{Key: "ignore-delete", Kind: Bool, Default: "false", NoHint: true, Fallbacks: []string{"first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete"}, Doc: "drop deletes and update-before records when writing"},
		{Key: "ignore-update-before", Kind: Bool, Default: "false", NoHint: true, Doc: "drop update-before records when writing"},
		{Key: "merge-engine", Kind: Enum, Default: "deduplicate", Values: []string{"deduplicate", "partial-update", "aggregation", "first-row"}, Later: []string{"partial-update", "aggregation", "first-row"}, Immutable: true, Doc: "how the records of a key become one row"},
		{Key: "partial-update.remove-record-on-delete", Kind: Bool, Default: "false", Tier: Later, Feature: "merge engine partial-update", Immutable: true, Doc: "a delete removes the whole row"},
		{Key: "partial-update.remove-record-on-sequence-group", Kind: Columns, Tier: Later, Feature: "merge engine partial-update", Immutable: true, Doc: "a delete that is newest in these sequence groups removes the whole row"},
		{Key: "rowkind.field", Kind: Text, Immutable: true, Doc: "the STRING column that gives the kind of a row: +I, -U, +U or -D"},
		{Key: "sequence.field", Kind: Columns, Doc: "the columns that order the versions of a key; without, the order of writing does"},
		{Key: "sequence.field.sort-order", Kind: Enum, Default: "ascending", Values: []string{"ascending", "descending"}, Doc: "whether the highest or the lowest version of a key wins"},
		{Key: "sequence.snapshot-ordering", Kind: Bool, Default: "false", Tier: Later, Feature: "snapshot ordering", Immutable: true, Doc: "the snapshot id orders the versions of a key"},
	}
}
