package main

import (
	"bufio"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lakesql/lakesql/sqlengine/exec/expr"
)

// printer writes a result in one of the formats.
type printer struct {
	format string
	out    *bufio.Writer
}

func newPrinter(format string, w io.Writer) *printer {
	return &printer{format: format, out: bufio.NewWriter(w)}
}

// print writes all rows and returns how many there were.
func (p *printer) print(rows *sql.Rows, cols []*sql.ColumnType) (n int64, err error) {
	switch p.format {
	case "csv":
		n, err = p.csv(rows, cols)
	case "json":
		n, err = p.json(rows, cols)
	case "vertical":
		n, err = p.vertical(rows, cols)
	default:
		n, err = p.table(rows, cols)
	}
	if err == nil {
		err = p.out.Flush()
	}
	return n, err
}

// cell is the text of a value as the server sent it; nil is NULL. The driver has made
// numbers of some.
type cell []byte

// Scan implements sql.Scanner. The text is valid until the next row.
func (c *cell) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*c = nil
	case []byte:
		*c = v
	case float64:
		*c = expr.AppendFloat(make([]byte, 0, 24), v, 64)
	case float32:
		*c = expr.AppendFloat(make([]byte, 0, 24), float64(v), 32)
	default:
		*c = fmt.Append(make([]byte, 0, 24), v)
	}
	return nil
}

// each scans the rows; values is valid until the next one.
func each(rows *sql.Rows, width int, f func(values []cell) error) (n int64, err error) {
	values := make([]cell, width)
	ptrs := make([]any, width)
	for i := range values {
		ptrs[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(ptrs...); err != nil {
			return n, err
		}
		if err := f(values); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

func (p *printer) csv(rows *sql.Rows, cols []*sql.ColumnType) (int64, error) {
	w := csv.NewWriter(p.out)
	rec := make([]string, len(cols))
	for i, c := range cols {
		rec[i] = c.Name()
	}
	if err := w.Write(rec); err != nil {
		return 0, err
	}
	n, err := each(rows, len(cols), func(v []cell) error {
		for i := range v {
			rec[i] = string(v[i])
		}
		return w.Write(rec)
	})
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return n, err
}

// numeric reports whether a column's text is a JSON number.
func numeric(c *sql.ColumnType) bool {
	switch c.DatabaseTypeName() {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE",
		"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT", "UNSIGNED BIGINT", "YEAR":
		return true
	}
	return false
}

// json writes one object a line.
func (p *printer) json(rows *sql.Rows, cols []*sql.ColumnType) (int64, error) {
	names := make([]string, len(cols))
	for i, c := range cols {
		text, err := json.Marshal(c.Name())
		if err != nil {
			return 0, err
		}
		names[i] = string(text)
	}
	return each(rows, len(cols), func(v []cell) error {
		for i := range v {
			sep := ","
			if i == 0 {
				sep = "{"
			}
			fmt.Fprintf(p.out, "%s%s:", sep, names[i])
			switch {
			case v[i] == nil:
				p.out.WriteString("null")
			case numeric(cols[i]), cols[i].DatabaseTypeName() == "JSON" && json.Valid(v[i]):
				p.out.Write(v[i])
			default:
				text, err := json.Marshal(string(v[i]))
				if err != nil {
					return err
				}
				p.out.Write(text)
			}
		}
		_, err := p.out.WriteString("}\n")
		return err
	})
}

func show(v cell) string {
	if v == nil {
		return "NULL"
	}
	return strings.ToValidUTF8(string(v), "\uFFFD")
}

func (p *printer) vertical(rows *sql.Rows, cols []*sql.ColumnType) (int64, error) {
	width := 0
	for _, c := range cols {
		width = max(width, utf8.RuneCountInString(c.Name()))
	}
	row := 0
	return each(rows, len(cols), func(v []cell) error {
		row++
		fmt.Fprintf(p.out, "*************************** %d. row ***************************\n", row)
		for i, c := range cols {
			fmt.Fprintf(p.out, "%s%s: %s\n", strings.Repeat(" ", width-utf8.RuneCountInString(c.Name())), c.Name(), show(v[i]))
		}
		return nil
	})
}

// tableRows is how many rows a table is laid out with; those after them keep the
// widths of the first ones.
const tableRows = 1000

func (p *printer) table(rows *sql.Rows, cols []*sql.ColumnType) (int64, error) {
	t := &textTable{out: p.out, widths: make([]int, len(cols)), right: make([]bool, len(cols))}
	head := make([]string, len(cols))
	for i, c := range cols {
		head[i] = c.Name()
		t.right[i] = numeric(c)
	}
	t.add(head)
	n, err := each(rows, len(cols), func(v []cell) error {
		line := make([]string, len(v))
		for i := range v {
			line[i] = strings.ReplaceAll(show(v[i]), "\n", `\n`)
		}
		t.add(line)
		return nil
	})
	t.end()
	return n, err
}

// textTable prints rows in columns.
type textTable struct {
	out    *bufio.Writer
	widths []int
	right  []bool
	lines  [][]string
	open   bool // the widths are fixed and the head is out
}

func (t *textTable) add(line []string) {
	if t.open {
		t.line(line, t.right)
		return
	}
	for i, s := range line {
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(s))
	}
	if t.lines = append(t.lines, line); len(t.lines) > tableRows {
		t.start()
	}
}

func (t *textTable) start() {
	t.rule()
	t.line(t.lines[0], make([]bool, len(t.right)))
	t.rule()
	for _, l := range t.lines[1:] {
		t.line(l, t.right)
	}
	t.lines, t.open = nil, true
}

func (t *textTable) end() {
	empty := !t.open && len(t.lines) == 1
	if !t.open {
		t.start()
	}
	if !empty {
		t.rule()
	}
}

func (t *textTable) rule() {
	for _, w := range t.widths {
		t.out.WriteString("+" + strings.Repeat("-", w+2))
	}
	t.out.WriteString("+\n")
}

func (t *textTable) line(cells []string, right []bool) {
	for i, s := range cells {
		pad := strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(s)))
		if right[i] {
			t.out.WriteString("| " + pad + s + " ")
		} else {
			t.out.WriteString("| " + s + pad + " ")
		}
	}
	t.out.WriteString("|\n")
}
