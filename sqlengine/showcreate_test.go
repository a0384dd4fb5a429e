package sqlengine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lakesql/lakesql/catalog/filesystem"
	"github.com/lakesql/lakesql/sqlengine"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/fileio/mem"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/types"
)

// What SHOW CREATE TABLE prints makes the same table again, whatever its schema.
func TestShowCreate(t *testing.T) {
	store := mem.New(time.Now)
	env := storage.NewEnv(storage.Config{Store: store})
	defer env.Close()
	cat := filesystem.New(env, "/lake")
	e, err := sqlengine.Open(t.Context(), sqlengine.Options{Catalog: cat, Store: store, Root: "/lake"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName, cfg.Logger = "root", "local", "local", "default", &mysql.NopLogger{}
	cfg.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return e.Connect(ctx) }
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer func() {
		if err := errors.Join(db.Close(), e.Close()); err != nil {
			t.Error(err)
		}
	}()
	schemaOf := func() *schema.Schema {
		tb, err := cat.Table(t.Context(), "default", "t")
		if err != nil {
			t.Fatal(err)
		}
		s, err := tb.Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s = clone(s)
		return s
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		def := randomDefinition(rng, n)
		if _, err := cat.CreateTable(t.Context(), "default", "t", def); err != nil {
			t.Fatalf("%+v: %v", def, err)
		}
		want := schemaOf()
		var name, text string
		if err := db.QueryRowContext(t.Context(), "SHOW CREATE TABLE t").Scan(&name, &text); err != nil {
			t.Fatalf("%+v: %v", def, err)
		}
		exec(t, db, "DROP TABLE t")
		exec(t, db, text)
		if got := schemaOf(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nmakes %+v\nnot   %+v", text, got, want)
		}
		var again string
		if err := db.QueryRowContext(t.Context(), "SHOW CREATE TABLE t").Scan(&name, &again); err != nil {
			t.Fatal(err)
		}
		if again != text {
			t.Fatalf("%s\nbecomes\n%s", text, again)
		}
		exec(t, db, "DROP TABLE t")
	}
}

// clone is a schema without what differs between tables made at two times.
func clone(s *schema.Schema) *schema.Schema {
	c := *s
	c.TimeMillis = 0
	c.Fields = append([]types.Field(nil), s.Fields...)
	return &c
}

// texts are awkward in quotes, in comments and in lines.
func texts() []string {
	return []string{"", "plain", "it's", `a\b`, `\`, "*/ x", "/* y", "/*! z */", "two\nlines\r", "größe 中", "`q`", `"d"`, "a;b -- c", "\x00", "%_"}
}

func randomDefinition(rng *rand.Rand, n int) schema.Definition {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	def := schema.Definition{Comment: pick(texts()), Options: map[string]string{}}
	names := []string{"a", "b c", "order", "x`y", "Größe", "it's", "e$f", "*/"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range 1 + rng.IntN(len(names)-1) {
		f := types.Field{Name: names[i], Description: pick(texts())}
		f.Type = randomType(rng, 2).WithNotNull(rng.IntN(3) == 0)
		if k := f.Type.Kind; (k == types.VarChar && f.Type.Length > 100 || k == types.Int) && rng.IntN(2) == 0 {
			d := pick(texts())
			if k == types.Int {
				d = fmt.Sprint(rng.IntN(100) - 50)
			}
			f.Default = &d
		}
		def.Fields = append(def.Fields, f)
	}
	key := types.Field{Name: "k", Type: flatType(rng).WithNotNull(true)}
	part := types.Field{Name: "p q", Type: types.String().WithNotNull(true), Description: pick(texts())}
	def.Fields = append(def.Fields, key, part)
	switch n % 4 {
	case 0:
		def.PrimaryKeys = []string{"k"}
		def.Options["bucket"] = "2"
	case 1:
		def.PrimaryKeys, def.PartitionKeys = []string{"p q", "k"}, []string{"p q"}
	case 2:
		def.PartitionKeys = []string{"p q"}
		def.Options["target-file-size"] = "64 mb"
	}
	if rng.IntN(2) == 0 {
		def.Options["snapshot.num-retained.min"] = "7"
		def.Options["partition.default-name"] = pick(texts()[1:])
	}
	return def
}

func flatType(rng *rand.Rand) types.Type {
	switch rng.IntN(12) {
	case 0:
		return types.String()
	case 1:
		return types.Bytes()
	case 2:
		return types.Type{Kind: types.VarChar, Length: []int{1, 100, 16383, 16384, 70000}[rng.IntN(5)]}
	case 3:
		return types.Type{Kind: types.Char, Length: []int{1, 255, 256}[rng.IntN(3)]}
	case 4:
		return types.Type{Kind: types.VarBinary, Length: []int{1, 65535, 65536}[rng.IntN(3)]}
	case 5:
		return types.Type{Kind: types.Binary, Length: []int{1, 255, 256}[rng.IntN(3)]}
	case 6:
		p := 1 + rng.IntN(38)
		return types.Dec(p, rng.IntN(p+1))
	case 7:
		return types.TimestampOf(rng.IntN(10))
	case 8:
		return types.LTZOf(rng.IntN(10))
	case 9:
		return types.Type{Kind: types.Time, Precision: rng.IntN(10)}
	}
	return types.Of([]types.Kind{types.Boolean, types.TinyInt, types.SmallInt, types.Int, types.BigInt, types.Float, types.Double, types.Date}[rng.IntN(8)])
}

func randomType(rng *rand.Rand, depth int) types.Type {
	if depth == 0 || rng.IntN(2) == 0 {
		return flatType(rng)
	}
	inner := func() types.Type { return randomType(rng, depth-1).WithNotNull(rng.IntN(3) == 0) }
	switch rng.IntN(4) {
	case 0:
		return types.ArrayOf(inner())
	case 1:
		return types.MapOf(flatType(rng), inner())
	case 2:
		return types.MultisetOf(flatType(rng))
	}
	return types.RowOf(types.Field{Name: "f`g", Type: inner(), Description: texts()[rng.IntN(9)]}, types.Field{Name: "h", Type: inner()})
}
