package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/sqlengine/exec/expr"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// ShowCreate is the statement that makes the table again: MySQL's layout, which
// tools parse, then in a versioned comment what only lakesql reads. Stock clients
// keep that comment and a MySQL server skips it.
//
//	CREATE TABLE `t` (
//	  `k` varchar(16383) NOT NULL,
//	  PRIMARY KEY (`k`)
//	) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin
//	/*!99999 COLUMNS (`k` STRING) PARTITIONED BY (…) WITH ('bucket'='1') */
//
// COLUMNS names the types that MySQL's layout cannot say.
func (t *Table) ShowCreate() string { return showCreate(t.name, t.schema) }

func showCreate(table string, s *schema.Schema) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", ident(table))
	var lake []string // columns whose types the layout does not say
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteString(",\n")
		}
		name, exact := layoutType(f.Type, slices.Contains(s.PrimaryKeys, f.Name))
		if !exact {
			lake = append(lake, ident(f.Name)+" "+lakeType(f.Type.WithNotNull(false)))
		}
		fmt.Fprintf(&b, "  %s %s%s", ident(f.Name), name, nullability(f))
		if f.Description != "" {
			b.WriteString(" COMMENT " + oneLine(f.Description))
		}
	}
	if len(s.PrimaryKeys) > 0 {
		fmt.Fprintf(&b, ",\n  PRIMARY KEY (%s)", identList(s.PrimaryKeys))
	}
	b.WriteString("\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin")
	if s.Comment != "" {
		b.WriteString(" COMMENT=" + oneLine(s.Comment))
	}
	b.WriteString(lakeClauses(s, lake))
	return b.String()
}

// nullability is what MySQL prints behind a column's type.
func nullability(f types.Field) string {
	out := ""
	switch {
	case f.Type.NotNull:
		out = " NOT NULL"
	case f.Type.Kind == types.TimestampLTZ:
		out = " NULL"
	}
	switch {
	case f.Default != nil:
		return out + " DEFAULT " + oneLine(shownDefault(f))
	case !f.Type.NotNull && !isLong(f.Type):
		return out + " DEFAULT NULL"
	}
	return out
}

// isLong reports whether MySQL shows the type as one that takes no default.
func isLong(t types.Type) bool {
	switch t.Kind {
	case types.Char, types.VarChar:
		return t.Length > maxVarChar
	case types.Binary, types.VarBinary:
		return t.Length > maxVarBinary
	}
	return t.Kind >= types.Array
}

// lakeClauses are the clauses that MySQL's tools must not see.
func lakeClauses(s *schema.Schema, columns []string) string {
	var parts []string
	if len(columns) > 0 {
		parts = append(parts, "COLUMNS ("+strings.Join(columns, ", ")+")")
	}
	if len(s.PartitionKeys) > 0 {
		parts = append(parts, "PARTITIONED BY ("+identList(s.PartitionKeys)+")")
	}
	if len(s.Options) > 0 {
		var opts []string
		for _, k := range slices.Sorted(maps.Keys(s.Options)) {
			opts = append(opts, commentText(k)+"="+commentText(s.Options[k]))
		}
		parts = append(parts, "WITH ("+strings.Join(opts, ", ")+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n/*!99999 " + strings.Join(parts, " ") + " */"
}

func ident(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func identList(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = ident(n)
	}
	return strings.Join(q, ",")
}

// oneLine quotes a text so that it holds no line end: tools read the layout line
// by line.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(hints.Quote(s))
}

// commentText quotes a text for a comment: it neither ends one nor begins one.
func commentText(s string) string {
	return strings.NewReplacer("*/", `*\/`, "/*", `/\*`).Replace(oneLine(s))
}

// layoutType is a type as MySQL's layout names it. exact says whether CREATE
// TABLE makes the same type of that name again.
func layoutType(t types.Type, inKey bool) (name string, exact bool) {
	name = strings.ToLower(hostType(t.WithNotNull(false), inKey).String())
	name, _, _ = strings.Cut(name, " character set")
	name, _, _ = strings.Cut(name, " collate")
	switch t.Kind {
	case types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Date:
		return name, true
	case types.Decimal:
		return name, t.Scale <= maxScale
	case types.Char:
		return name, t.Length <= maxChar
	case types.VarChar:
		return name, t.Length <= maxVarChar || t.Length == types.MaxLength && !inKey
	case types.Binary:
		return name, t.Length <= maxChar
	case types.VarBinary:
		return name, t.Length <= maxVarBinary || t.Length == types.MaxLength && !inKey
	case types.Time:
		return withPrecision("time", t.Precision), t.Precision <= expr.MaxFraction
	case types.Timestamp:
		return withPrecision("datetime", t.Precision), t.Precision <= expr.MaxFraction
	case types.TimestampLTZ:
		return withPrecision("timestamp", t.Precision), false
	}
	return name, false
}

// lakeType is a type as CREATE TABLE reads it.
func lakeType(t types.Type) string {
	var s string
	switch t.Kind {
	case types.Array, types.Multiset:
		s = t.Kind.String() + "<" + lakeType(*t.Elem) + ">"
	case types.Map:
		s = "MAP<" + lakeType(*t.Key) + ", " + lakeType(*t.Elem) + ">"
	case types.Row:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = ident(f.Name) + " " + lakeType(f.Type)
			if f.Description != "" {
				fields[i] += " COMMENT " + commentText(f.Description)
			}
		}
		s = "ROW<" + strings.Join(fields, ", ") + ">"
	default:
		return t.String()
	}
	if t.NotNull {
		s += " NOT NULL"
	}
	return s
}

// withPrecision is the name of a time type with MySQL's digits of a second.
func withPrecision(name string, precision int) string {
	if precision == 0 {
		return name
	}
	return fmt.Sprintf("%s(%d)", name, min(precision, expr.MaxFraction))
}
