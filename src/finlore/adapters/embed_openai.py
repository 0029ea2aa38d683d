"""Vectors from an OpenAI-compatible endpoint. The key is never part of a message."""

from collections.abc import Sequence

import numpy as np
import openai
from numpy.typing import NDArray

from finlore.errors import ConfigurationError, FinloreError, LimitExceeded

_BATCH = 64  # texts per request: well below the limits of hosted and of local servers


class OpenAIEmbedder:
    """Unit vectors, float32 (n, dimension); `dimension` is 0 until the first reply.

    Without `base_url` the package's own rules hold (`OPENAI_BASE_URL`, `OPENAI_API_KEY`). With one, only the key given
    here is sent there, never one from the environment. How much of a long text is read is up to the model.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        retries: int = 4,
        seconds: float = 60,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimension = 0
        self._model = model
        self._key = api_key or ""
        try:
            self._client = openai.OpenAI(
                base_url=base_url,
                api_key=api_key or ("none" if base_url else None),
                max_retries=retries,
                timeout=seconds,
            )
        except openai.OpenAIError:
            raise ConfigurationError(
                "the embedder 'openai' has neither a key nor an endpoint",
                hint="set FINLORE_EMBEDDER_API_KEY, or embedder_base_url for a server of your own",
            ) from None

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        batches = [self._embed(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed([text])[0]
        return vector

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            reply = self._client.embeddings.create(
                model=self._model, input=[_sendable(text) for text in texts], encoding_format="float"
            )
        except openai.OpenAIError as error:
            raise self._explained(error) from None  # the cause holds the request with its key
        rows = {row.index: row.embedding for row in reply.data or ()}
        return self._checked([rows.get(index, []) for index in range(len(texts))])

    def _checked(self, rows: list[list[float]]) -> NDArray[np.float32]:
        lengths = {len(row) for row in rows}
        expected = self.dimension or max(lengths)
        if lengths != {expected} or expected == 0:
            raise self._fault(f"returned vectors of length {sorted(lengths)} instead of {expected or 'one length'}")
        vectors = np.array(rows, np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(norms) & (norms > 0)).all():
            raise self._fault("returned a vector without direction")
        self.dimension = expected
        return np.asarray(vectors / norms, np.float32)

    def _explained(self, error: openai.OpenAIError) -> FinloreError:
        match error:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return self._fault("refuses the key", hint="set FINLORE_EMBEDDER_API_KEY")
            case openai.NotFoundError():
                return self._fault(f"has no embedding model '{self._model}'", hint="set embedder_model")
            case openai.APITimeoutError():
                return self._fault("does not answer in time")
            case openai.APIConnectionError():
                return self._fault("cannot be reached", hint="is the server running? see embedder_base_url")
            case openai.RateLimitError():
                return LimitExceeded(
                    f"the endpoint {self._endpoint} allows no more requests now", hint="try again later"
                )
            case _:
                return self._fault(f"failed: {self._redacted(str(error))}")

    def _fault(self, what: str, *, hint: str = "") -> ConfigurationError:
        return ConfigurationError(f"the endpoint {self._endpoint} {what}", hint=hint)

    @property
    def _endpoint(self) -> str:
        """Where requests go, without user, password or parameters."""
        url = self._client.base_url
        return f"{url.scheme}://{url.host}{f':{url.port}' if url.port else ''}{url.path}"

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _sendable(text: str) -> str:
    """Servers reject empty texts, and JSON lone surrogates."""
    return text.encode("utf-8", "replace").decode() or " "
