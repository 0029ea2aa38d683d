from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.names import NameTable
from finlore.records.index import KnownName
from finlore.records.instant import ALWAYS, NEVER, Instant
from finlore.records.names import SameName

SURFACES, ENTITIES = ["mao", "mao tai", "tai", "wine"], ["1.SH", "2.SZ", "company:mao"]
NAMES = st.lists(
    st.builds(
        KnownName,
        st.sampled_from(SURFACES),
        st.sampled_from(ENTITIES),
        st.just("company"),
        st.just("Mao"),
        st.sampled_from([20, 60, 80]),
        st.sampled_from([ALWAYS, Instant(1), Instant(3)]),
    ),
    max_size=8,
)
LINKS = st.lists(
    st.builds(
        SameName, st.sampled_from(SURFACES), st.sampled_from(SURFACES), st.sampled_from([20, 60, 80]), st.booleans()
    ),
    max_size=4,
)


def name(surface: str, entity: str, strength: int = 80, known: int = 0, title: str = "") -> KnownName:
    return KnownName(surface, entity, "company", title or entity, strength, Instant(known))


def resolved(*names: KnownName, links: list[SameName] | None = None, at: int = 9, **merges: str) -> dict[str, str]:
    return NameTable(names, links or [], merges).resolve(Instant(at))


def test_the_strongest_alias_decides_then_the_earliest_then_the_smallest_id() -> None:
    assert resolved(name("mao", "b", 60), name("mao", "a", 80)) == {"mao": "a"}
    assert resolved(name("mao", "a", known=2), name("mao", "b", known=1)) == {"mao": "b"}
    assert resolved(name("mao", "b"), name("mao", "a")) == {"mao": "a"}


def test_an_alias_counts_from_the_instant_it_is_known() -> None:
    weak, strong = name("mao", "weak", 20, known=1), name("mao", "strong", 80, known=5)
    assert resolved(weak, strong, at=0) == {}
    assert resolved(weak, strong, at=4) == {"mao": "weak"}
    assert resolved(weak, strong, at=5) == {"mao": "strong"}


def test_a_link_holds_once_both_surfaces_are_known() -> None:
    names = [name("mao tai ltd", "company:mao tai ltd", 20, known=1), name("mao", "1.SH", 80, known=4)]
    links = [SameName("mao tai ltd", "mao", 60)]
    assert resolved(*names, links=links, at=3) == {"mao tai ltd": "company:mao tai ltd"}
    assert resolved(*names, links=links, at=4) == {"mao": "1.SH", "mao tai ltd": "1.SH"}


def test_a_link_is_no_stronger_than_it_says_and_leads_one_step_only() -> None:
    names = [name("a", "1"), name("b", "2", 20), name("c", "3", 20)]
    assert resolved(*names, links=[SameName("a", "b", 60)])["a"] == "1"
    chained = resolved(*names, links=[SameName("b", "a", 60), SameName("c", "b", 60)])
    assert chained == {"a": "1", "b": "1", "c": "2"}


def test_a_link_for_unlisted_companies_holds_until_the_short_name_means_a_security() -> None:
    legal, listed = name("mao ltd", "company:mao ltd", 20, known=1), name("mao", "1.SH", 80, known=5)
    names, links = [legal, name("mao", "company:mao", 60, known=2), listed], [SameName("mao ltd", "mao", 60, True)]
    assert resolved(*names, links=links, at=4)["mao ltd"] == "company:mao"
    assert resolved(*names, links=links, at=5) == {"mao": "1.SH", "mao ltd": "company:mao ltd"}


def test_a_link_to_a_surface_without_aliases_says_nothing() -> None:
    assert resolved(name("a", "1", 20), links=[SameName("a", "nowhere", 60), SameName("nowhere", "a", 60)]) == {
        "a": "1"
    }


def test_merges_come_last_and_follow_one_another() -> None:
    assert resolved(name("mao", "x"), x="y", y="z") == {"mao": "z"}


def test_a_circle_of_merges_ends_at_its_smallest_id() -> None:
    assert set(resolved(name("a", "x"), name("b", "y"), name("c", "w"), w="x", x="y", y="x").values()) == {"x"}


def test_what_is_stated_comes_from_the_entity_itself_before_what_was_merged_into_it() -> None:
    table = NameTable([name("mao", "a", 20, 3, "Mao"), name("tai", "b", 80, 1, "Tai")], [], {"b": "a"})
    stated = table.stated("a", table.meanings(Instant(9)), Instant(9))
    assert stated is not None
    assert (stated.name, stated.aliases, stated.known_at) == ("Mao", ("tai", "mao"), 1)
    assert table.stated("a", table.meanings(Instant(0)), Instant(0)) is None


def test_an_entity_is_called_by_a_name_as_soon_as_one_is_known_and_by_its_code_until_then() -> None:
    code, short = name("609901", "609901.SH", 100, 1, "609901.SH"), name("mao", "609901.SH", 80, 3, "Mao")
    table = NameTable([code, short, name("mao plc", "609901.SH", 79, 2, "Mao plc")], [], {})
    called = {at: table.stated("609901.SH", table.meanings(Instant(at)), Instant(at)) for at in (1, 2, 3)}
    assert {at: stated and stated.name for at, stated in called.items()} == {1: "609901.SH", 2: "Mao plc", 3: "Mao"}


@settings(deadline=None)
@given(NAMES, LINKS, st.sampled_from([0, 1, 2, 3]), st.randoms(use_true_random=False))
def test_resolving_is_what_the_rules_say_in_any_order(names, links, at: int, random) -> None:
    def best(surface: str, through_links: bool) -> tuple[int, int, str] | None:
        known = [n for n in names if n.known <= at]
        first = {s: min((n.known for n in names if n.surface == s), default=NEVER) for s in SURFACES}
        claims = [(-n.strength, n.known, n.entity) for n in known if n.surface == surface]
        for link in links if through_links else ():
            since, meant = max(first[link.surface], first[link.via]), best(link.via, False)
            if link.surface == surface and since <= at and meant and not (link.unlisted_only and ":" not in meant[2]):
                claims.append((-link.strength, since, meant[2]))
        return min(claims, default=None)

    table = NameTable(random.sample(names, len(names)), random.sample(links, len(links)), {})
    expected = {surface: claim[2] for surface in SURFACES if (claim := best(surface, True))}
    assert table.resolve(Instant(at)) == expected
