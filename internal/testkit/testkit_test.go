package testkit

import (
	"testing"

	"github.com/lakesql/lakesql/storage/types"
)

func TestRandomBatchIsWellFormedAndRepeats(t *testing.T) {
	for _, nulls := range []float64{0, 0.3, 1} {
		a := RandomBatch(Rand(7), AllTypes(), 300, nulls)
		b := RandomBatch(Rand(7), AllTypes(), 300, nulls)
		if err := EqualBatches(a, b); err != nil {
			t.Errorf("same seed, nulls %v: %v", nulls, err)
		}
		for c, v := range a.Cols {
			if err := CheckVector(v); err != nil {
				t.Errorf("nulls %v, column %d (%v): %v", nulls, c, v.Type.Kind, err)
			}
		}
		if err := EqualBatches(Slice(a, 0, a.N), a); err != nil {
			t.Errorf("slice of all: %v", err)
		}
	}
}

func TestEqualBatchesSeesEveryDifference(t *testing.T) {
	for c, typ := range AllTypes() {
		a := RandomBatch(Rand(1), []types.Type{typ}, 50, 0.2)
		b := RandomBatch(Rand(2), []types.Type{typ}, 50, 0.2)
		if EqualBatches(a, b) == nil {
			t.Errorf("column %d (%v): batches of different seeds are equal", c, typ.Kind)
		}
	}
}
