"""What a document says about itself: title, kind, dates, broker, analysts, covered security, rating.

Fields that the source states win over what its first page prints.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import cast, get_args

from finlore.intake.lexicon import as_listed, brokers, first_page, labels, letters
from finlore.intake.publication import Printed, believable, publication, stated_instant
from finlore.language.codes import canonical_security, codes_in_brackets
from finlore.language.normal import HAN
from finlore.language.reading import read
from finlore.language.sentences import language_of
from finlore.records.document import (
    NOT_INDEXED,
    Block,
    DocumentKind,
    Issue,
    Language,
    Metadata,
    ParsedDocument,
    Span,
)
from finlore.records.instant import Instant

_HEAD_CHARACTERS = 3000
_HEAD_BLOCKS = 60
_LONGEST_LINE = 1000
_LONGEST_TITLE = 120
_TAIL_BLOCKS = 4
_RUNNING_BLOCKS = 6
_STOPS = "。；;！!"
_NAME_ZH = re.compile(rf"[\s：:]*((?:[{HAN}]{{2,4}}(?:·[{HAN}]{{1,8}})?)(?:[\s、,，/]+[{HAN}]{{2,4}})*)(?![{HAN}])")
_NAME_EN = re.compile(r"[\s:]*((?:[A-Z][a-zA-Z'’.-]*\s){1,3}[A-Z][a-zA-Z'’-]+)")
_NOT_A_NAME = re.compile(r"分析|研究|证书|编号|执业|登记|电话|邮箱|联系|证券|声明|承诺|助理|首席|团队|部门|公司|行业")
_HOUSES = ("证券", "期货", "国际")
_ISSUER = re.compile(
    rf"(?:^|[^{HAN}]|[由归为属均是于]+)([{HAN}]{{2,4}}(?:证券|期货|国际))"
    r"(?:股份有限公司|有限责任公司|有限公司|研究所|研究院|研究部|经济研究所)"
)
_NO_TITLE = re.compile(
    r"(?:组|研究院|研究所|研究部|团队|登记编码.*|证书.*|\d{9,}.*|\d{3,4}-\d{7,}.*|资格.*)$|^[\d\s年月日./:-]+$"
)
_BREADCRUMBS = re.compile(r"[/|·丨｜]")
_DIVISION = re.compile(r"(?:研究|点评|报告|专题|策略)$")
_LONGEST_LETTERHEAD = 60
_LONGEST_NAME = 8
_BRACKETS = re.compile(r"[（(【\[][^（）()【】\[\]]*[）)】\]]")
_OPENING = 160
_CODE = re.compile(r"[\w.]{4,12}", re.ASCII)
_RATING_NOTE = re.compile(r"[（(【\[].*|[-_/—–].*")


def read_metadata(
    parsed: ParsedDocument, blocks: Sequence[Block], *, spans: Sequence[Span], zone: str, received_at: Instant
) -> tuple[Metadata, list[Issue]]:
    """Metadata of a document whose boilerplate is flagged; issues say which dates were not believed."""
    stated = dict(parsed.stated)
    page = _Page(parsed, blocks, spans)
    title = stated.get("title", "").strip() or page.title()
    printed = Printed(page.head, page.tail, page.running, title, parsed.source)
    published_at, issues = publication(stated.get("published_at"), printed, zone=zone, received_at=received_at)
    crawled = stated.get("crawled_at", "")
    crawled_at = stated_instant(crawled, zone=zone)
    if crawled and (crawled_at is None or not believable(crawled_at, zone=zone, received_at=received_at)):
        issues.append(Issue(parsed.source, f"the crawl time '{crawled[:40]}' cannot be; it is not used"))
        crawled_at = None
    kind = _stated_kind(stated.get("kind", "")) or page.kind(title)
    metadata = Metadata(
        title=title,
        kind=kind,
        language=_language(stated.get("language", ""), parsed.text),
        published_at=published_at,
        crawled_at=crawled_at,
        broker=stated.get("broker", "").strip() or (page.broker(title) if kind == "report" else None),
        analysts=_stated_list(stated.get("analysts", "")) or page.analysts(),
        security=_security(stated, page, title),
        rating=normal_rating(stated.get("rating", "")) or (page.rating() if kind == "report" else None),
    )
    return metadata, issues


def normal_rating(text: str) -> str | None:
    """A rating word without its note (买入（首次）, 买入-B -> 买入; BUY (maintained) -> Buy); None for no text."""
    text = text.strip()
    plain = as_listed(text)
    for word in first_page().ratings if text else ():
        if plain.startswith(word):
            return word if not word.isascii() else word.capitalize()
    return _RATING_NOTE.sub("", text).strip() or None


def _security(stated: Mapping[str, str], page: "_Page", title: str) -> str | None:
    if value := stated.get("security", "").strip():
        return canonical_security(value) or value
    return page.security(title)


def _stated_list(text: str) -> tuple[str, ...]:
    separator = r"[,;/\n]|\s(?:and|&)\s" if text.isascii() else r"[,，、;；/\s]"
    parts = re.split(separator, text)
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _stated_kind(text: str) -> DocumentKind | None:
    word = as_listed(text)
    if word in get_args(DocumentKind):
        return cast(DocumentKind, word)
    return next((kind for kind, words in first_page().kind_words.items() if word in words), None)


def _language(stated: str, text: str) -> Language:
    prefix = stated.strip().lower()[:2]
    return "zh" if prefix in {"zh", "cn", "中文"} else "en" if prefix == "en" else language_of(text)


class _Page:
    """The first page of a document as a person reads it, line by line, and its last lines."""

    def __init__(self, parsed: ParsedDocument, blocks: Sequence[Block], spans: Sequence[Span]) -> None:
        self._stem = PurePosixPath(parsed.source).stem if parsed.given_id is None else ""
        own = [block for block in blocks if block.role not in NOT_INDEXED | {"table"}]
        paged = [block for block in own if block.page == 1]

        def line(block: Block) -> str:
            return read(parsed.text, spans, block.start, min(block.end, block.start + _LONGEST_LINE)).text.strip()

        self._blocks: list[tuple[Block, str]] = []
        length = 0
        for block in (paged or own)[:_HEAD_BLOCKS]:
            if length > _HEAD_CHARACTERS:
                break
            self._blocks.append((block, line(block)))
            length += len(self._blocks[-1][1])
        self.head = [part for _, reading in self._blocks for part in reading.split("\n")]
        self.running = [line(b) for b in blocks if b.role == "header_footer" and b.page in (None, 1)][:_RUNNING_BLOCKS]
        self.tail = [line(block) for block in own[-_TAIL_BLOCKS:]]
        dropped = [block for block in blocks if block.role in NOT_INDEXED]
        self._dropped = "\n".join(line(block) for block in dropped[:8] + dropped[-8:])

    def title(self) -> str:
        """The first line that can be a title: a short line above everything, else the first telling heading."""
        lines = [(block, reading) for block, reading in self._blocks if block.role in {"heading", "body"} and reading]
        opening = takewhile(lambda item: len(item[1]) <= _LONGEST_TITLE, lines[:6])
        telling = [
            reading[:_LONGEST_TITLE]
            for block, reading in [*opening, *(item for item in lines if item[0].role == "heading")]
            if _can_be_title(reading, is_heading=block.role == "heading")
        ]
        if len(telling) > 1 and len(_BRACKETS.sub("", telling[0])) <= _LONGEST_NAME and codes_in_brackets(telling[0]):
            return f"{telling[0]}：{telling[1]}"  # a name and its code alone say little
        return next(iter(telling), "") or self._stem or (lines[0][1][:_LONGEST_TITLE] if lines else "")

    def analysts(self) -> tuple[str, ...]:
        """Names after a label (分析师：…, Analyst: …)."""
        found: dict[str, None] = {}
        for line in self.head:
            for _, value in labels(line, "analysts"):
                match = _NAME_ZH.match(value) or _NAME_EN.match(value)
                names = re.split(r"[\s、,，/]+" if not value.isascii() else r"\s*[,/]\s*", match[1]) if match else []
                found.update(dict.fromkeys(name for name in names if name and not _NOT_A_NAME.search(name)))
        return tuple(found)

    def broker(self, title: str) -> str | None:
        """The house that issued it: a labelled name, else the one named most in short lines and disclaimers."""
        pattern, known = brokers()
        for line in self.head:
            for _, value in labels(line, "broker"):
                if (match := pattern.search(value)) is not None:
                    return known[match.group()]
        lines = [reading for block, reading in self._blocks if block.role != "caption"]
        short = (line for line in (*lines, *self.tail) if len(line) <= _LONGEST_LETTERHEAD and line != title)
        letterhead = "\n".join((*short, self._dropped))
        counts = Counter(known[name] for name in pattern.findall(letterhead))
        if not counts:  # a page without lines: the house still signs as a firm or as a research department
            text = "\n".join((*self.head, self._dropped))
            signed = _ISSUER.findall(text) if any(word in text for word in _HOUSES) else ()
            counts = Counter(known.get(name, name) for name in signed)
        return max(counts, key=lambda name: (counts[name], len(name), name), default=None)

    def security(self, title: str) -> str | None:
        """The labelled code, else the only code that the title, the headings, short lines or the opening give."""
        for line in self.head:
            for _, value in labels(line, "security"):
                if (match := _CODE.match(value)) and (code := canonical_security(match.group())):
                    return code
        headings = "\n".join(reading for block, reading in self._blocks if block.role == "heading")
        short = "\n".join(line for line in self.head if len(line) <= _LONGEST_LETTERHEAD)
        opening = next((line[:_OPENING] for line in self.head if len(line) > _LONGEST_LETTERHEAD), "")
        for codes in map(codes_in_brackets, (title, headings, short, opening)):
            if codes:
                return codes[0] if len(codes) == 1 else None
        return None

    def rating(self) -> str | None:
        """The word after a label (投资评级：买入), or a rating with its change (买入（维持）) on the first page."""
        for line in self.head:
            for _, value in labels(line, "rating"):
                word = as_listed(value).lstrip(' ：:“"‘（(')
                if found := next((rating for rating in first_page().ratings if word.startswith(rating)), None):
                    return normal_rating(found)
        match = first_page().rating_change.search("\n".join(self.head).lower())
        return normal_rating(next(filter(None, match.groups()))) if match else None

    def kind(self, title: str) -> DocumentKind:
        text = "\n".join((title, *(line[:_LONGEST_TITLE] for line in self.head[:12]))).lower()
        return next((kind for kind, cue in first_page().kinds.items() if cue.search(text)), "report")


def _can_be_title(line: str, *, is_heading: bool) -> bool:
    name = letters(line)
    generic = first_page().generic
    if (
        len(name) < (2 if is_heading and not name.isascii() else 4)
        or line.startswith(("《", "<<"))
        or name in generic
        or name.replace(" ", "") in generic
        or _NO_TITLE.search(name)
    ):
        return False
    label, colon, value = line.replace(":", "：").partition("：")
    if line.endswith(tuple(_STOPS)) or "@" in line or (not is_heading and colon and value and len(label) <= 6):
        return False
    parts = [part.strip() for part in _BREADCRUMBS.split(name)]
    return len(parts) == 1 or max(map(len, parts)) > 12 or not (parts[0] in generic or _DIVISION.search(parts[0]))
