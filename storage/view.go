package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lakesql/lakesql/storage/options"
	"github.com/lakesql/lakesql/storage/schema"
	"github.com/lakesql/lakesql/storage/snapshot"
	"github.com/lakesql/lakesql/storage/write"
)

// ViewOptions choose the version of a table.
type ViewOptions struct {
	// Dynamic are table options for this use alone, such as scan.snapshot-id; they
	// were checked by options.Check for hints.
	Dynamic map[string]string
	// Location is the time zone in which texts of times (scan.timestamp) are read;
	// nil is UTC.
	Location *time.Location
	// AsOf is a version or a time of the statement, over what Dynamic says.
	AsOf AsOf
	// NotAfter, when set and nothing else names a version, is the time at which a
	// transaction began: the view is the newest snapshot that is not younger. Unlike
	// other older versions it may be written from. Without such a snapshot, or when
	// the schema changed since, it is the newest one.
	NotAfter time.Time
}

// AsOf names a version of a table; at most one member is set.
type AsOf struct {
	Version    string // a tag's name, or a snapshot's id
	TimeMillis *int64 // the newest snapshot not younger
}

// View is one version of a table: a snapshot, pinned against expiry by this
// process until Close, and the schema that reads of it have. Safe for many
// goroutines.
type View struct {
	t       *Table
	version *version
	schema  *schema.Schema
	layout  *write.Layout
	opts    options.Table
	snap    *snapshot.Snapshot
	part    part
	// newest says that snap was the newest snapshot when the view was taken, so
	// that writes may follow from it.
	newest  bool
	release func()
}

// part narrows a view to some files of its snapshot.
type part struct {
	deltaOnly          bool   // only files that the snapshot added
	createdSinceMillis *int64 // only files created at or after
}

// View pins the newest version of the table, or the one that o names.
func (t *Table) View(ctx context.Context, o ViewOptions) (*View, error) {
	begin := t.env.Now()
	v, err := t.view(ctx, o)
	if err == nil {
		t.open.add(v, begin)
	}
	return v, err
}

func (t *Table) view(ctx context.Context, o ViewOptions) (*View, error) {
	newest, err := t.Schema(ctx)
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w", t.dir, err)
	}
	ver, err := t.versionOf(newest)
	if err != nil {
		return nil, err
	}
	if len(ver.cannotRead) > 0 {
		return nil, &UnsupportedError{Table: t.Name(), Verb: "read", Features: ver.cannotRead}
	}
	opts, err := ver.with(o.Dynamic)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name(), err)
	}
	target, part, err := t.travel(ctx, opts.Scan, o)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name(), err)
	}
	v := &View{t: t, version: ver, schema: newest, opts: opts, part: part}
	if target == nil {
		if v, err = v.pinNewest(ctx); err != nil || o.NotAfter.IsZero() {
			return v, err
		}
		return v.pinBegin(ctx, o.NotAfter.UnixMilli())
	}
	return v.pin(ctx, target, o.Dynamic)
}

// with is the version's options with dynamic ones on top.
func (v *version) with(dynamic map[string]string) (options.Table, error) {
	if len(dynamic) == 0 {
		return v.options, nil
	}
	return options.Parse(options.Merged(v.schema.Options, dynamic))
}

// pinNewest completes v for the newest snapshot.
func (v *View) pinNewest(ctx context.Context) (*View, error) {
	if err := v.t.verify(ctx); err != nil {
		return nil, fmt.Errorf("read table %s: %w", v.t.dir, err)
	}
	snap, release, err := v.t.snapshots.PinLatest(ctx)
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w", v.t.dir, err)
	}
	v.snap, v.release, v.newest = snap, sync.OnceFunc(release), true
	if v.layout, err = v.version.layout, v.version.layoutErr; err != nil {
		v.release()
		return nil, err
	}
	return v, nil
}

// pinBegin takes v, a view of the newest snapshot, back to what a transaction saw
// that began at a time.
func (v *View) pinBegin(ctx context.Context, millis int64) (*View, error) {
	if v.snap == nil || v.snap.TimeMillis <= millis {
		return v, nil
	}
	s, err := v.t.snapshots.AtOrBefore(ctx, millis)
	if err != nil {
		v.release()
		return nil, fmt.Errorf("read table %s: %w", v.t.dir, err)
	}
	if s == nil || s.SchemaID != v.schema.ID {
		return v, nil
	}
	release, err := v.t.snapshots.Pin(s.ID)
	if err != nil {
		return v, nil // it expires just now
	}
	v.release()
	v.snap, v.release = s, sync.OnceFunc(release)
	return v, nil
}

// pin completes v for an older snapshot, which is read with the schema and the
// options that it had.
func (v *View) pin(ctx context.Context, snap *snapshot.Snapshot, dynamic map[string]string) (*View, error) {
	release, err := v.t.snapshots.Pin(snap.ID)
	if err != nil {
		return nil, fmt.Errorf("read table %s: %w", v.t.dir, err)
	}
	v.snap, v.release = snap, sync.OnceFunc(release)
	if err := v.setVersion(ctx, snap.SchemaID, dynamic); err != nil {
		v.release()
		return nil, err
	}
	return v, nil
}

