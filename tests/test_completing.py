"""Gaps of reports that the market of their day fills, end to end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from finlore.flows import Workspace
from finlore.records.fact import StoredFact
from finlore.records.instant import isoformat
from tests.small_world import SUPPLY, jsonl, workspace

MORNING = SUPPLY | {"text": "漠川材料（609901）是负极材料企业。", "published_at": "2024-03-01T09:30"}
BARS = "code,date,close,adjustment,market_value\n609901,2024-02-29,18.10,{0},7.1e9\n609901,2024-03-01,18.52,{0},7.3e9\n"
Opened = Callable[[str], Workspace]


@pytest.fixture
def with_prices(tmp_path: Path) -> Iterator[Opened]:
    """A workspace with prices that were adjusted in some way, or not at all."""
    made: list[Workspace] = []

    def opened(adjustment: str) -> Workspace:
        (tmp_path / "market").mkdir()
        (tmp_path / "market" / "daily_bars.csv").write_text(BARS.format(adjustment), encoding="utf-8")
        made.append(workspace(tmp_path / "store", market=tmp_path / "market"))
        return made[0]

    yield opened
    made[0].close()


def completed(made: Workspace, **at: str) -> dict[str, StoredFact]:
    return {fact.fact.relation: fact for fact in made.facts(**at) if fact.fact.status == "completed"}


def test_what_a_report_does_not_say_is_filled_from_its_day_marked_and_known_from_the_close(
    with_prices: Opened, tmp_path: Path
) -> None:
    made = with_prices("none")
    made.ingest([jsonl(tmp_path / "a.jsonl", MORNING)])
    price, worth = (completed(made)[name] for name in ("current_stock_price", "market_capitalisation"))
    assert (price.fact.value, price.fact.unit, worth.fact.value) == (18.52, "元", 7.3e9)
    assert "2024-03-01" in price.fact.note
    assert (isoformat(price.known_at) or "").startswith("2024-03-01T15:00")
    assert "current_stock_price" not in completed(made, as_of="2024-03-01T12:00")
    assert made.reviews() == []  # what the market says is no doubt


def test_prices_that_were_adjusted_later_fill_nothing_and_the_report_of_the_ingest_says_so(
    with_prices: Opened, tmp_path: Path
) -> None:
    made = with_prices("forward")
    (outcome,) = made.ingest([jsonl(tmp_path / "a.jsonl", MORNING)]).documents
    assert "current_stock_price" not in completed(made)
    assert any("left empty" in note and "forward adjusted" in note for note in outcome.quality)


def test_a_price_that_the_report_prints_stays_what_it_prints(with_prices: Opened, tmp_path: Path) -> None:
    made = with_prices("none")
    made.ingest([jsonl(tmp_path / "a.jsonl", MORNING | {"text": "漠川材料（609901）当前股价：17.90元。"})])
    assert "current_stock_price" not in completed(made)
    assert [f.fact.value for f in made.facts(relation="current_stock_price")] == [17.9]
