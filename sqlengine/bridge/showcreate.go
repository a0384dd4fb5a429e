package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakesql/lakesql/hints"
	"github.com/lakesql/lakesql/storage/types"
)

// ShowCreate is the statement that makes the table again: MySQL's layout, which
// tools parse, then what only lakesql reads in a versioned comment. Types that
// MySQL does not know are written in the comment as well, by column.
func (t *Table) ShowCreate() string {
	var b strings.Builder
	s := t.schema
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", ident(t.name))
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %s %s", ident(f.Name), columnType(f.Type, contains(s.PrimaryKeys, f.Name)))
		if f.Type.NotNull {
			b.WriteString(" NOT NULL")
		}
		if f.Default != nil {
			b.WriteString(" DEFAULT " + hints.Quote(*f.Default))
		}
		if f.Description != "" {
			b.WriteString(" COMMENT " + hints.Quote(f.Description))
		}
	}
	if len(s.PrimaryKeys) > 0 {
		fmt.Fprintf(&b, ",\n  PRIMARY KEY (%s)", identList(s.PrimaryKeys))
	}
	b.WriteString("\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_bin")
	if s.Comment != "" {
		b.WriteString(" COMMENT=" + hints.Quote(s.Comment))
	}
	b.WriteString(t.lakeClauses())
	return b.String()
}

// lakeClauses are the clauses that MySQL's tools must not see.
func (t *Table) lakeClauses() string {
	var parts []string
	s := t.schema
	if len(s.PartitionKeys) > 0 {
		parts = append(parts, "PARTITIONED BY ("+identList(s.PartitionKeys)+")")
	}
	if len(s.Options) > 0 {
		var opts []string
		for _, k := range slices.Sorted(maps.Keys(s.Options)) {
			opts = append(opts, hints.Quote(k)+"="+hints.Quote(s.Options[k]))
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

// columnType is a type in SHOW CREATE TABLE: as MySQL names it where it does,
// else with lakesql's name in a comment behind MySQL's.
func columnType(t types.Type, inKey bool) string {
	host := strings.ToLower(fmt.Sprint(HostType(t.WithNotNull(false), inKey)))
	host, _, _ = strings.Cut(host, " character set")
	host, _, _ = strings.Cut(host, " collate")
	return host
}