// setVersion makes the view one of another version of the schema.
func (v *View) setVersion(ctx context.Context, id int64, dynamic map[string]string) error {
	if id != v.schema.ID {
		s, err := v.t.schemas.Get(ctx, id)
		if err != nil {
			return err
		}
		if v.version, err = v.t.newVersion(s); err != nil {
			return err
		}
		v.schema = s
		if len(v.version.cannotRead) > 0 {
			return &UnsupportedError{Table: v.t.Name(), Verb: "read", Features: v.version.cannotRead}
		}
		if v.opts, err = v.version.with(dynamic); err != nil {
			return fmt.Errorf("table %s: %w", v.t.Name(), err)
		}
	}
	v.layout = v.version.layout
	return v.version.layoutErr
}

// travel finds the snapshot that options name; nil is the newest.
func (t *Table) travel(ctx context.Context, o options.Scan, vo ViewOptions) (*snapshot.Snapshot, part, error) {
	var p part
	switch {
	case vo.AsOf.Version != "":
		s, err := t.version(ctx, vo.AsOf.Version)
		return s, p, err
	case vo.AsOf.TimeMillis != nil:
		s, err := t.atTime(ctx, *vo.AsOf.TimeMillis)
		return s, p, err
	}
	if err := checkTravelKeys(o); err != nil {
		return nil, p, err
	}
	switch mode := o.StartMode(); mode {
	case "latest-full", "latest":
		return nil, p, nil
	case "latest-delta":
		p.deltaOnly = true
		return nil, p, nil
	case "compacted-full":
		s, err := t.newestCompacted(ctx)
		return s, p, err
	case "from-timestamp":
		s, err := t.fromTimestamp(ctx, o, vo.Location)
		return s, p, err
	case "from-snapshot", "from-snapshot-full":
		s, err := t.fromSnapshot(ctx, o)
		return s, p, err
	case "from-file-creation-time":
		if o.FileCreationMillis == nil {
			return nil, p, needs(mode, "scan.file-creation-time-millis")
		}
		p.createdSinceMillis = o.FileCreationMillis
		return nil, p, nil
	case "from-creation-timestamp":
		if o.CreationMillis == nil {
			return nil, p, needs(mode, "scan.creation-time-millis")
		}
		return t.byCreation(ctx, *o.CreationMillis)
	default:
		return nil, p, &UnsupportedError{Table: t.Name(), Verb: "read", Features: []string{"scan.mode '" + mode + "'"}}
	}
}

func needs(mode, option string) error {
	return fmt.Errorf("scan.mode '%s' needs option %s", mode, option)
}

func (t *Table) fromTimestamp(ctx context.Context, o options.Scan, loc *time.Location) (*snapshot.Snapshot, error) {
	switch {
	case o.TimestampMillis != nil:
		return t.atTime(ctx, *o.TimestampMillis)
	case o.Timestamp != "":
		millis, err := parseTimestamp(o.Timestamp, loc)
		if err != nil {
			return nil, fmt.Errorf("option scan.timestamp: %w", err)
		}
		return t.atTime(ctx, millis)
	}
	return nil, needs("from-timestamp", "scan.timestamp-millis or scan.timestamp")
}

func (t *Table) fromSnapshot(ctx context.Context, o options.Scan) (*snapshot.Snapshot, error) {
	switch {
	case o.SnapshotID != 0:
		return t.byID(ctx, snapshot.ID(o.SnapshotID))
	case o.TagName != "":
		return t.byTag(ctx, o.TagName)
	case o.Version != "":
		return t.version(ctx, o.Version)
	case o.Watermark != nil:
		return t.byWatermark(ctx, *o.Watermark)
	}
	return nil, needs("from-snapshot", "scan.snapshot-id, scan.tag-name, scan.version or scan.watermark")
}

// newestCompacted is the newest COMPACT snapshot; nil, the newest of all, when
// there is none.
func (t *Table) newestCompacted(ctx context.Context) (*snapshot.Snapshot, error) {
	all, err := t.snapshots.All(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].CommitKind == snapshot.Compact {
			return all[i], nil
		}
	}
	return nil, nil
}

func checkTravelKeys(o options.Scan) error {
	var set []string
	for _, k := range []struct {
		key string
		set bool
	}{
		{"scan.snapshot-id", o.SnapshotID != 0}, {"scan.tag-name", o.TagName != ""}, {"scan.watermark", o.Watermark != nil},
		{"scan.timestamp", o.Timestamp != ""}, {"scan.timestamp-millis", o.TimestampMillis != nil}, {"scan.version", o.Version != ""},
	} {
		if k.set {
			set = append(set, k.key)
		}
	}
	if len(set) > 1 {
		return fmt.Errorf("only one of the options %s may be set", strings.Join(set, " and "))
	}
	return nil
}

