package interop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
	"github.com/lakesql/lakesql/storage/types"
)

// turnShape is a table that the engines take turns on. It has the columns of turnColumns,
// and one of each of some columnTypes; those with a partition are partitioned by p.
type turnShape struct {
	name               string
	primary, partition []string
	options            map[string]string
	types              []string
}

var turnShapes = []turnShape{
	{"pk", []string{"k"}, nil, map[string]string{"bucket": "2"}, nil},
	{"pk_one_bucket", []string{"k"}, nil, map[string]string{"bucket": "1", "num-sorted-run.compaction-trigger": "3"}, nil},
	{"pk_partitioned", []string{"k", "p"}, []string{"p"}, map[string]string{"bucket": "2"}, nil},
	{"pk_avro", []string{"k"}, nil, map[string]string{"bucket": "2", "file.format": "avro"}, nil},
	{"bucket_key", []string{"k", "p"}, nil, map[string]string{"bucket": "3", "bucket-key": "p"}, nil},
	{"dynamic", []string{"k"}, nil, map[string]string{"bucket": "-1", "dynamic-bucket.target-row-num": "10"}, nil},
	{"dynamic_partitioned", []string{"k", "p"}, []string{"p"}, map[string]string{"bucket": "-1", "dynamic-bucket.target-row-num": "5"}, nil},
	{"sequence", []string{"k"}, nil, map[string]string{"bucket": "2", "sequence.field": "n"}, nil},
	{"sequence_desc", []string{"k", "p"}, []string{"p"}, map[string]string{"bucket": "1", "sequence.field": "n", "sequence.field.sort-order": "descending"}, nil},
	{"append", nil, nil, map[string]string{"bucket": "-1"}, nil},
	{"append_partitioned", nil, []string{"p"}, map[string]string{"bucket": "-1"}, nil},
	{"append_bucketed", nil, []string{"p"}, map[string]string{"bucket": "2", "bucket-key": "k"}, nil},
	{"types", []string{"k"}, nil, map[string]string{"bucket": "2"}, append(flatTurnTypes(), "array", "array_of_row", "map", "row", "row_of_row")},
	{"types_avro", nil, []string{"p"}, map[string]string{"bucket": "-1", "file.format": "avro"}, flatTurnTypes()},
	{"types_by_level", []string{"k"}, nil, map[string]string{"bucket": "1", "file.compression": "snappy", "file.format.per.level": "0:avro"}, flatTurnTypes()},
}

func flatTurnTypes() []string {
	return []string{
		"boolean", "tinyint", "smallint", "bigint", "float", "double", "decimal_9", "decimal_18", "decimal_19", "decimal_38", "char", "varchar",
		"string", "varbinary", "bytes", "date", "time", "timestamp_0", "timestamp_3", "timestamp_6", "ltz_3", "ltz_6",
	}
}

func turnColumns(sh *turnShape) []types.Field {
	defs := []string{"k INT NOT NULL", "p STRING NOT NULL", "n INT", "v STRING"}
	for _, ct := range columnTypes {
		if slices.Contains(sh.types, ct.name) {
			defs = append(defs, typePrefix+ct.name+" "+ct.typ)
		}
	}
	return columns(defs...)
}

// typePrefix begins the names of the columns of columnTypes.
const typePrefix = "type_"

var turnPartitions = []string{`"a"`, `"b c"`, `"x/y=z"`}

// turn is one table with what it has to hold.
type turn struct {
	*table
	rng     *rand.Rand
	step    int
	keys    []int // columns of the primary key
	rows    []turnRow
	byKey   map[string]int // place in rows
	gone    map[string]int // sequence of the last delete of a key
	writers []string
	base    int // columns that are never altered
}

type turnRow []json.RawMessage

