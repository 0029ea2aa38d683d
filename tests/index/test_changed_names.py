"""Names that are brought up to date are those that one would store anew."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.arrays import Ints
from finlore.index.changed_names import Restated, changed
from finlore.index.postings import Postings, postings_of
from finlore.index.stored_names import StoredNames
from finlore.index.strings import Strings
from finlore.records.index import DIRECT, OWNED, KnownName, name_list
from finlore.records.names import SameName
from tests.index.test_names import LINKS, NAMES, SURFACES

LISTS = [
    name_list("mao", "", ("mao tai",)),
    name_list("tai", "company", ("mao tai", "wine")),
    name_list("river", "name", ("mao",)),
    name_list("wine", "person", ()),
    f"{DIRECT}1.SH",
    f"{OWNED}product:tai",
]


def of_lists(lists: set[str]) -> Postings:
    return postings_of([dict.fromkeys(lists, 1)])


def content(names: StoredNames) -> dict[str, object]:
    """All that is stored, statements in an order of their own."""
    said = [
        (*(int(column[at]) for column in (names.direct.surfaces, names.direct.targets)),
         -int(names.direct.strengths[at]), int(names.direct.known[at]), *names.told(at))
        for at in range(len(names.direct.known))
    ]  # fmt: skip
    links = names.links
    columns = (links.surfaces, links.vias, links.strengths, links.unlisted_only)
    return {
        "surfaces": list(names.surfaces),
        "entities": list(names.entities),
        "listed": names.listed.tolist(),
        "in order": [(*row[:1], row[2], row[3], row[1]) for row in said]
        == sorted((*row[:1], row[2], row[3], row[1]) for row in said),
        "said": sorted(said),
        "links": sorted(zip(*(column.tolist() for column in columns), strict=True)),
        "bound": {
            tuple(lists.strings): [
                *(getattr(bound, name).tolist() for name in ("surfaces", "guesses", "subjects", "owned")),
                sorted(zip(bound.covers.tolist(), bound.covered.tolist(), strict=True)),
            ]
            for lists, bound in names.bound.items()
        },
    }


def about(surfaces: set[str], names: list[KnownName], links: list[SameName]) -> Restated:
    return Restated(
        surfaces,
        [name for name in names if name.surface in surfaces],
        [link for link in links if {link.surface, link.via} & surfaces],
    )


@settings(deadline=None)
@given(NAMES, NAMES, LINKS, LINKS, st.sets(st.sampled_from(SURFACES)),
       *[st.sets(st.sampled_from(LISTS), min_size=1)] * 3, st.data())  # fmt: skip
def test_changed_names_are_those_of_the_whole(before, later, links, later_links, said_of, first, second, third, data):
    standing, thick, new = of_lists(first), of_lists(second), of_lists(third)
    stays = sorted(data.draw(st.sets(st.sampled_from(sorted(second)))))
    thin = of_lists(set(stays))
    kept = [at for at, string in enumerate(thick.strings) if string in stays]
    now = [name for name in before if name.surface not in said_of] + [n for n in later if n.surface in said_of]
    joined = [link for link in links if not {link.surface, link.via} & said_of]
    joined += [link for link in later_links if {link.surface, link.via} & said_of]
    stored = StoredNames.of(1, lambda: before, lambda: links, [standing, thick])
    found = changed(
        stored,
        about(said_of, now, joined),
        sequence=2,
        segments=[standing, thin, new],
        thinned={thin: (thick, numbers(kept))},
    )
    assert content(found) == content(StoredNames.of(2, lambda: now, lambda: joined, [standing, thin, new]))


@settings(deadline=None)
@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)), st.data())
def test_strings_are_changed_without_being_read(held: set[str], new: set[str], data) -> None:
    strings = Strings.of(sorted(held, key=bytes_of))
    gone = [at for at in range(len(strings)) if data.draw(st.booleans())]
    found, moved = strings.changed(numbers(gone), new)
    left = {string for at, string in enumerate(strings) if at not in gone} | new
    assert list(found) == sorted(left, key=bytes_of)
    assert [found[at] if at >= 0 else None for at in moved.tolist()] == [
        *(string if string in left else None for string in strings),
        None,
    ]
    assert list(strings.without(numbers(gone))) == [string for at, string in enumerate(strings) if at not in gone]


def numbers(held: list[int]) -> Ints:
    return np.array(held, np.int64)


def bytes_of(string: str) -> bytes:
    return string.encode("utf-8", "surrogatepass")
