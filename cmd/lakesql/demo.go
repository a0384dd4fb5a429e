package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/go-sql-driver/mysql"
)

// demoCmd runs the worked example of the documentation.
type demoCmd struct {
	MemoryLimit memoryLimit `help:"Memory to use: 512MiB, 2GB or 50% of the machine's." default:"50%" env:"LAKESQL_MEMORY_LIMIT"`
	Warehouse   string      `help:"Warehouse directory; a new temporary one by default, which is removed." env:"LAKESQL_DEMO_WAREHOUSE"`
}

// demoStatements is the worked example, statement by statement. It has a database
// of its own, so that it may run again in a warehouse with other tables.
func demoStatements() []string {
	return []string{
		`CREATE DATABASE IF NOT EXISTS demo`,
		`USE demo`,
		`DROP TABLE IF EXISTS orders`,
		`CREATE TABLE orders (
  order_id BIGINT, dt STRING, customer_id BIGINT, status STRING, amount DECIMAL(12,2), updated_at TIMESTAMP(3),
  PRIMARY KEY (order_id, dt) NOT ENFORCED
) PARTITIONED BY (dt) WITH ('bucket'='8', 'merge-engine'='deduplicate', 'sequence.field'='updated_at')`,
		`INSERT INTO orders VALUES (1,'2026-11-01',7,'new',100.00,'2026-11-01 10:00:00'), (2,'2026-11-01',7,'new',30.00,'2026-11-01 10:00:01')`,
		`INSERT INTO orders VALUES (1,'2026-11-01',7,'paid',120.00,'2026-11-01 10:05:00')`,
		`INSERT INTO orders VALUES (1,'2026-11-01',7,'late',999.00,'2026-11-01 09:00:00')`,
		`SELECT * FROM orders ORDER BY order_id`,
		`DELETE FROM orders WHERE order_id = 2`,
		`SELECT customer_id, SUM(amount) AS revenue FROM orders GROUP BY customer_id`,
		"SELECT snapshot_id, commit_kind, total_record_count FROM orders$snapshots",
		"SELECT `partition`, bucket, level, record_count FROM orders$files",
		`SELECT * FROM orders VERSION AS OF 1 ORDER BY order_id`,
	}
}

// Run implements the subcommand.
func (c *demoCmd) Run(a *app) (err error) {
	dir := c.Warehouse
	if dir == "" {
		if dir, err = os.MkdirTemp("", "lakesql-demo-"); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	f := warehouseFlags{Warehouse: dir, MemoryLimit: c.MemoryLimit}
	w, err := f.open(a)
	if err != nil {
		return err
	}
	e, err := w.engine(a)
	if err != nil {
		w.close()
		return err
	}
	cfg := mysql.NewConfig()
	cfg.User, cfg.DBName, cfg.Logger = "root", "default", &mysql.NopLogger{}
	conn, stop, err := connectLocal(a.ctx, e, cfg, func() error {
		err := e.Close()
		w.close()
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	s := &shell{app: a, conn: conn, format: "table"}
	for _, stmt := range demoStatements() {
		fmt.Fprintf(a.stdout, "%s;\n", stmt)
		if err := s.statement(a.ctx, stmt); err != nil {
			return err
		}
		fmt.Fprintln(a.stdout)
	}
	return nil
}
