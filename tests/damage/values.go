package damage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hamba/avro/v2/ocf"
)

// randomJSON changes or leaves out one member of a JSON file, at any depth.
func (t *table) randomJSON(rng *rand.Rand) (*mutation, error) {
	paths := t.paths(func(p string) bool { k := kindOf(p); return k == "schema" || k == "snapshot" || k == "tag" })
	path := paths[rng.IntN(len(paths))]
	d := json.NewDecoder(bytes.NewReader(t.files[path]))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	class, note := changeMember(rng, doc, "")
	out, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return &mutation{class: "JSON " + class, path: path, note: note, files: map[string][]byte{path: out}, value: true}, nil
}

// changeMember changes one member of an object, or one below it.
func changeMember(rng *rand.Rand, m map[string]any, at string) (class, note string) {
	names := slices.Sorted(maps.Keys(m))
	name := names[rng.IntN(len(names))]
	note = at + name
	switch v := m[name].(type) {
	case map[string]any:
		if len(v) > 0 && rng.IntN(3) > 0 {
			return changeMember(rng, v, note+".")
		}
	case []any:
		if len(v) > 0 && rng.IntN(3) > 0 {
			i := rng.IntN(len(v))
			if inner, ok := v[i].(map[string]any); ok {
				return changeMember(rng, inner, fmt.Sprintf("%s[%d].", note, i))
			}
			v[i] = changed(rng, v[i])
			return "value", fmt.Sprintf("%s[%d] = %v", note, i, v[i])
		}
	}
	if rng.IntN(4) == 0 {
		delete(m, name)
		return "left out", note
	}
	m[name] = changed(rng, m[name])
	return "value", fmt.Sprintf("%s = %.60v", note, m[name])
}

// changed is another value, mostly of the same type.
func changed(rng *rand.Rand, v any) any {
	if rng.IntN(6) == 0 {
		return []any{nil, true, "text", json.Number("7"), []any{}, map[string]any{}}[rng.IntN(6)]
	}
	switch v := v.(type) {
	case json.Number:
		n, _ := v.Int64()
		return []any{n + 1, n - 1, -n, 0, math.MaxInt64, math.MinInt64, 1 << 31, json.Number("1.5"), json.Number("1e400")}[rng.IntN(9)]
	case string:
		if len(v) > 1 && rng.IntN(2) == 0 {
			at := rng.IntN(len(v))
			return v[:at] + string(rune('a'+rng.IntN(26))) + v[at+1:]
		}
		return []any{"", v + "x", strings.ToUpper(v), "../" + v, v + "\x00", strings.Repeat("y", 70000)}[rng.IntN(6)]
	case []any:
		return []any{[]any{}, append(slices.Clone(v), "k"), nil}[rng.IntN(3)]
	case map[string]any:
		return map[string]any{}
	}
	return "text"
}

// randomAvro changes or leaves out one member of one record of an Avro metadata
// file, and puts the recorded sizes right again.
func (t *table) randomAvro(rng *rand.Rand) (*mutation, error) {
	paths := t.paths(func(p string) bool { return strings.Contains(p, "/manifest/") })
	if len(paths) == 0 {
		return nil, nil
	}
	path := paths[rng.IntN(len(paths))]
	schema, records, err := decodeOCF(t.files[path])
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, nil
	}
	rec := records[rng.IntN(len(records))]
	var class, note string
	switch rng.IntN(8) {
	case 0:
		class, note = "member left out", dropField(rng, schema)
	case 1:
		i := rng.IntN(len(records))
		if rng.IntN(2) == 0 {
			class, note, records = "record twice", fmt.Sprint(i), append(records, records[i])
		} else {
			class, note, records = "record left out", fmt.Sprint(i), slices.Delete(records, i, i+1)
		}
	default:
		class, note = "member", changeField(rng, rec, "")
	}
	out, err := encodeOCF(schema, records)
	if err != nil {
		return nil, nil // the value does not fit the schema: nothing to write
	}
	m := &mutation{class: "Avro " + class, path: path, note: note, files: map[string][]byte{path: out}, value: true}
	return m, t.repair(m)
}

