package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/lakesql/lakesql/internal/corrupt"
	"github.com/lakesql/lakesql/storage/fileio"
)

const consumerPrefix = "consumer-"

// Consumer is the position of a named reader.
type Consumer struct {
	Name    string
	Next    ID // the snapshot it reads next
	Updated time.Time
}

// Consumers returns the positions of all consumers, by name. One that cannot be
// read is an error: who removes snapshots must not overlook it.
func (m *Manager) Consumers(ctx context.Context) ([]Consumer, error) {
	dir := fileio.Join(m.dir, "consumer")
	infos, err := m.store.List(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list consumers: %w", err)
	}
	var all []Consumer
	for _, info := range infos {
		name, ok := strings.CutPrefix(info.Name, consumerPrefix)
		if !ok || info.Dir || name == "" || strings.HasSuffix(name, ".tmp") {
			continue
		}
		next, err := m.readConsumer(ctx, fileio.Join(dir, info.Name))
		if errors.Is(err, fileio.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Consumer{Name: name, Next: next, Updated: info.ModTime})
	}
	return all, nil
}

// readConsumer reads a consumer file, which other engines overwrite in place: one
// that does not parse is looked at again for some milliseconds.
func (m *Manager) readConsumer(ctx context.Context, path string) (ID, error) {
	for try := 1; ; try++ {
		data, err := fileio.ReadFile(ctx, m.store, path)
		if err != nil {
			return 0, err
		}
		var c struct {
			Next *int64 `json:"nextSnapshot"`
		}
		err = json.Unmarshal(data, &c)
		if err == nil && c.Next != nil {
			return ID(*c.Next), nil
		}
		if try == partialTries {
			return 0, corrupt.Errorf(path, corrupt.NoOffset, "no consumer position in it")
		}
		if err := sleep(ctx, partialWait); err != nil {
			return 0, err
		}
	}
}

// LowestConsumer is the smallest position of a consumer, the largest number when
// there are no consumers.
func (m *Manager) LowestConsumer(ctx context.Context) (ID, error) {
	all, err := m.Consumers(ctx)
	low := ID(math.MaxInt64)
	for _, c := range all {
		low = min(low, c.Next)
	}
	return low, err
}
