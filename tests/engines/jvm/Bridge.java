import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Sessions on an engine that lives in this process. usage: Bridge h2|hsqldb|spark FOLDER
 *
 * It listens on a free port of 127.0.0.1 and writes it to FOLDER/port. Each connection is one session. Each line that
 * comes in is a JSON object {"sql": "..."}, one statement, and is answered by one line: {"columns": [...], "rows":
 * [[text or null, ...], ...]} or {"error": "..."}. A connection that is closed while a statement runs stops that
 * statement, and what its session had not committed is rolled back.
 */
final class Bridge {
    /** An engine. */
    interface Engine {
        Session session() throws Exception;
    }

    /** One session on it. */
    interface Session {
        Answer run(String sql) throws Exception;

        /** Ends what runs now. Called from another thread. */
        void stop() throws Exception;

        /** Rolls back what is open. */
        void close() throws Exception;
    }

    /** What a statement answered. A cell is null, or a text that `Value::parse` reads. */
    record Answer(List<String> columns, List<List<String>> rows) {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        Engine engine = switch (arguments[0]) {
            case "h2" -> Jdbc.h2(folder);
            case "hsqldb" -> Jdbc.hsqldb(folder);
            // By name, so that the others do not need its classes.
            default -> (Engine) Class.forName("Spark").getDeclaredConstructor(Path.class).newInstance(folder);
        };
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Path half = folder.resolve("port.half");
            Files.writeString(half, Integer.toString(server.getLocalPort()));
            Files.move(half, folder.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                daemon(() -> converse(engine, socket));
            }
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Marks the end of the lines. */
    private static final String END = "";

    /** One connection, from its first line to its last. */
    private static void converse(Engine engine, Socket socket) {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        try (socket; Writer out = new OutputStreamWriter(socket.getOutputStream(), UTF_8)) {
            Session session = engine.session();
            CountDownLatch over = new CountDownLatch(1);
            // Lines are read while a statement runs, since the end of the connection must stop it.
            daemon(() -> listen(session, socket, lines, over));
            try {
                for (String line = lines.take(); !line.equals(END); line = lines.take()) {
                    out.write(answer(session, line));
                    out.write('\n');
                    out.flush();
                }
            } finally {
                over.countDown();
                session.close();
            }
        } catch (Exception fault) {
            System.err.println(fault);
        }
    }

    private static void listen(Session session, Socket socket, BlockingQueue<String> lines, CountDownLatch over) {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException closed) {
            // The same as the end of the lines.
        }
        lines.clear();
        lines.add(END);
        // More than once: Spark does not hear it while it still plans the statement.
        try {
            do {
                session.stop();
            } while (!over.await(50, TimeUnit.MILLISECONDS));
        } catch (Exception fault) {
            System.err.println(fault);
        }
    }

    private static String answer(Session session, String line) {
        StringBuilder json = new StringBuilder();
        try {
            Answer answer = session.run(sql(line));
            json.append("{\"columns\":");
            list(json, answer.columns);
            json.append(",\"rows\":[");
            for (int i = 0; i < answer.rows.size(); i++) {
                list(json.append(i > 0 ? "," : ""), answer.rows.get(i));
            }
            json.append("]}");
        } catch (Exception | LinkageError fault) {
            json.setLength(0);
            text(json.append("{\"error\":"), fault.getClass().getSimpleName() + ": " + fault.getMessage());
            json.append("}");
        }
        return json.toString();
    }

    /** The bytes as `Value::parse` reads them. */
    static String hex(byte[] bytes) {
        return "\\x" + HexFormat.of().formatHex(bytes);
    }

    private static void list(StringBuilder json, List<String> items) {
        json.append('[');
        for (int i = 0; i < items.size(); i++) {
            text(json.append(i > 0 ? "," : ""), items.get(i));
        }
        json.append(']');
    }

    private static void text(StringBuilder json, String text) {
        if (text == null) {
            json.append("null");
            return;
        }
        json.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /** The text in {"sql": "..."}, which is the only string behind the colon. */
    private static String sql(String json) {
        StringBuilder text = new StringBuilder();
        int at = json.indexOf('"', json.indexOf(':')) + 1;
        while (json.charAt(at) != '"') {
            char c = json.charAt(at++);
            if (c == '\\') {
                c = json.charAt(at++);
                switch (c) {
                    case 'n' -> c = '\n';
                    case 'r' -> c = '\r';
                    case 't' -> c = '\t';
                    case 'b' -> c = '\b';
                    case 'f' -> c = '\f';
                    case 'u' -> {
                        c = (char) Integer.parseInt(json.substring(at, at + 4), 16);
                        at += 4;
                    }
                    default -> { }
                }
            }
            text.append(c);
        }
        return text.toString();
    }

    private Bridge() {}
}
