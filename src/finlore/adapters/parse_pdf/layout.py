"""An open PDF -> one parsed document: page by page, so that memory does not grow with the glyphs of the whole file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import pypdfium2 as pdfium

from finlore.adapters.parse_pdf import recognised as recognition
from finlore.adapters.parse_pdf.blocks import Draft, continues_in, draft, drafts_of, joined
from finlore.adapters.parse_pdf.characters import Frame, frames_of, read_characters
from finlore.adapters.parse_pdf.columns import chunks_of
from finlore.adapters.parse_pdf.furniture import Parted, part, repeated
from finlore.adapters.parse_pdf.opening import Opened
from finlore.adapters.parse_pdf.rows import Segment, make_row, make_segment, rows_of, segments_of, words_of
from finlore.adapters.parse_pdf.text import TextBuilder, with_levels
from finlore.adapters.parse_pdf.verdicts import cover_of, is_scant, verdict
from finlore.formats.decode import fingerprint
from finlore.ports import RecognisedPage, Source
from finlore.records.document import Issue, PageStatus, PageVerdict, ParsedDocument

_SAMPLE_PAGES = 40  # from these the body size and what repeats are learnt
_MINOR_SHARE = 0.1  # text of another direction below this share of a page is a spine, a watermark or an axis title
_ORGANISATION = re.compile(
    r".{0,16}(?:证券|研究所|研究院|研究中心|研究部|有限公司|研究报告)"
    r"|(?:\S+ ){0,4}(?:Securities|Research|Capital|Bank)\.?",
    re.I,
)
_WORDS: dict[PageStatus, str] = {
    "failed": "cannot be read",
    "garbled": "the text is garbled and left out",
    "needs_ocr": "no text but in images, which were not read",
}
_RADICALS = re.compile("[\u2e80-\u2fdf]")


_Slanted = tuple[tuple[Frame, Segment], ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """Segments of one page by reading frame, the frame with most text first, and its slanted words."""

    verdict: PageVerdict
    directions: tuple[tuple[Frame, list[Segment]], ...] = ()
    slanted: _Slanted = ()

    @property
    def number(self) -> int:
        return self.verdict.page


def lay_out(file: Opened, source: Source) -> tuple[ParsedDocument, list[Issue]]:
    """The document with a verdict on every page, and an issue for pages that could not be read as they should."""
    recognised, size = {page.page: page for page in source.recognised}, recognition.usual_size(source.recognised)

    def read(number: int) -> _Page:
        return _recognised(file.document, recognised[number], size) if number in recognised else _read(file, number)

    sample = {number: read(number) for number in _sample(file.n_pages)}
    first = [page for page in sample.values() if page.directions]
    furniture = repeated((page.directions[0][0].size, page.directions[0][1]) for page in first)
    body_size = _body_size(first)
    builder, verdicts = TextBuilder(), list[PageVerdict]()
    for number in range(1, file.n_pages + 1):
        page = sample.pop(number, None) or read(number)
        verdicts.append(page.verdict)
        _add_page(builder, page, furniture, body_size)
    parsed = ParsedDocument(
        source.name, builder.text, with_levels(builder.blocks, builder.drafts), "pdf", lines=tuple(builder.lines),
        n_pages=file.n_pages, stated=_stated(builder), raw_hash=fingerprint(source.content), pages=tuple(verdicts),
    )  # fmt: skip
    return parsed, _issues(source.name, verdicts, builder.text)


def _sample(n_pages: int) -> list[int]:
    step = max(1, n_pages // _SAMPLE_PAGES)
    return list(range(1, n_pages + 1, step))[:_SAMPLE_PAGES]


def _read(file: Opened, number: int) -> _Page:
    """A page as the file has it; without text where that cannot be believed."""
    try:
        page = file.document[number - 1]
    except pdfium.PdfiumError:
        return _Page(PageVerdict(number, "failed", "the file is damaged there"))
    characters = read_characters(page)
    text = "".join(glyph.text for glyphs in (*characters.directions.values(), characters.slanted) for glyph in glyphs)
    judged = verdict(number, text, characters.n_lost, cover_of(page) if is_scant(text) else None)
    page.close()
    if file.is_salvaged and not text and judged.status == "ok":
        judged = PageVerdict(number, "failed", "what it held is lost")
    if judged.status == "garbled":
        return _Page(judged)
    words = tuple((characters.displayed, make_segment(word)) for word in words_of(characters.slanted))
    return _page(judged, {frame: segments_of(glyphs) for frame, glyphs in characters.directions.items()}, words)


def _recognised(document: pdfium.PdfDocument, recognised: RecognisedPage, size: float) -> _Page:
    page = document[recognised.page - 1]
    directions = recognition.segments_of(recognised, frames_of(page), size)
    page.close()
    return _page(recognition.verdict(recognised), directions)


def _page(judged: PageVerdict, directions: Mapping[Frame, list[Segment]], slanted: _Slanted = ()) -> _Page:
    ordered = sorted(directions.items(), key=lambda direction: -_n_glyphs(direction[1]))
    return _Page(judged, tuple(ordered), slanted)


def _body_size(pages: Iterable[_Page]) -> float:
    """The size of most characters, in half points."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for segment in page.directions[0][1]:
            sizes.update(round(2 * glyph.size) / 2 for glyph in segment.glyphs)
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0) or 10.0