// ErrNoVersion matches the error for a version, tag or time that a table does not have.
var ErrNoVersion = errors.New("no such version")

func (t *Table) byID(ctx context.Context, id snapshot.ID) (*snapshot.Snapshot, error) {
	s, err := t.snapshots.Get(ctx, id)
	if !errors.Is(err, snapshot.ErrNotFound) {
		return s, err
	}
	first, err1 := t.snapshots.Earliest(ctx)
	last, err2 := t.snapshots.Latest(ctx)
	if err1 != nil || err2 != nil || first == nil || last == nil {
		return nil, errors.Join(fmt.Errorf("snapshot %d: %w: the table has no snapshot", id, ErrNoVersion), err1, err2)
	}
	return nil, fmt.Errorf("snapshot %d: %w: there are snapshots %d to %d", id, ErrNoVersion, first.ID, last.ID)
}

func (t *Table) byTag(ctx context.Context, name string) (*snapshot.Snapshot, error) {
	tag, err := t.snapshots.Tag(ctx, name)
	if errors.Is(err, snapshot.ErrTagNotFound) {
		return nil, fmt.Errorf("tag '%s': %w", name, ErrNoVersion)
	}
	if err != nil {
		return nil, err
	}
	return tag.Snapshot, nil
}

// version is a tag of that name, else the snapshot of that number.
func (t *Table) version(ctx context.Context, name string) (*snapshot.Snapshot, error) {
	tag, err := t.snapshots.Tag(ctx, name)
	if err == nil {
		return tag.Snapshot, nil
	}
	if !errors.Is(err, snapshot.ErrTagNotFound) {
		return nil, err
	}
	if n, ok := strings.CutPrefix(name, "watermark-"); ok {
		if w, err := strconv.ParseInt(n, 10, 64); err == nil {
			return t.byWatermark(ctx, w)
		}
	}
	id, err := strconv.ParseInt(name, 10, 64)
	if err != nil || id < 1 {
		return nil, fmt.Errorf("version '%s': %w: neither a tag nor the id of a snapshot", name, ErrNoVersion)
	}
	return t.byID(ctx, snapshot.ID(id))
}

// atTime is the newest snapshot that was committed at or before a time.
func (t *Table) atTime(ctx context.Context, millis int64) (*snapshot.Snapshot, error) {
	s, err := t.snapshots.AtOrBefore(ctx, millis)
	if err != nil || s != nil {
		return s, err
	}
	at := time.UnixMilli(millis).UTC().Format("2006-01-02 15:04:05.000")
	first, err := t.snapshots.Earliest(ctx)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return nil, fmt.Errorf("%s UTC: %w: the table has no snapshot", at, ErrNoVersion)
	}
	return nil, fmt.Errorf("%s UTC: %w: the earliest snapshot is %d of %s UTC", at, ErrNoVersion, first.ID,
		time.UnixMilli(first.TimeMillis).UTC().Format("2006-01-02 15:04:05.000"))
}

func (t *Table) byWatermark(ctx context.Context, w int64) (*snapshot.Snapshot, error) {
	all, err := t.snapshots.All(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if have, ok := s.KnownWatermark(); ok && have >= w {
			return s, nil
		}
	}
	return nil, fmt.Errorf("watermark %d: %w: no snapshot has one at or after it", w, ErrNoVersion)
}

// byCreation is the snapshot after the last one from before a time, else the
// files created since.
func (t *Table) byCreation(ctx context.Context, millis int64) (*snapshot.Snapshot, part, error) {
	before, err := t.snapshots.AtOrBefore(ctx, millis-1)
	if err != nil {
		return nil, part{}, err
	}
	if before != nil {
		next, err := t.snapshots.Get(ctx, before.ID+1)
		if err == nil {
			return next, part{}, nil
		}
		if !errors.Is(err, snapshot.ErrNotFound) {
			return nil, part{}, err
		}
	}
	return nil, part{createdSinceMillis: &millis}, nil
}

// parseTimestamp reads a local date and time in a zone.
func parseTimestamp(text string, loc *time.Location) (millis int64, err error) {
	if loc == nil {
		loc = time.UTC
	}
	for _, form := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02"} {
		if at, err := time.ParseInLocation(form, text, loc); err == nil {
			return at.UnixMilli(), nil
		}
	}
	return 0, fmt.Errorf("'%s' is no time like 2026-11-29 10:00:00", text)
}

// Table is the table that the view is of.
func (v *View) Table() *Table { return v.t }

// Schema is the schema that rows of the view have.
func (v *View) Schema() *schema.Schema { return v.schema }

// Options are the table's options with the dynamic ones on top.
func (v *View) Options() options.Table { return v.opts }

// Snapshot is the pinned snapshot; nil for a table without one.
func (v *View) Snapshot() *snapshot.Snapshot { return v.snap }

// Close lets go of the snapshot. It may be called more than once.
func (v *View) Close() {
	v.t.open.remove(v)
	v.release()
}
