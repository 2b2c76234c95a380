import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.h2.api.TableEngine;
import org.h2.command.ddl.CreateTableData;
import org.h2.engine.SessionLocal;
import org.h2.mvstore.db.MVTable;
import org.h2.result.Row;
import org.h2.table.Table;

/**
 * H2's own tables, which count the rows that statements insert, update and delete in them: H2 keeps no such number. It makes
 * them for every CREATE TABLE, by the setting DEFAULT_TABLE_ENGINE: https://h2database.com/javadoc/org/h2/api/TableEngine.html
 */
public final class H2Tables implements TableEngine {
    private static final Map<String, AtomicLongArray> COUNTS = new ConcurrentHashMap<>();

    private static AtomicLongArray counts(String schema, String table) {
        return COUNTS.computeIfAbsent(schema + "\0" + table, name -> new AtomicLongArray(3));
    }

    /** For SQL: how many rows of all tables of that name were inserted (0), updated (1) or deleted (2). */
    public static long rowsWritten(String schema, String table, int how) {
        return counts(schema, table).get(how);
    }

    @Override
    public Table createTable(CreateTableData data) {
        AtomicLongArray counts = counts(data.schema.getName(), data.tableName);
        return new MVTable(data, data.session.getDatabase().getStore()) {
            @Override
            public void addRow(SessionLocal session, Row row) {
                counts.incrementAndGet(0);
                super.addRow(session, row);
            }

            @Override
            public void updateRow(SessionLocal session, Row before, Row after) {
                counts.incrementAndGet(1);
                super.updateRow(session, before, after);
            }

            @Override
            public void removeRow(SessionLocal session, Row row) {
                counts.incrementAndGet(2);
                super.removeRow(session, row);
            }

            @Override
            public long truncate(SessionLocal session) {
                long rows = super.truncate(session);
                counts.addAndGet(2, rows);
                return rows;
            }
        };
    }
}
