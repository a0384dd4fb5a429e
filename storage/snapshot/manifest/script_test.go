package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lakesql/lakesql/storage/datafile"
)

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "plan":
				return planMerge(t, d)
			case "combine":
				return combine(t, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func planMerge(t *testing.T, d *datadriven.TestData) string {
	var target, full, count int
	d.ScanArgs(t, "target", &target)
	d.ScanArgs(t, "full", &full)
	d.ScanArgs(t, "count", &count)
	var metas []FileMeta
	for _, w := range strings.Fields(d.Input) {
		m := FileMeta{Name: w}
		kb, err := strconv.Atoi(strings.TrimSuffix(w, "+d"))
		if err != nil {
			t.Fatal(err)
		}
		m.SizeBytes = int64(kb)
		if strings.HasSuffix(w, "+d") {
			m.NumDeleted = 1
		}
		metas = append(metas, m)
	}
	var out []string
	for _, s := range PlanMerge(metas, MergeOptions{TargetBytes: int64(target), FullBytes: int64(full), MinCount: count}) {
		var names []string
		for _, m := range s.Metas {
			names = append(names, m.Name)
		}
		text := strings.Join(names, " ")
		if s.Rewrite {
			text = "[" + text + "]"
		}
		if s.Full {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ") + "\n"
}

func parseIndex(t *testing.T, text string, kind Kind) IndexEntry {
	head, vectors, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	p := strings.Split(head, ":")
	if len(p) != 4 {
		t.Fatalf("index file %q", text)
	}
	bucket, err := strconv.Atoi(p[2])
	if err != nil {
		t.Fatal(err)
	}
	e := IndexEntry{Kind: kind, Partition: []byte(p[1]), Bucket: bucket, File: datafile.IndexFile{Type: p[0], Name: p[3]}}
	switch p[0] {
	case "DV":
		e.File.Type = DeletionVectors
		for _, v := range strings.Split(vectors, ",") {
			e.File.Vectors = append(e.File.Vectors, datafile.VectorRange{DataFile: v})
		}
	case "btree":
		e.File.Global = &datafile.GlobalIndex{}
	}
	return e
}

func combine(t *testing.T, d *datadriven.TestData) string {
	var current, changes []IndexEntry
	for _, w := range strings.Fields(d.Input) {
		current = append(current, parseIndex(t, w, Add))
	}
	for _, a := range d.CmdArgs {
		kind := Add
		if a.Key == "del" {
			kind = Delete
		}
		if a.Key == "add" || a.Key == "del" {
			changes = append(changes, parseIndex(t, a.String()[4:], kind))
		}
	}
	list, err := Combine(current, changes, d.HasArg("unaware"))
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var out []string
	for _, e := range list {
		text := fmt.Sprintf("%s:%s:%d:%s", e.File.Type, e.Partition, e.Bucket, e.File.Name)
		if e.File.Type == DeletionVectors {
			var names []string
			for _, v := range e.File.Vectors {
				names = append(names, v.DataFile)
			}
			text = "DV" + strings.TrimPrefix(text, DeletionVectors) + "(" + strings.Join(names, ",") + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ") + "\n"
}
