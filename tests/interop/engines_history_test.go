package interop

import (
	"fmt"
	"testing"

	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot/expire"
)

// testHistory changes schemas, tags and expires with one engine, and has the others read on.
func testHistory(t *testing.T, s *suite) {
	for _, keyed := range []bool{true, false} {
		kind := map[bool]string{false: "append", true: "pk"}[keyed]
		sh := shape{fields: columns("k INT NOT NULL", "s STRING", "n INT"), options: map[string]string{"bucket": "-1"}}
		if keyed {
			sh.primary, sh.options["bucket"] = []string{"k"}, "2"
		}
		named := func(name, feature string) shape {
			y := sh
			y.name, y.feature = "history."+kind+"_"+name, feature
			return y
		}
		t.Run(kind+"/schema", func(t *testing.T) { evolve(s.create(t, named("schema", "schema changes"))) })
		t.Run(kind+"/schema-java", func(t *testing.T) { evolveJava(s.create(t, named("schema_java", "schema changes"))) })
		t.Run(kind+"/tags", func(t *testing.T) { tags(s.create(t, named("tags", "tags"))) })
		t.Run(kind+"/expiry", func(t *testing.T) { expiry(s.create(t, named("expiry", "expiry of snapshots"))) })
	}
}

func (x *table) alter(changes ...schema.Change) {
	x.t.Helper()
	if _, err := x.tb.Alter(x.t.Context(), changes); err != nil {
		x.t.Fatal(err)
	}
}

// evolve changes the schema with lakesql.
func evolve(x *table) {
	x.write(`[1,"a",1]`, `[2,"b",2]`)
	before := x.newest()
	x.alter(
		schema.AddColumn{Path: []string{"extra"}, Type: mustType("DOUBLE"), Place: &schema.Place{Where: schema.After, Ref: "k"}},
		schema.RenameColumn{Path: []string{"s"}, NewName: "text"},
		schema.ChangeType{Path: []string{"n"}, Type: mustType("BIGINT")})
	x.all([]string{`[1,null,"a",1]`, `[2,null,"b",2]`})
	x.write(`[3,0.5,"c",7000000000]`)
	want := []string{`[1,null,"a",1]`, `[2,null,"b",2]`, `[3,0.5,"c",7000000000]`}
	x.all(want)
	if x.writeBy(java, []string{`[4,null,null,4]`}) {
		want = append(want, `[4,null,null,4]`)
	}
	if x.writeBy(python, []string{`[5,1.5,"e",5]`}) {
		want = append(want, `[5,1.5,"e",5]`)
	}
	x.all(want)
	x.by([]string{lakesql, java, python}, []string{`[1,"a",1]`, `[2,"b",2]`}, "scan.snapshot-id="+before)
	x.alter(
		schema.DropColumn{Path: []string{"extra"}},
		schema.ChangeType{Path: []string{"n"}, Type: mustType("DECIMAL(20, 1)")},
		schema.AddColumn{Path: []string{"r"}, Type: mustType("ROW<a INT, b STRING>")},
		schema.AddColumn{Path: []string{"extra"}, Type: mustType("STRING")})
	x.write(`[6,"f","6.5",[1,"x"],"new"]`)
	want = []string{`[1,"a","1.0",null,null]`, `[2,"b","2.0",null,null]`, `[3,"c","7000000000.0",null,null]`, `[4,null,"4.0",null,null]`,
		`[5,"e","5.0",null,null]`, `[6,"f","6.5",[1,"x"],"new"]`}
	x.all(want)
	x.alter(
		schema.AddColumn{Path: []string{"r", "c"}, Type: mustType("INT")},
		schema.RenameColumn{Path: []string{"r", "b"}, NewName: "bb"},
		schema.MoveColumn{Column: "extra", Place: schema.Place{Where: schema.First}})
	want = []string{`[null,1,"a","1.0",null]`, `[null,2,"b","2.0",null]`, `[null,3,"c","7000000000.0",null]`, `[null,4,null,"4.0",null]`,
		`[null,5,"e","5.0",null]`, `["new",6,"f","6.5",[1,"x",null]]`}
	x.all(want)
	x.compact()
	x.withFlink(want)
	x.clean()
}

