"""Importing more rows than one transaction takes: what is interrupted, repeated, changed or broken in the middle."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.flows import Workspace
from finlore.knowledge.imports.read import PART_ROWS
from tests.small_world import workspace

N_ROWS = PART_ROWS + 100


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path / "store") as opened:
        yield opened


def customers(folder: Path, numbers: range, *more: str) -> Path:
    """A table of companies that one company supplies."""
    rows = "".join(f"青岚化工,客户{n}号\n" for n in numbers)
    file = folder / "links.csv"
    file.write_text("subject,object\n" + rows + "".join(more), encoding="utf-8")
    return file


def stated(known: Workspace) -> list[str | None]:
    return sorted(fact.object or "" for fact in known.facts())


def stop_after_the_first(done: int, total: int | None, what: str) -> None:
    raise KeyboardInterrupt


def test_what_was_interrupted_goes_on_and_doubles_nothing(known: Workspace, tmp_path: Path) -> None:
    file = customers(tmp_path, range(N_ROWS))
    with pytest.raises(KeyboardInterrupt):
        known.import_(file, "supplies", progress=stop_after_the_first)
    assert len(known.facts()) == PART_ROWS
    assert [problem for problem in known.status().problems if "only a part of" in problem and str(file) in problem]
    again = known.import_(file, "supplies")
    assert (again.status, again.added, again.is_whole) == ("added", N_ROWS - PART_ROWS, True)
    assert len(set(stated(known))) == len(stated(known)) == N_ROWS
    assert not known.status().problems
    third = known.import_(file, "supplies")
    assert (third.status, third.added, len(known.facts())) == ("unchanged", 0, N_ROWS)
    assert known.forget(third.document)
    assert (known.facts(), dict(known.status().counts)["documents"]) == ([], 0)


def test_names_that_dated_rows_teach_leave_a_sound_store(known: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "members.csv"
    early = [f"{600_000 + n},新质行业{n % 7},2019-06-27" for n in range(PART_ROWS)]
    late = [f"{600_000 + n},新质行业{n % 7 + 3},2022-01-05" for n in range(20)]
    for rows in (early, early + late):
        file.write_text("\n".join(["code,object,known_at", *rows, ""]), encoding="utf-8")
        known.import_(file, "belongs_to_industry")
    assert known._store.integrity() == []


def test_a_file_that_became_shorter_says_no_more_what_it_said(known: Workspace, tmp_path: Path) -> None:
    known.import_(customers(tmp_path, range(N_ROWS)), "supplies")
    report = known.import_(customers(tmp_path, range(PART_ROWS - 1)), "supplies")
    assert (report.status, len(known.facts())) == ("new_version", PART_ROWS - 1)
    assert known.import_(customers(tmp_path, range(PART_ROWS - 1)), "supplies").status == "unchanged"


def test_a_file_that_breaks_off_is_told_to_be_there_in_part(known: Workspace, tmp_path: Path) -> None:
    file = customers(tmp_path, range(PART_ROWS + 10), '青岚化工,"客户\n')
    report = known.import_(file, "supplies")
    n_before = PART_ROWS + 10  # the quotation mark that is never closed takes the rest, not what stands before it
    assert (report.added, report.is_whole, len(known.facts())) == (n_before, False, n_before)
    assert f"from line {n_before + 2} on it is no CSV" in report.rejected[0].reason
    assert any("no CSV" in problem for problem in known.status().problems)
    mended = customers(tmp_path, range(PART_ROWS + 10), "青岚化工,客户\n")
    assert known.import_(mended, "supplies").status == "new_version"
    assert len(known.facts()) == n_before + 1
    assert not known.status().problems


def test_a_file_that_breaks_off_withdraws_nothing_of_what_it_said_before(known: Workspace, tmp_path: Path) -> None:
    known.import_(customers(tmp_path, range(50)), "supplies")
    report = known.import_(customers(tmp_path, range(10), '青岚化工,"客户\n'), "supplies")
    assert (report.status, report.added, report.is_whole) == ("unchanged", 0, False)
    assert len(known.facts()) == 50


def test_rows_are_told_as_they_are_read_and_those_that_repeat_one_of_another_part_are_left_out(
    known: Workspace, tmp_path: Path
) -> None:
    told: list[tuple[int, int | None, str]] = []
    file = customers(tmp_path, range(PART_ROWS), "青岚化工,客户7号\n")
    report = known.import_(file, "supplies", progress=lambda *done: told.append(done))
    assert [(done, total) for done, total, what in told if what == "links.csv"] == [
        (PART_ROWS, PART_ROWS + 2),
        (PART_ROWS + 1, PART_ROWS + 2),
    ]
    assert told[-1][2] == "names that may be one company's"  # which may take longer than the rows
    assert [(r.reason, r.examples) for r in report.rejected] == [
        ("it repeats an earlier row", ((PART_ROWS + 2, "line 9"),))
    ]
