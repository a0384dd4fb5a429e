package procs

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
	"github.com/lakesql/lakesql/storage/columnar"
)

func rescaleProc() procedure {
	return procedure{
		name: "rescale", run: rescale, columns: result(),
		params: []param{
			required("table"), optional("bucket_num"), optional("partition", "partitions"), optional("scan_parallelism"),
			optional("sink_parallelism"), optional("where"),
		},
	}
}

// maxBuckets is how many buckets a partition may have.
const maxBuckets = 1 << 15

// rescale rewrites partitions, all of them if none is named, into another number of
// buckets.
func rescale(b *Builder, ctx *sql.Context, a *args) ([]sql.Row, error) {
	if err := a.refuse("scan_parallelism", "sink_parallelism", "where"); err != nil {
		return nil, err
	}
	n, err := a.integer("bucket_num")
	if err != nil {
		return nil, err
	}
	var o storage.RescaleOptions
	if n != nil {
		if *n < 1 || *n > maxBuckets {
			return nil, a.errorf("argument 'bucket_num' must be between 1 and %d, not %d", maxBuckets, *n)
		}
		o.Buckets = int(*n)
	}
	err = a.eachPartition(ctx, b, "partition", func(t *storage.Table, partition map[string]columnar.Value) error {
		o.Partition = partition
		_, err := t.Rescale(ctx, o)
		if errors.Is(err, storage.ErrNotFixed) {
			return bridge.WithCode(bridge.CodeWrongArguments, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
}
