"""What people read: short, and complete only where that is bearable."""

import os
import re
import subprocess
import sys

import pytest

from finlore.serve import show


def row(number: int, **fields: object) -> dict[str, object]:
    return {
        "source": f"report-{number}.pdf",
        "status": "rejected",
        "reason": "damaged",
        "notes": [],
        "quality": [],
        "published_at": "2024-05-31",
        **fields,
    }


def ingested(*rows: dict[str, object]) -> dict[str, object]:
    totals = {"added": 2, "new_version": 1, "rejected": len(rows)}
    return {"documents": [*rows], "totals": totals, "seconds": 1.25, "cpu_seconds": 1.0}


def test_ingest_tells_counts_on_stdout_and_what_went_wrong_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    show.ingested(ingested(row(1), row(2, status="added", reason="", notes=["page 3 holds no text", "odd"])))
    out, err = capsys.readouterr()
    assert out == "2 added, 1 new version, 2 rejected in 1.2 s (1.0 s CPU), no LLM call\n"
    assert err == "rejected: report-1.pdf: damaged\nadded: report-2.pdf: page 3 holds no text; odd\n"


def test_what_prints_no_date_is_counted_because_earlier_questions_do_not_see_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    new = (row(n, status="added", reason="", published_at=None) for n in range(3))
    show.ingested(ingested(*new, row(4, published_at=None), row(5, status="added", reason="")))
    assert "3 without a printed date" in capsys.readouterr().err


def test_in_a_pipe_a_line_stays_one_line_and_ends_where_its_text_ends(capsys: pytest.CaptureFixture[str]) -> None:
    text = "很长的一句话，" * 40 + "终。"
    passage = {"title": "t" * 200, "document": "d", "page": 3, "known_at": None, "reading": text, "score": 0.5}
    show.searched({"unknown_names": [], "passages": [passage]})
    show.plain({"forgotten": []})
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"1. {'t' * 200}  p. 3  0.500", "   d", f"   {text}", "", "forgotten: nothing by that name"]


def test_an_answer_names_the_document_as_forget_wants_it(capsys: pytest.CaptureFixture[str]) -> None:
    cited = {"n": 1, "title": "点评", "document": "/r/a.pdf", "page": 2, "known_at": "2024-05-31T23:59:59+08:00"}
    show.answered({"answer": "甲。 [1]", "citations": [cited], "flags": [], "as_of": None, "run": "r", "notice": "n"})
    assert "[1] 点评, p. 2  2024-05-31\n    /r/a.pdf\n" in capsys.readouterr().out


def test_an_answer_that_was_not_kept_names_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    show.answered({"answer": "a", "citations": [], "flags": [], "as_of": None, "run": None, "notice": "research"})
    assert capsys.readouterr().out.endswith("as of now · research\n")


def test_the_name_of_a_run_is_never_cut() -> None:
    row = {"run": "0123456789abcdef", "created_at": "2024-05-31T10:00", "as_of": None, "question": "目标价是多少？"}
    program = f"from finlore.serve import show; show.runs({{'runs': [{row!r}], 'damaged': []}})"
    narrow = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "COLUMNS": "24"}, capture_output=True, text=True, check=True
    )
    assert row["run"] in narrow.stdout


def test_a_long_list_of_rejections_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    show.ingested(ingested(*map(row, range(53))))
    err = capsys.readouterr().err
    assert err.count("damaged") == 50
    assert "3 more" in err


def test_progress_that_is_soon_over_is_not_told_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with show.progress("ingest") as report:
        report(1, None, "report.pdf")
    assert capsys.readouterr() == ("", "")


def test_long_progress_is_told_on_stderr_with_rate_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    with show.progress("ingest", every_seconds=0) as report:
        report(1, None, "\x1b[2Jfirst.pdf")
        report(2, 4, "second.pdf")
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert out == ""
    assert re.fullmatch(r"ingest: 1, [\d.]+/s, {1,2}\[2Jfirst.pdf", first)
    assert re.fullmatch(r"ingest: 2 of about 4, 0 min 0 s left, [\d.]+/s, second.pdf", second)


def test_what_was_rejected_before_is_said_to_have_been_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show.ingested(ingested(row(1), row(2, notes=["remembered"])))
    assert "1 rejected as before" in capsys.readouterr().err
