package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// table is one of the tables that statements are made over.
type table struct {
	name    string
	key     []string
	columns []column // with the key
	hidden  string   // what stands in a comment that other servers skip
	ddl     []string // definitions of the columns
	noKey   bool     // key is unique, but no primary key
}

// types of columns; each kind has several.
var columnTypes = []struct{ name, typ, kind string }{
	{"i1", "TINYINT", "int"},
	{"i2", "SMALLINT", "int"},
	{"i4", "INT", "int"},
	{"i8", "BIGINT", "int"},
	{"d1", "DECIMAL(6,2)", "dec"},
	{"d2", "DECIMAL(20,5)", "dec"},
	{"f", "DOUBLE", "dbl"},
	{"s", "VARCHAR(20)", "str"},
	{"x", "TEXT", "str"},
	{"dt", "DATE", "date"},
	{"t0", "DATETIME", "ts"},
	{"t3", "DATETIME(3)", "ts"},
	{"t6", "DATETIME(6)", "ts"},
	{"tm", "TIME", "time"},
	{"b", "BOOLEAN", "bool"},
}

// values of columns by type, as they are written.
var columnValues = map[string][]string{
	"TINYINT":       {"0", "1", "2", "3", "-1", "5", "127", "-128"},
	"SMALLINT":      {"0", "1", "2", "7", "-3", "10", "1000"},
	"INT":           {"0", "1", "2", "3", "4", "-5", "100", "2147483647"},
	"BIGINT":        {"0", "1", "2", "-7", "42", "5000000000", "-123456789012"},
	"DECIMAL(6,2)":  {"0.00", "1.50", "-2.25", "10.00", "0.10", "9999.99"},
	"DECIMAL(20,5)": {"0.00000", "1.50000", "3.14159", "-123456.78900", "2.00000", "100000000000000.00001"},
	"DOUBLE":        {"0", "1.5", "-0.25", "2", "1e10", "1000.125", "3"},
	"VARCHAR(20)":   {"''", "'a'", "'A'", "'ab'", "'b%'", "'é'", "'中文'", "'10'", "'1.5'", "'a '", "'-3x'", "'2024-02-29'"},
	"TEXT":          {"''", "'a'", "'abc abc'", "'B'", "'b_'", "'Äpfel'", "'7'", "' 3 '", "'a,b,c'", "'1e2'"},
	"DATE":          {"'2024-02-29'", "'2024-01-01'", "'1999-12-31'", "'2000-01-01'", "'2024-12-31'", "'2023-03-31'"},
	"DATETIME":      {"'2024-02-29 12:34:56'", "'2024-01-01 00:00:00'", "'1999-12-31 23:59:59'", "'2024-02-29 00:00:00'"},
	"DATETIME(3)":   {"'2024-02-29 12:34:56.789'", "'2024-01-01 00:00:00.000'", "'2023-03-31 01:02:03.004'"},
	"DATETIME(6)":   {"'2024-02-29 12:34:56.789012'", "'2024-01-01 00:00:00.000000'", "'2024-02-29 12:34:56.000001'"},
	"TIME":          {"'00:00:00'", "'12:34:56'", "'23:59:59'", "'01:02:03'"},
	"BOOLEAN":       {"TRUE", "FALSE"},
}

// newTables are the tables of a run: two with a primary key, of which one has
// partitions, one without, and one without rows.
func newTables(rnd *rand.Rand) []*table {
	buckets := fmt.Sprintf(" WITH ('bucket'='%d')", 1+rnd.IntN(2))
	list := []*table{
		{name: "t", key: []string{"id"}, hidden: buckets},
		{name: "u", key: []string{"id", "p"}, hidden: " PARTITIONED BY (p)" + buckets},
		{name: "v", key: []string{"id"}, noKey: true},
		{name: "e", key: []string{"id"}, hidden: buckets},
	}
	for _, t := range list {
		for _, k := range t.key {
			t.add(column{k, "int"}, "INT", true)
		}
		for _, c := range columnTypes {
			if rnd.IntN(10) < 8 {
				t.add(column{c.name, c.kind}, c.typ, rnd.IntN(4) == 0)
			}
		}
	}
	return list
}

func (t *table) add(c column, typ string, notNull bool) {
	t.columns = append(t.columns, c)
	if notNull {
		typ += " NOT NULL"
	}
	t.ddl = append(t.ddl, typ)
}

// setup lists the statements that make the tables: rows come in several of them, and
// later ones write keys of earlier ones.
func setup(rnd *rand.Rand, tables []*table) []string {
	var out []string
	for _, t := range tables {
		out = append(out, t.create())
		if t.name == "e" {
			continue
		}
		verb := "REPLACE"
		if t.noKey {
			verb = "INSERT"
		}
		for part := range 3 {
			var rows []string
			for n := range 4 + rnd.IntN(8) {
				id := part*100 + n // of its own where nothing keeps keys apart
				if !t.noKey {
					id = 1 + rnd.IntN(16)
				}
				rows = append(rows, t.row(rnd, id))
			}
			out = append(out, verb+" INTO "+t.name+" VALUES "+strings.Join(rows, ", "))
		}
		out = append(out, fmt.Sprintf("DELETE FROM %s WHERE id = %d", t.name, 1+rnd.IntN(16)))
	}
	return out
}

func (t *table) create() string {
	var list []string
	for i, c := range t.columns {
		list = append(list, c.ref+" "+t.ddl[i])
	}
	if !t.noKey {
		list = append(list, "PRIMARY KEY ("+strings.Join(t.key, ", ")+")")
	}
	text := "CREATE TABLE " + t.name + " (" + strings.Join(list, ", ") + ")"
	if t.hidden != "" {
		text += " /*!99999" + t.hidden + " */"
	}
	return text
}

func (t *table) row(rnd *rand.Rand, id int) string {
	values := make([]string, len(t.columns))
	for i := range t.columns {
		typ, notNull := strings.CutSuffix(t.ddl[i], " NOT NULL")
		list := columnValues[typ]
		switch {
		case i == 0:
			values[i] = fmt.Sprint(id)
		case i < len(t.key):
			values[i] = fmt.Sprint(rnd.IntN(3))
		case !notNull && rnd.IntN(5) == 0:
			values[i] = "NULL"
		default:
			values[i] = list[rnd.IntN(len(list))]
		}
	}
	return "(" + strings.Join(values, ", ") + ")"
}
