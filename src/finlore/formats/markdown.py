"""Markdown -> blocks over the unchanged source, mark-up flagged. Made for what PDF converters and people write:
headings, paragraphs, lists, pipe and HTML tables, TeX formulas, images, front matter. Linear in the text's length."""

import re
from dataclasses import dataclass, field

from finlore.formats.outline import LIST_ITEM, Outline, is_caption, lines_of
from finlore.records.document import Block, Role, Span

_TAGS = (
    "table|thead|tbody|tfoot|tr|td|th|caption|br|hr|b|i|u|s|p|a|div|span|sup|sub|strong|em|img|ul|ol|li|h[1-6]|center|font|"
    "details|summary|html|body|section|figure|figcaption|small|code|pre|blockquote"
)
_INLINE = re.compile(
    rf"""
     (?P<latex>\$\$[^$]{{1,4000}}\$\$ | \$(?![\s$])[^$\n]{{1,400}}(?<!\s)\$(?!\d))
    |(?P<tag></?(?P<name>{_TAGS})\b[^<>\n]{{0,400}}>)
    |(?P<comment><!--[^<>]{{0,2000}}-->)
    |(?P<picture>!\[(?P<alt>[^\[\]\n]{{0,400}})\]\([^()\s]{{0,2000}}\))
    |(?P<link>\[(?P<label>[^\[\]\n]{{1,400}})\]\([^()\s]{{1,2000}}\))
    |(?P<mark>\*\*\*?|`{{1,3}}|~~|\\(?=[!-/:-@\[-`{{-~])|(?<!\w)__(?=\w)|(?<=\w)__(?!\w))
    |(?P<soft>(?<![\w*])\*[^\s*](?:[^*\n]{{0,400}}[^\s*])?\*(?![\w*]))
    |(?P<entity>&(?:\#\d{{1,7}}|\#x[0-9a-fA-F]{{1,6}}|[A-Za-z]{{2,31}});)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SPECIAL = re.compile(r"[$<!\[*`~\\_&]")
_TEMPLATE = re.compile(r"\[?(?:(?:[Tt]?a)?b)?le_[A-Z][A-Za-z]{2,20}\d?\]?")
_FORMULA = re.compile(r"[\\^_{}]|[\d\s.,+\-*/=<>()%~:−±]+|[A-Za-z]", re.ASCII)
_TEX_BULLET = re.compile(
    r"\$\s*\{?\s*(?:\\(?:bullet|spadesuit|bigcirc|diamond\w*|blacksquare|star|mathfrak\s*\{\s*O\s*\})|>)\s*\}?\s*\$\s*"
)
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t\u3000]+|(?=\Z))")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})\s*\Z")
_RULE = re.compile(r" {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})\Z")
_PIPES = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*\Z")
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_FIELD = re.compile(r"([A-Za-z_][\w -]{0,40}|[\u4e00-\u9fff]{2,8})\s*[:：]\s*(.*)\Z")
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)


@dataclass(slots=True)
class _Reader:
    """State of one pass over the lines: the paragraph that is open, and what has been found."""

    text: str
    blocks: list[Block] = field(default_factory=list)
    markup: list[Span] = field(default_factory=list)
    open_from: int = -1
    open_to: int = -1
    open_role: Role = "body"
    fence: str = ""  # that of a fenced block which holds Markdown itself

    def close(self) -> None:
        if self.open_from >= 0:
            self.blocks.append(Block(self.open_from, self.open_to, self.open_role))
        self.open_from = -1

    def extend(self, start: int, end: int, role: Role = "body") -> None:
        if self.open_from < 0:
            self.open_from, self.open_role = start, role
        self.open_to = end

    def put(self, start: int, end: int, role: Role, level: int = 0) -> None:
        self.close()
        self.blocks.append(Block(start, end, role, level))

    def mark(self, start: int, end: int, kind: str = "markup") -> None:
        if end > start:
            self.markup.append(Span(start, end, kind))


def read_markdown(text: str) -> Outline:
    """Blocks, mark-up and front matter of a Markdown text."""
    reader = _Reader(text)
    body, stated = _front_matter(reader)
    lines = [(start + body, end + body) for start, end in lines_of(text[body:])] if body else list(lines_of(text))
    at = 0
    while at < len(lines):
        at = _table(reader, lines, at) or _fence(reader, lines, at) or _line(reader, lines, at)
    reader.close()
    _inline(reader, body)
    markup = sorted(reader.markup, key=lambda span: (span.start, -span.end))
    return Outline(text, tuple(reader.blocks), tuple(markup), stated)


def _front_matter(reader: _Reader) -> tuple[int, tuple[tuple[str, str], ...]]:
    """(where the text proper starts, fields) of a leading ``---`` block of ``name: value`` lines."""
    text = reader.text
    if not text.startswith("---\n") and not text.startswith("---\r\n"):
        return 0, ()
    close = re.compile(r"^---[ \t]*\r?$", re.MULTILINE).search(text, 3, 20_000)
    if close is None:
        return 0, ()
    rows = [line.strip() for line in text[3 : close.start()].splitlines() if line.strip()]
    fields = [_FIELD.match(row) for row in rows]
    if not rows or not any(fields):
        return 0, ()
    reader.put(0, close.end(), "header_footer")
    reader.mark(0, close.end())
    return close.end(), tuple((f[1].strip().lower(), f[2].strip().strip("\"'[]")) for f in fields if f)


def _line(reader: _Reader, lines: list[tuple[int, int]], at: int) -> int:
    """Reads one line that is neither table nor code; returns the number of the next one."""
    start, end = lines[at]
    line = reader.text[start:end]
    stripped = line.strip()
    if not stripped:
        reader.close()
    elif heading := _HEADING.match(line):
        _heading(reader, start, end, heading)
    elif reader.open_from >= 0 and reader.open_role == "body" and _UNDERLINE.match(line):
        reader.mark(start, end)
        reader.put(reader.open_from, reader.open_to, "heading", 1 if "=" in line else 2)
        del reader.blocks[-2]
    elif _RULE.match(line):
        reader.close()
        reader.mark(start, end)
    else:
        _prose(reader, start, end, line)
    return at + 1


def _heading(reader: _Reader, start: int, end: int, heading: re.Match[str]) -> None:
    body = start + heading.end()
    last = start + len(reader.text[start:end].rstrip("# \t\u3000"))
    if last > body:
        reader.put(body, last, "heading", len(heading[1]))
    else:
        reader.close()
    reader.mark(start, body)
    reader.mark(max(last, body), end)


def _prose(reader: _Reader, start: int, end: int, line: str) -> None:
    """A line of a paragraph, list item or caption; leading marks are flagged and stay outside the block."""
    quote = _QUOTE.match(line)
    first = start + (quote.end() if quote else len(line) - len(line.lstrip()))
    if quote:
        reader.mark(start, first)
    rest = reader.text[first:end].lstrip()
    first = end - len(reader.text[first:end].lstrip())
    if quote and not rest:
        reader.close()
    elif bullet := _TEX_BULLET.match(rest):
        reader.close()
        reader.mark(first, first + bullet.end())
        reader.extend(first + bullet.end(), _stop(reader.text, first, end), "list")
    elif item := LIST_ITEM.match(rest):
        reader.close()
        if not item.group()[0].isalnum() and item.group()[0] not in "（(①②③④⑤⑥⑦⑧⑨⑩":
            reader.mark(first, first + item.end())
            first += item.end()
        reader.extend(first, _stop(reader.text, first, end), "list")
    elif is_caption(rest):
        reader.put(first, _stop(reader.text, first, end), "caption")
    else:
        reader.extend(first, _stop(reader.text, first, end))
        if line.endswith(("  ", "\\")):
            reader.close()


def _stop(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(" \t\u3000\\"))


def _table(reader: _Reader, lines: list[tuple[int, int]], at: int) -> int:
    """Reads an HTML or pipe table that starts on this line; 0 when there is none."""
    start, end = lines[at]
    if "<table" in (head := reader.text[start:end].lower()):
        return _html_table(reader, lines, at, start + head.index("<table"))
    if (
        at + 1 < len(lines)
        and "|" in head
        and "|" in (rule := reader.text[slice(*lines[at + 1])])
        and _PIPES.match(rule)
    ):
        last = at + 2
        while last < len(lines) and "|" in reader.text[slice(*lines[last])]:
            last += 1
        reader.put(start, lines[last - 1][1], "table")
        reader.mark(*lines[at + 1])
        for first, stop in (lines[at], *lines[at + 2 : last]):
            reader.mark(first, stop, "table_row")
            for pipe in re.finditer(r"\s*\|\s*", reader.text[first:stop]):
                outer = first + pipe.end() == stop or pipe.start() == 0
                reader.mark(first + pipe.start(), first + pipe.end(), "markup" if outer else "cell")
        return last
    return 0


def _html_table(reader: _Reader, lines: list[tuple[int, int]], at: int, start: int) -> int:
    text = reader.text
    close = _TABLE_END.search(text, start)
    end = close.end() if close else lines[at][1]
    before = lines[at][0]
    if text[before:start].strip():
        _prose(reader, before, start, text[before:start])
    reader.put(start, end, "table")
    reader.mark(start, end, "html_table")
    rows = [row.start() for row in _ROW.finditer(text, start, end)] or [start]
    for first, last in zip(rows, [*rows[1:], end], strict=True):
        reader.mark(first, last, "table_row")
    last_line = at
    while last_line + 1 < len(lines) and lines[last_line][1] < end:
        last_line += 1
    if end < lines[last_line][1]:
        lines[last_line] = (end, lines[last_line][1])
        return last_line
    return last_line + 1


def _fence(reader: _Reader, lines: list[tuple[int, int]], at: int) -> int:
    """Reads a fenced block as it stands, line breaks kept; 0 when none starts here. What is fenced as Markdown is read
    as if it were not."""
    start, end = lines[at]
    fence, name = reader.text[start:end].strip()[:3], reader.text[start:end].strip()[3:].strip().lower()
    if fence not in {"```", "~~~"}:
        return 0
    reader.close()
    if name in {"markdown", "md"} or (fence == reader.fence and not name):
        reader.mark(start, end)
        reader.fence = fence if name else ""
        return at + 1
    last = at + 1
    while last < len(lines) and not reader.text[slice(*lines[last])].strip().startswith(fence):
        last += 1
    reader.mark(start, end)
    for first, stop in lines[at + 1 : last]:
        if reader.text[first:stop].strip():
            reader.put(first, stop, "body")
    if last < len(lines):
        reader.mark(*lines[last])
    return min(last + 1, len(lines))


def _inline(reader: _Reader, start: int) -> None:
    """Flags formulas, tags, links, emphasis and entities anywhere in the text."""
    if "le_" in reader.text:  # place-holders of word-processor templates: [Table_Summary]
        for template in _TEMPLATE.finditer(reader.text, start):
            reader.mark(*template.span())
    at = start
    while (special := _SPECIAL.search(reader.text, at)) is not None:
        found = _INLINE.match(reader.text, special.start())
        at = found.end() if found is not None and _flag(reader, found) else special.end()


def _flag(reader: _Reader, found: re.Match[str]) -> bool:
    """Flags one find; False when a closer look shows that it is ordinary text (a price in dollars)."""
    kind, (start, end) = found.lastgroup, found.span()
    if kind == "latex":
        inner = found["latex"].strip("$")
        if not re.search(r"[\\^_{}]", inner) and not _FORMULA.fullmatch(inner):
            return False
        reader.mark(start, end, "latex")
    elif kind == "tag":
        name = found["name"].lower()
        opens = not found.group().startswith("</")
        cell, line = opens and name in {"td", "th"}, opens and name in {"br", "p", "tr"}
        reader.mark(start, end, "cell" if cell else "break" if line else "markup")
    elif kind in {"picture", "link"}:
        group = "alt" if kind == "picture" else "label"
        reader.mark(start, found.start(group))
        reader.mark(found.end(group), end)
    elif kind == "soft":
        reader.mark(start, start + 1)
        reader.mark(end - 1, end)
    else:
        reader.mark(start, end, "entity" if kind == "entity" else "markup")
    return True
