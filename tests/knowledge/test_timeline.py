"""What supersedes, confirms, contradicts and ends what."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.agreement import agree
from finlore.knowledge.schema import load_schema
from finlore.knowledge.timeline import GUIDANCE, difference, settled, single_relations, standing, steps
from finlore.records.fact import Evidence, Fact, Party, Source, StoredFact
from finlore.records.instant import ALWAYS, Instant, parse_instant

SINGLE = single_relations(load_schema())
LATE = parse_instant("2030-01-01")
WINERY = Party("蓝山酒业", "蓝山酒业", "security", "600001.SH")


def stated(
    id_: str, relation: str, text: str, day: str, value: float | None = None, unit: str = "", **other: object
) -> StoredFact:
    """A fact of a broker's report of a day; `other` goes into the fact, `object_` is an entity id."""
    broker, object_ = other.pop("broker", "霜桥证券"), other.pop("object_", None)
    source = Source(f"report {id_}", 1, "", None, "", text, broker, parse_instant(day))  # type: ignore[arg-type]
    fact = replace(Fact(WINERY, relation, Evidence(0, 1), text, value=value, unit=unit), **other)  # type: ignore[arg-type]
    return StoredFact(id_, fact, "600001.SH", object_, parse_instant(day), "fake/1", source)  # type: ignore[arg-type]


def target(id_: str, value: float, day: str, **other: object) -> StoredFact:
    return stated(id_, "target_price", f"{value}元", day, value, "元", **other)


def revenue(id_: str, value: float, unit: str, day: str, **other: object) -> StoredFact:
    about = {"period": "2024", "basis": "actual", **other}
    return stated(id_, "metric:revenue", f"{value}{unit}", day, value, unit, **about)


def untils(*facts: StoredFact) -> dict[str, str | None]:
    """Id -> id of the fact from whose instant on it is superseded, None where it stands."""
    begins = {fact.known_at: fact.id for fact in facts}
    return {fact.id: begins[fact.until] if fact.until else None for fact in settled(facts, single=SINGLE)}


def against(*facts: StoredFact) -> dict[str, tuple[str, ...]]:
    return {fact.id: fact.contradicts for fact in settled(facts, single=SINGLE) if fact.contradicts}


# supersession


def test_a_later_statement_supersedes_an_earlier_one_of_a_single_valued_relation() -> None:
    facts = [stated(str(n), "primary_exchange", text, f"2024-0{n}-01") for n, text in enumerate("沪深沪", 1)]
    assert untils(*facts) == {"1": "2", "2": "3", "3": None}


def test_what_is_said_to_have_ended_supersedes_what_was_said_to_hold() -> None:
    def member(id_: str, day: str, industry: str, since: str, end: str | None = None) -> StoredFact:
        dates = {"valid_from": parse_instant(since), "valid_to": parse_instant(end) if end else None}
        return stated(id_, "belongs_to_industry", industry, day, object_=f"industry:{industry}", **dates)

    entered = member("a", "2018-05-28", "电源设备", "2018-05-28")
    ended = member("b", "2021-07-30", "电源设备", "2018-05-28", "2021-07-30")
    moved = member("c", "2021-07-30", "锂电池", "2021-07-30")
    back = member("d", "2024-01-02", "电源设备", "2024-01-02")
    assert untils(entered, moved) == {"a": None, "c": None}
    all_ = settled([entered, ended, moved, back], single=SINGLE)
    assert {fact.id: fact.until for fact in all_} == {"a": ended.known_at, "b": None, "c": None, "d": None}
    later = [fact for fact in all_ if fact.id != "d"]
    assert [fact.id for fact in standing(later, parse_instant("2022-01-01"))] == ["c"]
    told = steps(later, single=SINGLE, after=ALWAYS, to=LATE)
    assert [(change.kind, change.fact.id) for change in told] == [("added", "a"), ("ended", "b"), ("added", "c")]
    days = difference([entered], standing(later, LATE), single=SINGLE, at=LATE)
    assert sorted((change.kind, change.fact.id) for change in days) == [("added", "c"), ("ended", "a")]


def test_nothing_supersedes_what_may_have_many_values() -> None:
    facts = [stated("a", "key_products", "白酒", "2024-01-01"), stated("b", "key_products", "果酒", "2024-02-01")]
    assert untils(*facts) == {"a": None, "b": None}


