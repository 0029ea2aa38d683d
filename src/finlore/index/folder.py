"""Arrays in a folder of their own, memory mapped, beside a file that states their format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from finlore.errors import StoreDamaged
from finlore.index.arrays import Numbers


@dataclass(frozen=True, slots=True)
class ArrayFolder:
    """The arrays in `path` by name. StoreDamaged where one is absent or cannot be read."""

    path: Path

    def __getitem__(self, name: str) -> Numbers:
        try:
            array: Numbers = np.load(self.path / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise self._incomplete(error) from error
        return array

    def stated(self, file: str, form: int) -> Mapping[str, Any]:
        """What `file` states; StoreDamaged where that is another format."""
        try:
            stated: Mapping[str, Any] = json.loads((self.path / file).read_text(encoding="utf-8"))
            if stated["format"] != form:
                raise StoreDamaged(f"{self.path} is an index of another format", hint="rebuild the index")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._incomplete(error) from error
        return stated

    def save(self, arrays: Mapping[str, Numbers], file: str = "", /, **stated: object) -> None:
        """Write arrays into the folder, which exists and is the caller's own until it is renamed into place, and what
        is stated of them."""
        for name, array in arrays.items():
            path = self.path / f"{name}.npy"
            if Path(getattr(array, "filename", None) or "") != path.resolve():  # else it was made there
                np.save(path, array, allow_pickle=False)
        if file:
            (self.path / file).write_text(json.dumps(stated), encoding="utf-8")

    def _incomplete(self, error: Exception) -> StoreDamaged:
        return StoreDamaged(f"{self.path} is not a complete index: {error}", hint="rebuild the index")
