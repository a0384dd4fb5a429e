package datafile

import (
	"fmt"
	"slices"

	"github.com/lakesql/lakesql/storage/fileindex"
	"github.com/lakesql/lakesql/storage/format"
	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/stats"
	"github.com/lakesql/lakesql/storage/types"
)

// systemStats is the statistics mode of system columns and copies of keys.
var systemStats = stats.Mode{Kind: stats.Truncate, Length: 128}

// Layout says what the files of a table look like at one level: their columns,
// format, compression and statistics. It is immutable and safe to share; make it
// once for a schema and a level and keep it.
//
// Columns of a primary-key table's file, in order:
//
//	_KEY_k …           a copy of each key column; not with data-file.thin-mode
//	_SEQUENCE_NUMBER   BIGINT NOT NULL
//	_VALUE_KIND        TINYINT NOT NULL: 0 +I, 1 -U, 2 +U, 3 -D
//	all table columns  keys and partition columns too
//
// An append table's file has the table columns alone.
type Layout struct {
	schema    *schema.Schema
	keys      []int // key columns as indexes of schema.Fields; nil in append tables
	physical  []types.Field
	thin      bool
	level     int
	changelog bool

	format, codec string
	zstdLevel     int
	blockBytes    int64
	targetBytes   int64
	targetRows    int64
	extra         map[string]string
	modes         []stats.Mode // of the table columns
	dense         bool
	index         fileindex.Spec
}

// NewLayout makes the layout of files of a level, or of changelog files, from the
// schema's options.
func NewLayout(s *schema.Schema, o options.Table, level int, changelog bool) (*Layout, error) {
	l := &Layout{
		schema: s, level: level, changelog: changelog, thin: o.File.ThinMode, dense: o.Stats.Dense,
		format: o.File.FormatAt(level), codec: o.File.CodecAt(level), zstdLevel: o.File.ZstdLevel,
		blockBytes: o.File.BlockBytes, targetBytes: o.File.TargetFileBytes(s.HasPrimaryKey()),
		targetRows: o.File.TargetRows, extra: o.Format,
	}
	texts := o.Stats.Modes(level, s.FieldNames())
	if changelog {
		if f := o.Changelog.Format; f != "" {
			l.format = f
		}
		if c := o.Changelog.Compression; c != "" {
			l.codec = c
		}
		if m := o.Changelog.StatsMode; m != "" {
			st := o.Stats
			st.Mode, st.ByLevel = m, nil
			texts = st.Modes(level, s.FieldNames())
		}
	}
	for i, text := range texts {
		m, err := stats.ParseMode(text)
		if err != nil {
			return nil, fmt.Errorf("statistics of column %s: %w", s.Fields[i].Name, err)
		}
		l.modes = append(l.modes, m)
	}
	if s.HasPrimaryKey() {
		l.setKeys()
	}
	l.physical = append(l.physical, s.Fields...)
	if !changelog {
		var err error
		if l.index, err = fileindex.NewSpec(s.Fields, s.Options, o.File.IndexInManifestBytes); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *Layout) setKeys() {
	l.keys = l.schema.KeyIndexes()
	for _, k := range l.keys {
		f := l.schema.Fields[k]
		if l.thin {
			l.modes[k] = systemStats
			continue
		}
		l.physical = append(l.physical, types.Field{
			ID: f.ID + types.KeyIDOffset, Name: types.KeyPrefix + f.Name, Type: f.Type,
		})
	}
	l.physical = append(l.physical, sequenceField(), kindField())
}

// sequenceField is the column of sequence numbers in a primary-key table's file.
func sequenceField() types.Field {
	return types.Field{ID: types.SequenceNumberID, Name: types.SequenceNumberName, Type: types.Of(types.BigInt).WithNotNull(true)}
}

// kindField is the column of row kinds.
func kindField() types.Field {
	return types.Field{ID: types.ValueKindID, Name: types.ValueKindName, Type: types.Of(types.TinyInt).WithNotNull(true)}
}

// physicalAt is the place of table column i among the physical columns.
func (l *Layout) physicalAt(i int) int { return len(l.physical) - len(l.schema.Fields) + i }

// collected says how much is to be collected of each table column besides what the
// writer of a format finds: exact bounds where the column's mode or a key wants some.
func (l *Layout) collected(enc format.Writer) []stats.Mode {
	modes := slices.Clone(l.modes)
	for _, k := range l.keys {
		modes[k] = systemStats
	}
	sw, _ := enc.(format.StatsWriter)
	for i := range modes {
		switch {
		case sw != nil && sw.HasStats(l.physicalAt(i)):
			modes[i] = stats.Mode{Kind: stats.None}
		case modes[i].Kind == stats.Truncate:
			modes[i] = stats.Mode{Kind: stats.Full} // cut at the end: keys and values differently
		}
	}
	return modes
}

// Columns are the columns of the batches that a Writer of this layout takes: the
// table's columns, and in primary-key tables the sequence numbers behind them.
func (l *Layout) Columns() []types.Type {
	ts := make([]types.Type, 0, len(l.schema.Fields)+1)
	for _, f := range l.schema.Fields {
		ts = append(ts, f.Type)
	}
	if l.keys != nil {
		ts = append(ts, types.Of(types.BigInt).WithNotNull(true))
	}
	return ts
}

// Format is the name of the format of the files.
func (l *Layout) Format() string { return l.format }
