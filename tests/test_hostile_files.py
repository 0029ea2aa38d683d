"""What a user sees when a folder holds files that are broken, locked, bloated or lying, next to two good ones.

All of them are taken in once, by the real parsers in their real worker; each test looks at one of them in the report
and in the store.
"""

import re
import resource
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from finlore.flows import Workspace
from finlore.intake.tables.read import read_tables, table_values
from finlore.records.document import Document
from finlore.records.instant import now
from finlore.records.report import DocumentOutcome, IngestReport
from finlore.records.table import TableValue
from tests import hostile_files as make
from tests.small_world import workspace

MOST_SECONDS, MOST_SECONDS_OF_A_BOMB, MOST_MEGABYTES = 60, 10, 300
SECRET = "the fifth seal is of green wax"

COPIES = (
    "upright_again.pdf",
    "upright_drawn_90.pdf",
    "upright_drawn_270.pdf",
    "upright_shown_90.pdf",
    "upright_shown_180.pdf",
    "upright_shown_270.pdf",
)
# what the reason must say
REASONS = {
    "picture.pdf": "not a PDF",
    "webpage.pdf": "not a PDF",
    "packed.pdf": "not a PDF",
    "nothing.pdf": "empty",
    "stump.pdf": "truncated or damaged",
    "locked.pdf": "password",
    "locked_aes.pdf": "password",
    "bomb.pdf": "unpack|MB",
    "nested_streams.pdf": "damaged",
    "bomb.docx": "unpack",
    "laughs.docx": "entities",
    "bomb.zip": "bomb",
    "million.zip": "members",
}


@dataclass
class Ingested:
    """What came of one ingest of everything. `gaps` are the longest waits for an outcome, by name, in seconds."""

    folder: Path
    workspace: Workspace
    report: IngestReport
    seconds: float
    megabytes: float
    gaps: dict[str, float] = field(default_factory=dict)

    def outcome(self, name: str) -> DocumentOutcome:
        (found,) = self.outcomes(name)
        return found

    def outcomes(self, name: str) -> list[DocumentOutcome]:
        return [one for one in self.report.documents if one.source.startswith(str(self.folder / name))]

    def document(self, name: str) -> Document:
        found = self.workspace._store.document(self.outcome(name).id, 1, as_of=now())
        assert found is not None
        return found

    def indexed(self, name: str) -> str:
        """The text of a document that can be found."""
        document = self.document(name)
        return "\n".join(document.text[passage.start : passage.end] for passage in document.passages)

    def values(self, name: str) -> tuple[TableValue, ...]:
        """The numbers in the tables of a document."""
        document = self.document(name)
        return table_values(document, read_tables(document))

    def found(self, question: str) -> list[str]:
        """The names of the files that a search brings up."""
        hits = self.workspace.search(question, method="text").hits
        return [Path(hit.passage.source).name for hit in hits]


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ingested]:
    folder = tmp_path_factory.mktemp("hostile") / "reports"
    folder.mkdir()
    for name, content in {**make.unreadable_files(), **make.odd_files()}.items():
        (folder / name).write_bytes(content)
    secret = folder.parent / "secret.txt"
    secret.write_text(SECRET)
    (folder / "entity.docx").write_bytes(make.word_with_entity(str(secret)))
    gaps, last = dict[str, float](), time.monotonic()

    def watch(done: int, total: int | None, what: str) -> None:
        nonlocal last
        gaps[what] = max(gaps.get(what, 0.0), time.monotonic() - last)
        last = time.monotonic()

    with workspace(folder.parent / "workspace", ocr="none") as opened, Memory() as memory:
        began = time.monotonic()
        done = opened.ingest([folder], progress=watch)
        yield Ingested(folder, opened, done, time.monotonic() - began, memory.stop(), gaps)


class Memory:
    """The most megabytes by which this process grew, looked at every 20 ms."""

    def __enter__(self) -> "Memory":
        self._first = self._most = _resident()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> float:
        self._ended.set()
        self._thread.join()
        return self._most - self._first

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self._most = max(self._most, _resident())


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


# All together


def test_good_documents_are_added_whatever_lies_beside_them(ingested: Ingested) -> None:
    assert ingested.outcome("good.pdf").status == ingested.outcome("good.md").status == "added"
    assert ingested.found("产能利用率")[:2] in (["good.pdf", "good.md"], ["good.md", "good.pdf"])