def test_an_opinion_is_superseded_by_its_own_institution_only() -> None:
    facts = [
        target("a", 20, "2024-01-01"),
        target("b", 30, "2024-02-01", broker="雁洲证券"),
        target("c", 25, "2024-03-01"),
        target("d", 26, "2024-03-02", broker=None),
        target("e", 27, "2024-03-03", broker=None),  # nobody says that it is the same institution
    ]
    assert untils(*facts) == {"a": "c", "b": None, "c": None, "d": None, "e": None}
    assert against(*facts) == {}


def test_figures_supersede_one_another_by_metric_period_and_basis() -> None:
    facts = [
        revenue("a", 88.2, "亿元", "2024-01-01", basis="forecast"),
        revenue("b", 90, "亿元", "2024-02-01", basis="forecast"),
        revenue("c", 95, "亿元", "2024-03-01", basis="forecast", period="2025"),
        revenue("d", 88.9, "亿元", "2025-03-01"),
        revenue("e", 1, "亿元", "2025-04-01", period=""),
        revenue("f", 2, "亿元", "2025-05-01", period=""),
    ]
    assert untils(*facts) == {"a": "b", "b": None, "c": None, "d": None, "e": None, "f": None}


@pytest.mark.parametrize("derived", [".segment", ".segment.growth", ".share"])
def test_of_parts_of_a_figure_each_is_superseded_by_itself_where_it_has_a_name(derived: str) -> None:
    parts = [
        stated(f"{n}", f"metric:revenue{derived}", "1", f"2024-0{n}-01", n, period="2024", basis="actual", part=part)
        for n, part in enumerate(("白酒", "果酒", "白酒", "", ""), 1)
    ]
    assert untils(*parts) == {"1": "3", "2": None, "3": None, "4": None, "5": None}
    assert against(*parts) == {}
    other = replace(
        parts[2], id="6", fact=replace(parts[2].fact, value=7.0), source=replace(parts[2].source, broker="雁洲证券")
    )
    assert against(*parts, other) == {"3": ("6",), "6": ("3",)}


def test_both_ends_of_a_range_stand_side_by_side_and_are_superseded_together() -> None:
    old = [target(f"old {end}", value, "2024-01-01", bound=end) for end, value in (("low", 20), ("high", 25))]
    new = [target(f"new {end}", value, "2024-02-01", bound=end) for end, value in (("low", 22), ("high", 25))]
    assert against(*old) == {}
    changes = steps([*old, *new], single=SINGLE, after=parse_instant("2024-01-15"), to=LATE)
    assert told(changes) == [("confirmed", "new high", "old high"), ("superseded", "new low", "old low")]


def test_a_point_supersedes_the_range_before_it_and_a_range_the_point() -> None:
    ends = [target(end, value, "2024-02-01", bound=end) for end, value in (("low", 20), ("high", 25))]
    before, after = target("before", 30, "2024-01-01"), target("after", 24, "2024-03-01")
    assert {fact.id for fact in settled([before, *ends, after], single=SINGLE) if fact.until is None} == {"after"}


def test_of_one_instant_what_was_published_later_counts_then_what_was_stated() -> None:
    early = stated("early", "market_capitalisation", "1", "2024-03-01", 1.0)
    late = replace(stated("late", "market_capitalisation", "2", "2024-03-01", 2.0))
    early = replace(early, source=replace(early.source, published_at=parse_instant("2024-02-01")))
    completed = stated("completed", "market_capitalisation", "3", "2024-03-01", 3.0, status="completed")
    found = {fact.id: fact.until for fact in settled([late, completed, early], single=SINGLE)}
    assert found == {"early": late.known_at, "completed": late.known_at, "late": None}


# contradictions


def test_two_reports_of_one_day_that_disagree_contradict_each_other() -> None:
    facts = [
        stated("a", "market_capitalisation", "100亿", "2024-03-01T10:00", 100, "亿元"),
        stated("b", "market_capitalisation", "120亿", "2024-03-01T15:00", 120, "亿元", broker="雁洲证券"),
        stated("c", "market_capitalisation", "130亿", "2024-03-02", 130, "亿元"),
    ]
    assert against(*facts) == {"a": ("b",), "b": ("a",)}


def test_prices_of_different_days_do_not_contradict_each_other_whenever_they_are_printed() -> None:
    days = [parse_instant("2024-02-28"), parse_instant("2024-02-29")]
    facts = [
        stated(str(n), "current_stock_price", "x", "2024-03-01", n, "元", valid_from=day) for n, day in enumerate(days)
    ]
    assert against(*facts) == {}
    same_day = replace(facts[1], id="2", fact=replace(facts[1].fact, value=7.0))
    assert against(*facts, same_day) == {"1": ("2",), "2": ("1",)}


