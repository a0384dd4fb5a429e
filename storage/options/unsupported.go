package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Unsupported tells which features of a stored table lakesql does not support,
// by the names that errors use: those without which its rows cannot be read
// rightly, and those without which it must not be written. Whatever forbids
// reading forbids writing. primaryKey says whether the table has one: without,
// merge engine and changelog producer count for nothing.
//
// A data file of an unknown format is refused when it is opened, not here.
func Unsupported(t Table, opts map[string]string, primaryKey bool) (read, write []string) {
	both := func(unsupported bool, format string, args ...any) {
		if unsupported {
			read = append(read, fmt.Sprintf(format, args...))
		}
	}
	noWrite := func(unsupported bool, format string, args ...any) {
		if unsupported {
			write = append(write, fmt.Sprintf(format, args...))
		}
	}
	p := &parser{opts: opts}
	both(t.Type != "table", "tables of type %s", t.Type)
	both(p.bool("deletion-vectors.enabled"), "deletion vectors")
	both(p.bool("data-evolution.enabled"), "data evolution")
	both(p.bool("chain-table.enabled"), "chain tables")
	both(p.bool("query-auth.enabled"), "row and column authorisation")
	both(p.text("vector-field") != "" || p.text("vector.file.format") != "", "VECTOR columns in files of their own")
	both(t.Scan.FallbackBranch != "" || p.text("scan.primary-branch") != "", "branches")
	both(t.Scan.Branch != "main", "branches")
	for _, key := range []string{"blob-field", "blob-descriptor-field", "blob-view-field"} {
		both(p.text(key) != "", "BLOB columns")
	}
	for _, key := range slices.Sorted(maps.Keys(opts)) {
		if strings.HasSuffix(key, ".map.storage-layout") && !strings.EqualFold(opts[key], "default") {
			both(true, "shredded MAP columns")
			break
		}
	}
	if primaryKey {
		both(t.Merge.Engine != "deduplicate", "merge-engine '%s'", t.Merge.Engine)
		both(t.Merge.SnapshotOrdering, "sequence.snapshot-ordering")
		both(t.NullableKeys, "nullable primary keys")
		both(p.bool("pk-clustering-override"), "clustering of primary key tables")
		noWrite(t.Bucket.Count == -2, "postpone buckets")
		noWrite(t.Changelog.Producer != "none", "changelog-producer '%s'", t.Changelog.Producer)
		noWrite(t.Compaction.ForceLookup, "lookup compaction")
		noWrite(p.has("record-level.expire-time"), "record-level expiry")
		for _, key := range []string{"bitmap", "btree", "full-text", "multivalue", "vector"} {
			noWrite(p.text("pk-"+key+".index.columns") != "", "%s indexes of primary key tables", key)
		}
	}
	noWrite(p.bool("row-tracking.enabled"), "row tracking")
	noWrite(p.text("data-file.external-paths") != "" && p.text("data-file.external-paths.strategy") != "none", "external data paths")
	noWrite(p.bool("clustering.incremental"), "incremental clustering")
	noWrite(t.File.IndexBesideRow, "index files beside data files")
	noWrite(p.text("metadata.iceberg.storage") != "disabled", "Iceberg metadata")
	for _, f := range t.writtenFormats() {
		noWrite(!slices.Contains(formats(), f), "%s data files", f)
	}
	for _, c := range t.writtenCodecs() {
		noWrite(!slices.Contains(codecs(), c), "compression %s", c)
	}
	read = slices.Compact(read)
	return read, append(slices.Clone(read), write...)
}

func (t *Table) writtenFormats() []string {
	return distinct(append(slices.Collect(maps.Values(t.File.FormatByLevel)), t.File.Format, t.Changelog.Format))
}

func (t *Table) writtenCodecs() []string {
	return distinct(append(slices.Collect(maps.Values(t.File.CodecByLevel)), t.File.Compression, t.Manifest.Compression))
}

// distinct sorts names and drops doubles and empty ones.
func distinct(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > 0 && names[0] == "" {
		names = names[1:]
	}
	return names
}
