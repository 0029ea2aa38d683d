"""Pages without text are recognised one by one; what goes wrong with one costs that page alone."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from finlore.errors import MissingExtra
from finlore.ports import Source
from finlore.records.document import Box, Issue, ParsedDocument
from finlore.wiring import Adapters, Reading
from finlore.wiring.pages import OcrChoice
from tests.small_world import settings
from tests.wiring.paper import publish

Read = Callable[..., list[ParsedDocument | Issue]]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.syspath_prepend(publish(tmp_path / "site"))

    def read(*sources: str, told: Callable[[str], None] = print, **changes: object) -> list[ParsedDocument | Issue]:
        given = [Source(str(tmp_path / f"{n}.paper"), ".paper", text.encode()) for n, text in enumerate(sources)]
        options = {"ocr": "ink", "ocr_seconds": 5, "workers": 2, **changes}
        with closing(Adapters(settings(tmp_path / "store", **options))) as adapters:
            return [part for source in Reading(adapters, given, told=told) for part in source.parts]

    return read


def told_of(document: ParsedDocument | Issue) -> list[tuple[int, str, str, bool]]:
    assert isinstance(document, ParsedDocument)
    return [(page.page, page.status, page.reason, page.is_ocr) for page in document.pages]


def test_a_page_without_text_is_recognised_and_its_lines_stand_in_points(read: Read) -> None:
    told: list[str] = []
    (document,) = read("=typed\n~written", told=told.append)
    assert isinstance(document, ParsedDocument)
    assert document.text == "typed\nwritten\n"
    assert document.lines[1].box == Box(5, 10, 15, 20)
    assert told_of(document) == [(1, "ok", "", False), (2, "ok", "", True)]
    assert [what.partition("0.paper")[2] for what in told] == [", page 2 (1 of 1 by OCR)"]


def test_pages_that_cannot_be_recognised_keep_their_verdict_with_the_reason(read: Read) -> None:
    (document,) = read("~one\n?\n!\n.\n~five")
    assert isinstance(document, ParsedDocument)
    assert document.text == "one\nfive\n"
    assert told_of(document) == [
        (1, "ok", "", True),
        (2, "needs_ocr", "it is an image; OCR failed: ValueError: smudged", False),
        (3, "needs_ocr", "it is an image; OCR time limit: not finished within 5 s", False),
        (4, "needs_ocr", "it is an image; OCR found no text", True),
        (5, "ok", "", True),
    ]


def test_documents_keep_their_order_around_one_that_is_recognised(read: Read) -> None:
    found = read("=first", "~second", "*", "=last")
    assert [one.text if isinstance(one, ParsedDocument) else one.message for one in found] == [
        "first\n", "second\n", "the sheets are torn", "last\n",
    ]  # fmt: skip


def notes(document: ParsedDocument | Issue) -> list[str]:
    assert isinstance(document, ParsedDocument)
    return [issue.message for issue in document.issues]


def test_with_ocr_switched_off_the_note_says_so(read: Read) -> None:
    typed, written = read("=typed", "=typed\n~written", ocr="none")
    assert notes(typed) == []
    assert notes(written) == ["page 2 can only be read by OCR: OCR is switched off (setting ocr)"]
    assert told_of(written)[1] == (2, "needs_ocr", "it is an image", False)


WITHOUT_EXTRAS = """
import sys
sys.modules["rapidocr"] = None
from finlore.wiring.pages import choose_reader
print(choose_reader("auto"))
"""


def test_without_an_installed_reader_the_remedy_is_what_to_install(tmp_path: Path) -> None:
    publish(tmp_path, reader="not_installed_anywhere:Reader [ocr]")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == repr(OcrChoice(remedy="pip install 'finlore[ocr]'"))


def test_a_reader_that_was_asked_for_and_is_missing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(str(tmp_path / "a.paper"), ".paper", b"~written")
    monkeypatch.syspath_prepend(publish(tmp_path / "site", reader="not_installed_anywhere:Reader [ink]"))
    with closing(Adapters(settings(tmp_path / "store", ocr="ink"))) as adapters, pytest.raises(MissingExtra):
        list(next(iter(Reading(adapters, [source]))).parts)
