package funcs

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/lakesql/lakesql/sqlengine/loadfile"
)

// LoadFile is LOAD_FILE over the files below a folder; "": there are none. It takes
// the place of the host's, which reads any file of the server. What cannot be read,
// and what is longer than a packet, is NULL.
func LoadFile(dir string) sql.Function {
	e := entry{
		name: "load_file", min: 1, max: 1,
		typ: fixed(gmstypes.LongBlob),
		eval: func(ctx *sql.Context, _ *call, args []any) (any, error) {
			name, _, err := gmstypes.LongText.Convert(ctx, args[0])
			text, ok := name.(string)
			if err != nil || !ok || dir == "" {
				return nil, err
			}
			f, err := loadfile.OpenBelow(dir, text)
			if err != nil {
				return nil, nil
			}
			defer f.Close()
			most := int64(maxPacket(ctx))
			data, err := io.ReadAll(io.LimitReader(f, most+1))
			if err != nil || int64(len(data)) > most {
				return nil, nil
			}
			return data, nil
		},
	}
	return e.function()
}
