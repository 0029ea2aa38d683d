"""The names of the store as a derived file: brought up to date only when much has changed since, or when they may hold
what was forgotten."""

import sqlite3
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from finlore.adapters.store_embedded.derived import Loaded, new_folder, writing
from finlore.adapters.store_embedded.reader import all_links, all_names, links_of, names_of, restated_since, sequence_of
from finlore.index.changed_names import Restated, changed
from finlore.index.stored_names import NO_NAMES, StoredNames


def renewed(
    db: sqlite3.Connection, loaded: Loaded, folder: Path, *, few: int, unsaid: Collection[str] | None
) -> Loaded:
    """The derived files with all names of the snapshot written into `folder`, if it is time for that: what they do not
    hold is read one by one when a store is opened, up to `few` names and name lists, or 2 % of all.

    `unsaid`: the surfaces of which a meaning or a link has gone since the names were written; None where nobody knows,
    and all names are read.
    """
    held = tuple(replace(one, before=None) for one in loaded.held)
    if not _is_time(db, loaded, few):
        return replace(loaded, held=held)
    segments = {one.segment.names: one.name for one in loaded.held}
    with writing(folder):
        own = new_folder(folder, "names")
        if loaded.names is NO_NAMES or (unsaid is None and has_gone(db, loaded.names)):
            names = StoredNames.of(sequence_of(db), lambda: all_names(db), lambda: all_links(db), list(segments))
        else:
            names = _changed(db, loaded, unsaid or ())
        names.save(own, segments)
    names = StoredNames.load(own, {name: lists for lists, name in segments.items()})
    return replace(loaded, held=held, manifest=replace(loaded.manifest, names=own.name), names=names)


def _changed(db: sqlite3.Connection, loaded: Loaded, unsaid: Collection[str]) -> StoredNames:
    since = loaded.names.sequence
    surfaces = {*unsaid, *restated_since(db, since)}
    links = dict.fromkeys(all_links(db, after=since))
    links |= dict.fromkeys(link for surface in surfaces for link in links_of(db, surface))
    restated = Restated(surfaces, [name for surface in surfaces for name in names_of(db, surface)], list(links))
    return changed(
        loaded.names,
        restated,
        sequence=sequence_of(db),
        segments=[one.segment.names for one in loaded.held],
        thinned={one.segment.names: one.before for one in loaded.held if one.before},
    )


def has_gone(db: sqlite3.Connection, names: StoredNames) -> bool:
    """Whether some meaning or link has gone since the names were written."""
    (unnamed,) = db.execute("SELECT unnamed FROM workspace").fetchone()
    return bool(unnamed > names.sequence)


def _is_time(db: sqlite3.Connection, loaded: Loaded, few: int) -> bool:
    """Whether names may have gone (nothing keeps what was forgotten), or too many are not in the files."""
    names = loaded.names
    forgotten = db.execute("SELECT 1 FROM forgotten LIMIT 1").fetchone()
    if loaded.manifest.names and (forgotten or has_gone(db, names)):
        return True
    unbound = sum(len(held.segment.names.strings) for held in loaded.held if held.segment.names not in names.bound)
    if unbound > max(few, len(names.surfaces) // 50):
        return True
    limit = max(few, len(names.direct.known) // 50)
    newer = "SELECT 1 FROM alias WHERE changed > ?1 UNION ALL SELECT 1 FROM link WHERE added > ?1"
    (n_newer,) = db.execute(f"SELECT count(*) FROM ({newer} LIMIT ?2)", (names.sequence, limit + 1)).fetchone()
    return bool(n_newer > limit)
