"""The risks that a report names, one by one."""

import re
from collections.abc import Iterator
from typing import Final

from finlore.knowledge.lexicon.patterns import Patterns

_PATTERNS: Final = Patterns("lexicon/advice.toml")
_STRONG: Final = re.compile(r"[;；。\n]")
_WEAK: Final = re.compile(r"[、,，]|\s+(?=[\u3400-\u9fff])")
_EDGES: Final = " \t,，、;；。.:：-—·•■●◆➢\"“”'"
_LONGEST: Final = 120
_LONGEST_LABEL: Final = 24


def is_risk_heading(heading: str) -> bool:
    """Whether what stands below a heading are risks."""
    return _PATTERNS["risk_heading"].match(heading.strip()) is not None


def introduced_risks(text: str) -> int | None:
    """Where in a sentence the list of risks begins, behind 风险提示：, "Risks include"; None where it has none."""
    match = _PATTERNS["risks_introduced"].search(text)
    return match.end() if match is not None and text[match.end() :].strip(_EDGES) else None


def split_risks(text: str) -> Iterator[tuple[int, int]]:
    """[start, end) of every risk of a list: between its numbers, else its semicolons, else its commas where each part
    names one."""
    for start, end in _pieces(text):
        opening = _PATTERNS["risk_number"].match(text, start, end)
        piece = text[opening.end() if opening else start : end]
        inner = _label_of(piece).strip(_EDGES).removesuffix("等").strip(_EDGES)
        if inner and _PATTERNS["no_risk"].search(inner) is None:
            at = text.index(inner, start)
            if 4 <= len(inner) <= _LONGEST:
                yield at, at + len(inner)


def _label_of(piece: str) -> str:
    """What stands before a colon, where that names the risk and the rest explains it."""
    label, colon, _ = piece.replace(":", "：").partition("：")
    return label if colon and len(label) <= _LONGEST_LABEL and _names_risk(label) else piece


def _pieces(text: str) -> list[tuple[int, int]]:
    if len(_PATTERNS["risk_numbered"].findall(text)) > 1:
        return _cut(text, _PATTERNS["risk_numbered"])
    return [piece for start, end in _cut(text, _STRONG) for piece in _by_commas(text, start, end)]


def _by_commas(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The parts of a piece between commas, where every one names a risk; else the piece as it is."""
    parts = [(start + first, start + last) for first, last in _cut(text[start:end], _WEAK)]
    telling = [text[first:last].strip(_EDGES) for first, last in parts]
    if len(parts) > 1 and all(len(part) >= 4 and _names_risk(part) for part in telling if part):
        return parts
    joined = _merged(text, parts)
    return joined if len(joined) > 1 else [(start, end)]


def _merged(text: str, parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Parts put together until each names a risk: 产品及原材料价格、运费波动."""
    merged: list[tuple[int, int]] = []
    begun: int | None = None
    for first, last in parts:
        begun = first if begun is None else begun
        if _names_risk(text[begun:last]):
            merged.append((begun, last))
            begun = None
    if begun is not None and merged:
        merged[-1] = (merged[-1][0], parts[-1][1])
    return merged


def _cut(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    pieces, at = [], 0
    for match in pattern.finditer(text):
        pieces.append((at, match.start()))
        at = match.end()
    return [(start, end) for start, end in (*pieces, (at, len(text))) if text[start:end].strip(_EDGES)]


def _names_risk(part: str) -> bool:
    return _PATTERNS["risk"].search(part) is not None
