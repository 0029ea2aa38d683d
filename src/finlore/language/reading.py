"""Reading a marked-up text the way a person does: `$0 . 0 8 \\%$` is 0.08%, table cells are set apart, tags vanish.

The canonical text of a document stays as its source wrote it; what is matched, counted or shown goes through here.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from finlore.records.document import Metadata, Span, StoredPassage
from finlore.records.mapped import MappedText

_HAN = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_LINE_BREAK = re.compile(r"[\r\n][ \t\r\n]*")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)\s*")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SYMBOLS = {
    "times": "×", "pm": "±", "mp": "∓", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠",
    "approx": "≈", "sim": "~", "to": "→", "rightarrow": "→", "leftarrow": "←", "uparrow": "↑", "downarrow": "↓",
    "div": "÷", "infty": "∞", "sum": "∑", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ",
    "mu": "μ", "sigma": "σ", "lambda": "λ", "circ": "°", "degree": "°", "ldots": "…", "dots": "…", "cdots": "…",
    "yen": "¥", "pounds": "£", "euro": "€", "lt": "<", "gt": ">", "%": "%", "$": "$", "&": "&", "#": "#", "_": "_",
    "{": "(", "}": ")", "quad": " ", "qquad": " ", " ": " ", ",": " ", ";": " ",
}  # fmt: skip
_FIXED = {"markup": "", "cell": " | ", "break": " "}
READ_KINDS = frozenset({*_FIXED, "latex", "entity"})
"""Kinds of spans that read differently from how they are written; other kinds only say where something stands."""


def read_latex(formula: str) -> str:
    """The plain text of a TeX formula: `$3 5 0 \\mathrm { ~ G W h }$` -> `350 GWh`. Unknown commands vanish."""
    inner = re.sub(r"\s+", "", _FRACTION.sub(r"\1/\2", formula.strip("$")).replace("\\ ", "~").replace("\\%", "%"))
    inner = _COMMAND.sub(lambda command: _SYMBOLS.get(command[1], ""), inner)
    return re.sub(r"[{}]|\^(?=[^0-9A-Za-z]|$)|(?<![0-9A-Za-z)])\^", "", inner).replace("~", " ").strip()


def readable_spans(markup: Sequence[Span]) -> list[Span]:
    """The spans that change how the text reads, sorted and without overlap."""
    kept: list[Span] = []
    for span in sorted((s for s in markup if s.kind in READ_KINDS), key=lambda s: (s.start, -s.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def read(text: str, spans: Sequence[Span], start: int, end: int) -> MappedText:
    """Reading of ``text[start:end]``; `spans` come from `readable_spans`."""
    first = bisect_left(spans, start, key=lambda s: s.end)
    if (first == len(spans) or spans[first].start >= end) and text.find("\n", start, end) < 0:
        return MappedText(text[start:end], (0,), (start,))
    pieces: list[tuple[int, int, str]] = []
    at = start
    for span in spans[first:]:
        if span.start >= end:
            break
        _plain(text, at, min(max(span.start, at), end), pieces)
        pieces.append((span.start, span.end, _read_span(text, span)))
        at = max(at, span.end)
    _plain(text, at, end, pieces)
    return _joined(pieces)


def read_stored(passage: StoredPassage, start: int, end: int) -> str:
    """What a person reads of a stored passage between two offsets of its document, white space as single spaces."""
    spans = readable_spans([span for span in passage.markup if span.start < end and span.end > start])
    shifted = [Span(span.start - passage.start, span.end - passage.start, span.kind) for span in spans]
    return " ".join(read(passage.text, shifted, start - passage.start, end - passage.start).text.split())


def context_text(metadata: Metadata, heading: str) -> str:
    """What a passage is read with, its sentence 0: title, broker and heading, a line each."""
    return "\n".join(filter(None, (metadata.title, metadata.broker, heading)))


def context_lines(metadata: Metadata, heading: str) -> Iterator[MappedText]:
    """The lines of `context_text`, which are read one by one; offsets lead into the whole."""
    start = 0
    for line in context_text(metadata, heading).split("\n"):
        if line:
            yield MappedText(line, (0,), (start,))
        start += len(line) + 1


def _read_span(text: str, span: Span) -> str:
    if span.kind == "latex":
        return read_latex(text[span.start : span.end])
    if span.kind == "entity":
        return html.unescape(text[span.start : span.end])
    return _FIXED[span.kind]


def _plain(text: str, start: int, end: int, pieces: list[tuple[int, int, str]]) -> None:
    """Text without mark-up: a line break inside Han text reads as nothing, elsewhere as a space."""
    at = start
    for match in _LINE_BREAK.finditer(text, start, end):
        before, after = match.start(), match.end()
        while before > at and text[before - 1] in " \t":
            before -= 1
        joined = before > at and _HAN.match(text, before - 1) is not None and _HAN.match(text, after) is not None
        pieces.append((at, before, text[at:before]))
        pieces.append((before, after, "" if joined else " "))
        at = after
    pieces.append((at, end, text[at:end]))


def _joined(pieces: list[tuple[int, int, str]]) -> MappedText:
    """Pieces (start, end, reading) -> text with an offset map; no leading cell marks, no doubled spaces at seams."""
    out: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    length = 0
    for start, end, reading in pieces:
        tail = out[-1] if out else " | "
        piece = reading
        if piece in {" ", " | "} and tail.endswith(piece):
            continue
        if not piece:
            continue
        verbatim = end - start == len(piece)
        for offset in range(1 if verbatim else len(piece)):
            starts.append(length + offset)
            shifts.append((start if verbatim else min(start + offset, end - 1)) - length - (0 if verbatim else offset))
        out.append(piece)
        length += len(piece)
    return MappedText("".join(out), tuple(starts) or (0,), tuple(shifts) or (0,))