def test_every_file_has_its_outcome_and_none_is_passed_over(ingested: Ingested) -> None:
    files = {path.name for path in ingested.folder.iterdir()}
    assert {name for name in files if not ingested.outcomes(name)} == set()
    assert ingested.report.skipped == 0


def test_the_whole_takes_less_than_a_minute_and_300_mb(ingested: Ingested) -> None:
    assert ingested.seconds < MOST_SECONDS
    assert ingested.megabytes < MOST_MEGABYTES


def test_a_workspace_is_sound_after_it(ingested: Ingested) -> None:
    assert not ingested.workspace._store.integrity()


def test_every_reason_is_in_words_for_a_person(ingested: Ingested) -> None:
    for outcome in ingested.report.documents:
        said = [outcome.reason, *outcome.notes, *(page.reason for page in outcome.page_verdicts)]
        assert not [text for text in said if re.search(r"Error|Exception|Traceback|0x|errno|<class|object at", text)]
        assert outcome.reason or outcome.status != "rejected"


@pytest.mark.parametrize(("name", "reason"), REASONS.items())
def test_what_cannot_be_read_is_rejected_with_a_reason_and_leaves_nothing(
    ingested: Ingested, name: str, reason: str
) -> None:
    outcome = ingested.outcome(name)
    assert outcome.status == "rejected"
    assert re.search(reason, outcome.reason)
    stored = {document.source for document in ingested.workspace._store.documents(as_of=now())}
    assert not [source for source in stored if source.startswith(str(ingested.folder / name))]


@pytest.mark.parametrize("name", ["bomb.pdf", "huge_image.pdf", "bomb.docx", "laughs.docx", "bomb.zip", "million.zip"])
def test_a_bomb_is_recognised_quickly(ingested: Ingested, name: str) -> None:
    assert ingested.gaps[str(ingested.folder / name)] < MOST_SECONDS_OF_A_BOMB


# PDF that is odd and nevertheless read


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("junk_before.pdf", "垃圾在前材料点评"),
        ("owner.pdf", "业主材料点评"),
        ("owner_aes.pdf", "又主材料点评"),
        ("page_loop.pdf", "Looping quarry"),
        ("count_high.pdf", "Boastful quarry"),
        ("count_low.pdf", "Modest quarry"),
        ("active.pdf", "活动材料点评"),
        ("form.pdf", "表单材料点评"),
        ("traditional.pdf", "臺灣半導體設備點評"),
    ],
)
def test_a_sound_text_in_an_odd_file_is_read_and_found(ingested: Ingested, name: str, text: str) -> None:
    outcome = ingested.outcome(name)
    assert (outcome.status, outcome.pages, outcome.page_verdicts) == ("added", 1, ())
    assert text in ingested.document(name).text
    assert name in ingested.found(text)


def test_a_thousand_pages_are_read(ingested: Ingested) -> None:
    outcome = ingested.outcome("thousand.pdf")
    assert (outcome.status, outcome.pages, outcome.page_verdicts) == ("added", 1000, ())
    assert "千页材料第999节" in ingested.document("thousand.pdf").text


@pytest.mark.parametrize("name", COPIES)
def test_a_turned_page_or_an_encrypted_copy_says_the_same_and_is_indexed_once(ingested: Ingested, name: str) -> None:
    assert ingested.document(name).text == ingested.document("upright.pdf").text
    copies = [ingested.outcome(one).status for one in ("upright.pdf", *COPIES)]
    assert sorted(copies) == ["added", *["duplicate"] * (len(copies) - 1)]
    assert sum(found.startswith("upright") for found in ingested.found("正放材料的订单")) == 1


def test_of_a_truncated_file_what_is_left_is_read_and_the_loss_is_told(ingested: Ingested) -> None:
    outcome = ingested.outcome("half.pdf")
    assert outcome.status == "added"
    assert "truncated or damaged" in " ".join(outcome.notes)
    assert [(page.page, page.status) for page in outcome.page_verdicts] == [(2, "failed")]
    assert "半截材料点评" in ingested.document("half.pdf").text


def test_text_without_a_table_of_characters_is_called_garbled_and_not_indexed(ingested: Ingested) -> None:
    outcome = ingested.outcome("garbled.pdf")
    assert [(page.page, page.status) for page in outcome.page_verdicts] == [(1, "garbled")]
    assert outcome.page_verdicts[0].reason
    assert outcome.passages == 0


def test_a_page_that_is_one_image_waits_for_ocr(ingested: Ingested) -> None:
    outcome = ingested.outcome("image.pdf")
    assert [(page.page, page.status) for page in outcome.page_verdicts] == [(1, "needs_ocr")]
    assert outcome.passages == 0