def _add_page(builder: TextBuilder, page: _Page, repeated_texts: frozenset[str], body_size: float) -> None:
    total = sum(_n_glyphs(segments) for _, segments in page.directions)
    for _, segments in page.directions:
        builder.learn_words(" ".join(segment.text for segment in segments))
    for frame, segments in page.directions:
        if _n_glyphs(segments) < _MINOR_SHARE * total:
            drafts = [draft("header_footer", [row]) for row in rows_of(segments)]
        else:
            parted = part(segments, frame.size, repeated_texts=repeated_texts, body_size=body_size)
            drafts = list(_page_drafts(parted, frame.size[1], body_size))
        for each in drafts:
            builder.add(each, page=page.number, frame=frame)
    for frame, word in page.slanted:
        builder.add(draft("header_footer", [make_row([word])]), page=page.number, frame=frame)


def _page_drafts(parted: Parted, height: float, body_size: float) -> Iterator[Draft]:
    """Running heads, body, side bar, spines, running feet."""
    running = rows_of(parted.running)
    yield from (draft("header_footer", [row]) for row in running if row.baseline < height / 2)
    last: Draft | None = None
    for chunk in chunks_of(parted.body):
        first, *others = drafts_of(chunk, body_size)
        if last and continues_in(last, first):
            first = joined(last, first)
        elif last:
            yield last
        *finished, last = first, *others
        yield from finished
    if last:
        yield last
    yield from (draft("header_footer", [make_row([glyph]) for glyph in spine]) for spine in parted.spines)
    yield from (draft("header_footer", [row]) for row in running if row.baseline >= height / 2)


def _n_glyphs(segments: Sequence[Segment]) -> int:
    return sum(len(segment.glyphs) for segment in segments)


def _stated(builder: TextBuilder) -> tuple[tuple[str, str], ...]:
    """The title: the largest heading of the first page with text, unless it names who wrote it."""
    text, best, size = builder.text, "", 0.0
    for block, written in zip(builder.blocks, builder.drafts, strict=True):
        heading = text[block.start : block.end]
        is_first = block.page == builder.blocks[0].page
        if is_first and block.role == "heading" and written.size > size and not _ORGANISATION.fullmatch(heading):
            best, size = heading, written.size
    return (("title", best),) if best else ()


def _issues(source: str, verdicts: Sequence[PageVerdict], text: str) -> list[Issue]:
    issues = []
    for status, words in _WORDS.items():
        if numbers := [verdict.page for verdict in verdicts if verdict.status == status]:
            issues.append(Issue(source, f"{_pages(numbers)}: {words}"))
    if radicals := len(_RADICALS.findall(text)):
        message = f"{radicals} characters are CJK radicals, not the ideographs that they look like"
        issues.append(Issue(source, message, "note"))
    return issues


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 1-8, 11`."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    spans = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"page{'s' if len(numbers) > 1 else ''} {spans}"