// evolveJava changes the schema with Java.
func evolveJava(x *table) {
	x.write(`[1,"a",1]`, `[2,"b",2]`)
	x.run(x.java, "alter", "--change", `[{"op":"add-column","column":"extra","type":"DOUBLE","after":"k"},
		{"op":"rename-column","column":"s","to":"text"},{"op":"set-type","column":"n","type":"DECIMAL(20, 1)"}]`)
	x.by([]string{lakesql}, []string{`[1,null,"a","1.0"]`, `[2,null,"b","2.0"]`})
	x.write(`[3,0.5,"c","7.5"]`)
	x.run(x.java, "alter", "--change", `[{"op":"drop-column","column":"extra"},{"op":"set-option","key":"file.compression","value":"lz4"}]`)
	x.write(`[4,"d","8.5"]`)
	want := []string{`[1,"a","1.0"]`, `[2,"b","2.0"]`, `[3,"c","7.5"]`, `[4,"d","8.5"]`}
	x.all(want)
	x.compact()
	x.withFlink(want)
	x.clean()
}

// tags are made by lakesql and by Java.
func tags(x *table) {
	ctx := x.t.Context()
	x.write(`[1,"a",1]`)
	if err := x.tb.CreateTag(ctx, "ours", 0, 0); err != nil {
		x.t.Fatal(err)
	}
	x.write(`[2,"b",2]`)
	x.run(x.java, "tag", "--name", "theirs")
	x.write(`[3,"c",3]`)
	x.all([]string{`[1,"a",1]`}, "scan.tag-name=ours")
	x.all([]string{`[1,"a",1]`, `[2,"b",2]`}, "scan.tag-name=theirs")
	x.compact()
	if _, err := x.tb.ExpireSnapshots(ctx, expire.Options{RetainMin: 1, RetainMax: 1}); err != nil {
		x.t.Fatal(err)
	}
	x.all([]string{`[1,"a",1]`}, "scan.tag-name=ours")
	x.all([]string{`[1,"a",1]`, `[2,"b",2]`}, "scan.tag-name=theirs")
	x.all([]string{`[1,"a",1]`, `[2,"b",2]`, `[3,"c",3]`})
	x.clean()
	if err := x.tb.DeleteTag(ctx, "theirs"); err != nil {
		x.t.Fatal(err)
	}
	x.run(x.java, "tag", "--name", "ours", "--delete")
	if list, err := x.tb.Tags(ctx); err != nil || len(list) != 0 {
		x.t.Errorf("tags after they were deleted: %d, %v", len(list), err)
	}
	x.all([]string{`[1,"a",1]`, `[2,"b",2]`, `[3,"c",3]`})
	x.clean()
}

// expiry removes snapshots with lakesql and with Java, and rolls back.
func expiry(x *table) {
	var want []string
	put := func(k int) {
		r := fmt.Sprintf(`[%d,"v",%d]`, k, k)
		x.write(r)
		want = append(want, r)
	}
	for k := range 6 {
		put(k)
	}
	x.compact()
	if n, err := x.tb.ExpireSnapshots(x.t.Context(), expire.Options{RetainMin: 1, RetainMax: 2}); err != nil || n != 5 {
		x.t.Errorf("lakesql expired %d snapshots, %v", n, err)
	}
	x.all(want)
	x.clean()
	back := x.newest()
	rest := want
	for k := range 4 {
		put(10 + k)
	}
	x.run(x.java, "rollback", "--snapshot", back)
	want = rest
	x.all(want)
	put(20)
	x.all(want)
	for k := range 3 {
		put(30 + k)
	}
	x.run(x.java, "expire-snapshots", "--option", "snapshot.num-retained.min=1", "--option", "snapshot.num-retained.max=1")
	x.all(want)
	put(40)
	x.withFlink(want)
	x.clean()
}