func (r turnRow) text() string {
	parts := make([]string, len(r))
	for i, v := range r {
		parts[i] = string(v)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// TestTurns deals the steps of a random program out to the engines, over tables of many
// shapes. After each step every engine reads what the model holds and the check is clean.
// TURNS is the number of steps, SEED repeats a program.
func TestTurns(t *testing.T) {
	s := newSuite(t)
	steps, seed := 200, uint64(time.Now().UnixNano())
	for name, set := range map[string]func(uint64){"TURNS": func(n uint64) { steps = int(n) }, "SEED": func(n uint64) { seed = n }} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set(n)
		}
	}
	fmt.Printf("SEED=%d TURNS=%d\n", seed, steps)
	rng := rand.New(rand.NewPCG(seed, 0))
	var turns []*turn
	for _, sh := range turnShapes {
		def := shape{name: "turns." + sh.name, fields: turnColumns(&sh), primary: sh.primary, partition: sh.partition, options: sh.options}
		x := &turn{rng: rng, byKey: map[string]int{}, gone: map[string]int{}, writers: []string{lakesql, java, python}, base: len(def.fields)}
		if sh.options["bucket"] == "-1" && sh.primary != nil {
			x.writers = x.writers[:2] // pypaimon does not write the index of dynamic buckets
		}
		if rng.IntN(2) == 0 {
			x.table = s.create(t, def)
		} else {
			x.table = s.createJava(t, def)
		}
		for _, k := range sh.primary {
			x.keys = append(x.keys, schema.FieldIndex(def.fields, k))
		}
		turns = append(turns, x)
	}
	for i := range steps {
		x := turns[rng.IntN(len(turns))]
		x.step = i + 1
		what := x.turn()
		t.Logf("step %d: %s: %s", i+1, x.name, what)
		x.by([]string{lakesql, java, python, rust}, x.want())
		x.checked(x.step%10 == 0)
		if t.Failed() {
			t.Fatalf("stopped at step %d, SEED=%d", i+1, seed)
		}
	}
	for _, x := range turns {
		x.clean()
	}
}

// checked has lakesql check the table, and Java now and then.
func (x *turn) checked(java bool) {
	if java && len(x.rows) > 0 {
		x.clean()
		return
	}
	for p, err := range storage.CheckTable(x.t.Context(), x.env, x.tb.Dir()) {
		if err != nil || !p.Note {
			x.t.Errorf("check %s: %v %v", x.name, p, err)
		}
	}
}

// turn does one step and tells what it did.
func (x *turn) turn() string {
	who := x.writers[x.rng.IntN(len(x.writers))]
	switch n := x.rng.IntN(20); {
	case n < 9:
		return x.put(who)
	case n < 12 && x.keys != nil && len(x.rows) > 0:
		return x.remove(who)
	case n < 14:
		return x.fold(who)
	case n < 16:
		return x.alterOnce(who)
	case n < 17:
		return x.expireOnce(who)
	case n < 19 && x.partition != nil:
		return x.overwrite(who)
	}
	return x.put(who)
}

func (x *turn) sequenced() (on, desc bool) {
	return x.options["sequence.field"] != "", x.options["sequence.field.sort-order"] == "descending"
}

// newRow makes a row with a random key.
func (x *turn) newRow(partition string) turnRow {
	row := make(turnRow, len(x.fields))
	for i, f := range x.fields {
		var v string
		switch f.Name {
		case "k":
			v = strconv.Itoa(x.rng.IntN(40))
		case "p":
			if v = partition; v == "" {
				v = turnPartitions[x.rng.IntN(len(turnPartitions))]
			}
		case "n":
			v = strconv.Itoa(x.step*10 + x.rng.IntN(40) - 20)
		case "v":
			v = fmt.Sprintf(`"s%d"`, x.step)
		default:
			v = x.value(f)
		}
		row[i] = json.RawMessage(v)
	}
	if on, desc := x.sequenced(); on {
		// A row that comes after a delete must not lose against it: whether a compaction
		// has dropped the delete by then is nobody's promise.
		if n, ok := x.gone[x.keyOf(row)]; ok {
			if have := x.seqOf(row); !desc && have <= n {
				row[2] = json.RawMessage(strconv.Itoa(n + 1))
			} else if desc && have >= n {
				row[2] = json.RawMessage(strconv.Itoa(n - 1))
			}
		}
	}
	return row
}

func (x *turn) seqOf(r turnRow) int {
	n, _ := strconv.Atoi(string(r[2]))
	return n
}

// value is a random value of a column.
func (x *turn) value(f types.Field) string {
	for _, ct := range columnTypes {
		if f.Name == typePrefix+ct.name {
			return ct.values[x.rng.IntN(len(ct.values))]
		}
	}
	if x.rng.IntN(4) == 0 {
		return "null"
	}
	n := x.rng.IntN(1000)
	switch f.Type.Kind {
	case types.Int, types.BigInt:
		return strconv.Itoa(n)
	case types.Double:
		return fmt.Sprintf("%d.5", n)
	case types.Date:
		return fmt.Sprintf(`"2026-0%d-1%d"`, 1+n%9, n%10)
	case types.Decimal:
		return fmt.Sprintf(`"%d.%02d"`, n, n%100)
	case types.Array:
		if x.options["file.format"] == "avro" {
			return fmt.Sprintf("[%d,%d]", n, n+1) // pypaimon writes no null element to Avro
		}
		return fmt.Sprintf("[%d,null]", n)
	}
	return fmt.Sprintf(`"t%d"`, n)
}

