"""The names of the store as a derived file: read from the database again only when much has changed since."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from finlore.adapters.store_embedded.derived import Loaded, new_folder, writing
from finlore.adapters.store_embedded.reader import all_links, all_names, sequence_of
from finlore.index.stored_names import StoredNames


def renewed(db: sqlite3.Connection, loaded: Loaded, folder: Path, *, few: int) -> Loaded:
    """The derived files with all names of the snapshot written into `folder`, if it is time for that: what they do not
    hold is read one by one when a store is opened, up to `few` names and name lists, or 2 % of all."""
    if not _is_time(db, loaded, few):
        return loaded
    segments = {held.segment.names: held.name for held in loaded.held}
    with writing(folder):
        own = new_folder(folder, "names")
        names = StoredNames.of(sequence_of(db), lambda: all_names(db), lambda: all_links(db), list(segments))
        names.save(own, segments)
    names = StoredNames.load(own, {name: lists for lists, name in segments.items()})
    return replace(loaded, manifest=replace(loaded.manifest, names=own.name), names=names)


def _is_time(db: sqlite3.Connection, loaded: Loaded, few: int) -> bool:
    """Whether names may have gone (nothing keeps what was forgotten), or too many are not in the files."""
    names = loaded.names
    (gone,) = db.execute(
        "SELECT unnamed > ? OR EXISTS (SELECT 1 FROM forgotten) FROM workspace", (names.sequence,)
    ).fetchone()
    if gone and loaded.manifest.names:
        return True
    unbound = sum(len(held.segment.names.strings) for held in loaded.held if held.segment.names not in names.bound)
    if unbound > max(few, len(names.surfaces) // 50):
        return True
    limit = max(few, len(names.direct.known) // 50)
    newer = "SELECT 1 FROM alias WHERE changed > ?1 UNION ALL SELECT 1 FROM link WHERE added > ?1"
    (n_newer,) = db.execute(f"SELECT count(*) FROM ({newer} LIMIT ?2)", (names.sequence, limit + 1)).fetchone()
    return bool(n_newer > limit)
