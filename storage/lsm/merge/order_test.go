package merge

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/columnar"
	"github.com/lakesql/lakesql/storage/types"
)

func keyVectors(ts []types.Type, keys [][]columnar.Value) []*columnar.Vector {
	vs := make([]*columnar.Vector, len(ts))
	for i, t := range ts {
		vs[i] = columnar.NewVector(t, 0)
		for _, k := range keys {
			vs[i].AppendValue(k[i])
		}
	}
	return vs
}

// TestPrefixes checks for every kind of key that prefixes never contradict the
// order of keys, and that equal ones mean equal keys where they claim to.
func TestPrefixes(t *testing.T) {
	for name, kc := range keyCases {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var keys [][]columnar.Value
			for range 300 {
				keys = append(keys, kc.draw(rng))
			}
			plain, err := NewOrder(kc.types)
			if err != nil {
				t.Fatal(err)
			}
			low := slices.MinFunc(keys, func(a, b []columnar.Value) int { return compareKeys(kc.types, a, b) })
			high := slices.MaxFunc(keys, func(a, b []columnar.Value) int { return compareKeys(kc.types, a, b) })
			vs := keyVectors(kc.types, keys)
			told := 0
			for _, o := range []*Order{plain, plain.Within(low, high), plain.Shared([][]*columnar.Vector{vs})} {
				var p Prefixes
				for range 2 { // the second time memory is used again
					if err := o.Prefixes(&p, vs, len(keys)); err != nil {
						t.Fatal(err)
					}
				}
				for i := range keys {
					for j := range keys {
						want := compareKeys(kc.types, keys[i], keys[j])
						if got := o.Compare(vs, i, vs, j); got != want {
							t.Fatalf("Compare(%v, %v) = %d, want %d", keys[i], keys[j], got, want)
						}
						lo := [2]uint64{}
						if !o.Narrow() {
							lo = [2]uint64{p.Lo[i], p.Lo[j]}
						}
						got := cmp.Or(cmp.Compare(p.Hi[i], p.Hi[j]), cmp.Compare(lo[0], lo[1]))
						tells := o.Narrow() || o.Tells(lo[0])
						if got != want && (got != 0 || tells) {
							t.Fatalf("prefixes of %v and %v compare %d, want %d", keys[i], keys[j], got, want)
						}
						if tells {
							told++
						}
					}
				}
			}
			if told == 0 {
				t.Log("no prefix tells all of its key")
			}
		})
	}
}

func TestNarrow(t *testing.T) {
	for name, want := range map[string]bool{"bigint": true, "bigint null": false, "int null": true, "smallint int": true, "double": true, "string": false, "three bigints": false} {
		o, err := NewOrder(keyCases[name].types)
		if err != nil || o.Narrow() != want {
			t.Errorf("%s: narrow %v, %v", name, o.Narrow(), err)
		}
	}
}

func TestPrefixesRefuse(t *testing.T) {
	text := func(s string) []columnar.Value {
		return []columnar.Value{columnar.IntValue(1), columnar.StringValue(s)}
	}
	ts := []types.Type{notNull(tInt), notNull(types.String())}
	o, err := NewOrder(ts)
	if err != nil {
		t.Fatal(err)
	}
	o = o.Within(text("user-1"), text("user-9"))
	var p Prefixes
	for _, key := range [][]columnar.Value{
		text("other"), {columnar.IntValue(2), columnar.StringValue("user-3")}, {columnar.IntValue(1), columnar.NullValue}, {columnar.NullValue, columnar.StringValue("user-3")},
	} {
		if err := o.Prefixes(&p, keyVectors(ts, [][]columnar.Value{text("user-5"), key}), 2); !errors.Is(err, corrupt.Err) {
			t.Errorf("%v: %v", key, err)
		}
	}
}