func (x *turn) keyOf(r turnRow) string {
	key := ""
	for _, k := range x.keys {
		key += string(r[k]) + ","
	}
	return key
}

// take is the model of a write.
func (x *turn) take(r turnRow) {
	if x.keys == nil {
		x.rows = append(x.rows, r)
		return
	}
	key := x.keyOf(r)
	i, there := x.byKey[key]
	if !there {
		x.byKey[key] = len(x.rows)
		x.rows = append(x.rows, r)
		return
	}
	if on, desc := x.sequenced(); on {
		if a, b := x.seqOf(r), x.seqOf(x.rows[i]); !desc && a < b || desc && a > b {
			return
		}
	}
	x.rows[i] = r
}

// drop is the model of a delete.
func (x *turn) drop(keep func(turnRow) bool) {
	x.rows = slices.DeleteFunc(x.rows, func(r turnRow) bool { return !keep(r) })
	clear(x.byKey)
	for i, r := range x.rows {
		x.byKey[x.keyOf(r)] = i
	}
}

func (x *turn) want() []string {
	var out []string
	for _, r := range x.rows {
		out = append(out, r.text())
	}
	return out
}

// commit writes rows by an engine.
func (x *turn) commit(who string, rows []turnRow, o storage.WriteOptions, words ...string) {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.text())
	}
	if who != lakesql {
		x.writeBy(who, lines, words...)
		return
	}
	if err := x.tryWrite(lines, false, o); err != nil {
		x.t.Errorf("lakesql writes %s: %v", x.name, err)
	}
}

func (x *turn) put(who string) string {
	rows := make([]turnRow, 1+x.rng.IntN(25))
	for i := range rows {
		rows[i] = x.newRow("")
	}
	x.commit(who, rows, storage.WriteOptions{})
	for _, r := range rows {
		x.take(r)
	}
	return fmt.Sprintf("%s writes %d rows", who, len(rows))
}

func (x *turn) remove(who string) string {
	if who == python {
		who = java
	}
	var lines []string
	gone := map[string]bool{}
	on, desc := x.sequenced()
	for range 1 + x.rng.IntN(5) {
		r := slices.Clone(x.rows[x.rng.IntN(len(x.rows))])
		if gone[x.keyOf(r)] {
			continue
		}
		if on {
			n := x.seqOf(r) + 1
			if desc {
				n -= 2
			}
			r[2] = json.RawMessage(strconv.Itoa(n))
			x.gone[x.keyOf(r)] = n
		}
		gone[x.keyOf(r)] = true
		lines = append(lines, r.text())
	}
	lines = kinded("-D", lines...)
	if who == java {
		x.writeBy(java, lines, "--kinds")
	} else if err := x.tryWrite(lines, true, storage.WriteOptions{}); err != nil {
		x.t.Errorf("lakesql deletes from %s: %v", x.name, err)
	}
	x.drop(func(r turnRow) bool { return !gone[x.keyOf(r)] })
	return fmt.Sprintf("%s deletes %d rows", who, len(lines))
}

func (x *turn) fold(who string) string {
	full := x.rng.IntN(2) == 0
	if who == lakesql {
		if _, err := x.tb.Compact(x.t.Context(), storage.CompactOptions{Full: full}); err != nil {
			x.t.Errorf("lakesql compacts %s: %v", x.name, err)
		}
		return fmt.Sprintf("lakesql compacts, full %v", full)
	}
	if len(x.rows) == 0 {
		return "java has nothing to compact"
	}
	var words []string
	if full {
		words = append(words, "--full")
	}
	_, err := x.try(x.java, "compact", words...)
	x.judge(java, "compacts", err)
	return fmt.Sprintf("java compacts, full %v", full)
}

