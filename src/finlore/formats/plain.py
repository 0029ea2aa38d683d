"""Plain text -> blocks: whether lines are paragraphs or were wrapped at a width; short lines alone are headings."""

import re
from collections.abc import Sequence

from finlore.formats.outline import LIST_ITEM, Outline, is_caption, lines_of
from finlore.records.document import Block, Role

_NUMBERED = re.compile(
    r"(?:第[一二三四五六七八九十\d]{1,3}[章节部分]|[一二三四五六七八九十]{1,3}[、.．]|[（(][一二三四五六七八九十]{1,3}[）)]|\d{1,2}(?:\.\d{1,2}){0,3}[.、．\s]?"
    r"|[IVX]{1,4}[.、])\s*(?=[^\s\d.,%])"
)
_SENTENCE_END = "。！？；.!?;,，、:："
_LONGEST_HEADING = {"zh": 40, "en": 90}
_WRAPPED_WIDTH = (24, 132)
_MOST_FULL = 0.4


def read_plain(text: str) -> Outline:
    """Blocks of a plain text; there is no mark-up in one."""
    lines = [(start, end, text[start:end].strip()) for start, end in lines_of(text)]
    width = _wrap_width([line for _, _, line in lines if line])
    blocks: list[Block] = []
    open_block = False
    for n, (start, end, line) in enumerate(lines):
        if not line:
            open_block = False
            continue
        first = start + text[start:end].index(line[0])
        last = first + len(line)
        role, level = _role(lines, n)
        joins = width is not None and open_block and role == "body" and blocks[-1].role in {"body", "list"}
        if joins:
            blocks[-1] = Block(blocks[-1].start, last, blocks[-1].role)
        else:
            blocks.append(Block(first, last, role, level))
        open_block = width is not None and role in {"body", "list"} and len(line) >= 0.7 * width
    return Outline(text, tuple(blocks))


def _wrap_width(lines: Sequence[str]) -> int | None:
    """The width at which the text was wrapped: many lines nearly as long as the longest, few that end a sentence."""
    if len(lines) < 4:
        return None
    width = sorted(map(len, lines))[int(0.95 * (len(lines) - 1))]
    full = [line for line in lines if len(line) >= 0.8 * width]
    if not _WRAPPED_WIDTH[0] <= width <= _WRAPPED_WIDTH[1] or len(full) < _MOST_FULL * len(lines):
        return None
    return width if sum(line[-1] in "。！？.!?" for line in full) <= 0.5 * len(full) else None


def _role(lines: Sequence[tuple[int, int, str]], at: int) -> tuple[Role, int]:
    line = lines[at][2]
    if is_caption(line):
        return "caption", 0
    numbered = _NUMBERED.match(line)
    longest = _LONGEST_HEADING["en" if line.isascii() else "zh"]
    if len(line) <= longest and line[-1] not in _SENTENCE_END and any(c.isalpha() for c in line):
        alone = _blank(lines, at - 1) and _blank(lines, at + 1) and _longer_text_follows(lines, at)
        if numbered or (alone and "：" not in line and "\t" not in line):
            return "heading", 2 if numbered is None else 1 + numbered.group().count(".")
    return ("list" if LIST_ITEM.match(line) else "body"), 0


def _blank(lines: Sequence[tuple[int, int, str]], at: int) -> bool:
    return not 0 <= at < len(lines) or not lines[at][2]


def _longer_text_follows(lines: Sequence[tuple[int, int, str]], at: int) -> bool:
    following = next((line for _, _, line in lines[at + 1 : at + 6] if line), "")
    return len(following) > len(lines[at][2])