func decodeOCF(data []byte) (schema map[string]any, records []map[string]any, err error) {
	d, err := ocf.NewDecoder(bytes.NewReader(data))
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(d.Metadata()["avro.schema"], &schema); err != nil {
		return nil, nil, err
	}
	for d.HasNext() {
		var rec map[string]any
		if err := d.Decode(&rec); err != nil {
			return nil, nil, err
		}
		records = append(records, rec)
	}
	return schema, records, d.Error()
}

func encodeOCF(schema map[string]any, records []map[string]any) ([]byte, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e, err := ocf.NewEncoder(string(text), &out, ocf.WithCodec(ocf.Null))
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return nil, err
		}
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// dropField takes a member out of the writer's schema.
func dropField(rng *rand.Rand, schema map[string]any) string {
	fields := schema["fields"].([]any)
	i := rng.IntN(len(fields))
	f := fields[i].(map[string]any)
	if inner, ok := f["type"].(map[string]any); ok && inner["type"] == "record" && rng.IntN(4) > 0 {
		return fmt.Sprint(f["name"], ".", dropField(rng, inner))
	}
	schema["fields"] = slices.Delete(fields, i, i+1)
	return fmt.Sprint(f["name"])
}

// changeField changes a member of a record or of one inside.
func changeField(rng *rand.Rand, m map[string]any, at string) string {
	names := slices.Sorted(maps.Keys(m))
	name := names[rng.IntN(len(names))]
	note := at + name
	if inner, ok := m[name].(map[string]any); ok {
		if branch, only := single(inner); only {
			inner[branch] = changedAvro(rng, inner[branch])
			return fmt.Sprintf("%s = %.60v", note, inner[branch])
		}
		return changeField(rng, inner, note+".")
	}
	m[name] = changedAvro(rng, m[name])
	return fmt.Sprintf("%s = %.60v", note, m[name])
}

// single reports whether a map is a union's value: its one member is the branch.
func single(m map[string]any) (branch string, ok bool) {
	for k := range m {
		branch = k
	}
	return branch, len(m) == 1 && !strings.HasPrefix(branch, "_")
}

func changedAvro(rng *rand.Rand, v any) any {
	switch v := v.(type) {
	case int:
		return []int{v + 1, v - 1, -v - 1, 0, math.MaxInt32, math.MinInt32}[rng.IntN(6)]
	case int64:
		return []int64{v + 1, v - 1, -v - 1, 0, math.MaxInt64, math.MinInt64}[rng.IntN(6)]
	case string:
		return []string{"", v + "x", "../" + v, "x\x00"}[rng.IntN(4)]
	case []byte:
		if len(v) == 0 || rng.IntN(4) == 0 {
			return [][]byte{{}, {1}, append(bytes.Clone(v), 0), bytes.Repeat([]byte{0xff}, 40)}[rng.IntN(4)]
		}
		return set(rng, v, rng.IntN(len(v)))
	case []any:
		return []any{}
	}
	return v
}

// repair puts the sizes of changed manifests into the lists that name them, and
// those of lists into snapshots and tags, so that only the value is at fault.
func (t *table) repair(m *mutation) error {
	size := func(name string) (int, bool) {
		data, ok := m.files[dir+"/manifest/"+name]
		return len(data), ok
	}
	for _, p := range t.paths(func(p string) bool { return kindOf(p) == "manifest list" && m.files[p] == nil }) {
		schema, records, err := decodeOCF(t.files[p])
		if err != nil {
			return err
		}
		hit := false
		for _, r := range records {
			if n, ok := size(r["_FILE_NAME"].(string)); ok {
				r["_FILE_SIZE"], hit = int64(n), true
			}
		}
		if hit {
			if m.files[p], err = encodeOCF(schema, records); err != nil {
				return err
			}
		}
	}
	for _, p := range t.paths(func(p string) bool { k := kindOf(p); return k == "snapshot" || k == "tag" }) {
		var doc map[string]any
		d := json.NewDecoder(bytes.NewReader(t.files[p]))
		d.UseNumber()
		if err := d.Decode(&doc); err != nil {
			return err
		}
		hit := false
		for _, which := range []string{"base", "delta"} {
			if n, ok := size(doc[which+"ManifestList"].(string)); ok {
				doc[which+"ManifestListSize"], hit = n, true
			}
		}
		if hit {
			var err error
			if m.files[p], err = json.Marshal(doc); err != nil {
				return err
			}
		}
	}
	return nil
}
