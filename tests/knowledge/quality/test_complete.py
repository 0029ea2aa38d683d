"""Gaps are filled with what the market said on the report's day, and with nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from finlore.knowledge.quality.complete import Reported, complete
from finlore.ports import Market
from finlore.records.document import Issue
from finlore.records.fact import Evidence, Fact, Party
from finlore.records.instant import Instant, parse_instant
from finlore.records.market import Adjustment, MarketValue, Price

WINERY = Party("蓝山酒业", "蓝山酒业", "security", "600001.SH")
FRIDAY, SUNDAY = date(2024, 5, 10), date(2024, 5, 12)
CLOSED = parse_instant("2024-05-10T15:00:00")
KNOWN = parse_instant("2024-05-12")
REPORT = Reported(WINERY, SUNDAY, KNOWN, Evidence(3, 7, 0))


@dataclass(frozen=True)
class OneClose:
    """A market that knows one day of one security."""

    close: float = 18.5
    adjustment: Adjustment = "none"
    value: float | None = 2.5e10

    def price(self, security: str, day: date) -> Price | None:
        is_known = security == "600001.SH" and day >= FRIDAY
        return Price(security, FRIDAY, self.close, "元", self.adjustment, CLOSED) if is_known else None

    def market_value(self, security: str, day: date) -> MarketValue | None:
        return None if self.value is None else MarketValue(security, FRIDAY, self.value, "元", CLOSED)

    def listed(self, day: date) -> Mapping[str, str]:
        return {}

    def industry(self, security: str, day: date) -> str | None:
        return None

    def issues(self) -> Sequence[Issue]:
        return ()


def gap(relation: str, value: float | None = None, unit: str = "", text: str = "", **other: object) -> Fact:
    return replace(Fact(WINERY, relation, Evidence(10, 15, 1), text, value=value, unit=unit), **other)  # type: ignore[arg-type]


def filled(fact: Fact, market: Market = OneClose(), reported: Reported = REPORT) -> Fact:
    (done, *_), notes = complete([fact], reported, market)
    said = [note for note in notes if note.split(": ")[1] == fact.relation and fact.subject == reported.subject]
    assert said == ([f"complete: {fact.relation}: {done.note}"] if done is not fact else [])
    return done


def test_a_missing_price_is_the_last_close_by_the_day_of_the_report_with_its_unit() -> None:
    price = filled(gap("current_stock_price"))
    assert (price.value, price.unit, price.status) == (18.5, "元", "completed")
    assert "2024-05-10" in price.note


def test_a_printed_price_without_a_unit_gets_that_of_the_market_and_keeps_its_number() -> None:
    price = filled(gap("current_stock_price", 18.52, text="18.52"))
    assert (price.value, price.unit, price.text, price.status) == (18.52, "元", "18.52", "completed")


def test_a_printed_number_that_is_not_the_market_s_stays_without_a_unit() -> None:
    price = filled(gap("current_stock_price", 23.0, text="23.0"))
    assert (price.value, price.unit, price.status) == (23.0, "", "stated")
    assert "left empty" in price.note


def test_adjusted_prices_fill_nothing() -> None:
    price = filled(gap("current_stock_price"), OneClose(adjustment="forward"))
    assert (price.value, price.status) == (None, "stated")
    assert "forward adjusted" in price.note


def test_market_value_is_taken_only_where_the_source_has_it() -> None:
    assert filled(gap("market_capitalisation")).value == 2.5e10
    assert filled(gap("market_capitalisation"), OneClose(value=None)).value is None


def test_the_scale_of_a_printed_market_value_is_found() -> None:
    worth = filled(gap("market_capitalisation", 250.0, text="250"))
    assert (worth.value, worth.unit) == (250.0, "亿元")


def test_a_bare_scale_gets_its_currency() -> None:
    assert filled(gap("market_capitalisation", 250.0, "亿", "250亿")).unit == "亿元"


def test_what_is_complete_is_not_touched() -> None:
    fact = gap("current_stock_price", 20.0, "元", "20.0元")
    assert filled(fact) is fact


def test_a_gap_of_somebody_else_is_not_filled_with_the_subject_s_value() -> None:
    fact = replace(gap("current_stock_price"), subject=Party("别家", "别家", "company"))
    assert filled(fact) is fact


def test_a_completed_value_is_known_from_the_later_of_report_and_close() -> None:
    early: Instant = parse_instant("2024-05-10T09:00:00")
    assert filled(gap("current_stock_price")).known_at == KNOWN
    at_noon = replace(REPORT, day=FRIDAY, known_at=early)
    assert filled(gap("current_stock_price"), reported=at_noon).known_at == CLOSED


def test_code_and_exchange_come_from_whom_the_report_covers() -> None:
    (_, *facts), notes = complete([gap("current_stock_price", 20.0, "元", "20元")], REPORT, OneClose(value=None))
    assert [(fact.relation, fact.text, fact.status) for fact in facts] == [
        ("stock_ticker", "600001.SH", "completed"),
        ("primary_exchange", "上海证券交易所", "completed"),
    ]
    assert all(fact.evidence == REPORT.place for fact in facts)
    assert [note.split(": ")[1] for note in notes] == ["stock_ticker", "primary_exchange", "market_capitalisation"]


def test_a_report_on_nobody_with_a_code_gets_nothing() -> None:
    nobody = replace(REPORT, subject=Party("白酒", "白酒", "industry"))
    assert complete([], nobody, OneClose()) == ([], [])
