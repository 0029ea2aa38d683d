"""Run records: what is written can be read back, compared and redacted."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from finlore.errors import NotFound, StoreDamaged
from finlore.records.answer import Answer, Citation, SentencePath
from finlore.records.instant import Instant
from finlore.records.run import RunRecord
from finlore.runs import FORGOTTEN, RunFolder, first_difference, run_name


def citation(document: str, quote: str) -> Citation:
    return Citation(1, document, 1, f"title of {document}", 2, None, quote, 0, len(quote), verified=True)


def record(question: str = "谁供货？", *citations: Citation, created: int = 5) -> RunRecord:
    path = SentencePath(("company:secret words",), (), 1.0)
    names = ("company:secret words",)
    answer = Answer(
        question, Instant(9), "extractive", "secret words [1]", citations, (), (path,), found=True, entities=names
    )
    passages = tuple((f"{c.document}:1:0", "00") for c in citations)
    blank = RunRecord("", Instant(created), question, Instant(9), 3, "hash", passages, answer, entities=names)
    return replace(blank, run=run_name(blank))


def test_a_record_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    runs, saved = RunFolder(tmp_path / "runs"), record("lone \ud800 surrogate", citation("d", "q"))
    runs.save(saved)
    assert runs.load(saved.run) == saved


def test_records_are_listed_oldest_first_and_a_missing_folder_is_empty(tmp_path: Path) -> None:
    runs = RunFolder(tmp_path / "runs")
    assert list(runs.all()) == []
    for created in (7, 2):
        runs.save(record(created=created))
    assert [r.created_at for r in runs.all()] == [2, 7]


@pytest.mark.parametrize("name", ["../../etc/passwd", "0" * 16, "", "a\0b"])
def test_an_unknown_or_impossible_name_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        RunFolder(tmp_path).load(name)


def test_a_broken_file_is_reported_as_damaged(tmp_path: Path) -> None:
    (tmp_path / f"{'a' * 16}.json").write_text("{", encoding="ascii")
    with pytest.raises(StoreDamaged):
        RunFolder(tmp_path).load("a" * 16)


def test_forgetting_a_document_removes_its_words_from_the_records_that_quote_it(tmp_path: Path) -> None:
    runs = RunFolder(tmp_path)
    quoting, other = record("one?", citation("secret", "secret words")), record("two?", citation("open", "open words"))
    runs.save(quoting)
    runs.save(other)
    assert runs.redact("secret") == 1
    assert runs.redact("secret") == 0
    assert "secret words" not in (tmp_path / f"{quoting.run}.json").read_text()
    redacted = runs.load(quoting.run)
    assert redacted.redacted == ("secret",)
    assert redacted.answer.citations[0].quote == FORGOTTEN
    assert (redacted.entities, redacted.answer.entities, redacted.answer.paths) == ((), (), ())
    assert runs.load(other.run) == other


def test_the_first_difference_names_the_field_and_both_values() -> None:
    before = asdict(record("one?", citation("d", "q")).answer)
    after = {**before, "citations": ({**before["citations"][0], "page": 3},)}
    assert first_difference(before, before) == ""
    assert first_difference(before, after) == "answer.citations[0].page: 2 became 3"
    assert first_difference([1], [1, 2]) == "answer: [1] became [1, 2]"
