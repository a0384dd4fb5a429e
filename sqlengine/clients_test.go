package sqlengine_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"
)

// Clients, connectors and BI tools look around with the statements of
// testdata/clients.sql, one a line. Each is answered, or refused with the error
// number that stands before it as in "!1235 SHOW PLUGINS".
func TestClients(t *testing.T) {
	db := openEngine(t)
	c := conn(t, db)
	for _, s := range []string{
		"CREATE DATABASE shop", "USE shop",
		"CREATE TABLE customers (id BIGINT, name STRING, created DATETIME, PRIMARY KEY (id))",
		"CREATE TABLE orders (order_id BIGINT, dt STRING, customer_id BIGINT, status STRING, amount DECIMAL(12,2), updated_at TIMESTAMP(3), PRIMARY KEY (order_id, dt) NOT ENFORCED) COMMENT 'c' PARTITIONED BY (dt) WITH ('bucket'='2')",
		"INSERT INTO orders VALUES (1,'2026-11-01',7,'new',100.00,'2026-11-01 10:00:00')",
		"CREATE VIEW v1 AS SELECT order_id FROM orders",
	} {
		exec(t, c, s)
	}
	text, err := os.ReadFile("testdata/clients.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		statement, want := line, 0
		if rest, ok := strings.CutPrefix(line, "!"); ok {
			number, s, _ := strings.Cut(rest, " ")
			if want, err = strconv.Atoi(number); err != nil {
				t.Fatal(err)
			}
			statement = s
		}
		rows, err := c.QueryContext(t.Context(), statement)
		if err == nil {
			_, err = drain(rows)
		}
		var e *driver.MySQLError
		switch {
		case err == nil && want == 0, errors.As(err, &e) && int(e.Number) == want:
		default:
			t.Errorf("%s: %v, want error %d", statement, err, want)
		}
	}
}
