"""One request over the wire, by the `openai` package: what was received, or what went wrong, never an exception.

The key goes to the host of `base_url` and nowhere else: redirects are not followed. A reply is read bit by bit, up to a
megabyte, and until the time is up. Imported when something is first sent, for the package takes seconds to load.
"""

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import httpx2
import openai

from finlore.adapters.language_model.exchange import Failure, Received, Trouble
from finlore.adapters.language_model.pace import retry_after

MOST_BYTES: Final = 1 << 20
_CONNECT_SECONDS: Final = 10.0
_MOST_SAID: Final = 300  # characters of an endpoint's complaint that are repeated
_NOT_OURS: Final = ("openai-organization", "openai-project")  # the package takes these from the environment
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_DECLINED: Final = frozenset({400, 404, 405, 413, 415, 422, 501})


class _Excess(Exception):
    """More than is read, or for longer than is waited; or packed, so that its size cannot be seen."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble


class _Limited(httpx2.SyncByteStream):
    """A body that ends in time and in size."""

    def __init__(self, body: httpx2.SyncByteStream, *, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        n_bytes = 0
        for chunk in self._body:
            n_bytes += len(chunk)
            if n_bytes > MOST_BYTES:
                raise _Excess("excess", "its reply is longer than a megabyte")
            if time.monotonic() > self._deadline:
                raise _Excess("silent", "it does not come to an end in time")
            yield chunk

    def close(self) -> None:
        self._body.close()


class Wire:
    """A connection to one endpoint; threads may share it. `seconds` is how long a request may take, and how long the
    endpoint may be silent: one that stops in the middle is given up after twice that."""

    def __init__(self, *, base_url: str, api_key: str, seconds: float) -> None:
        self._key = api_key
        self._seconds = seconds
        http = openai.DefaultHttpxClient(
            follow_redirects=False, event_hooks={"request": [self._prepare], "response": [_limit]}
        )
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=api_key or "none",
            max_retries=0,
            timeout=httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
            http_client=http,
        )

    def close(self) -> None:
        self._client.close()

    def send(self, body: Mapping[str, object], *, idempotency_key: str) -> Received | Failure:
        create = cast(Any, self._client.chat.completions.with_streaming_response.create)
        try:
            with create(**body, extra_headers={"Idempotency-Key": idempotency_key}) as response:
                content: bytes = response.read()
        except openai.APIStatusError as error:
            return self._explained(error)
        except _Excess as error:
            return Failure(error.trouble, str(error))
        except (openai.APITimeoutError, httpx2.TimeoutException):
            return Failure("silent", f"it does not answer within {self._seconds:g} s")
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            return self._broken(error)
        except (openai.OpenAIError, httpx2.StreamError, ValueError) as error:
            return Failure("garbled", self._redacted(str(error))[:_MOST_SAID])
        return _received(self._redacted(content.decode("utf-8", "replace")))

    def _prepare(self, request: httpx2.Request) -> None:
        for name in _NOT_OURS:
            request.headers.pop(name, None)
        request.headers["Accept-Encoding"] = "identity"  # a packed reply could unpack to anything
        request.extensions["deadline"] = time.monotonic() + self._seconds

    def _explained(self, error: openai.APIStatusError) -> Failure:
        status = error.status_code
        said = " ".join(self._redacted(error.response.text).split())
        trouble: Trouble = "busy"
        if 300 <= status < 400:
            return Failure("redirect", "it sends requests on to another address, to which none is sent")
        if status in (401, 403):
            trouble = "key"
        elif status == 402 or (status == 429 and "insufficient_quota" in said):
            trouble = "quota"
        elif status in _DECLINED or (status < 500 and status not in _BUSY):
            trouble = "declined"
        wait = retry_after(error.response.headers.get("retry-after"))
        return Failure(trouble, f"it answers {status}: {said[:_MOST_SAID]}", status=status, retry_after=wait)

    def _broken(self, error: Exception) -> Failure:
        cause = error.__cause__ or error
        if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol):
            return Failure("unreachable", "it cannot be reached")
        return Failure("broken", f"the connection broke: {self._redacted(str(cause))[:_MOST_SAID]}")

    def _redacted(self, text: str) -> str:
        """Some endpoints repeat the key."""
        return text.replace(self._key, "***") if self._key else text


def _limit(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise _Excess("excess", "its reply is packed although it was asked not to")
    body = cast(httpx2.SyncByteStream, response.stream)
    response.stream = _Limited(body, deadline=response.request.extensions["deadline"])


def _received(text: str) -> Received | Failure:
    is_streamed = text.lstrip().startswith("data:")
    try:
        parts = list(_events(text)) if is_streamed else [json.loads(text)]
        return _joined(parts, is_streamed=is_streamed)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return Failure("garbled", f"its reply is no chat completion: {' '.join(text[:_MOST_SAID].split())}")


def _events(text: str) -> Iterator[Any]:
    for line in text.splitlines():
        if line.startswith("data:") and (data := line.removeprefix("data:").strip()) != "[DONE]":
            yield json.loads(data)


def _joined(parts: list[Any], *, is_streamed: bool) -> Received:
    """One completion, or the pieces of one; the last that says something about the whole holds."""
    said, called = "", ""
    finish: object = None
    usage: Mapping[str, object] = {}
    for part in parts:
        usage = part.get("usage") or usage
        for choice in part["choices"][:1]:
            message = choice["delta" if is_streamed else "message"]
            said += _text(message.get("content")) + _text(message.get("refusal"))
            called += "".join(_text(call["function"]["arguments"]) for call in (message.get("tool_calls") or ())[:1])
            finish = "refusal" if message.get("refusal") else choice.get("finish_reason") or finish
    if not is_streamed and not parts[0]["choices"]:
        raise ValueError("no choices")
    return Received(
        text=called or said,
        is_whole=finish != "length",
        is_filtered=finish in ("content_filter", "refusal"),
        is_streamed=is_streamed,
        model=_text(parts[-1].get("model")) if parts else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        reply_tokens=_count(usage.get("completion_tokens")),
    )


def _text(content: object) -> str:
    """Some servers send a list of parts, or the arguments of a call as an object."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    if isinstance(content, dict):
        return json.dumps(content, ensure_ascii=False)
    return content if isinstance(content, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
