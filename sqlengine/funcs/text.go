package funcs

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

func textFunctions() []entry {
	return []entry{
		{name: "insert", min: 4, max: 4, typ: fixed(gmstypes.LongText), eval: insert},
		{name: "export_set", min: 3, max: 5, typ: fixed(gmstypes.LongText), eval: exportSet},
		{name: "find_in_set", min: 2, max: 2, typ: fixed(gmstypes.Int64), eval: findInSet},
		{name: "locate", min: 2, max: 3, typ: fixed(gmstypes.Int64), eval: locate},
		{name: "position", min: 2, max: 3, typ: fixed(gmstypes.Int64), eval: locate},
		{name: "quote", min: 1, max: 1, typ: fixed(gmstypes.LongText), eval: quote, nulls: true},
		{name: "substring_index", min: 3, max: 3, typ: fixed(gmstypes.LongText), eval: substringIndex},
		{name: "make_set", min: 2, max: -1, typ: fixed(gmstypes.LongText), eval: makeSet, nulls: true},
	}
}

// insert is INSERT(text, position, length, new): positions count characters from 1.
func insert(ctx *sql.Context, _ *call, args []any) (any, error) {
	text := []rune(textOf(args[0]))
	at, n := intOf(ctx, args[1]), intOf(ctx, args[2])
	if at < 1 || at > int64(len(text)) {
		return string(text), nil
	}
	end := int64(len(text))
	if n >= 0 && n < end-at+1 {
		end = at - 1 + n
	}
	return string(text[:at-1]) + textOf(args[3]) + string(text[end:]), nil
}

// exportSet is EXPORT_SET(bits, on, off, separator, number of bits).
func exportSet(ctx *sql.Context, c *call, args []any) (any, error) {
	bits, on, off := bitsOf(ctx, c.args[0], args[0]), textOf(args[1]), textOf(args[2])
	separator, n := ",", int64(64)
	if len(args) > 3 {
		separator = textOf(args[3])
	}
	if len(args) > 4 {
		if k := intOf(ctx, args[4]); k >= 0 && k < n {
			n = k
		}
	}
	parts := make([]string, n)
	for i := range parts {
		if parts[i] = off; bits>>i&1 != 0 {
			parts[i] = on
		}
	}
	return strings.Join(parts, separator), nil
}

// makeSet is MAKE_SET(bits, text, …): the texts whose bits are set, but for NULL.
func makeSet(ctx *sql.Context, c *call, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	bits := bitsOf(ctx, c.args[0], args[0])
	var parts []string
	for i, v := range args[1:] {
		if i < 64 && bits>>i&1 != 0 && v != nil {
			parts = append(parts, textOf(v))
		}
	}
	return strings.Join(parts, ","), nil
}

// locate is LOCATE(part, text[, position]): where the part begins, 0 where it is not.
// Positions count characters from 1. Texts compare by bytes, unless a COLLATE says
// otherwise.
func locate(ctx *sql.Context, c *call, args []any) (any, error) {
	part, text := textOf(args[0]), textOf(args[1])
	if ignoresCase(c.args) {
		part, text = strings.ToLower(part), strings.ToLower(text)
	}
	at := int64(1)
	if len(args) == 3 {
		at = intOf(ctx, args[2])
	}
	chars := []rune(text)
	if at < 1 || at > int64(len(chars))+1 {
		return int64(0), nil
	}
	before, _, ok := strings.Cut(string(chars[at-1:]), part)
	if !ok {
		return int64(0), nil
	}
	return at + int64(utf8.RuneCountInString(before)), nil
}

// quote is QUOTE(text): a literal of the text, the word NULL of NULL.
func quote(_ *sql.Context, _ *call, args []any) (any, error) {
	if args[0] == nil {
		return "NULL", nil
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`, "\x1a", `\Z`).Replace(textOf(args[0])) + "'", nil
}

// findInSet is FIND_IN_SET(text, 'a,b,…'): the number of the text in the list, 0 if it
// is not there.
func findInSet(_ *sql.Context, c *call, args []any) (any, error) {
	text, list := textOf(args[0]), textOf(args[1])
	if list == "" {
		return int64(0), nil
	}
	if ignoresCase(c.args) {
		text, list = strings.ToLower(text), strings.ToLower(list)
	}
	return int64(slices.Index(strings.Split(list, ","), text) + 1), nil
}

// ignoresCase reports whether an argument has a COLLATE that does.
func ignoresCase(args []sql.Expression) bool {
	return slices.ContainsFunc(args, func(e sql.Expression) bool {
		x, ok := e.(*expression.CollatedExpression)
		if !ok {
			return false
		}
		collation, _ := x.CollationCoercibility(nil)
		return strings.HasSuffix(collation.Name(), "_ci")
	})
}

// substringIndex is SUBSTRING_INDEX(text, mark, n): what is before the n-th mark from
// the left, or behind the n-th from the right where n is negative.
func substringIndex(ctx *sql.Context, _ *call, args []any) (any, error) {
	text, mark, n := textOf(args[0]), textOf(args[1]), intOf(ctx, args[2])
	if mark == "" || n == 0 {
		return "", nil
	}
	at := 0
	if n > 0 {
		for ; n > 0; n-- {
			i := strings.Index(text[at:], mark)
			if i < 0 {
				return text, nil
			}
			at += i + len(mark)
		}
		return text[:at-len(mark)], nil
	}
	at = len(text)
	for ; n < 0; n++ {
		if at = strings.LastIndex(text[:at], mark); at < 0 {
			return text, nil
		}
	}
	return text[at+len(mark):], nil
}

// Trim is TRIM in place of the host's, which fails where what it takes away is NULL.
func Trim(h *function.Trim) sql.Expression {
	right := func(text, cut string) string {
		for strings.HasSuffix(text, cut) {
			text = text[:len(text)-len(cut)]
		}
		return text
	}
	left := func(text, cut string) string {
		for strings.HasPrefix(text, cut) {
			text = text[len(cut):]
		}
		return text
	}
	shown := h.String()
	eval := func(_ *sql.Context, _ *call, args []any) (any, error) {
		text, cut := textOf(args[0]), textOf(args[1])
		if cut == "" {
			return text, nil
		}
		if !strings.HasPrefix(shown, "trim(trailing") {
			text = left(text, cut)
		}
		if !strings.HasPrefix(shown, "trim(leading") {
			text = right(text, cut)
		}
		return text, nil
	}
	return &call{entry: &entry{name: "trim", typ: fixed(gmstypes.LongText), eval: eval}, args: h.Children()}
}