def test_verdicts_are_given_page_by_page(ingested: Ingested) -> None:
    outcome = ingested.outcome("mixed.pdf")
    assert (outcome.status, outcome.pages) == ("added", 3)
    assert [(page.page, page.status) for page in outcome.page_verdicts] == [(2, "needs_ocr")]
    assert "混排材料附录" in ingested.document("mixed.pdf").text


def test_scripts_programs_and_files_inside_are_not_touched_but_told(ingested: Ingested) -> None:
    notes = " ".join(ingested.outcome("active.pdf").notes).lower()
    assert "javascript" in notes
    assert "launch" in notes
    assert "embedded" in notes or "attach" in notes
    text = ingested.document("active.pdf").text
    assert not re.search("launchURL|hidden payload|/bin/sh", text)


def test_a_form_in_xml_brings_no_text_of_another_file(ingested: Ingested) -> None:
    assert "root:" not in ingested.document("form.pdf").text


def test_an_image_of_60_000_pixels_is_not_unpacked(ingested: Ingested) -> None:
    outcome = ingested.outcome("huge_image.pdf")
    refused = [page for page in outcome.page_verdicts if page.status != "ok"]
    assert outcome.status == "rejected" or refused
    assert re.search("MB|pixel|image", " ".join([outcome.reason, *(page.reason for page in refused)]))


# Archives and Word


def test_members_that_point_out_of_an_archive_are_refused_and_the_others_read(ingested: Ingested) -> None:
    statuses = {one.source.partition("escape.zip/")[2]: one.status for one in ingested.outcomes("escape.zip")}
    assert statuses.pop("inside.md") == "added"
    assert len(statuses) == 4
    assert set(statuses.values()) == {"rejected"}
    assert {path.name for path in ingested.folder.parent.iterdir()} == {"reports", "workspace", "secret.txt"}
    assert not ingested.found("escaped")


def test_word_brings_no_text_of_another_file(ingested: Ingested) -> None:
    outcome = ingested.outcome("entity.docx")
    assert outcome.status == "rejected"
    assert "entities" in outcome.reason
    assert not ingested.found(SECRET)


# What a page seems to say


@pytest.mark.parametrize("question", ["漠川材料的目标价是多少？", "漠川材料2025年营业收入是多少？"])
def test_of_two_reports_in_one_file_the_second_is_not_ascribed_to_the_first_company(
    ingested: Ingested, question: str
) -> None:
    """The target price and the revenue stand below the cover of the second company alone."""
    assert ingested.outcome("glued.pdf").pages == 2
    answer = ingested.workspace.ask(question).answer
    assert not answer.found
    assert "没有" in answer.text


def test_a_strip_of_single_glyphs_in_the_margin_does_not_cut_sentences(ingested: Ingested) -> None:
    text = ingested.indexed("strip.pdf")
    assert "".join(make.BODY) in text
    assert "版权" not in text


def test_values_of_a_table_that_drifts_keep_their_year_sign_and_unit(ingested: Ingested) -> None:
    read = {(v.metric, v.period, v.basis, v.value, v.unit) for v in ingested.values("shapes.pdf")}
    assert read == {
        ("metric:revenue", "2023", "actual", 1200.0, "百万元"),
        ("metric:revenue", "2024", "forecast", 1500.0, "百万元"),
        ("metric:revenue", "2025", "forecast", 1800.0, "百万元"),
        ("metric:net_profit_parent", "2023", "actual", -120.0, "百万元"),
        ("metric:net_profit_parent", "2025", "forecast", 95.0, "百万元"),
    }


def test_headers_that_span_columns_hold_for_each_of_them(ingested: Ingested) -> None:
    read = {(v.metric, v.period, v.value, v.unit) for v in ingested.values("merged.html") if "储能" in v.label}
    assert read == {
        ("metric:revenue", "2024", 12.5, "亿元"),
        ("metric:revenue", "2025", 15.0, "亿元"),
        ("metric:gross_margin", "2024", 30.1, "%"),
        ("metric:gross_margin", "2025", 31.2, "%"),
    }
    assert -0.4 in {v.value for v in ingested.values("merged.html")}


def test_numbers_of_a_font_that_lies_contradict_one_another_and_are_doubted(ingested: Ingested) -> None:
    """The text says what the file says: only arithmetic, or a look at the page, tells that it lies."""
    values = ingested.values("lying.pdf")
    assert values
    assert any(value.is_doubtful for value in values)
