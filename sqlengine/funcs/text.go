package funcs

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
)

func textFunctions() []entry {
	return []entry{
		{name: "insert", min: 4, max: 4, typ: fixed(gmstypes.LongText), eval: insert},
		{name: "export_set", min: 3, max: 5, typ: fixed(gmstypes.LongText), eval: exportSet},
		{name: "load_file", min: 1, max: 1, typ: fixed(gmstypes.LongBlob), eval: loadFile},
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
func exportSet(ctx *sql.Context, _ *call, args []any) (any, error) {
	bits, on, off := bitsOf(ctx, args[0]), textOf(args[1]), textOf(args[2])
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
func makeSet(ctx *sql.Context, _ *call, args []any) (any, error) {
	if args[0] == nil {
		return nil, nil
	}
	bits := bitsOf(ctx, args[0])
	var parts []string
	for i, v := range args[1:] {
		if i < 64 && bits>>i&1 != 0 && v != nil {
			parts = append(parts, textOf(v))
		}
	}
	return strings.Join(parts, ","), nil
}

func bitsOf(ctx *sql.Context, v any) uint64 {
	if u, ok := v.(uint64); ok {
		return u
	}
	return uint64(intOf(ctx, v))
}

// loadFile is LOAD_FILE(path): NULL, as of a file that the server may not read. It may
// read none but those of its tables.
func loadFile(*sql.Context, *call, []any) (any, error) { return nil, nil }
