package options

// tableOptions declares the options of the table itself.
func tableOptions() []Def {
	return []Def{
		{Key: "add-column-before-partition", Kind: Bool, Default: "false", NoHint: true, Doc: "new columns without position go before the first partition column instead of to the end"},
		{Key: "alter-column-null-to-not-null.disabled", Kind: Bool, Default: "true", NoHint: true, Doc: "true forbids changing nullable → NOT NULL"},
		{Key: "auto-create", Kind: Bool, Default: "false", Tier: Later, Feature: "creating tables on first access", NoHint: true, Doc: "create the storage/table on first access if absent"},
		{Key: "branch", Kind: Text, Default: "main", Tier: Later, Feature: "branches", Doc: "branch this table object works on"},
		{Key: "disable-explicit-type-casting", Kind: Bool, Default: "false", NoHint: true, Doc: "only implicit casts in type changes"},
		{Key: "partition", Kind: Columns, Immutable: true, Doc: "partition keys given as option"},
		{Key: "path", Kind: Text, NoHint: true, Doc: "table location (internal, set by the catalog)"},
		{Key: "primary-key", Kind: Columns, Immutable: true, Doc: "primary key given as option"},
		{Key: "primary-key.nullable", Kind: Bool, Default: "false", Tier: Later, Feature: "nullable primary keys", Immutable: true, Doc: "pk columns may be null (null-safe equality)"},
		{Key: "query-auth.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "row and column authorisation", Doc: "catalog-side row/column authorisation"},
		{Key: "row-tracking.enabled", Kind: Bool, Default: "false", Tier: Later, Feature: "row tracking", Immutable: true, Doc: "append tables get stable _ROW_ID"},
		{Key: "type", Kind: Enum, Default: "table", Values: []string{"table", "materialized-table", "format-table", "object-table", "lance-table", "iceberg-table"}, Later: []string{"format-table", "object-table", "lance-table", "iceberg-table", "materialized-table"}, Immutable: true, Doc: "table, format-table, object-table, materialized-table, …"},
	}
}
