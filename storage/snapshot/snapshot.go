package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/lakesql/lakesql/internal/corrupt"
)

// ID numbers the snapshots of a table from 1; 0 is none.
type ID int64

// Kind says what a snapshot did.
type Kind string

// The kinds.
const (
	Append    Kind = "APPEND"    // new files only
	Compact   Kind = "COMPACT"   // files replaced by files with the same rows
	Overwrite Kind = "OVERWRITE" // files removed, or rows marked deleted
	Analyze   Kind = "ANALYZE"   // statistics only
)

// Operation is the statement behind a snapshot, for information; "" is unknown.
type Operation string

// The operations that other engines can read; no other may be written.
const (
	OpWrite         Operation = "WRITE"
	OpOverwrite     Operation = "OVERWRITE"
	OpDelete        Operation = "DELETE"
	OpTruncate      Operation = "TRUNCATE"
	OpUpdate        Operation = "UPDATE"
	OpMerge         Operation = "MERGE"
	OpCreateAs      Operation = "CREATE_TABLE_AS_SELECT"
	OpReplaceAs     Operation = "REPLACE_TABLE_AS_SELECT"
	OpCreateOrRepAs Operation = "CREATE_OR_REPLACE_TABLE_AS_SELECT"
)

// CurrentVersion is the version of the snapshot files that are written, and the
// newest that is read.
const CurrentVersion = 3

// Unknown stands for a count, size or row id that the file does not have.
const Unknown int64 = -1

// BatchIdentifier is the commit identifier of writers that never resume.
const BatchIdentifier int64 = math.MaxInt64

// missingVersion is that of files from before the member existed; noWatermark is
// how some releases write that there is no watermark yet.
const (
	missingVersion       = 1
	noWatermark    int64 = math.MinInt64
)

// Snapshot is one version of a table. It is immutable once published or read.
type Snapshot struct {
	Version               int
	UUID                  string // "": an older release wrote it
	ID                    ID
	SchemaID              int64
	BaseManifestList      string
	BaseManifestListSize  int64 // exact bytes, or Unknown
	DeltaManifestList     string
	DeltaManifestListSize int64
	ChangelogManifestList string // "": no changelog files
	ChangelogListSize     int64
	IndexManifest         string // "": none
	CommitUser            string
	WriterVersion         string
	CommitIdentifier      int64
	CommitKind            Kind
	TimeMillis            int64 // wall clock, ms since epoch
	TotalRecordCount      int64 // rows of all live files
	DeltaRecordCount      int64
	ChangelogRecordCount  int64  // Unknown when the file has none
	Watermark             *int64 // nil: none yet
	Statistics            string // file in statistics/, "": none
	Properties            map[string]string
	NextRowID             int64 // Unknown when the file has none, which counts as 0
	Operation             Operation
}

// wire is the JSON form, members in the order of the reference.
type wire struct {
	Version               *int              `json:"version"`
	UUID                  *string           `json:"uuid,omitempty"`
	ID                    *int64            `json:"id"`
	SchemaID              int64             `json:"schemaId"`
	BaseManifestList      *string           `json:"baseManifestList"`
	BaseManifestListSize  *int64            `json:"baseManifestListSize,omitempty"`
	DeltaManifestList     *string           `json:"deltaManifestList"`
	DeltaManifestListSize *int64            `json:"deltaManifestListSize,omitempty"`
	ChangelogManifestList *string           `json:"changelogManifestList,omitempty"`
	ChangelogListSize     *int64            `json:"changelogManifestListSize,omitempty"`
	IndexManifest         *string           `json:"indexManifest,omitempty"`
	CommitUser            string            `json:"commitUser"`
	WriterVersion         *string           `json:"writerVersion,omitempty"`
	CommitIdentifier      int64             `json:"commitIdentifier"`
	CommitKind            *string           `json:"commitKind"`
	TimeMillis            int64             `json:"timeMillis"`
	TotalRecordCount      int64             `json:"totalRecordCount"`
	DeltaRecordCount      int64             `json:"deltaRecordCount"`
	ChangelogRecordCount  *int64            `json:"changelogRecordCount,omitempty"`
	Watermark             *int64            `json:"watermark,omitempty"`
	Statistics            *string           `json:"statistics,omitempty"`
	Properties            map[string]string `json:"properties,omitempty"`
	NextRowID             *int64            `json:"nextRowId,omitempty"`
	Operation             *string           `json:"operation,omitempty"`

	// A tag's own members.
	TagCreateTime   []int64      `json:"tagCreateTime,omitempty"`
	TagTimeRetained *json.Number `json:"tagTimeRetained,omitempty"`
}

