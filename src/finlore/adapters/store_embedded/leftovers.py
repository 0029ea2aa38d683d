"""Files of a workspace that are damaged, or that somebody who was killed or upgraded left behind."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from finlore.adapters.store_embedded import derived
from finlore.adapters.store_embedded.soundness import REPAIR
from finlore.errors import StoreDamaged
from finlore.records.report import Finding

STAGING = ".restore.writing"
"""Where in the workspace a backup is unpacked, so that it can be renamed into place."""
_LARGE_LOG = 256 << 20


def discard(derived_files: Path) -> None:
    """Remove all that is derived, what names it first: then a half of it is nothing."""
    (derived_files / derived.MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(derived_files, ignore_errors=True)


def copies(path: Path) -> list[Path]:
    """Copies of the database that an upgrade or a restore kept."""
    return sorted({*path.parent.glob(f"{path.name}.v*.backup*"), *path.parent.glob(f"{path.name}.damaged*")})


def found(path: Path, derived_files: Path, rules: str) -> Iterator[Finding]:
    """What is wrong beside the database at `path`; copies of it are named, though nothing is wrong with them."""
    yield from _derived(derived_files, rules)
    for copy in copies(path):
        yield Finding("files", True, f"{copy} is a copy of an older database", "delete it; the next forget does so")
    if (staging := path.with_name(STAGING)).exists():
        yield Finding("files", False, f"a restore that was killed left {staging}", f"restore again, or {REPAIR}")
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > _LARGE_LOG:
        yield Finding("files", False, f"{log} has grown to {log.stat().st_size >> 20} MB", REPAIR)
    if log.exists() and log.stat().st_size and not path.exists():
        yield Finding("files", False, f"{log} belongs to a database that is not there", "put the database back")


def _derived(folder: Path, rules: str) -> Iterator[Finding]:
    if not (folder / derived.MANIFEST).exists():
        return  # nothing is derived yet, or no longer
    try:
        manifest = derived.current(folder, rules)
        derived.load(folder, manifest)
    except StoreDamaged as error:
        yield Finding("derived files", False, f"{error.message}: it will be built again", REPAIR)
        return
    for name in derived.damaged(folder, manifest):
        yield Finding("derived files", False, f"{folder / name} is damaged", REPAIR)
    for entry in derived.stale(folder, manifest):
        yield Finding("files", False, f"{entry} belongs to a writer that is at work or was killed", REPAIR)
