import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Spark in this process, with Iceberg tables in FOLDER/warehouse. */
final class Spark implements Bridge.Engine {
    /** Rows of literals for some of the columns of a table. */
    private static final Pattern ROWS = Pattern.compile("INSERT INTO (\\S+) \\(([^)]*)\\) VALUES (.*)", Pattern.DOTALL);

    private final SparkSession root;

    Spark(Path folder) throws IOException {
        Path warehouse = Files.createDirectories(folder.resolve("warehouse"));
        String catalog = "spark.sql.catalog.local";
        root = SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.local.dir", folder.resolve("scratch").toString())
            .config("spark.sql.warehouse.dir", warehouse.toString())
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.datetime.java8API.enabled", true)
            // A handful of rows: one task a stage, and no time spent on compiling Java for each.
            .config("spark.sql.shuffle.partitions", 1)
            .config("spark.default.parallelism", 1)
            .config("spark.sql.adaptive.enabled", false)
            .config("spark.sql.codegen.wholeStage", false)
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
            .config("spark.sql.defaultCatalog", "local")
            .config(catalog, "org.apache.iceberg.spark.SparkCatalog")
            .config(catalog + ".type", "hadoop")
            .config(catalog + ".warehouse", warehouse.toString())
            // Each session sees at once what another one wrote.
            .config(catalog + ".cache-enabled", false)
            // A MERGE writes the rows that it changes. With the default, copy-on-write, it would write again whole files
            // in which a row matched, whatever the conditions of its branches say.
            .config(catalog + ".table-default.write.merge.mode", "merge-on-read")
            .config(catalog + ".table-default.write.update.mode", "merge-on-read")
            .config(catalog + ".table-default.write.delete.mode", "merge-on-read")
            .getOrCreate();
        root.sparkContext().setLogLevel("ERROR");
    }

    @Override
    public Bridge.Session session() {
        return new Session(root.newSession(), UUID.randomUUID().toString());
    }

    private record Session(SparkSession spark, String group) implements Bridge.Session {
        @Override
        public Bridge.Answer run(String sql) {
            spark.sparkContext().setJobGroup(group, "", true);
            Dataset<Row> result = result(sql);
            List<List<String>> rows = new ArrayList<>();
            for (Row row : result.collectAsList()) {
                List<String> cells = new ArrayList<>();
                for (int i = 0; i < row.size(); i++) {
                    cells.add(text(row.get(i)));
                }
                rows.add(cells);
            }
            return new Bridge.Answer(List.of(result.columns()), rows);
        }

        /**
         * An INSERT into an Iceberg table must name every column, where Databricks takes null for those that it does not
         * name. The rows that a test begins with are such INSERTs; no load is.
         */
        private Dataset<Row> result(String sql) {
            try {
                return spark.sql(sql);
            } catch (Exception error) {
                Matcher rows = ROWS.matcher(sql);
                if (!rows.matches() || !String.valueOf(error.getMessage()).contains("CANNOT_FIND_DATA")) {
                    throw error;
                }
                List<String> named = List.of(rows.group(2).replace("`", "").split(", "));
                StringBuilder names = new StringBuilder(rows.group(2)), nulls = new StringBuilder("*");
                for (String column : spark.table(rows.group(1)).columns()) {
                    if (!named.contains(column)) {
                        names.append(", `").append(column).append('`');
                        nulls.append(", NULL AS `").append(column).append('`');
                    }
                }
                String values = "SELECT " + nulls + " FROM VALUES " + rows.group(3);
                return spark.sql("INSERT INTO " + rows.group(1) + " (" + names + ") " + values);
            }
        }

        @Override
        public void stop() {
            spark.sparkContext().cancelJobGroup(group);
        }

        @Override
        public void close() {}
    }

    private static String text(Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return Bridge.hex(bytes);
        }
        return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
    }
}