def test_figures_of_one_period_contradict_across_sources_until_one_is_superseded() -> None:
    ours, theirs = revenue("a", 88.2, "亿元", "2025-03-01"), revenue("b", 92, "亿元", "2025-04-01", broker="雁洲证券")
    assert against(ours, theirs) == {"a": ("b",), "b": ("a",)}
    assert against(ours, theirs, revenue("c", 92, "亿元", "2025-05-01")) == {}
    assert against(ours, revenue("b", 9200, "百万元", "2025-04-01")) == {}  # of the same source: superseded


def test_forecasts_of_different_institutions_stand_beside_one_another() -> None:
    facts = [revenue(broker, n, "亿元", "2025-03-01", basis="forecast", broker=broker) for n, broker in enumerate("ab")]
    assert (against(*facts), untils(*facts)) == ({}, {"a": None, "b": None})


def test_guidance_of_the_company_supersedes_its_own_earlier_one_and_no_forecast_of_a_broker() -> None:
    ours = revenue("a", 520, "百万元", "2025-03-01", basis="forecast")
    first = revenue("b", 4.6, "亿元", "2025-04-01", basis="forecast", note=GUIDANCE)
    second = revenue("c", 4.8, "亿元", "2025-05-01", basis="forecast", note=f"{GUIDANCE}; more", broker="雁洲证券")
    assert untils(ours, first, second) == {"a": None, "b": "c", "c": None}
    assert against(ours, first) == {}
    announced = revenue("d", 4.6, "亿元", "2025-04-01", basis="forecast", broker=None)
    assert untils(ours, announced) == {"a": None, "d": None}


@pytest.mark.parametrize(
    ("one", "unit", "other", "other_unit", "same"),
    [
        (88.2, "亿元", 8820, "百万元", True),
        (88.2, "亿元", 8817, "百万元", True),  # as exact as the rounder of them
        (88.2, "亿元", 8826, "百万元", False),
        (12.5, "%", 12.5, "%", True),
        (12.5, "%", 12.5, "元", False),
        (12.5, "", 12.5, "元", True),
        (21.5, "元", 21.5, "港元", False),
    ],
)
def test_numbers_agree_whatever_their_unit(one: float, unit: str, other: float, other_unit: str, same: bool) -> None:
    pair = revenue("a", one, unit, "2025-03-01"), revenue("b", other, other_unit, "2025-03-01")
    assert agree(*pair) is agree(*reversed(pair)) is same


def test_entities_agree_by_what_they_are_and_words_by_how_they_read() -> None:
    fact = stated("a", "supplies", "蓝山", "2024-01-01", object_="x")
    assert agree(fact, stated("b", "supplies", "蓝山酒业", "2024-01-01", object_="x"))
    assert not agree(fact, stated("b", "supplies", "蓝山", "2024-01-01", object_="y"))
    assert agree(stated("a", "r", "买入 ", "2024-01-01"), stated("b", "r", "买入", "2024-01-01"))
    codes = [stated(code, "stock_ticker", code, "2024-01-01") for code in ("600519", "600519.SH", "000858.SZ")]
    assert (agree(*codes[:2]), agree(*codes[1:])) == (True, False)


# what changes


def told(changes: list) -> list[tuple[str, str, str | None]]:
    return [(change.kind, change.fact.id, change.before.id if change.before else None) for change in changes]


TARGETS = [
    target("a", 20, "2024-01-10"), target("b", 25, "2024-03-10"), target("c", 25, "2024-05-10"),
    target("x", 30, "2024-03-20", broker="雁洲证券"),
]  # fmt: skip


def test_every_step_of_a_timeline_is_told() -> None:
    assert told(steps(TARGETS, single=SINGLE, after=ALWAYS, to=LATE)) == [
        ("added", "a", None),
        ("superseded", "b", "a"),
        ("added", "x", None),
        ("confirmed", "c", "b"),
    ]
    window = steps(TARGETS, single=SINGLE, after=parse_instant("2024-01-10"), to=parse_instant("2024-03-10"))
    assert told(window) == [("superseded", "b", "a")]


def test_of_what_two_say_at_one_instant_the_second_confirms_the_first_or_stands_beside_it() -> None:
    places = [
        stated(id_, "primary_exchange", text, "2024-01-01") for id_, text in (("1", "沪"), ("2", "沪"), ("3", "深"))
    ]
    found = told(steps(places, single=SINGLE, after=ALWAYS, to=LATE))
    assert found == [("added", "1", None), ("confirmed", "2", "1"), ("added", "3", None)]


