package options

// tableOptions declares the options of the table itself.
func tableOptions() []Def {
	return []Def{
		{Key: "add-column-before-partition", Kind: Bool, Default: "false", NoHint: true, Doc: "a column that is added without a place goes before the first partition column, not to the end"},
		{Key: "alter-column-null-to-not-null.disabled", Kind: Bool, Default: "true", NoHint: true, Doc: "refuse to make a nullable column NOT NULL"},
		{Key: "auto-create", Kind: Bool, Default: "false", Tier: Later, Feature: "creating tables on first access", NoHint: true, Doc: "create the table when it is first used"},
		{Key: "branch", Kind: Text, Default: "main", Tier: Later, Feature: "branches", Doc: "the branch that is read and written"},
		{Key: "disable-explicit-type-casting", Kind: Bool, Default: "false", NoHint: true, Doc: "a column may change its type only where no value is lost"},
		{Key: "partition", Kind: Columns, Immutable: true, Doc: "the partition columns, as another way to write PARTITIONED BY"},
		{Key: "path", Kind: Text, NoHint: true, Doc: "where the table lies; set by the catalog, never given"},
		{Key: "primary-key", Kind: Columns, Immutable: true, Doc: "the primary key, as another way to write PRIMARY KEY"},
		{Key: "primary-key.nullable", Kind: Bool, Default: "false", Tier: Later, Feature: "nullable primary keys", Immutable: true, Doc: "primary key columns may be null; two nulls are equal"},
		{Key: "query-auth.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "row and column authorisation", Doc: "the catalog says which rows and columns a user may read"},
		{Key: "row-tracking.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "row tracking", Immutable: true, Doc: "rows of append tables have an id that stays"},
		{Key: "type", Kind: Enum, Default: "table", Values: []string{"table", "materialized-table", "format-table", "object-table", "lance-table", "iceberg-table"}, Later: []string{"format-table", "object-table", "lance-table", "iceberg-table", "materialized-table"}, Immutable: true, Doc: "the kind of table"},
	}
}
