package sqlengine_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"
)

// columnDef is what a column definition says of the encoding of values.
type columnDef struct {
	kind     byte
	unsigned bool
	decimals int
}

// text cuts a length-encoded text off p; null is 0xfb.
func lenText(p []byte) (text, rest []byte, null bool) {
	n, at := uint64(p[0]), 1
	switch p[0] {
	case 0xfb:
		return nil, p[1:], true
	case 0xfc:
		n, at = uint64(binary.LittleEndian.Uint16(p[1:])), 3
	case 0xfd:
		n, at = uint64(p[1])|uint64(p[2])<<8|uint64(p[3])<<16, 4
	case 0xfe:
		n, at = binary.LittleEndian.Uint64(p[1:]), 9
	}
	return p[at : uint64(at)+n], p[uint64(at)+n:], false
}

func parseDef(p []byte) columnDef {
	for range 6 {
		_, p, _ = lenText(p)
	}
	p = p[1:] // length of what follows
	return columnDef{kind: p[6], unsigned: binary.LittleEndian.Uint16(p[7:])&32 != 0, decimals: int(p[9])}
}

// rows reads a result of one column, of a client that wants EOF packets.
func (r *rawClient) column() (def columnDef, rows [][]byte) {
	r.t.Helper()
	p := r.read(1)
	if p[0] != 1 {
		r.t.Fatalf("%q", p)
	}
	def = parseDef(r.read(2))
	r.read(3) // EOF
	for seq := byte(4); ; seq++ {
		p := r.read(seq)
		if p[0] == 0xff {
			r.t.Fatalf("%q", p)
		}
		if p[0] == 0xfe && len(p) == 5 {
			return def, rows
		}
		rows = append(rows, p)
	}
}

const nullText = "NULL"

func textValue(p []byte) string {
	v, _, null := lenText(p)
	if null {
		return nullText
	}
	return string(v)
}

// binaryValue decodes a row of the binary protocol with one column.
func binaryValue(t *testing.T, d columnDef, p []byte) string {
	t.Helper()
	if p[0] != 0 {
		t.Fatalf("%q", p)
	}
	null, p := p[1]&4 != 0, p[2:]
	if null {
		if len(p) > 0 {
			t.Errorf("%d bytes behind a NULL", len(p))
		}
		return nullText
	}
	le := binary.LittleEndian
	switch d.kind {
	case 1: // TINY
		return fmt.Sprint(int8(p[0]))
	case 2: // SHORT
		return fmt.Sprint(int16(le.Uint16(p)))
	case 3: // LONG
		return fmt.Sprint(int32(le.Uint32(p)))
	case 8: // LONGLONG
		if d.unsigned {
			return fmt.Sprint(le.Uint64(p))
		}
		return fmt.Sprint(int64(le.Uint64(p)))
	case 4: // FLOAT
		return strconv.FormatFloat(float64(math.Float32frombits(le.Uint32(p))), 'g', -1, 32)
	case 5: // DOUBLE
		return strconv.FormatFloat(math.Float64frombits(le.Uint64(p)), 'g', -1, 64)
	case 7, 10, 12: // TIMESTAMP, DATE, DATETIME
		return binaryDate(d, p)
	case 11: // TIME
		return binaryTime(d, p)
	default:
		v, rest, _ := lenText(p)
		if len(rest) > 0 {
			t.Errorf("%d bytes behind a value", len(rest))
		}
		return string(v)
	}
}

func binaryDate(d columnDef, p []byte) string {
	var f [11]byte // year, month, day, hour, minute, second, microseconds
	copy(f[:], p[1:1+p[0]])
	out := fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(f[:]), f[2], f[3])
	if d.kind == 10 {
		return out
	}
	return out + fmt.Sprintf(" %02d:%02d:%02d", f[4], f[5], f[6]) + fraction(d, binary.LittleEndian.Uint32(f[7:]))
}

func binaryTime(d columnDef, p []byte) string {
	var f [12]byte // negative, days, hour, minute, second, microseconds
	copy(f[:], p[1:1+p[0]])
	sign := ""
	if f[0] == 1 {
		sign = "-"
	}
	hours := binary.LittleEndian.Uint32(f[1:])*24 + uint32(f[5])
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, hours, f[6], f[7]) + fraction(d, binary.LittleEndian.Uint32(f[8:]))
}

func fraction(d columnDef, micros uint32) string {
	if d.decimals == 0 {
		return ""
	}
	return "." + fmt.Sprintf("%06d", micros)[:d.decimals]
}