def test_what_is_said_again_of_a_relation_with_many_values_confirms_it() -> None:
    owns = [stated(str(n), "owns", "x", f"2024-0{n}-01", n, "%", object_="y") for n in (1, 2)]
    products = [stated(str(n), "key_products", "白酒", f"2024-0{n}-01") for n in (3, 4)]
    found = told(steps(owns + products, single=SINGLE, after=ALWAYS, to=LATE))
    assert found == [("added", "1", None), ("added", "2", None), ("added", "3", None), ("confirmed", "4", "3")]


def test_a_fact_that_says_when_it_ends_is_over_then() -> None:
    ends = parse_instant("2024-06-01")
    member = stated("a", "belongs_to_index", "指数", "2024-01-01", object_="index:x", valid_to=ends)
    assert told(steps([member], single=SINGLE, after=ALWAYS, to=LATE)) == [("added", "a", None), ("ended", "a", None)]
    assert standing([member], Instant(ends - 1)) == [member]
    assert standing([member], ends) == []
    figure = revenue("b", 1, "元", "2024-01-01", valid_to=ends)  # the year is over, the figure is not
    assert standing([figure], LATE) == [figure]


def test_two_days_differ_by_what_is_new_superseded_and_gone() -> None:
    def at(day: str, *facts: StoredFact) -> list[StoredFact]:
        known = [fact for fact in facts if fact.known_at <= parse_instant(day)]
        return standing(settled(known, single=SINGLE), parse_instant(day))

    gone = stated("gone", "key_products", "果酒", "2024-01-05")
    moved = [stated(str(n), "primary_industry", text, f"2024-0{n}-05") for n, text in ((1, "白酒"), (4, "饮料"))]
    before = at("2024-01-31", *TARGETS, gone, *moved)
    after = at("2024-06-30", *TARGETS, *moved)
    found = told(difference(before, after, single=SINGLE, at=parse_instant("2024-06-30")))
    assert found == [
        ("added", "x", None),
        ("superseded", "4", "1"),
        ("superseded", "c", "a"),
        ("ended", "gone", None),
    ]
    assert difference(after, after, single=SINGLE, at=LATE) == []


FACTS = st.builds(
    lambda n, value, day, broker, relation: stated(
        f"{n}", relation, f"{value}", f"2024-01-0{day}", value, "元", broker=broker, period="2024", basis="actual"
    ),
    st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4), st.sampled_from(["a", "b", None]),
    st.sampled_from(["target_price", "market_capitalisation", "key_products", "metric:revenue"]),
)  # fmt: skip


@given(facts=st.lists(FACTS, max_size=8, unique_by=lambda fact: fact.id), data=st.data())
def test_intervals_follow_time_and_no_order_of_arrival_matters(facts: list[StoredFact], data: st.DataObject) -> None:
    found = {fact.id: fact for fact in settled(facts, single=SINGLE)}
    shuffled = settled(data.draw(st.permutations(facts)), single=SINGLE)
    assert {fact.id: fact for fact in shuffled} == found
    for fact in found.values():
        assert fact.until is None or fact.until > fact.known_at
        assert all(fact.id in found[other].contradicts for other in fact.contradicts)
        assert all(not agree(fact, found[other]) for other in fact.contradicts)
    earlier = [fact for fact in facts if fact.known_at <= parse_instant("2024-01-02")]
    for fact in settled(earlier, single=SINGLE):  # what comes later only ends what stood
        assert found[fact.id].until == fact.until or fact.until is None


@given(facts=st.lists(FACTS, max_size=8, unique_by=lambda fact: fact.id))
def test_what_differs_between_two_days_became_known_between_them(facts: list[StoredFact]) -> None:
    def said(fact: StoredFact) -> tuple[str, float | None]:
        return fact.fact.relation, fact.fact.value

    days = parse_instant("2024-01-02"), parse_instant("2024-01-03")
    known = [[fact for fact in facts if fact.known_at <= day] for day in days]
    old, new = (standing(settled(k, single=SINGLE), day) for k, day in zip(known, days, strict=True))
    changed = {said(c.fact) for c in difference(old, new, single=SINGLE, at=days[1]) if c.kind != "ended"}
    assert changed <= {said(c.fact) for c in steps(known[1], single=SINGLE, after=days[0], to=days[1])}
