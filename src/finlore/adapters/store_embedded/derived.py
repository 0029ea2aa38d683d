"""The folder of derived files beside the database: index segments and vectors, named by a manifest.

Nothing here is the truth. Files are written under new names, the manifest last and by renaming; whatever is absent,
damaged or made by other rules is made again.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import uuid4
from zlib import crc32

import numpy as np

from finlore.errors import StoreDamaged, StoreReadOnly
from finlore.index.segment import Segment
from finlore.index.view import PassageVectors

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """`rules` identify what decides the content of a row (words, cues). The ends of rows in the base segment are as of
    `base_sequence`; everything else is as of `sequence`. `sizes`: bytes of every file by its path; `checksums`: CRC-32,
    which only `damaged` looks at, because that reads everything."""

    rules: str
    sequence: int
    base_sequence: int
    base: str
    overlay: str
    vectors: Mapping[str, str]  # model -> folder
    sizes: Mapping[str, int] = field(default_factory=dict)
    checksums: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The derived files as arrays, memory mapped."""

    manifest: Manifest
    base: Segment
    overlay: Segment
    vectors: Mapping[str, PassageVectors]


EMPTY_SEGMENT = Segment.from_rows([])


def nothing(rules: str) -> Loaded:
    """What is loaded where nothing has been derived yet."""
    return Loaded(Manifest(rules, 0, 0, "", "", {}), EMPTY_SEGMENT, EMPTY_SEGMENT, {})


def current(folder: Path, rules: str) -> Manifest:
    """What the folder holds; StoreDamaged when that is nothing, or was made by other rules."""
    try:
        manifest = Manifest(**json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise StoreDamaged(f"{folder} holds no index: {error}", hint="rebuild the index") from error
    if manifest.rules != rules:
        raise StoreDamaged(f"{folder} was made by other rules", hint="rebuild the index")
    return manifest


def load(folder: Path, manifest: Manifest) -> Loaded:
    """The files that the manifest names; StoreDamaged when one is absent or incomplete."""
    for name, size in manifest.sizes.items():
        file = folder / name
        if not file.is_file() or file.stat().st_size != size:
            raise StoreDamaged(f"{file} is not complete", hint="rebuild the index")
    return Loaded(
        manifest,
        Segment.load(folder / manifest.base),
        Segment.load(folder / manifest.overlay),
        {model: _load_vectors(folder / name) for model, name in manifest.vectors.items()},
    )


def save(folder: Path, loaded: Loaded, *, previous: Loaded) -> Loaded:
    """Write what differs from `previous`, then the manifest, then remove what it no longer names; what is there now.
    StoreReadOnly when the files cannot be written."""
    try:
        return _save(folder, loaded, previous)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror or error}"
        raise StoreReadOnly(message, hint=f"make room and see who may write in {folder}") from error


def _save(folder: Path, loaded: Loaded, previous: Loaded) -> Loaded:
    folder.mkdir(exist_ok=True)
    old, new = previous.manifest, loaded.manifest
    base = old.base if loaded.base is previous.base and old.base else _save_segment(folder, "base", loaded.base)
    overlay = old.overlay if loaded.overlay is previous.overlay and old.overlay else ""
    overlay = overlay or _save_segment(folder, "overlay", loaded.overlay)
    vectors = {
        model: old.vectors[model] if held is previous.vectors.get(model) else _save_vectors(folder, held)
        for model, held in loaded.vectors.items()
    }
    kept = {base, overlay, *vectors.values()}
    sizes = {
        f"{name}/{file.name}": file.stat().st_size
        for name in sorted(kept)
        for file in sorted((folder / name).iterdir())
    }
    checksums = {name: old.checksums.get(name) or _checksum(folder / name) for name in sizes}
    manifest = Manifest(new.rules, new.sequence, new.base_sequence, base, overlay, vectors, sizes, checksums)
    aside = folder / f".{MANIFEST}"
    aside.write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
    os.replace(aside, folder / MANIFEST)
    tidy(folder, manifest)
    return load(folder, manifest)


def stale(folder: Path, manifest: Manifest) -> list[Path]:
    """What lies in the folder and is named by no manifest: a writer that was killed leaves it."""
    kept = {MANIFEST, manifest.base, manifest.overlay, *manifest.vectors.values()}
    return [entry for entry in sorted(folder.iterdir()) if entry.name not in kept] if folder.is_dir() else []


def tidy(folder: Path, manifest: Manifest) -> None:
    """Remove what is stale."""
    for entry in stale(folder, manifest):
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def damaged(folder: Path, manifest: Manifest) -> list[str]:
    """The files that are not, bit by bit, what was written."""
    return [name for name, checksum in manifest.checksums.items() if _checksum(folder / name) != checksum]


def _checksum(file: Path) -> int:
    checksum = 0
    with file.open("rb") as content:
        while chunk := content.read(1 << 20):
            checksum = crc32(chunk, checksum)
    return checksum


def _save_segment(folder: Path, kind: str, segment: Segment) -> str:
    own = _new_folder(folder, kind)
    segment.save(own)
    return own.name


def _save_vectors(folder: Path, vectors: PassageVectors) -> str:
    own = _new_folder(folder, "vectors")
    np.save(own / "keys.npy", vectors.keys, allow_pickle=False)
    np.save(own / "values.npy", vectors.values, allow_pickle=False)
    return own.name


def _new_folder(folder: Path, kind: str) -> Path:
    own = folder / f"{kind}-{uuid4().hex[:12]}"
    own.mkdir()
    return own


def _load_vectors(folder: Path) -> PassageVectors:
    try:
        keys, values = (
            np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ("keys", "values")
        )
    except (OSError, ValueError) as error:
        raise StoreDamaged(f"{folder} holds no vectors: {error}", hint="rebuild the index") from error
    return PassageVectors(keys, values)
