"""Stand-ins behind the ports: small, deterministic, honest about their shapes."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


class HashEmbedder:
    """Texts that share runs of three characters are near; nothing else is known about them."""

    name = "hash"
    dimension = 64

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            padded = f"\0{text.lower()}\0\0"
            for start in range(len(padded) - 2):
                code = crc32(padded[start : start + 3].encode("utf-8", "replace"))
                vectors[row, code % self.dimension] += 1 - 2 * (code >> 31)
            vectors[row, 0] += 1e-3  # no text is without direction
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_passages([text])[0]
