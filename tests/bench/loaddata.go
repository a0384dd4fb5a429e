package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-sql-driver/mysql"
)

// loadColumns are the columns of the table that the load benchmark fills.
const loadColumns = "(a BIGINT, b INT, c VARCHAR(20), d DECIMAL(12,2), e DOUBLE, f DATETIME(3), g DATE, h BOOLEAN)"

// loadData measures LOAD DATA LOCAL of a file through a server of its own, its commit
// included: into a table without keys and into one with. cpu_seconds is the server's.
func (r *run) loadData(ctx context.Context) (err error) {
	s, err := startServer(ctx, r.Server, r.Work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	var text []byte
	for k := range r.LoadRows {
		text = fmt.Appendf(text, "%d,%d,text %d,%d.%02d,%g,2026-01-02 03:%02d:%02d.678,2026-01-%02d,%d\n",
			k, k%1000, k%5000, k%100_000, k%100, float64(k)/8, k/60%60, k%60, k%28+1, k%2)
	}
	const file = "lakesql-bench"
	mysql.RegisterReaderHandler(file, func() io.Reader { return bytes.NewReader(text) })
	defer mysql.DeregisterReaderHandler(file)
	for _, key := range []bool{false, true} {
		create := "CREATE TABLE loaded " + loadColumns
		if key {
			create = create[:len(create)-1] + ", PRIMARY KEY (a)) WITH ('bucket'='" + fmt.Sprint(r.Buckets) + "')"
		}
		params := map[string]any{"keyed": key}
		drop := func() error {
			_, err := s.db.ExecContext(ctx, "DROP TABLE IF EXISTS loaded")
			return err
		}
		r.cpu = s.cpuSeconds
		err := r.measure(ctx, "load", params,
			func() error {
				if err := drop(); err != nil {
					return err
				}
				_, err := s.db.ExecContext(ctx, create)
				return err
			},
			func() (int64, error) {
				res, err := s.db.ExecContext(ctx, "LOAD DATA LOCAL INFILE 'Reader::"+file+"' INTO TABLE loaded FIELDS TERMINATED BY ','")
				if err != nil {
					return 0, err
				}
				n, err := res.RowsAffected()
				if err == nil && n != r.LoadRows {
					err = fmt.Errorf("%d rows were loaded, not %d", n, r.LoadRows)
				}
				return n, err
			},
			func() (int64, error) {
				params["server_peak_mib"] = s.peakMiB()
				return int64(len(text)), nil
			}, nothing)
		r.cpu = cpuSeconds
		if err := errors.Join(err, drop()); err != nil {
			return err
		}
	}
	return nil
}
