"""Python's drivers against a running server: python drivers.py PORT. Each sentence that does not hold raises."""

import datetime
import decimal
import sys
import tempfile

import mysql.connector
import pymysql
import sqlalchemy as sa

PORT = int(sys.argv[1])
COLUMNS = ("id BIGINT PRIMARY KEY, i INT, d DOUBLE, e DECIMAL(12,2), s VARCHAR(20), t TEXT, b VARBINARY(10), dt DATE, "
           "ts DATETIME(3), tm TIME(3), bo BOOLEAN, f FLOAT")
ROW = (1, -5, 2e300, decimal.Decimal("12.30"), "ünï", "long", b"\x00\xff", datetime.date(2026, 1, 2),
       datetime.datetime(2026, 1, 2, 3, 4, 5, 678000), datetime.timedelta(hours=1, milliseconds=5), 1, 0.5)


def equal(got, want):
    if got != want:
        raise AssertionError(f"got {got!r}, want {want!r}")


def driver(connect, errors, name):
    """DB-API: types, counts, autocommit off, errors by number, warnings."""
    conn = connect()
    cur = conn.cursor()
    cur.execute(f"CREATE TABLE {name} ({COLUMNS})")
    cur.execute(f"INSERT INTO {name} VALUES ({','.join(['%s'] * len(ROW))})", ROW)
    equal(cur.rowcount, 1)
    cur.executemany(f"INSERT INTO {name} (id, i) VALUES (%s, %s)", [(n, n) for n in range(2, 50)])
    equal(cur.rowcount, 48)
    conn.commit()
    cur.execute(f"SELECT * FROM {name} WHERE id = %s", (1,))
    equal(tuple(cur.fetchall()[0]), ROW)
    cur.execute(f"UPDATE {name} SET i = i + 1 WHERE id < 10")
    equal(cur.rowcount, 9)
    conn.rollback()  # drivers keep autocommit off
    cur.execute(f"SELECT i FROM {name} WHERE id = 2")
    equal(cur.fetchall()[0][0], 2)
    try:
        cur.execute(f"SELECT nope FROM {name}")
        raise AssertionError("an unknown column is no error")
    except errors as e:
        equal(e.args[0], 1054)
    cur.execute("SELECT 1/0")
    equal(cur.fetchall()[0][0], None)
    cur.execute("SHOW WARNINGS")
    equal(cur.fetchall()[0][1], 1365)
    conn.close()


def load(conn, name):
    """LOAD DATA LOCAL: the driver sends the file, and the connection goes on after a fault in it."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        f.write("".join(f"{n},text {n}\n" for n in range(50_000)))
        f.flush()
        cur = conn.cursor()
        cur.execute(f"CREATE TABLE {name} (k INT, s VARCHAR(20))")
        statement = f"LOAD DATA LOCAL INFILE '{f.name}' %s INTO TABLE {name} FIELDS TERMINATED BY ','"
        cur.execute(statement % "")
        equal(cur.rowcount, 50_000)
        f.seek(0)
        f.write("x")
        f.flush()
        try:
            cur.execute(statement % "REPLACE")
            raise AssertionError("a fault in a file is no error")
        except Exception as e:
            equal(e.args[0], 1366)
        cur.execute(f"SELECT COUNT(*) FROM {name}")
        equal(cur.fetchall()[0][0], 50_000)
    conn.close()


def alchemy(url):
    """SQLAlchemy: creates, writes, reads and looks at a table."""
    engine = sa.create_engine(url)
    table = sa.Table("orm", sa.MetaData(), sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
                     sa.Column("name", sa.String(30)), sa.Column("at", sa.DateTime))
    table.create(engine)
    with engine.begin() as conn:
        conn.execute(table.insert(), [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}])
        conn.execute(table.update().where(table.c.id == 1).values(name="z"))
    with engine.begin() as conn:
        equal([tuple(r) for r in conn.execute(sa.select(table.c.id, table.c.name).order_by(table.c.id))], [(1, "z"), (2, "b")])
    look = sa.inspect(engine)
    equal(look.get_pk_constraint("orm")["constrained_columns"], ["id"])
    equal([str(c["type"]) for c in look.get_columns("orm")], ["BIGINT", "VARCHAR(30)", "DATETIME"])
    table.drop(engine)
    equal("orm" in sa.inspect(engine).get_table_names(), False)


def main():
    where = {"host": "127.0.0.1", "port": PORT, "user": "root", "database": "default"}
    driver(lambda: pymysql.connect(**where), pymysql.err.Error, "py_pymysql")
    driver(lambda: mysql.connector.connect(use_pure=True, **where), mysql.connector.Error, "py_connector")
    conn = mysql.connector.connect(use_pure=True, **where)
    cur = conn.cursor(prepared=True)
    cur.execute("SELECT * FROM py_connector WHERE id = %s", (1,))
    equal(tuple(cur.fetchall()[0]), ROW)
    conn.close()
    load(pymysql.connect(local_infile=True, **where), "py_load")
    load(mysql.connector.connect(use_pure=True, allow_local_infile=True, **where), "py_connector_load")
    for name in ("pymysql", "mysqlconnector"):
        alchemy(f"mysql+{name}://root@127.0.0.1:{PORT}/default")


main()
