package dialect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/lakesql/lakesql/hints"
)

// TestScripts runs testdata/scripts. Commands, with the SQL as input:
//
//	parse [ansi]   what the statement becomes: the struct of ours, or the text
//	               and tree of the host with the result columns' names
//	each [ansi]    the same in one line for every statement of the input
//	split          the statements of a text, in brackets
//	multi          statement by statement, as a connection reads them
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			options := ast.ParserOptions{AnsiQuotes: d.HasArg("ansi")}
			switch d.Cmd {
			case "parse":
				return describe(d.Input, options)
			case "each":
				var b strings.Builder
				for _, q := range Split(d.Input, options) {
					fmt.Fprintf(&b, "%s\n    %s\n", oneLine(q), oneLine(brief(q, options)))
				}
				return b.String()
			case "split":
				var b strings.Builder
				for _, q := range Split(d.Input, options) {
					fmt.Fprintf(&b, "[%s]\n", q)
				}
				return b.String()
			case "multi":
				return multi(d.Input, options)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// describe is the long form of what a statement becomes.
func describe(query string, options ast.ParserOptions) string {
	stmt, _, _, err := New(Config{}).ParseWithOptions(context.Background(), query, ';', false, options)
	if err != nil {
		return describeError(err)
	}
	if in, ok := stmt.(ast.InjectedStatement); ok {
		n := in.Statement.(*injected)
		if n.err != nil {
			return describeError(n.err)
		}
		out := dump(n.stmt)
		if len(in.Children) > 0 {
			out += "children: " + ast.String(in.Children) + "\n"
		}
		return out
	}
	var b strings.Builder
	if text := rewrittenText(query, options); text != query {
		fmt.Fprintf(&b, "text: %s\n", text)
	}
	fmt.Fprintf(&b, "tree: %s\n", ast.String(stmt))
	if names := resultNames(stmt); names != "" {
		fmt.Fprintf(&b, "names: %s\n", names)
	}
	for _, c := range carried(stmt) {
		fmt.Fprintf(&b, "%s\n", c)
	}
	return b.String()
}

// brief is the short form: "host", or the text the host gets, or our struct.
func brief(query string, options ast.ParserOptions) string {
	stmt, _, _, err := New(Config{}).ParseWithOptions(context.Background(), query, ';', false, options)
	if err != nil {
		return describeError(err)
	}
	if in, ok := stmt.(ast.InjectedStatement); ok {
		n := in.Statement.(*injected)
		if n.err != nil {
			return describeError(n.err)
		}
		return "ours: " + n.stmt.Kind()
	}
	if text := rewrittenText(query, options); text != query {
		return "host: " + text
	}
	return "host, as it is"
}

func describeError(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d (%s) at %d:%d: %s\n", e.Code, e.State, e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("error: %v\n", err)
}

func rewrittenText(query string, options ast.ParserOptions) string {
	h := &host{options: options}
	x := lex(query, 0, options.AnsiQuotes)
	r := &rewritten{src: x.src}
	if _, err := h.splice(x, r, 0, len(x.tokens)-1, 0); err != nil {
		return ""
	}
	return strings.TrimSpace(r.out.String())
}

// resultNames are the names of the result columns that come from typed text.
func resultNames(stmt ast.Statement) string {
	var names []string
	sel, ok := stmt.(*ast.Select)
	if !ok {
		return ""
	}
	for _, e := range sel.SelectExprs {
		if a, ok := e.(*ast.AliasedExpr); ok && a.As.IsEmpty() && a.InputExpression != "" {
			names = append(names, "‹"+a.InputExpression+"›")
		}
	}
	return strings.Join(names, " ")
}

// carried are the hints in the tree, read back.
func carried(stmt ast.Statement) []string {
	var out []string
	target := func(n ast.TableName) {
		if db, t, ok, err := hints.SplitQualifier(n.DbQualifier.String()); ok {
			out = append(out, fmt.Sprintf("write %q.%s: %s overwrite=%v %s err=%v", db, n.Name, t.Options, t.Overwrite, partitionText(t.Partition), err))
		}
	}
	walkTree(stmt, func(n any) bool {
		switch n := n.(type) {
		case *ast.Insert:
			target(n.Table)
		case *ast.AliasedTableExpr:
			if name, ok := n.Expr.(ast.TableName); ok {
				target(name)
			}
			if n.AsOf == nil {
				break
			}
			if in, ok := n.AsOf.Time.(ast.InjectedExpr); ok {
				v := in.Expression.(*readValue)
				out = append(out, oneLine(fmt.Sprintf("read %s: %s %s %s", ast.String(n.Expr), v.options, v.kind, ast.String(in.Children))))
			}
		}
		return true
	})
	return out
}

func partitionText(p []hints.PartitionValue) string {
	if p == nil {
		return ""
	}
	var parts []string
	for _, v := range p {
		switch {
		case v.Null:
			parts = append(parts, v.Column+"=NULL")
		case v.Value == nil:
			parts = append(parts, v.Column)
		default:
			parts = append(parts, v.Column+"='"+*v.Value+"'")
		}
	}
	return "partition(" + strings.Join(parts, ", ") + ")"
}

func multi(query string, options ast.ParserOptions) string {
	p := New(Config{})
	var b strings.Builder
	for query != "" {
		stmt, parsed, rest, err := p.ParseWithOptions(context.Background(), query, ';', true, options)
		fmt.Fprintf(&b, "parsed [%s] rest [%s]", parsed, rest)
		switch {
		case err != nil:
			fmt.Fprintf(&b, " error: %v", err)
		default:
			if s, ok := fromAST(stmt); ok {
				fmt.Fprintf(&b, " %s", s.Kind())
			} else {
				fmt.Fprintf(&b, " %T", stmt)
			}
		}
		b.WriteByte('\n')
		if rest == query {
			break
		}
		query = rest
	}
	return b.String()
}

// fromAST returns the statement of ours in a tree that a Parser returned; ok is
// false for all others.
func fromAST(stmt ast.Statement) (s Statement, ok bool) {
	in, ok := stmt.(ast.InjectedStatement)
	if !ok {
		return nil, false
	}
	n, ok := in.Statement.(*injected)
	if !ok || n.err != nil {
		return nil, false
	}
	return n.stmt, true
}
