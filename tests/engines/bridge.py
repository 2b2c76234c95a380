"""The sessions of an engine that the tests reach through a Python driver. usage: bridge.py ENGINE SOCKET FOLDER

`bridged/ENGINE.py` speaks to the engine, whose files are in FOLDER when it is embedded. A line on stdout says that SOCKET
listens. Each connection to it is one session. A request is a line of JSON, {"do": a method of `bridged.session.Session`,
"with": its arguments}; so is the answer: {"columns": [...], "rows": [[text or null, ...], ...]} for SQL, of the last
statement, {"is": ...} for other methods, or {"error": "..."}. The end of stdin ends the process.
"""

import importlib
import json
import os
import socketserver
import sys
import threading
import warnings


def answer(session, request):
    try:
        value = getattr(session, request["do"])(*request["with"])
        if isinstance(value, tuple):
            columns, rows = value
            return {"columns": columns, "rows": [[session.text(cell) for cell in row] for row in rows]}
        return {"is": value}
    except BaseException as error:  # A panic of a driver in Rust is no Exception.
        return {"error": f"{type(error).__name__}: {error}".strip()}


def main():
    name, socket, folder = sys.argv[1:]
    warnings.simplefilter("ignore")
    engine = importlib.import_module(f"bridged.{name}")
    database = engine.database(folder)

    class Connection(socketserver.StreamRequestHandler):
        def handle(self):
            # An engine that cannot make a session says so to the first request.
            try:
                session = engine.Session(database)
            except Exception as error:
                session = error
            for line in self.rfile:
                line = json.dumps(answer(session, json.loads(line)), ensure_ascii=False)
                self.wfile.write(line.encode("utf-8", "surrogatepass") + b"\n")
            if hasattr(session, "close"):
                session.close()

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    server = Server(socket, Connection)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    # No clean-up of drivers, of which one that hangs would hang the tests: the folder is thrown away.
    os._exit(0)


if __name__ == "__main__":
    main()
