"""An HTTP server that gives prepared answers, for what the service does only under load or in a fault."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Stub:
    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.received: list[Received] = []
        self._changed = threading.Condition()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with stub._changed:
                    stub.received.append(Received(self.command, self.path, headers, body))
                    answer = stub.answers.pop(0)
                    stub._changed.notify_all()
                self.send_response(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                if "content-length" not in answer.headers:
                    self.send_header("content-length", str(len(answer.body.encode())))
                self.end_headers()
                self.wfile.write(answer.body.encode())

            do_GET = do_POST = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def wait_for(self, requests: int) -> list[Received]:
        with self._changed:
            self._changed.wait_for(lambda: len(self.received) >= requests)
        return self.received

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
