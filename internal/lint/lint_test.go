package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/lakesql/lakesql"

// source is one Go file.
type source struct {
	path string // relative to the module, slashes
	test bool
	ast  *ast.File
}

func (s source) dir() string { return path.Dir(s.path) }

// tree is the module's root and its Go files by package directory.
type tree struct {
	root string
	fset *token.FileSet
	pkgs map[string][]source
}

func load(t *testing.T) *tree {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	tr := &tree{root: root, fset: token.NewFileSet(), pkgs: map[string][]source{}}
	tr.walk(t, func(rel string, data []byte) {
		if path.Ext(rel) != ".go" {
			return
		}
		f, err := parser.ParseFile(tr.fset, rel, data, parser.ParseComments)
		if err != nil {
			t.Error(err)
			return
		}
		dir := path.Dir(rel)
		tr.pkgs[dir] = append(tr.pkgs[dir], source{rel, strings.HasSuffix(rel, "_test.go"), f})
	})
	return tr
}

// walk calls fn with every regular file that is not hidden.
func (tr *tree) walk(t *testing.T, fn func(rel string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(tr.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != tr.root && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(tr.root, name)
		fn(filepath.ToSlash(rel), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sorted are the package directories in order.
func (tr *tree) sorted() []string {
	var dirs []string
	for d := range tr.pkgs {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	return dirs
}

// height is a package's place in the picture.
func height(pkg string) (int, bool) {
	best, at, ok := "", 0, false
	for _, l := range picture() {
		exact := pkg == l.path
		if (exact || strings.HasSuffix(l.path, "/") && strings.HasPrefix(pkg, l.path)) && len(l.path) > len(best) {
			best, at, ok = l.path, l.height, true
		}
		if exact {
			return l.height, true
		}
	}
	return at, ok
}

// within reports whether pkg is prefix or below it.
func within(pkg, prefix string) bool {
	prefix = strings.TrimSuffix(prefix, "/")
	return prefix == "" || pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
}

// isSuite reports whether a package exists for tests alone.
func isSuite(pkg string) bool {
	return pkg == "internal/testkit" || strings.HasSuffix(pkg, "test") || strings.HasPrefix(pkg, "tests/")
}

// checkImport tells what is wrong when pkg imports imp, or "". Both are relative
// to the module if they are ours.
func checkImport(pkg, imp string, ours, test bool) string {
	for _, r := range restrictions() {
		if !within(pkg, r.from) || slices.ContainsFunc(r.except, func(e string) bool {
			return e == pkg || strings.HasSuffix(e, "/") && within(pkg, e)
		}) {
			continue
		}
		for _, to := range r.to {
			if within(imp, to) && !within(imp, pkg) {
				return r.why
			}
		}
	}
	if !ours {
		return ""
	}
	from, ok := height(pkg)
	if !ok {
		return "the package is not in the picture (internal/lint/picture.go)"
	}
	to, ok := height(imp)
	if !ok {
		return "the imported package is not in the picture (internal/lint/picture.go)"
	}
	if test {
		return ""
	}
	switch {
	case pkg == "cmd/lakesql" && imp == "tests/bench": // the subcommand that measures a build where it runs
		return ""
	case isSuite(imp) && !isSuite(pkg):
		return "only tests import what is made for tests"
	case isSuite(pkg):
		return ""
	case to >= from:
		return fmt.Sprintf("imports point down: height %d imports height %d", from, to)
	case from >= namesHeight && from < programHeight && to >= encodingsHeight && to < tableHeight && !slices.Contains(seenAbove(), imp):
		return "above storage, code uses storage and the value packages, not the machinery between"
	}
	return ""
}

func TestImports(t *testing.T) {
	tr := load(t)
	for _, dir := range tr.sorted() {
		for _, s := range tr.pkgs[dir] {
			for _, spec := range s.ast.Imports {
				imp, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				rel, ours := strings.CutPrefix(imp, module+"/")
				if why := checkImport(s.dir(), rel, ours, s.test); why != "" {
					t.Errorf("%s imports %s: %s", s.path, rel, why)
				}
			}
		}
	}
}

func TestImportRules(t *testing.T) {
	for _, c := range []struct {
		pkg, imp string
		ours, ok bool
	}{
		{"cmd/lakesql", "tests/bench", true, true},
		{"cmd/lakesql", "internal/testkit", true, false},
		{"storage/row", "storage/columnar", true, true},
		{"storage/columnar", "storage/row", true, false},
		{"storage/types", "storage/columnar", true, false},
		{"storage/fileio/local", "storage/fileio", true, true},
		{"storage/fileio", "storage/fileio/local", true, false},
		{"storage/lsm", "storage/lsm/compact", true, true},
		{"storage/lsm/compact", "storage/lsm", true, false},
		{"storage/lsm/compact", "storage/snapshot", true, false},
		{"storage/snapshot/commit", "storage/lsm/merge", true, false},
		{"storage/snapshot/commit", "storage/snapshot/manifest", true, true},
		{"storage/datafile", "storage/snapshot", true, false},
		{"storage/write", "storage/lsm", true, true},
		{"storage", "storage/scan", true, true},
		{"sqlengine/bridge", "storage", true, true},
		{"sqlengine/bridge", "storage/lsm", true, false},
		{"sqlengine/bridge", "storage/columnar", true, true},
		{"systables", "storage/snapshot", true, true},
		{"systables", "storage/snapshot/manifest", true, false},
		{"sqlengine/exec", "storage/columnar", true, true},
		{"sqlengine/exec", "sqlengine/exec/expr", true, true},
		{"sqlengine/exec/expr", "sqlengine/exec", true, false},
		{"sqlengine/exec", "storage/schema", true, false},
		{"storage", "github.com/dolthub/go-mysql-server/sql", false, false},
		{"sqlengine/exec", "github.com/dolthub/go-mysql-server/sql", false, false},
		{"sqlengine/bridge", "github.com/dolthub/go-mysql-server/sql", false, true},
		{"storage/row", "github.com/apache/arrow-go/v18/arrow", false, false},
		{"storage/row", "internal/testkit", true, false},
		{"storage/format/formattest", "internal/testkit", true, true},
		{"storage/unheardof", "storage/types", true, false},
		{"hints", "storage/types", true, false},
		{"cmd/lakesql", "storage/fileio/local", true, true},
	} {
		if why := checkImport(c.pkg, c.imp, c.ours, false); (why == "") != c.ok {
			t.Errorf("%s imports %s: %q, want allowed %t", c.pkg, c.imp, why, c.ok)
		}
	}
}

// The picture names the packages that there are, each once, and docs/architecture.md draws them all.
func TestPictureIsTheTree(t *testing.T) {
	tr := load(t)
	seen := map[string]bool{}
	for _, l := range picture() {
		if seen[l.path] {
			t.Errorf("%s is in the picture twice", l.path)
		}
		seen[l.path] = true
		if !slices.ContainsFunc(tr.sorted(), func(dir string) bool {
			return dir == l.path || strings.HasSuffix(l.path, "/") && strings.HasPrefix(dir, l.path)
		}) {
			t.Errorf("%s is in the picture and not in the tree", l.path)
		}
	}
	page, err := os.ReadFile(filepath.Join(tr.root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, _ := strings.Cut(string(page), "```")
	drawing, _, _ = strings.Cut(drawing, "```")
	words := strings.FieldsFunc(drawing, func(r rune) bool { return strings.ContainsRune(" /{},;·→\n", r) })
	for _, dir := range tr.sorted() {
		if isSuite(dir) || within(dir, "internal/gen") {
			continue
		}
		if !slices.Contains(words, path.Base(dir)) {
			t.Errorf("%s is not in the picture of docs/architecture.md", dir)
		}
	}
}

func TestEveryPackageHasADocFile(t *testing.T) {
	tr := load(t)
	for _, dir := range tr.sorted() {
		documented, code := false, false
		for _, s := range tr.pkgs[dir] {
			code = code || !s.test
			place := path.Base(s.path) == "doc.go" || s.ast.Name.Name == "main" // a command says it in its only file
			documented = documented || place && s.ast.Doc.Text() != ""
		}
		if code && !documented {
			t.Errorf("%s has no doc.go with a package comment", dir)
		}
	}
}

func TestNoHiddenState(t *testing.T) {
	tr := load(t)
	for _, dir := range tr.sorted() {
		vars := packageVars(tr.pkgs[dir])
		for _, s := range tr.pkgs[dir] {
			if s.test {
				continue
			}
			for _, d := range s.ast.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					t.Errorf("%s: func init is not allowed", tr.fset.Position(f.Pos()))
				}
			}
			for _, id := range changed(s.ast, vars) {
				t.Errorf("%s: package variable %s changes", tr.fset.Position(id.Pos()), id.Name)
			}
		}
		for name, spec := range vars {
			if stateful(spec) && stateAllowed()[dir+"."+name] == "" {
				t.Errorf("%s: package variable %s holds state", tr.fset.Position(spec.Pos()), name)
			}
		}
	}
}

// packageVars are the variables of a package's files that are no tests.
func packageVars(files []source) map[string]*ast.ValueSpec {
	out := map[string]*ast.ValueSpec{}
	for _, s := range files {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				for _, n := range v.Names {
					out[n.Name] = v
				}
			}
		}
	}
	delete(out, "_")
	return out
}

// stateful reports whether a variable's type or value says that it is there to be
// changed: locks, pools, atomics, and empty maps to be filled.
func stateful(spec *ast.ValueSpec) bool {
	found := false
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "atomic" ||
				x.Name == "sync" && slices.Contains([]string{"Mutex", "RWMutex", "Pool", "Map", "Once", "WaitGroup", "Cond"}, n.Sel.Name)) {
				found = true
			}
		case *ast.FuncLit:
			return false
		}
		return true
	}
	if spec.Type != nil {
		ast.Inspect(spec.Type, look)
	}
	for _, v := range spec.Values {
		ast.Inspect(v, look)
		if c, ok := v.(*ast.CallExpr); ok {
			if f, ok := c.Fun.(*ast.Ident); ok && f.Name == "make" {
				found = true
			}
		}
	}
	return found
}

