package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/types"
)

func goldenFiles(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files in %s: %v", dir, err)
	}
	out := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(p)] = data
	}
	return out
}

// What the reference wrote means the same after it was read and written by us.
func TestGoldenRoundTrip(t *testing.T) {
	for name, data := range goldenFiles(t, "golden") {
		s, err := Decode(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var want, got map[string]any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(s.Encode(), &got); err != nil {
			t.Fatal(err)
		}
		if s.Version < Version { // older versions say less
			delete(got, "version")
			delete(want, "version")
			gotOpts, wantOpts := got["options"].(map[string]any), want["options"].(map[string]any)
			for _, k := range []string{"bucket", "file.format"} {
				if wantOpts[k] == nil {
					delete(gotOpts, k)
				}
			}
		}
		if !reflect.DeepEqual(known(got), known(want)) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
		again, err := Decode(s.Encode())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: second round: %v", name, err)
		}
	}
}

// known takes members away that mean nothing: nulls, and nullable, which pypaimon
// writes beside nested types.
func known(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			if m == nil || k == "nullable" {
				delete(v, k)
				continue
			}
			v[k] = known(m)
		}
	case []any:
		for i := range v {
			v[i] = known(v[i])
		}
	}
	return v
}

func TestOldVersionsHaveOtherDefaults(t *testing.T) {
	golden := goldenFiles(t, "golden")
	for name, want := range map[string][2]string{"version-1.json": {"1", "orc"}, "version-2.json": {"", "orc"}, "atoms.json": {"", ""}} {
		var raw struct{ Options map[string]string }
		if err := json.Unmarshal(golden[name], &raw); err != nil {
			t.Fatal(err)
		}
		s, err := Decode(golden[name])
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range []string{"bucket", "file.format"} {
			expect := want[i]
			if v, ok := raw.Options[k]; ok {
				expect = v
			}
			if s.Options[k] != expect {
				t.Errorf("%s: %s is %q, want %q", name, k, s.Options[k], expect)
			}
		}
	}
}

func TestDecodeDamaged(t *testing.T) {
	for name, data := range goldenFiles(t, "damaged") {
		if _, err := Decode(data); !errors.Is(err, corrupt.Err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := `{"version":3,"id":0,"fields":[{"id":0,"name":"a","type":"INT"},{"id":1,"name":"b","type":"STRING"}],"highestFieldId":1,"partitionKeys":[],"primaryKeys":["a"],"options":{"x":1},"timeMillis":5,"more":{}}`
	s, err := Decode([]byte(good))
	if err != nil || s.Options["x"] != "1" {
		t.Fatalf("good: %v", err)
	}
	for _, c := range []struct{ from, to, text string }{
		{`"id":0,"fields"`, `"fields"`, `no member "id"`},
		{`"highestFieldId":1,`, ``, `no member "highestFieldId"`},
		{`"partitionKeys":[]`, `"partitionKeys":["c"]`, `"c" is no column`},
		{`"primaryKeys":["a"]`, `"primaryKeys":["a","a"]`, `"a" stands twice`},
		{`"id":1,"name":"b"`, `"id":0,"name":"b"`, `same id 0`},
		{`"name":"b"`, `"name":"a"`, `"a" stands twice`},
		{`"partitionKeys":[]`, `"partitionKeys":["a"]`, `partition columns only`},
		{`"INT"`, `{"type":"ARRAY","element":"INT"}`, `cannot be in a key`},
		{`"INT"`, `"INTO"`, ``},
		{`"INT"`, `"DECIMAL(40, 2)"`, ``},
		{`{"x":1}`, `{"x":{}}`, `option "x"`},
		{`{"x":1}`, `7`, ``},
		{`"id":0,"fields"`, `"id":-1,"fields"`, `negative`},
		{good, `[]`, ``},
		{good, ``, ``},
		{good, good[:60], ``},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if _, err := Decode([]byte(text)); !errors.Is(err, corrupt.Err) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s -> %s: %v", c.from, c.to, err)
		}
	}
	if _, err := Decode([]byte(strings.Replace(good, `"version":3`, `"version":4`, 1))); err == nil || !strings.Contains(err.Error(), "schema version 4 is not supported") {
		t.Errorf("new version: %v", err)
	}
}

func TestAssignIDs(t *testing.T) {
	row := types.RowOf(
		types.Field{Name: "a", Type: types.Of(types.Int)},
		types.Field{Name: "b", Type: types.Of(types.Int)},
		types.Field{Name: "s", Type: types.RowOf(types.Field{Name: "x", Type: types.Of(types.Int)}, types.Field{Name: "y", Type: types.Of(types.Int)})},
	)
	next := 0
	fields := AssignIDs([]types.Field{{Name: "k", Type: types.Of(types.Int)}, {Name: "r", Type: types.ArrayOf(row)}}, &next)
	got := map[string]int{}
	for i := range fields {
		got[fields[i].Name] = fields[i].ID
		fields[i].Type.Walk(func(f *types.Field) { got[f.Name] = f.ID })
	}
	if want := map[string]int{"k": 0, "r": 1, "a": 2, "b": 3, "x": 4, "y": 5, "s": 6}; !reflect.DeepEqual(got, want) || next != 7 {
		t.Errorf("ids %v, next %d", got, next)
	}
	if row.Fields[0].ID != 0 || row.Fields[2].ID != 0 {
		t.Error("the given type was changed")
	}
}

func FuzzDecode(f *testing.F) {
	for _, dir := range []string{"golden", "damaged", "evolution"} {
		for _, data := range goldenFiles(f, dir) {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Encode())
		}
		if !bytes.Equal(again.Encode(), s.Encode()) {
			t.Fatalf("not stable:\n%s\n%s", s.Encode(), again.Encode())
		}
	})
}
