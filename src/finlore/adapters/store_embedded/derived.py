"""The folder of derived files beside the database: index segments and vectors, named by a manifest.

Nothing here is the truth. Files are written under new names, the manifest last and by renaming; whatever is absent,
damaged or made by other rules is made again.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from uuid import uuid4
from zlib import crc32

import numpy as np

from finlore.errors import StoreDamaged, StoreReadOnly
from finlore.index.arrays import released, runs_of
from finlore.index.folder import ArrayFolder
from finlore.index.postings import Postings
from finlore.index.segment import Segment
from finlore.index.stored_names import NO_NAMES, StoredNames
from finlore.index.vectors import RowVectors, ShownVectors
from finlore.ports import Ints

MANIFEST = "manifest.json"
_VECTORS_AT_A_TIME = 8_192


@dataclass(frozen=True, slots=True)
class Manifest:
    """`rules` identify what decides the content of a row (words, cues). Everything is as of `sequence`. `segments` are
    folders, older rows first; `ends` is the folder that says when rows of each ended; `vectors` are folders by model
    and segment; `names` is the folder of names, which may be older than the rest. `sizes`: bytes of every file by its
    path; `checksums`: CRC-32, which only `damaged` looks at, because that reads everything."""

    rules: str
    sequence: int
    segments: Sequence[str] = ()
    ends: str = ""
    vectors: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # model -> segment -> folder
    names: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    checksums: Mapping[str, int] = field(default_factory=dict)

    @property
    def folders(self) -> set[str]:
        """All that it names."""
        vectors = {name for by_segment in self.vectors.values() for name in by_segment.values()}
        return {*self.segments, *vectors, self.ends, self.names} - {""}


@dataclass(frozen=True, slots=True)
class Held:
    """A segment in a folder of its own, and by model the vectors of its rows; each with the name of its folder.

    `before`: where it is another segment without what was forgotten, the name lists of that one and which of them stay.
    """

    name: str
    segment: Segment
    vectors: Mapping[str, tuple[str, RowVectors]] = field(default_factory=dict)
    before: tuple[Postings, Ints] | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The derived files as arrays, memory mapped."""

    manifest: Manifest
    held: tuple[Held, ...]
    names: StoredNames = NO_NAMES

    @property
    def segments(self) -> tuple[Segment, ...]:
        return tuple(held.segment for held in self.held)


def nothing(rules: str) -> Loaded:
    """What is loaded where nothing has been derived yet."""
    return Loaded(Manifest(rules, 0), ())


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
    held = []
    for place, name in enumerate(manifest.segments):
        vectors = {
            model: (by_segment[name], _load_vectors(folder / by_segment[name]))
            for model, by_segment in manifest.vectors.items()
            if name in by_segment
        }
        segment = Segment.load(folder / name)
        held.append(Held(name, segment.with_ends(_load_ends(folder / manifest.ends, place)), vectors))
    lists = {one.name: one.segment.names for one in held}
    names = StoredNames.load(folder / manifest.names, lists) if manifest.names else NO_NAMES
    return Loaded(manifest, tuple(held), names)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """StoreReadOnly when files in the folder cannot be written."""
    try:
        yield
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror or error}"
        raise StoreReadOnly(message, hint=f"make room and see who may write in {folder}") from error


def save(folder: Path, loaded: Loaded, *, previous: Loaded) -> Loaded:
    """Write the manifest, and the ends of rows where they differ from `previous`; remove what it does not name.
    StoreReadOnly when the files cannot be written."""
    with writing(folder):
        return _save(folder, loaded, previous)


def _save(folder: Path, loaded: Loaded, previous: Loaded) -> Loaded:
    folder.mkdir(exist_ok=True)
    old, new = previous.manifest, loaded.manifest
    untouched = len(loaded.held) == len(previous.held) and all(
        now.segment is before.segment for now, before in zip(loaded.held, previous.held, strict=True)
    )
    manifest = replace(
        new,
        segments=tuple(held.name for held in loaded.held),
        ends=old.ends if untouched and old.ends else _save_ends(folder, loaded.segments),
        vectors=_vector_folders(loaded.held),
    )
    sizes = {
        f"{name}/{file.name}": file.stat().st_size
        for name in sorted(manifest.folders)
        for file in sorted((folder / name).iterdir())
    }
    checksums = {name: old.checksums.get(name) or _checksum(folder / name) for name in sizes}
    manifest = replace(manifest, sizes=sizes, checksums=checksums)
    aside = folder / f".{MANIFEST}"
    aside.write_text(json.dumps(asdict(manifest), indent=1), encoding="utf-8")
    os.replace(aside, folder / MANIFEST)
    tidy(folder, manifest)
    return replace(loaded, manifest=manifest)


def _vector_folders(held: Iterable[Held]) -> dict[str, dict[str, str]]:
    folders: dict[str, dict[str, str]] = {}
    for one in held:
        for model, (name, _) in one.vectors.items():
            folders.setdefault(model, {})[one.name] = name
    return folders


def stale(folder: Path, manifest: Manifest) -> list[Path]:
    """What lies in the folder and is named by no manifest: a writer that was killed leaves it."""
    kept = {MANIFEST, *manifest.folders}
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


def new_folder(folder: Path, kind: str) -> Path:
    """An empty folder for files that a manifest will name, or that are removed when it does not."""
    own = folder / f"{kind}-{uuid4().hex[:12]}"
    own.mkdir(parents=True)
    return own


def save_vectors(folder: Path, parts: Sequence[ShownVectors]) -> tuple[str, RowVectors]:
    """The name of a folder with the vectors of several disjoint parts in the order of their rows, and what it holds."""
    own = new_folder(folder, "vectors")
    rows = np.concatenate([part.rows for part in parts]).astype(np.uint32)
    order = np.argsort(rows, kind="stable")
    np.save(own / "rows.npy", rows[order], allow_pickle=False)
    place, shape = np.empty_like(order), (len(rows), parts[0].values.shape[1])
    place[order] = np.arange(len(rows))
    in_order = len(parts) == 1 and bool((order == place).all())
    values = np.lib.format.open_memmap(own / "values.npy", mode="w+", dtype=np.int8, shape=shape)
    done = 0
    for part in parts:
        for start in range(0, len(part.rows), _VECTORS_AT_A_TIME):
            some = part.between(start, start + _VECTORS_AT_A_TIME)
            values[slice(done, done + len(some)) if in_order else place[done : done + len(some)]] = some
            done += len(some)
            released(values)
            released(part.values)
    return own.name, _load_vectors(own)


def _load_vectors(folder: Path) -> RowVectors:
    held = ArrayFolder(folder)
    return RowVectors(held["rows"], held["values"])


def _save_ends(folder: Path, segments: Iterable[Segment]) -> str:
    own = new_folder(folder, "ends")
    for place, segment in enumerate(segments):
        values, sizes = runs_of(segment.until)
        ArrayFolder(own).save({f"{place}.values": values, f"{place}.sizes": sizes})
    return own.name


def _load_ends(folder: Path, place: int) -> Ints:
    held = ArrayFolder(folder)
    return np.repeat(held[f"{place}.values"], held[f"{place}.sizes"])
