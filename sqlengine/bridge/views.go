package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/storage/fileio"
)

// viewStore keeps the views of a warehouse in one file. Several servers may use
// it; the file is read again for every look, and written whole.
type viewStore struct {
	store fileio.Store
	path  string

	mu sync.Mutex // around read and write of one process
}

// viewText is a view in the file.
type viewText struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	Query    string `json:"query"`
	Create   string `json:"create"`
	SQLMode  string `json:"sqlMode"`
}

func newViewStore(store fileio.Store, root string) *viewStore {
	return &viewStore{store: store, path: fileio.Join(root, ".lakesql", "views")}
}

func (s *viewStore) load(ctx context.Context) ([]viewText, error) {
	data, err := fileio.ReadFile(ctx, s.store, s.path)
	if errors.Is(err, fileio.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read views: %w", err)
	}
	var views []viewText
	if err := json.Unmarshal(data, &views); err != nil {
		return nil, fmt.Errorf("read views from %s: %w", s.path, err)
	}
	return views, nil
}

// update replaces the list by what change makes of it.
func (s *viewStore) update(ctx context.Context, change func([]viewText) ([]viewText, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	views, err := s.load(ctx)
	if err != nil {
		return err
	}
	if views, err = change(views); err != nil {
		return err
	}
	data, err := json.MarshalIndent(views, "", "  ")
	if err != nil {
		return fmt.Errorf("write views: %w", err)
	}
	if err := s.store.Replace(ctx, s.path, data); err != nil {
		return fmt.Errorf("write views: %w", err)
	}
	return nil
}

func (v viewText) is(database, name string) bool {
	return v.Database == database && strings.EqualFold(v.Name, name)
}

func (v viewText) definition() sql.ViewDefinition {
	return sql.ViewDefinition{Name: v.Name, TextDefinition: v.Query, CreateViewStatement: v.Create, SqlMode: v.SQLMode}
}

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(ctx *sql.Context, name, query, create string) error {
	if _, err := d.provider.catalog.Table(ctx, d.name, name); err == nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	return d.provider.views.update(ctx, func(views []viewText) ([]viewText, error) {
		if slices.ContainsFunc(views, func(v viewText) bool { return v.is(d.name, name) }) {
			return nil, sql.ErrExistingView.New(d.name, name)
		}
		mode := sql.LoadSqlMode(ctx).String()
		return append(views, viewText{Database: d.name, Name: name, Query: query, Create: create, SQLMode: mode}), nil
	})
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(ctx *sql.Context, name string) error {
	return d.provider.views.update(ctx, func(views []viewText) ([]viewText, error) {
		i := slices.IndexFunc(views, func(v viewText) bool { return v.is(d.name, name) })
		if i < 0 {
			return nil, sql.ErrViewDoesNotExist.New(d.name, name)
		}
		return slices.Delete(views, i, i+1), nil
	})
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	views, err := d.provider.views.load(ctx)
	if err != nil {
		return sql.ViewDefinition{}, false, err
	}
	for _, v := range views {
		if v.is(d.name, name) {
			return v.definition(), true, nil
		}
	}
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	views, err := d.provider.views.load(ctx)
	if err != nil {
		return nil, err
	}
	var out []sql.ViewDefinition
	for _, v := range views {
		if v.Database == d.name {
			out = append(out, v.definition())
		}
	}
	return out, nil
}
