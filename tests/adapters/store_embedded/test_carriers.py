"""Which of several copies of a text is read when."""

from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.store_embedded.carriers import Copy, Interval, carriers
from finlore.records.instant import ALWAYS, NEVER, Instant

instants = st.integers(0, 12).map(Instant)


@st.composite
def copies(draw: st.DrawFn) -> Copy:
    known = draw(instants)
    until = draw(st.one_of(st.just(NEVER), st.integers(known, 14).map(Instant)))
    return Copy(known, draw(st.sampled_from("abcd")), draw(st.integers(1, 3)), until)


some_copies = st.lists(copies(), max_size=6, unique_by=lambda copy: (copy.document, copy.version))


def alive(held: list[Copy], at: int) -> list[Copy]:
    return [copy for copy in held if copy.known <= at < copy.until]


def carrying(held: list[Copy], at: int) -> list[Copy]:
    return [copy for copy, interval in carriers(held).items() if interval.start <= at < interval.end]


@given(some_copies, st.integers(-1, 16))
def test_at_every_instant_the_living_copy_known_earliest_carries_the_text(held: list[Copy], at: int) -> None:
    first = min(alive(held, at), key=lambda copy: (copy.known, copy.document, copy.version), default=None)
    assert carrying(held, at) == ([first] if first else [])


@given(some_copies, st.integers(-1, 16), st.randoms(use_true_random=False))
def test_copies_that_came_later_change_nothing_before(held: list[Copy], at: int, random: object) -> None:
    past = [Copy(c.known, c.document, c.version, c.until if c.until <= at else NEVER) for c in held if c.known <= at]
    random.shuffle(past)  # type: ignore[attr-defined]
    assert [(c.document, c.version) for c in carrying(past, at)] == [
        (c.document, c.version) for c in carrying(held, at)
    ]


def test_when_the_carrier_is_retired_the_next_one_takes_over_at_that_instant() -> None:
    first, second = Copy(Instant(3), "b", 1, Instant(9)), Copy(Instant(5), "a", 1, NEVER)
    assert carriers([second, first]) == {first: Interval(Instant(3), Instant(9)), second: Interval(Instant(9), NEVER)}


def test_of_two_copies_known_at_once_the_smaller_id_carries_and_the_other_is_never_read() -> None:
    a, b = Copy(Instant(3), "a", 1, NEVER), Copy(Instant(3), "b", 1, NEVER)
    assert carriers([b, a]) == {a: Interval(Instant(3), NEVER), b: Interval(Instant(3), ALWAYS)}
