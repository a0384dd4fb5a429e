package snapshot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/internal/parallel"
	"github.com/lakesql/lakesql/storage/fileio"
)

var (
	// ErrTagNotFound is returned for a tag that does not exist.
	ErrTagNotFound = errors.New("tag not found")
	// ErrTagExists is returned when a tag to create exists.
	ErrTagExists = errors.New("tag already exists")
)

const tagPrefix = "tag-"

// Tag is a named snapshot that does not expire.
type Tag struct {
	Name     string
	Snapshot *Snapshot
	// Created is the creator's local wall clock, as if it were UTC. The zero time:
	// not recorded, as for a tag without Retained.
	Created time.Time
	// Retained is how long the tag is kept after Created; negative: for ever.
	Retained time.Duration
}

// Forever is the Retained of a tag that is not removed by time.
const Forever time.Duration = -1

func (m *Manager) tagDir() string { return fileio.Join(m.dir, "tag") }

func (m *Manager) tagPath(name string) string { return fileio.Join(m.dir, "tag", tagPrefix+name) }

// CheckTagName refuses names that cannot be told apart from snapshot ids or are
// no file names.
func CheckTagName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a tag name must not be blank")
	case strings.Trim(name, "0123456789") == "":
		return fmt.Errorf("tag name '%s' must not be a number: it would be taken for a snapshot id", name)
	case strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("tag name '%s' holds a slash or a control character", name)
	}
	return nil
}

// CreateTag makes a tag by copying its snapshot; ErrTagExists when there is one.
func (m *Manager) CreateTag(ctx context.Context, t Tag) error {
	if err := CheckTagName(t.Name); err != nil {
		return err
	}
	err := m.store.CreateIfAbsent(ctx, m.tagPath(t.Name), t.encode())
	if errors.Is(err, fileio.ErrExist) {
		return fmt.Errorf("tag '%s': %w", t.Name, ErrTagExists)
	}
	if err != nil {
		return fmt.Errorf("create tag '%s': %w", t.Name, err)
	}
	return nil
}

// DeleteTag removes a tag file, ErrTagNotFound when there is none. Files that
// only the tag held stay; expire.DeleteTag removes them as well.
func (m *Manager) DeleteTag(ctx context.Context, name string) error {
	if _, err := m.Tag(ctx, name); errors.Is(err, ErrTagNotFound) {
		return err
	}
	if err := m.store.Delete(ctx, m.tagPath(name)); err != nil {
		return fmt.Errorf("delete tag '%s': %w", name, err)
	}
	return nil
}

// Tag reads a tag; ErrTagNotFound when there is none.
func (m *Manager) Tag(ctx context.Context, name string) (*Tag, error) {
	if !plainName(name) || name == "" {
		return nil, fmt.Errorf("tag '%s': %w", name, ErrTagNotFound)
	}
	data, err := fileio.ReadFile(ctx, m.store, m.tagPath(name))
	if errors.Is(err, fileio.ErrNotFound) {
		return nil, fmt.Errorf("tag '%s': %w", name, ErrTagNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read tag '%s': %w", name, err)
	}
	t, err := decodeTag(name, data)
	if errors.Is(err, corrupt.Err) {
		return nil, corrupt.Wrap(m.tagPath(name), err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", m.tagPath(name), err)
	}
	return t, nil
}

// ListTags returns all tags, by snapshot id, then name. A tag that cannot be
// read is an error: who removes files must not overlook it.
func (m *Manager) ListTags(ctx context.Context) ([]*Tag, error) {
	infos, err := m.store.List(ctx, m.tagDir())
	if err != nil {
		return nil, fmt.Errorf("list tags: %w", err)
	}
	tags := make([]*Tag, len(infos))
	g, ctx := parallel.WithContext(ctx)
	g.SetLimit(readers)
	for i, info := range infos {
		name, ok := strings.CutPrefix(info.Name, tagPrefix)
		if !ok || info.Dir || name == "" || strings.HasSuffix(name, ".tmp") {
			continue
		}
		g.Go(func() error {
			t, err := m.Tag(ctx, name)
			if errors.Is(err, ErrTagNotFound) {
				return nil // deleted since it was listed
			}
			tags[i] = t
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	tags = slices.DeleteFunc(tags, func(t *Tag) bool { return t == nil })
	slices.SortFunc(tags, func(a, b *Tag) int {
		return cmp.Or(cmp.Compare(a.Snapshot.ID, b.Snapshot.ID), cmp.Compare(a.Name, b.Name))
	})
	return tags, nil
}

func (t Tag) encode() []byte {
	w := toWire(t.Snapshot)
	if t.Retained >= 0 {
		c := t.Created
		w.TagCreateTime = []int64{
			int64(c.Year()), int64(c.Month()), int64(c.Day()),
			int64(c.Hour()), int64(c.Minute()), int64(c.Second()), int64(c.Nanosecond()),
		}
		n := json.Number(fmt.Sprintf("%d.%09d", t.Retained/time.Second, t.Retained%time.Second))
		w.TagTimeRetained = &n
	}
	return encode(w)
}

func decodeTag(name string, data []byte) (*Tag, error) {
	w, err := decodeWire(data)
	if err != nil {
		return nil, err
	}
	s, err := fromWire(w)
	if err != nil {
		return nil, err
	}
	t := &Tag{Name: name, Snapshot: s, Retained: Forever}
	if n := len(w.TagCreateTime); n > 0 {
		if n < 3 || n > 7 {
			return nil, corrupt.Errorf("", corrupt.NoOffset, "tagCreateTime has %d parts", n)
		}
		var p [7]int
		for i, v := range w.TagCreateTime {
			if v < 0 || v > 999_999_999 {
				return nil, corrupt.Errorf("", corrupt.NoOffset, "part %d of tagCreateTime is %d", i, v)
			}
			p[i] = int(v)
		}
		t.Created = time.Date(p[0], time.Month(p[1]), p[2], p[3], p[4], p[5], p[6], time.UTC)
	}
	if w.TagTimeRetained != nil {
		if t.Retained, err = parseSeconds(w.TagTimeRetained.String()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// parseSeconds reads decimal seconds; more than a Duration holds is for ever.
func parseSeconds(text string) (time.Duration, error) {
	if len(text) > 64 || strings.ContainsAny(text, "eE/") {
		return 0, corrupt.Errorf("", corrupt.NoOffset, "tagTimeRetained %q is no number of seconds", text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 {
		return 0, corrupt.Errorf("", corrupt.NoOffset, "tagTimeRetained %q is no number of seconds", text)
	}
	r.Mul(r, big.NewRat(int64(time.Second), 1))
	nanos := new(big.Int).Quo(r.Num(), r.Denom())
	if !nanos.IsInt64() || nanos.Int64() == math.MaxInt64 {
		return Forever, nil
	}
	return time.Duration(nanos.Int64()), nil
}
