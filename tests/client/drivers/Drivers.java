import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.Objects;

/** JDBC drivers against a running server: java Drivers URL…. What does not hold is an exception. */
public class Drivers {
  public static void main(String[] urls) throws Exception {
    for (int i = 0; i < urls.length; i++) {
      try (Connection c = DriverManager.getConnection(urls[i], "root", "")) {
        check(c, "jdbc_" + i);
        load(c, "jdbc_load_" + i);
      }
    }
  }

  static void check(Connection c, String table) throws Exception {
    Statement s = c.createStatement();
    s.executeUpdate("CREATE TABLE " + table + " (id BIGINT PRIMARY KEY, e DECIMAL(10,2), ts DATETIME(3), b VARBINARY(9), s STRING, bo BOOLEAN)");
    PreparedStatement p = c.prepareStatement("INSERT INTO " + table + " VALUES (?,?,?,?,?,?)");
    for (int i = 1; i <= 3; i++) {
      p.setLong(1, i);
      p.setBigDecimal(2, new BigDecimal("2.50"));
      p.setTimestamp(3, Timestamp.valueOf("2026-01-02 03:04:05.678"));
      p.setBytes(4, new byte[] {0, -1});
      p.setString(5, "ü");
      p.setBoolean(6, true);
      p.addBatch();
    }
    p.executeBatch();
    p = c.prepareStatement("SELECT * FROM " + table + " WHERE id = ?");
    p.setLong(1, 2);
    ResultSet r = p.executeQuery();
    equal(r.next(), true);
    equal(r.getBigDecimal(2), new BigDecimal("2.50"));
    equal(r.getTimestamp(3), Timestamp.valueOf("2026-01-02 03:04:05.678"));
    equal(Arrays.toString(r.getBytes(4)), "[0, -1]");
    equal(r.getString(5), "ü");
    equal(r.getBoolean(6), true);
    c.setAutoCommit(false);
    equal(s.executeUpdate("DELETE FROM " + table), 3);
    c.rollback();
    c.setAutoCommit(true);
    equal(one(s.executeQuery("SELECT COUNT(*) FROM " + table)), "3");
    DatabaseMetaData m = c.getMetaData();
    r = m.getPrimaryKeys(c.getCatalog(), null, table);
    equal(r.next(), true);
    equal(r.getString("COLUMN_NAME"), "id");
    int columns = 0;
    for (r = m.getColumns(c.getCatalog(), null, table, "%"); r.next(); ) columns++;
    equal(columns, 6);
    s.setFetchSize(2);
    int rows = 0;
    for (r = s.executeQuery("SELECT id FROM " + table); r.next(); ) rows++;
    equal(rows, 3);
    s.setQueryTimeout(1);
    try {
      s.executeQuery("SELECT SLEEP(30)");
      throw new AssertionError("a timeout ends no statement");
    } catch (SQLException e) {
      equal(c.isValid(5), true);
    }
    try {
      s.executeQuery("SELECT nope FROM " + table);
      throw new AssertionError("an unknown column is no error");
    } catch (SQLException e) {
      equal(e.getErrorCode(), 1054);
      equal(e.getSQLState(), "42S22");
    }
  }

  /** LOAD DATA LOCAL: the driver sends the file, and the connection goes on after a fault in it. */
  static void load(Connection c, String table) throws Exception {
    Path f = Files.createTempFile("load", ".csv");
    try {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 50000; i++) text.append(i).append(",text ").append(i).append('\n');
      Files.writeString(f, text);
      Statement s = c.createStatement();
      s.executeUpdate("CREATE TABLE " + table + " (k INT, s VARCHAR(20))");
      String rest = " INTO TABLE " + table + " FIELDS TERMINATED BY ','";
      equal(s.executeUpdate("LOAD DATA LOCAL INFILE '" + f + "'" + rest), 50000);
      Files.writeString(f, "x" + text);
      try {
        s.executeUpdate("LOAD DATA LOCAL INFILE '" + f + "' REPLACE" + rest);
        throw new AssertionError("a fault in a file is no error");
      } catch (SQLException e) {
        equal(e.getErrorCode(), 1366);
      }
      equal(one(s.executeQuery("SELECT COUNT(*) FROM " + table)), "50000");
    } finally {
      Files.delete(f);
    }
  }

  static String one(ResultSet r) throws SQLException {
    equal(r.next(), true);
    return r.getString(1);
  }

  static void equal(Object got, Object want) {
    if (!Objects.equals(got, want)) {
      throw new AssertionError("got " + got + ", want " + want);
    }
  }
}