// Every column type, NULL and the ends of its range among the values, looks the same
// in both protocols: straight from batches and from the host's rows.
func TestRowsOfEveryType(t *testing.T) {
	addr, e, db := openServer(t)
	long := strings.Repeat("ü", 300)
	for i, x := range []struct {
		ddl    string
		kind   byte
		values []string // literal, and the text if it is another
	}{
		{"BOOLEAN", 1, []string{"TRUE=1", "FALSE=0"}},
		{"TINYINT", 1, []string{"-128", "0", "127"}},
		{"SMALLINT", 2, []string{"-32768", "0", "32767"}},
		{"INT", 3, []string{"-2147483648", "0", "2147483647"}},
		{"BIGINT", 8, []string{"-9223372036854775808", "0", "9223372036854775807"}},
		{"FLOAT", 4, []string{"0", "-1.5", "0.1", "16777216", "1e-5=0.00001", "3.40282346e38=3.40282e38"}},
		{"DOUBLE", 5, []string{"0", "-1.5", "0.1", "1e-5=0.00001", "1.7976931348623157e308", "4.9e-324=5e-324"}},
		{"DECIMAL(38,0)", 246, []string{"-99999999999999999999999999999999999999", "0", "99999999999999999999999999999999999999"}},
		{"DECIMAL(20,20)", 246, []string{"0=0.00000000000000000000", "-0.00000000000000000001", "0.99999999999999999999"}},
		{"DECIMAL(12,2)", 246, []string{"-0.5=-0.50", "9999999999.99"}},
		{"CHAR(3)", 254, []string{"''=", "'ab'=ab", "'ü€😀'=ü€😀"}},
		{"VARCHAR(400)", 253, []string{"''=", "'a'=a", "'" + long + "'=" + long}},
		{"STRING", 252, []string{"''=", "'a\\0b'=a\x00b", "REPEAT('x',250)=" + strings.Repeat("x", 250), "REPEAT('x',251)=" + strings.Repeat("x", 251), "REPEAT('x',70000)=" + strings.Repeat("x", 70000)}},
		{"BINARY(2)", 254, []string{"X'00ff'=\x00\xff"}},
		{"VARBINARY(9)", 253, []string{"''=", "X'00ff'=\x00\xff"}},
		{"BYTES", 252, []string{"''=", "X'00fbfcfdfeff'=\x00\xfb\xfc\xfd\xfe\xff"}},
		{"DATE", 10, []string{"'0001-01-01'=0001-01-01", "'1969-12-31'=1969-12-31", "'2024-02-29'=2024-02-29", "'9999-12-31'=9999-12-31"}},
		{"TIME", 11, []string{"'00:00:00'=00:00:00", "'23:59:59'=23:59:59"}},
		{"TIME(3)", 11, []string{"'00:00:00.001'=00:00:00.001", "'23:59:59.999'=23:59:59.999"}},
		{"DATETIME", 12, []string{"'0001-01-01 00:00:00'=0001-01-01 00:00:00", "'9999-12-31 23:59:59'=9999-12-31 23:59:59"}},
		{"DATETIME(3)", 12, []string{"'1969-12-31 23:59:59.999'=1969-12-31 23:59:59.999", "'2026-01-01 00:00:00'=2026-01-01 00:00:00.000"}},
		{"TIMESTAMP(6)", 12, []string{"'1969-12-31 23:59:59.999999'=1969-12-31 23:59:59.999999", "'2026-01-01 00:00:00.000001'=2026-01-01 00:00:00.000001"}},
		{"TIMESTAMP_LTZ(3)", 7, []string{"'1970-01-01 00:00:00.001'=1970-01-01 00:00:00.001", "'2026-01-01 12:00:00'=2026-01-01 12:00:00.000"}},
		{"ARRAY<INT>", 245, []string{"'[]'=[]", "'[1,null]'=[1, null]"}},
		{"MAP<STRING,INT>", 245, []string{"'{}'={}", `'{"a":1}'={"a": 1}`}},
		{"ROW<a INT, b STRING>", 245, []string{`'{"a":1,"b":"x"}'={"a": 1, "b": "x"}`}},
	} {
		t.Run(x.ddl, func(t *testing.T) {
			table := fmt.Sprintf("every%d", i)
			exec(t, db, fmt.Sprintf("CREATE TABLE %s (k INT, c %s, PRIMARY KEY (k)) WITH ('bucket'='1')", table, x.ddl))
			var want []string
			var values strings.Builder
			for k, v := range append(x.values, "NULL") {
				literal, text, ok := strings.Cut(v, "=")
				if !ok {
					text = literal
				}
				if k > 0 {
					values.WriteByte(',')
				}
				fmt.Fprintf(&values, "(%d,%s)", k, literal)
				want = append(want, text)
			}
			exec(t, db, "INSERT INTO "+table+" VALUES "+values.String())
			r := dialRaw(t, addr, 0)
			q := "SELECT c FROM " + table + " ORDER BY k"
			checkRows(t, r, q, x.kind, want)
			ours := e.HostEngine().Analyzer.ExecBuilder
			e.HostEngine().Analyzer.ExecBuilder = rowexec.DefaultBuilder
			defer func() { e.HostEngine().Analyzer.ExecBuilder = ours }()
			checkRows(t, r, q, x.kind, want)
		})
	}
}

func checkRows(t *testing.T, r *rawClient, q string, kind byte, want []string) {
	t.Helper()
	r.send(mysql.ComQuery, q)
	d, rows := r.column()
	var got []string
	for _, p := range rows {
		got = append(got, textValue(p))
	}
	if d.kind != kind || !sameTexts(got, want) {
		t.Errorf("%s\ntext protocol, type %d: %.300q\nwant type %d: %.300q", q, d.kind, got, kind, want)
	}
	id, columns, _ := r.prepared(q)
	if columns != 1 {
		t.Fatalf("%d columns", columns)
	}
	if pd := parseDef(r.read(2)); pd != d {
		t.Errorf("%s: prepared it is %+v, as a text %+v", q, pd, d)
	}
	r.read(3) // EOF
	r.send(mysql.ComStmtExecute, string(binary.LittleEndian.AppendUint32(nil, id))+"\x00\x01\x00\x00\x00")
	bd, rows := r.column()
	got = nil
	for _, p := range rows {
		got = append(got, binaryValue(t, bd, bytes.Clone(p)))
	}
	if bd != d || !sameTexts(got, want) {
		t.Errorf("%s\nbinary protocol, %+v: %.300q\nwant %+v: %.300q", q, bd, got, d, want)
	}
}

// sameTexts compares values; numbers by their value.
func sameTexts(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		a, err1 := strconv.ParseFloat(got[i], 64)
		b, err2 := strconv.ParseFloat(want[i], 64)
		if err1 != nil || err2 != nil || float32(a) != float32(b) && math.Abs(a-b) > math.Abs(b)*1e-5 {
			return false
		}
	}
	return true
}
