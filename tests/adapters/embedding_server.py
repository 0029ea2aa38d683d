"""An OpenAI-compatible embedding endpoint on the loopback, for tests; records what it was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.fakes import HashEmbedder

Reply = Callable[[list[str]], tuple[int, object]]


@dataclass
class Endpoint:
    """A running server: `reply` decides what is answered, `inputs` and `keys` what has been asked, in order."""

    base_url: str
    reply: Reply
    inputs: list[list[str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


def rows(vectors: list[list[float]]) -> tuple[int, object]:
    """A well-formed reply. Rows come in reverse: clients have to go by their index."""
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return 200, {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def hashed(texts: list[str]) -> tuple[int, object]:
    """Vectors of the hash embedder, three times too long."""
    return rows((HashEmbedder().embed_passages(texts) * 3).tolist())


def failure(status: int, message: str) -> Reply:
    return lambda texts: (status, {"error": {"message": message, "type": "error", "code": None}})


@contextmanager
def serve(reply: Reply = hashed) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            endpoint.inputs.append(asked)
            endpoint.keys.append(self.headers["Authorization"])
            status, document = endpoint.reply(asked)
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Tests read `inputs`, nobody reads a log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", reply)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
