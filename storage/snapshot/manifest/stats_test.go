package manifest

import (
	"encoding/binary"
	"testing"

	"github.com/lakesql/lakesql/storage/stats"
)

// Java takes no statistics whose null counts are null: lists and manifests that are
// read and written again must keep an empty list, and have one of nulls for what is unknown.
func TestNullCountsAreNeverNull(t *testing.T) {
	empty := string(appendStats(nil, stats.Binary{}))
	if len(empty) == 0 || empty[len(empty)-1] != 0 || empty[len(empty)-2] != 2 {
		t.Fatalf("statistics of no columns: %x", empty)
	}
	m := goldenMetaValue()
	m.Partitions = stats.Binary{}
	data := appendFileMeta(nil, &m)
	plan, err := knownListSchema()
	if err != nil {
		t.Fatal(err)
	}
	back, err := readFileMetas(plan, nil, 1, &decoder{buf: data})
	if err != nil {
		t.Fatal(err)
	}
	if again := appendFileMeta(nil, &back[0]); string(again) != string(data) {
		t.Errorf("a list entry read and written again is\n%x, was\n%x", again, data)
	}
	two := binary.BigEndian.AppendUint32(nil, 2)
	two = append(two, make([]byte, 24)...)
	got := appendStats(nil, stats.Binary{Min: two, Max: two})
	if want := []byte{2, 4, 0, 0, 0}; string(got[len(got)-5:]) != string(want) { // an array of two nulls
		t.Errorf("unknown null counts are written as %x", got)
	}
}
