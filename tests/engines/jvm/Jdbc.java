import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** An embedded engine that is spoken to by JDBC. */
record Jdbc(String url, String user) implements Bridge.Engine {
    static Bridge.Engine h2(Path folder) throws SQLException {
        // KEY is a name in the standard.
        String settings = ";DB_CLOSE_DELAY=-1;DEFAULT_TABLE_ENGINE=H2Tables;NON_KEYWORDS=KEY";
        Jdbc engine = new Jdbc("jdbc:h2:" + folder.resolve("db") + settings, "sa");
        try (Connection connection = engine.connect(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE ALIAS rows_written FOR 'H2Tables.rowsWritten'");
        }
        return engine;
    }

    static Bridge.Engine hsqldb(Path folder) throws SQLException {
        Jdbc engine = new Jdbc("jdbc:hsqldb:file:" + folder.resolve("db"), "SA");
        try (Connection connection = engine.connect(); Statement statement = connection.createStatement()) {
            // Every commit is in the log at once, and the log is never cut: writes are counted in it.
            statement.execute("SET FILES WRITE DELAY FALSE");
            statement.execute("SET FILES LOG SIZE 0");
            // Blanks at the end of a text count, as they do in the reference model.
            statement.execute("SET DATABASE COLLATION SQL_TEXT NO PAD");
        }
        return engine;
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, "");
    }

    @Override
    public Bridge.Session session() throws SQLException {
        Connection connection = connect();
        return new Session(connection, connection.createStatement());
    }

    private record Session(Connection connection, Statement statement) implements Bridge.Session {
        @Override
        public Bridge.Answer run(String sql) throws SQLException {
            List<String> columns = new ArrayList<>();
            List<List<String>> rows = new ArrayList<>();
            // In JDBC a transaction begins and ends by calls; neither engine reads a bare START TRANSACTION.
            if (sql.equalsIgnoreCase("START TRANSACTION")) {
                connection.setAutoCommit(false);
            } else if (sql.equalsIgnoreCase("COMMIT")) {
                end(true);
            } else if (sql.equalsIgnoreCase("ROLLBACK")) {
                end(false);
            } else if (statement.execute(sql)) {
                try (ResultSet result = statement.getResultSet()) {
                    ResultSetMetaData meta = result.getMetaData();
                    for (int i = 1; i <= meta.getColumnCount(); i++) {
                        columns.add(meta.getColumnLabel(i));
                    }
                    while (result.next()) {
                        List<String> row = new ArrayList<>();
                        for (int i = 1; i <= columns.size(); i++) {
                            row.add(text(result, meta.getColumnType(i), i));
                        }
                        rows.add(row);
                    }
                }
            } else {
                // How many rows it wrote.
                columns.add("written");
                rows.add(List.of(Integer.toString(statement.getUpdateCount())));
            }
            return new Bridge.Answer(columns, rows);
        }

        @Override
        public void stop() throws SQLException {
            statement.cancel();
        }

        @Override
        public void close() throws SQLException {
            end(false);
            connection.close();
        }

        private void end(boolean commits) throws SQLException {
            if (connection.getAutoCommit()) {
                return;
            }
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    private static String text(ResultSet result, int type, int column) throws SQLException {
        return switch (type) {
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> {
                byte[] bytes = result.getBytes(column);
                yield bytes == null ? null : Bridge.hex(bytes);
            }
            case Types.TIMESTAMP_WITH_TIMEZONE -> {
                OffsetDateTime at = result.getObject(column, OffsetDateTime.class);
                yield at == null ? null : at.toInstant().toString();
            }
            case Types.TIME -> {
                // HSQLDB's text has hours of one digit.
                LocalTime at = result.getObject(column, LocalTime.class);
                yield at == null ? null : at.toString();
            }
            default -> result.getString(column);
        };
    }
}
