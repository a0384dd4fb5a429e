package procs

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/lakesql/lakesql/sqlengine/bridge"
	"github.com/lakesql/lakesql/storage"
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
	t, err := b.tableText(ctx, a.text("table"))
	if err != nil {
		return nil, err
	}
	specs, err := a.partitions("partition")
	if err != nil {
		return nil, err
	}
	if specs == nil {
		specs = []map[string]string{nil}
	}
	x, err := t.Schema(ctx)
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		if o.Partition, err = partitionValues(x, spec); err != nil {
			return nil, err
		}
		_, err := t.Rescale(ctx, o)
		if errors.Is(err, storage.ErrNotFixed) {
			return nil, bridge.WithCode(bridge.CodeWrongArguments, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return done(), nil
}
