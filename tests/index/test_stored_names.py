"""Names in files tell what the same names in memory tell, whatever has changed since they were written."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.errors import StoreDamaged
from finlore.index.names import NameTable
from finlore.index.postings import Postings, postings_of
from finlore.index.stored_names import StoredNames
from finlore.records.index import DIRECT, KnownName, name_list
from finlore.records.instant import Instant
from finlore.records.names import SameName
from tests.index.test_names import LINKS, NAMES, SURFACES

LISTS = [
    name_list("mao", "", ("mao tai",)),
    name_list("mao tai", "company", ()),
    name_list("river", "name", ("mao",)),
    f"{DIRECT}1.SH",
]


def written(names: list[KnownName], links: list[SameName], folder: Path, lists: Postings) -> StoredNames:
    StoredNames.of(1, lambda: names, lambda: links, [lists]).save(folder, {lists: "first"})
    return StoredNames.load(folder, {"first": lists})


def told(table: NameTable, lists: Postings, at: int) -> dict[str, object]:
    """All that a table says at a date, without its numbers."""
    meanings = table.meanings(Instant(at))
    entities = table.after_all_merges(table._bound.get(lists, table.stored.bound[lists]).entities(meanings.entities))
    ids = ["1.SH", "2.SZ", "company:mao", "name:river", "company:mao tai"]
    return {
        "resolved": table.resolve(Instant(at)),
        "stated": {entity: table.stated(entity, meanings, Instant(at)) for entity in ids},
        "lists": dict(
            zip(lists.strings, [None if e < 0 else table.entities[e] for e in entities.tolist()], strict=True)
        ),
        "spoken of": table.spoken_of(["mao", "mao tai", "river", "1.SH", "sea"]).keys(),
    }


@settings(deadline=None, max_examples=50)
@given(
    NAMES, NAMES, LINKS, LINKS, st.sets(st.sampled_from(SURFACES)), st.sampled_from([0, 1, 2, 3]),
    st.sampled_from([{}, {"2.SZ": "1.SH"}]),
)  # fmt: skip
def test_what_changed_since_the_names_were_written_counts_as_if_it_had_been_there(
    before, later, links, later_links, restated, at: int, merges
) -> None:
    lists = postings_of([dict.fromkeys(LISTS, 1)])
    restated = restated | {name.surface for name in later}
    now = [name for name in before if name.surface not in restated] + later
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        grown = NameTable(
            later, later_links, merges, stored=written(before, links, Path(one), lists), restated=restated
        )
        whole = NameTable([], [], merges, stored=written(now, [*links, *later_links], Path(other), lists))
        assert told(grown, lists, at) == told(whole, lists, at)
        assert grown.resolve(Instant(at)) == NameTable(now, [*links, *later_links], merges).resolve(Instant(at))


def test_names_that_are_incomplete_or_of_another_format_are_not_read(tmp_path: Path) -> None:
    lists = postings_of([dict.fromkeys(LISTS, 1)])
    written([], [], tmp_path, lists)
    (tmp_path / "names.json").write_text('{"format": 0}', encoding="utf-8")
    with pytest.raises(StoreDamaged, match="another format"):
        StoredNames.load(tmp_path, {})
    written([], [], tmp_path, lists)
    (tmp_path / "surfaces.blob.npy").unlink()
    with pytest.raises(StoreDamaged):
        StoredNames.load(tmp_path, {})


def test_segments_that_are_gone_are_passed_over(tmp_path: Path) -> None:
    written([], [], tmp_path, postings_of([dict.fromkeys(LISTS, 1)]))
    assert StoredNames.load(tmp_path, {}).bound == {}