func toWire(s *Snapshot) *wire {
	version, id, kind := s.Version, int64(s.ID), string(s.CommitKind)
	text := func(v string) *string {
		if v == "" {
			return nil
		}
		return &v
	}
	number := func(v int64) *int64 {
		if v == Unknown {
			return nil
		}
		return &v
	}
	w := &wire{
		Version: &version, UUID: text(s.UUID), ID: &id, SchemaID: s.SchemaID,
		BaseManifestList: &s.BaseManifestList, BaseManifestListSize: number(s.BaseManifestListSize),
		DeltaManifestList: &s.DeltaManifestList, DeltaManifestListSize: number(s.DeltaManifestListSize),
		IndexManifest: text(s.IndexManifest), CommitUser: s.CommitUser, WriterVersion: text(s.WriterVersion),
		CommitIdentifier: s.CommitIdentifier, CommitKind: &kind, TimeMillis: s.TimeMillis,
		TotalRecordCount: s.TotalRecordCount, DeltaRecordCount: s.DeltaRecordCount,
		ChangelogRecordCount: number(s.ChangelogRecordCount), Watermark: s.Watermark,
		Statistics: text(s.Statistics), Properties: s.Properties, NextRowID: number(s.NextRowID),
		Operation: text(string(s.Operation)),
	}
	if s.ChangelogManifestList != "" {
		w.ChangelogManifestList = &s.ChangelogManifestList
		w.ChangelogListSize = number(s.ChangelogListSize)
	}
	return w
}

// Encode returns the JSON of a snapshot file.
func (s *Snapshot) Encode() []byte { return encode(toWire(s)) }

func encode(w *wire) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	// The wire form has only numbers, text and maps of text: it always encodes.
	_ = e.Encode(w)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Decode parses a snapshot file. Members that are missing, null or unknown are
// tolerated where the format lets an older or newer release leave them out or
// add them; a version above CurrentVersion is refused.
func Decode(data []byte) (*Snapshot, error) {
	w, err := decodeWire(data)
	if err != nil {
		return nil, err
	}
	return fromWire(w)
}

func decodeWire(data []byte) (*wire, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	w := &wire{}
	if err := d.Decode(w); err != nil {
		return nil, corrupt.Errorf("", corrupt.NoOffset, "not a valid JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, corrupt.Errorf("", d.InputOffset(), "not valid JSON: something follows the object")
	}
	return w, nil
}

func fromWire(w *wire) (*Snapshot, error) {
	version := missingVersion
	if w.Version != nil {
		version = *w.Version
	}
	if version > CurrentVersion {
		return nil, fmt.Errorf("snapshot version %d is newer than %d, the newest known", version, CurrentVersion)
	}
	missing := func(name string) error {
		return corrupt.Errorf("", corrupt.NoOffset, "member %q is missing", name)
	}
	switch {
	case w.ID == nil:
		return nil, missing("id")
	case w.BaseManifestList == nil:
		return nil, missing("baseManifestList")
	case w.DeltaManifestList == nil:
		return nil, missing("deltaManifestList")
	case w.CommitKind == nil:
		return nil, missing("commitKind")
	case *w.ID < 1:
		return nil, corrupt.Errorf("", corrupt.NoOffset, "snapshot id %d is not positive", *w.ID)
	}
	switch Kind(*w.CommitKind) {
	case Append, Compact, Overwrite, Analyze:
	default:
		return nil, corrupt.Errorf("", corrupt.NoOffset, "commit kind %q is unknown", *w.CommitKind)
	}
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	number := func(p *int64) int64 {
		if p == nil {
			return Unknown
		}
		return *p
	}
	for _, name := range []string{
		*w.BaseManifestList, *w.DeltaManifestList, text(w.ChangelogManifestList), text(w.IndexManifest), text(w.Statistics),
	} {
		if !plainName(name) {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "%q is no file name", name)
		}
	}
	return &Snapshot{
		Version: version, UUID: text(w.UUID), ID: ID(*w.ID), SchemaID: w.SchemaID,
		BaseManifestList: *w.BaseManifestList, BaseManifestListSize: number(w.BaseManifestListSize),
		DeltaManifestList: *w.DeltaManifestList, DeltaManifestListSize: number(w.DeltaManifestListSize),
		ChangelogManifestList: text(w.ChangelogManifestList), ChangelogListSize: number(w.ChangelogListSize),
		IndexManifest: text(w.IndexManifest), CommitUser: w.CommitUser, WriterVersion: text(w.WriterVersion),
		CommitIdentifier: w.CommitIdentifier, CommitKind: Kind(*w.CommitKind), TimeMillis: w.TimeMillis,
		TotalRecordCount: w.TotalRecordCount, DeltaRecordCount: w.DeltaRecordCount,
		ChangelogRecordCount: number(w.ChangelogRecordCount), Watermark: w.Watermark,
		Statistics: text(w.Statistics), Properties: w.Properties, NextRowID: number(w.NextRowID),
		Operation: Operation(text(w.Operation)),
	}, nil
}

// plainName reports whether name stays inside the folder it is looked up in.
func plainName(name string) bool {
	return name != "." && name != ".." && !bytes.ContainsAny([]byte(name), "/\\\x00")
}

// SameCommit reports whether both are the same published snapshot, not only two
// snapshots of one id. Snapshots of releases without uuids are told apart by
// their commit and their lists, whose names are never used twice.
func (s *Snapshot) SameCommit(o *Snapshot) bool {
	return s.ID == o.ID && s.UUID == o.UUID && s.CommitUser == o.CommitUser &&
		s.CommitIdentifier == o.CommitIdentifier && s.CommitKind == o.CommitKind &&
		s.DeltaManifestList == o.DeltaManifestList
}

// KnownWatermark returns the watermark; ok is false when there is none yet.
func (s *Snapshot) KnownWatermark() (millis int64, ok bool) {
	if s.Watermark == nil || *s.Watermark == noWatermark {
		return 0, false
	}
	return *s.Watermark, true
}
