package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/catalog"
	"github.com/lakesql/lakesql/storage/fileio"
)

// viewStore keeps the views of a warehouse, each in a file of its own:
// .lakesql/views/DATABASE/NAME.json, the name in lower case. Several servers may
// use it: the files are read again for every look, and a file is created by one.
type viewStore struct {
	store fileio.Store
	root  string
}

// viewText is the content of a view's file.
type viewText struct {
	Name    string `json:"name"`
	Query   string `json:"query"`
	Create  string `json:"create"`
	SQLMode string `json:"sqlMode"`
}

func newViewStore(store fileio.Store, root string) *viewStore {
	return &viewStore{store: store, root: fileio.Join(root, ".lakesql", "views")}
}

func (s *viewStore) path(database, name string) string {
	return fileio.Join(s.root, database, strings.ToLower(name)+".json")
}

// get returns nil where there is no such view.
func (s *viewStore) get(ctx context.Context, database, name string) (*viewText, error) {
	if catalog.CheckName("view", name) != nil {
		return nil, nil
	}
	return s.read(ctx, s.path(database, name))
}

func (s *viewStore) read(ctx context.Context, path string) (*viewText, error) {
	data, err := fileio.ReadFile(ctx, s.store, path)
	if errors.Is(err, fileio.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read view: %w", err)
	}
	v := &viewText{}
	if err := json.Unmarshal(data, v); err != nil {
		return nil, fmt.Errorf("read view from %s: %w", path, err)
	}
	return v, nil
}

func (s *viewStore) list(ctx context.Context, database string) ([]viewText, error) {
	dir := fileio.Join(s.root, database)
	files, err := s.store.List(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("list views: %w", err)
	}
	var views []viewText
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".json") {
			continue
		}
		v, err := s.read(ctx, fileio.Join(dir, f.Name))
		if err != nil {
			return nil, err
		}
		if v != nil { // else dropped meanwhile
			views = append(views, *v)
		}
	}
	return views, nil
}

// create returns fileio.ErrExist where there is a view of the name.
func (s *viewStore) create(ctx context.Context, database string, v viewText) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write view '%s': %w", v.Name, err)
	}
	if err := s.store.CreateIfAbsent(ctx, s.path(database, v.Name), data); err != nil {
		return fmt.Errorf("write view '%s': %w", v.Name, err)
	}
	return nil
}

func (s *viewStore) drop(ctx context.Context, database, name string) error {
	if err := s.store.Delete(ctx, s.path(database, name)); err != nil {
		return fmt.Errorf("drop view '%s': %w", name, err)
	}
	return nil
}

func (v *viewText) definition() sql.ViewDefinition {
	return sql.ViewDefinition{Name: v.Name, TextDefinition: v.Query, CreateViewStatement: v.Create, SqlMode: v.SQLMode}
}

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(ctx *sql.Context, name, query, create string) error {
	if err := catalog.CheckName("view", name); err != nil {
		return err
	}
	if _, err := d.provider.catalog.Table(ctx, d.name, name); err == nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	v := viewText{Name: name, Query: query, Create: create, SQLMode: sql.LoadSqlMode(ctx).String()}
	err := d.provider.views.create(ctx, d.name, v)
	if errors.Is(err, fileio.ErrExist) {
		return sql.ErrExistingView.New(d.name, name)
	}
	return err
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(ctx *sql.Context, name string) error {
	v, err := d.provider.views.get(ctx, d.name, name)
	if err != nil {
		return err
	}
	if v == nil {
		return sql.ErrViewDoesNotExist.New(d.name, name)
	}
	return d.provider.views.drop(ctx, d.name, name)
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, err := d.provider.views.get(ctx, d.name, name)
	if err != nil || v == nil {
		return sql.ViewDefinition{}, false, err
	}
	return v.definition(), true, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	views, err := d.provider.views.list(ctx, d.name)
	if err != nil {
		return nil, err
	}
	var out []sql.ViewDefinition
	for i := range views {
		out = append(out, views[i].definition())
	}
	return out, nil
}

// RenameView gives a view another name in its database.
func (p *Provider) RenameView(ctx context.Context, database, name, to string) error {
	v, err := p.views.get(ctx, database, name)
	if err != nil {
		return err
	}
	if v == nil {
		return sql.ErrViewDoesNotExist.New(database, name)
	}
	if err := catalog.CheckName("view", to); err != nil {
		return err
	}
	v.Name = to
	err = p.views.create(ctx, database, *v)
	if errors.Is(err, fileio.ErrExist) {
		return sql.ErrTableAlreadyExists.New(to)
	}
	if err != nil {
		return err
	}
	return p.views.drop(ctx, database, name)
}

// HasView reports whether there is a view of the name.
func (p *Provider) HasView(ctx context.Context, database, name string) (bool, error) {
	v, err := p.views.get(ctx, database, name)
	return v != nil, err
}

// dropViews drops all views of a database.
func (p *Provider) dropViews(ctx context.Context, database string) error {
	views, err := p.views.list(ctx, database)
	for _, v := range views {
		err = errors.Join(err, p.views.drop(ctx, database, v.Name))
	}
	return err
}