func (x *turn) expireOnce(who string) string {
	if who == lakesql {
		n, err := x.tb.ExpireSnapshots(x.t.Context(), expire.Options{RetainMin: 1, RetainMax: 3})
		if err != nil {
			x.t.Errorf("lakesql expires snapshots of %s: %v", x.name, err)
		}
		return fmt.Sprintf("lakesql expires %d snapshots", n)
	}
	if len(x.rows) == 0 {
		return "java has nothing to expire"
	}
	out, err := x.try(x.java, "expire-snapshots", "--option", "snapshot.num-retained.min=1", "--option", "snapshot.num-retained.max=2")
	x.judge(java, "expires", err)
	return fmt.Sprintf("java expires %v", out)
}

func (x *turn) overwrite(who string) string {
	p := turnPartitions[x.rng.IntN(len(turnPartitions))]
	rows := make([]turnRow, 1+x.rng.IntN(8))
	for i := range rows {
		rows[i] = x.newRow(p)
	}
	var name string
	if err := json.Unmarshal([]byte(p), &name); err != nil {
		x.t.Fatal(err)
	}
	if strings.Contains(name, "=") && who == java {
		who = lakesql // the tool splits its argument at "="
	}
	o := storage.WriteOptions{Overwrite: &storage.Overwrite{Partition: map[string]columnar.Value{"p": columnar.StringValue(name)}}}
	x.commit(who, rows, o, "--overwrite", "p="+name)
	x.drop(func(r turnRow) bool { return string(r[1]) != p })
	for _, r := range rows {
		x.take(r)
	}
	return fmt.Sprintf("%s overwrites p=%s with %d rows", who, p, len(rows))
}

var addedTypes = []string{"INT", "BIGINT", "STRING", "DOUBLE", "DATE", "DECIMAL(8, 2)", "ARRAY<INT>"}

// alterOnce adds, renames, widens or drops a column behind the first ones.
func (x *turn) alterOnce(who string) string {
	if who == python {
		who = java
	}
	base := x.base
	added := len(x.fields) - base
	kind := x.rng.IntN(4)
	if added == 0 || added < 3 && kind == 3 {
		kind = 0
	} else if added > 4 && kind == 0 {
		kind = 3
	}
	at := base
	if added > 0 {
		at += x.rng.IntN(added)
	}
	var ours schema.Change
	var theirs map[string]any
	what := ""
	switch kind {
	case 0:
		typ := addedTypes[x.rng.IntN(len(addedTypes))]
		f := types.Field{Name: fmt.Sprintf("c%d", x.step), Type: mustType(typ)}
		ours = schema.AddColumn{Path: []string{f.Name}, Type: f.Type}
		theirs = map[string]any{"op": "add-column", "column": f.Name, "type": f.Type}
		x.fields = append(slices.Clone(x.fields), f)
		for i, r := range x.rows {
			x.rows[i] = append(slices.Clone(r), json.RawMessage("null"))
		}
		what = "adds " + f.Name + " " + typ
	case 1:
		to := fmt.Sprintf("r%d", x.step)
		what = "renames " + x.fields[at].Name + " to " + to
		ours = schema.RenameColumn{Path: []string{x.fields[at].Name}, NewName: to}
		theirs = map[string]any{"op": "rename-column", "column": x.fields[at].Name, "to": to}
		x.fields = slices.Clone(x.fields)
		x.fields[at].Name = to
	case 2:
		if x.fields[at].Type.Kind != types.Int {
			return "nothing to widen"
		}
		what = "widens " + x.fields[at].Name
		ours = schema.ChangeType{Path: []string{x.fields[at].Name}, Type: mustType("BIGINT")}
		theirs = map[string]any{"op": "set-type", "column": x.fields[at].Name, "type": "BIGINT"}
		x.fields = slices.Clone(x.fields)
		x.fields[at].Type = mustType("BIGINT")
	case 3:
		what = "drops " + x.fields[at].Name
		ours = schema.DropColumn{Path: []string{x.fields[at].Name}}
		theirs = map[string]any{"op": "drop-column", "column": x.fields[at].Name}
		x.fields = slices.Delete(slices.Clone(x.fields), at, at+1)
		for i, r := range x.rows {
			x.rows[i] = slices.Delete(slices.Clone(r), at, at+1)
		}
	}
	if who == lakesql {
		if _, err := x.tb.Alter(x.t.Context(), []schema.Change{ours}); err != nil {
			x.t.Errorf("lakesql %s: %v", what, err)
		}
	} else {
		text, err := json.Marshal(theirs)
		if err != nil {
			x.t.Fatal(err)
		}
		_, err = x.try(x.java, "alter", "--change", string(text))
		x.judge(java, "alters", err)
	}
	return who + " " + what
}
