"""What becomes of facts as reports are corrected, disagree, and give ranges, on the way from texts to what is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.flows import Workspace
from finlore.records.fact import StoredFact
from finlore.records.instant import as_datetime
from tests.small_world import jsonl, workspace


def report(text: str, day: str, broker: str = "青松证券", name: str = "report") -> dict[str, object]:
    return {
        "id": name, "title": "宁德时代（300750）点评", "text": text, "published_at": day, "security": "300750",
        "broker": broker,
    }  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path / "store") as made:
        yield made


def ingest(made: Workspace, folder: Path, *reports: dict[str, object]) -> None:
    made.ingest([jsonl(folder / "reports.jsonl", *reports)])


def stated(made: Workspace, relation: str, day: str) -> list[StoredFact]:
    return made.facts(subject="300750", relation=relation, as_of=day)


def values(facts: list[StoredFact]) -> list[tuple[float | None, str | None]]:
    """(value, day from which it is superseded, None while it stands)."""
    return [(fact.fact.value, as_datetime(fact.until).date().isoformat() if fact.until else None) for fact in facts]


def test_a_corrected_version_holds_from_its_own_day_and_the_first_one_before(made: Workspace, tmp_path: Path) -> None:
    ingest(made, tmp_path, report("维持“买入”评级，目标价300.00元。", "2024-03-01"))
    ingest(made, tmp_path, report("维持“买入”评级，目标价260.00元。", "2024-04-10"))
    assert values(stated(made, "target_price", "2024-04-09")) == [(300.0, None)]
    assert values(stated(made, "target_price", "2024-04-10")) == [(260.0, None)]
    assert {fact.source.version for fact in stated(made, "target_price", "2024-04-10")} == {2}


def test_reports_of_one_day_that_disagree_both_stand_and_tell_of_each_other(made: Workspace, tmp_path: Path) -> None:
    ingest(
        made, tmp_path, report("公司总市值为11,100亿元，目标价300.00元。", "2024-03-01"),
        report("公司总市值为10,500亿元，目标价280.00元。", "2024-03-01", "雁洲证券", "other"),
    )  # fmt: skip
    one, other = stated(made, "market_capitalisation", "2024-03-02")
    assert (one.until, other.until) == (None, None)
    assert (one.contradicts, other.contradicts) == ((other.id,), (one.id,))
    assert [fact.contradicts for fact in stated(made, "target_price", "2024-03-02")] == [(), ()]  # opinions


def test_both_ends_of_a_range_are_kept_and_superseded_by_the_price_that_follows(
    made: Workspace, tmp_path: Path
) -> None:
    ingest(
        made, tmp_path, report("给予合理价值区间20.10-20.10元。", "2024-02-01", name="narrow"),
        report("给予合理价值区间20.10-23.50元。", "2024-03-01"),
        report("给予目标价25.00元。", "2024-05-01", name="later"),
    )  # fmt: skip
    ends = [(fact.fact.value, fact.fact.bound) for fact in stated(made, "target_price", "2024-03-31") if not fact.until]
    assert sorted(ends) == [(20.1, "low"), (23.5, "high")]
    assert [value for value, until in values(stated(made, "target_price", "2024-05-31")) if not until] == [25.0]


def test_the_figure_of_a_segment_supersedes_that_of_the_same_segment(made: Workspace, tmp_path: Path) -> None:
    ingest(
        made, tmp_path, report("2023年储能系统业务收入72.3亿元，逆变器业务收入34.8亿元。", "2024-03-01"),
        report("2023年储能系统业务收入73.0亿元。", "2024-05-01", name="later"),
    )  # fmt: skip
    standing = [
        (f.fact.part, f.fact.value) for f in stated(made, "metric:revenue.segment", "2024-06-01") if not f.until
    ]
    assert sorted(standing) == [("储能系统业务", 73.0), ("逆变器业务", 34.8)]