// changed are the package variables that a file assigns to, or to a part of.
func changed(f *ast.File, vars map[string]*ast.ValueSpec) []*ast.Ident {
	var out []*ast.Ident
	note := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.Ident:
				spec, ok := vars[x.Name]
				// An identifier that is not resolved inside the file is the package's.
				if ok && (x.Obj == nil || x.Obj.Decl == spec) {
					out = append(out, x)
				}
				return
			default:
				return
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					note(l)
				}
			}
		case *ast.IncDecStmt:
			note(n.X)
		}
		return true
	})
	return out
}

func TestStatefulVariables(t *testing.T) {
	for src, want := range map[string]bool{
		"var a sync.Mutex":                    true,
		"var a = &sync.Pool{}":                true,
		"var a atomic.Int64":                  true,
		"var a = make(map[int]int)":           true,
		"var a = errors.New(``)":              false,
		"var a = map[int]int{1: 1}":           false,
		"var a = sync.OnceValue(f)":           false,
		"var a []int\nfunc f() { a = nil }":   true,
		"var a []int\nfunc f() { a[0]++ }":    true,
		"var a T\nfunc f() { a.b.c = 1 }":     true,
		"var a int\nfunc f() { a := 1; a++ }": false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		vars := packageVars([]source{{path: "x.go", ast: f}})
		if got := stateful(vars["a"]) || len(changed(f, vars)) > 0; got != want {
			t.Errorf("%s: %t, want %t", src, got, want)
		}
	}
}

// No file names a place on the machine where it was written.
func TestNoMachinePaths(t *testing.T) {
	text := []string{".go", ".md", ".txt", ".sh", ".yml", ".yaml", ".test", ".sql", ".py", ".java", ".xml", ".toml", ".json", ""}
	tr := load(t)
	tr.walk(t, func(rel string, data []byte) {
		if !slices.Contains(text, path.Ext(rel)) || strings.Contains(rel, "testdata/") || path.Base(rel) == "go.sum" {
			return
		}
		for i, line := range strings.Split(string(data), "\n") {
			for _, dir := range []string{"work", "root"} {
				if at := strings.Index(line, "/"+dir+"/"); at >= 0 && (at == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$}-", rune(line[at-1]))) {
					t.Errorf("%s:%d names a directory of a machine: %s", rel, i+1, strings.TrimSpace(line))
				}
			}
		}
	})
}
