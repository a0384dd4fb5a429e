package dialect

import (
	"fmt"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// BenchmarkParse compares our parser with the host's on the same text, where the
// host takes it.
func BenchmarkParse(b *testing.B) {
	var values strings.Builder
	values.WriteString("INSERT INTO t (a, b, c, d) VALUES ")
	for i := range 1000 {
		if i > 0 {
			values.WriteString(", ")
		}
		fmt.Fprintf(&values, "(%d, 'name %d', '2026-01-01 00:00:00.%03d', %d.%02d)", i, i, i%1000, i, i%100)
	}
	for _, c := range []struct {
		name, text string
		host       bool
	}{
		{"select", "SELECT a, b, SUM(c) FROM t WHERE d > 5 AND e = 'x' GROUP BY a, b ORDER BY 3 DESC LIMIT 10", true},
		{"like", "SELECT a, b, SUM(c) FROM t WHERE d > 5 AND e LIKE 'x%' GROUP BY a, b ORDER BY 3 DESC LIMIT 10", true},
		{"hint", "SELECT a, b, SUM(c) FROM t /*+ OPTIONS('k'='v') */ WHERE d > 5 AND e = 'x' GROUP BY a, b ORDER BY 3 DESC LIMIT 10", false},
		{"values1000", values.String(), true},
		{"values1000-hint", strings.Replace(values.String(), "INTO t", "INTO t OPTIONS ('k'='v')", 1), false},
		{"create", "CREATE TABLE t (a BIGINT, b STRING, c DECIMAL(10,2), PRIMARY KEY (a)) WITH ('bucket'='4')", false},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			p := New(Config{})
			for range b.N {
				if _, err := p.ParseSimple(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		if !c.host {
			continue
		}
		b.Run(c.name+"-host", func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for range b.N {
				if _, err := ast.Parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(int64(values.Len()))
		for range b.N {
			if _, _, ok := scanPlain(values.String(), false); !ok {
				b.Fatal("not plain")
			}
		}
	})
	b.Run("lex", func(b *testing.B) {
		b.SetBytes(int64(values.Len()))
		b.ReportAllocs()
		for range b.N {
			lex(values.String(), 0, false)
		}
	})
}
