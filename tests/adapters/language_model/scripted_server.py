"""An OpenAI-compatible chat endpoint on the loopback that behaves, or misbehaves, as a test says."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Asked = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What goes over the wire. `length`: what is announced, None for what there is."""

    chunks: Iterable[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


Script = Callable[[Asked], Answer]


@dataclass
class Endpoint:
    """A running server: `script` decides what is answered, the lists say what has been asked, in order."""

    base_url: str
    script: Script
    asked: list[Asked] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    idempotency_keys: list[str] = field(default_factory=list)


def document(value: object, *, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): header for name, header in headers.items()}
    return Answer([json.dumps(value).encode()], status, named)


def said(text: str | None, *, finish: str | None = "stop", usage: tuple[int, int] | None = (10, 5)) -> Answer:
    """A chat completion; `usage` counts tokens of prompt and reply, None where the server does not count."""
    completion: Asked = {
        "model": "served",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
    }
    if usage:
        completion["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return document(completion)


def called(arguments: str) -> Answer:
    """A chat completion that calls the tool."""
    call = {"id": "1", "type": "function", "function": {"name": "reply", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return document({"model": "served", "choices": [{"finish_reason": "tool_calls", "message": message}]})


def streamed(*pieces: str) -> Answer:
    """A chat completion as server-sent events."""
    events = [{"model": "served", "choices": [{"delta": {"content": piece}}]} for piece in pieces]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"]
    return Answer([line.encode() for line in lines], headers={"Content-Type": "text/event-stream"})


def failure(status: int, message: str = "no", **headers: str) -> Answer:
    return document({"error": {"message": message, "type": "error", "code": None}}, status=status, **headers)


def in_turn(*answers: Answer) -> Script:
    """One answer after the other; the last again and again."""
    left = list(answers)
    lock = Lock()

    def script(asked: Asked) -> Answer:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


def kind(asked: Asked) -> str:
    """The rung of a request."""
    if "tools" in asked:
        return "tool"
    return {"json_schema": "schema", "json_object": "object"}.get(asked.get("response_format", {}).get("type"), "text")


@contextmanager
def serve(script: Script) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(asked)
            endpoint.keys.append(self.headers["Authorization"])
            endpoint.idempotency_keys.append(self.headers["Idempotency-Key"])
            packs = "gzip" in self.headers.get("Accept-Encoding", "")
            answer = failure(418, "replies would come packed") if packs else endpoint.script(asked)
            self.send_response(answer.status)
            if isinstance(answer.chunks, list):  # else it ends, if ever, with the connection
                self.send_header("Content-Length", str(answer.length or sum(map(len, answer.chunks))))
            self.send_header("Connection", "close")
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.close_connection = True
            with suppress(OSError):  # the client may have gone
                for chunk in answer.chunks:
                    self.wfile.write(chunk)
                    self.wfile.flush()

        def log_message(self, *arguments: object) -> None:
            """Tests read the lists, nobody reads a log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1", script)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
