"""A format of sheets, its parser, and who looks at them: what a scan is to PDF, without images and models.

Each line is a page. ``=text`` is typed and can be read by the parser; ``~text`` is handwriting, ``?`` a smudge that its
reader gives up on, ``!`` a page that its reader never finishes, ``.`` one with nothing on it. ``*`` breaks the parser,
``&`` makes it slow. The parser leaves a mark for each sheet that it reads.
"""

import time
from pathlib import Path

import numpy as np

from finlore.ports import Pixels, RecognisedLine, Source
from finlore.records.document import Block, Box, Issue, Line, PageVerdict, ParsedDocument

PIXELS_PER_POINT = 2.0


class PaperParser:
    suffixes = (".paper",)
    isolated = True

    def parse(self, source: Source) -> tuple[list[ParsedDocument], list[Issue]]:
        with open(f"{source.name}.marks", "a", encoding="ascii") as marks:
            marks.write("read\n")
        sheets = source.content.decode().split("\n")
        if "*" in sheets:
            return [], [Issue(source.name, "the sheets are torn", "rejected")]
        time.sleep(0.2 * sheets.count("&"))
        recognised = {page.page: page for page in source.recognised}
        text, blocks, lines, pages = "", list[Block](), list[Line](), list[PageVerdict]()
        for number, sheet in enumerate(sheets, start=1):
            found = recognised[number].lines if number in recognised else ()
            read = sheet[1:] if sheet[0] == "=" else "".join(line.text for line in found)
            if read:
                start, text = len(text), f"{text}{read}\n"
                box = found[0].box if found else Box(0, 0, 1, 1)
                blocks.append(Block(start, len(text) - 1, page=number, box=box))
                lines.append(Line(start, len(text) - 1, number, box, tuple(range(len(text) - start))))
            status = "ok" if read else "needs_ocr"
            pages.append(PageVerdict(number, status, "" if read else "it is an image", is_ocr=number in recognised))
        document = ParsedDocument(
            source.name, text, tuple(blocks), "paper", lines=tuple(lines), n_pages=len(sheets), pages=tuple(pages)
        )
        return [document], []


class PaperRenderer:
    def render(self, source: Source, page: int, *, dpi: int, most_pixels: int) -> tuple[Pixels, float]:
        sheet = source.content.split(b"\n")[page - 1]
        return np.frombuffer(sheet, np.uint8).reshape(1, -1, 1).repeat(3, axis=2), PIXELS_PER_POINT


class InkReader:
    def read(self, image: Pixels) -> list[RecognisedLine]:
        sheet = image[0, :, 0].tobytes().decode()
        if sheet == "?":
            raise ValueError("smudged")
        if sheet == "!":
            time.sleep(60)
        if sheet == ".":
            return []
        return [RecognisedLine(sheet[1:], Box(10, 20, 30, 40), 0.9)]


def publish(folder: Path, *, reader: str = "tests.wiring.paper:InkReader") -> Path:
    """The entry points of parser, renderer and page reader, as pip would leave them in a folder of the search path."""
    package = folder / "paper-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: paper\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[finlore.parsers]\npaper = tests.wiring.paper:PaperParser\n"
        "[finlore.renderers]\npaper = tests.wiring.paper:PaperRenderer\n"
        f"[finlore.page_readers]\nink = {reader}\n"
    )
    return folder


def times_read(sheets: Path) -> int:
    marks = Path(f"{sheets}.marks")
    return len(marks.read_text().splitlines()) if marks.exists() else 0
