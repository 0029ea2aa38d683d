"""Signals that somebody else made, from a table.

A header names the columns: date (or an instant), security (code or name), label, and confidence where there is one.
Rows that cannot be used are issues with their lines, as far as these are examples enough, and a count of the others.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from operator import attrgetter
from typing import Final, TypeAlias

from finlore.backtest.calls import LABELS
from finlore.knowledge.imports.cells import instant
from finlore.knowledge.lexicon.ratings import grade_of
from finlore.language.codes import canonical_security
from finlore.records.backtest import Label, Signal, Strategy
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, Instant, as_datetime

_COLUMNS: Final = {
    "date": "date datetime time at timestamp signal_date trade_date 日期 时间 信号日期 交易日期",
    "security": (
        "security code ts_code symbol ticker instrument order_book_id stock_code stock 代码 股票代码 证券代码 证券 "
        "股票 name stock_name 名称 股票名称 证券名称 简称"
    ),
    "label": "label signal direction prediction pred side rating 标签 方向 信号 预测 评级",
    "confidence": "confidence conf 置信度 信心",
}
"""Names of columns; of several in one table the first counts."""
_SYNONYMS: Final[Mapping[Label, str]] = {
    "Rise": "rise rises rising up long bull bullish 1 +1 1.0 +1.0 涨 上涨 看涨 看多 做多 上升 升 多 漲 上漲 看漲",
    "Fall": "fall falls falling down short bear bearish -1 -1.0 跌 下跌 看跌 看空 做空 下降 降 空",
}
_WORDS: Final = {word: label for label, words in _SYNONYMS.items() for word in words.split()}
_UNKNOWN: Final = frozenset({"", "nan", "none", "null", "n/a", "na", "-", "--"})
_DAY: Final = re.compile(r"(\d{4})(?:[-/.年](\d\d?)[-/.月](\d\d?)日?|(\d\d)(\d\d))(?!\d)(?:[ T]+(\d\d?)(?=:))?")
_NUMBER: Final = re.compile(r"(\d{1,6})(?:\.0+)?", re.ASCII)  # what spreadsheets make of a code
_SPELLINGS: Final = 1 << 16  # of each column, that are remembered
_EXAMPLES: Final = 20  # of rows that fail in one column
_SHOWN: Final = 40  # of a cell
_DAYS: Final = 1 << 10  # whose names are remembered
HOW: Final = (
    "a table begins with a line of the names of its columns: date, security, label, and confidence where there is one "
    "(日期, 代码, 标签, 置信度); between them commas, semicolons, tabs or bars"
)
Names: TypeAlias = Callable[[date], Mapping[str, str]]
"""Code -> the name that it bore on a day (`ports.Market.listed`)."""


class _Unusable(ValueError):
    """Says in which column a row is wrong, and what is wrong with it."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


def _nobody(day: date) -> Mapping[str, str]:
    return {}


def read_signals(
    text: str, *, name: str, zone: str = MARKET_ZONE, names: Names = _nobody, codes: Container[str] = frozenset()
) -> Strategy:
    """The signals of a table (comma, semicolon, tab or bar between cells), by instant. A name is that of who bore it on
    the day of its signal; a number is one of these `codes` that lost its zeros. Midnight is what programs make of a
    bare date: it counts as the end of that day. What is told of the whole table stands before what is told of its
    lines."""
    read = list(_read(text, _Cells(zone, names, codes), name)) or [Issue(name, "the table has no rows", "rejected")]
    signals = [one for one in read if isinstance(one, Signal)]
    signals.sort(key=attrgetter("at", "security", "label"))
    issues = sorted((one for one in read if isinstance(one, Issue)), key=lambda issue: issue.line is not None)
    return Strategy(name, tuple(signals), tuple(issues))


def _read(text: str, cells: "_Cells", name: str) -> Iterator[Signal | Issue]:
    first = next(filter(str.strip, io.StringIO(text)), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",\t;|，", key=first.count))
    failed, n_neutral = Counter[str](), 0
    try:
        columns = _columns(next(filter(_says_something, reader), []))
        if missing := [column for column in ("date", "security", "label") if column not in columns]:
            said = f"this is no table of signals: it has no column for {' and none for '.join(missing)}"
            yield Issue(name, said, "rejected")
            return
        for row in filter(_says_something, reader):
            try:
                if signal := cells.signal(*(row[at] if at < len(row) else "" for at in columns.values())):
                    yield signal
                else:
                    n_neutral += 1
            except _Unusable as problem:
                failed[problem.column] += 1
                if failed[problem.column] <= _EXAMPLES:
                    yield Issue(name, str(problem), "rejected", reader.line_num)
    except csv.Error as error:
        yield Issue(name, f"cannot be read as a table from here on: {error}", "rejected", reader.line_num)
    if n_neutral:
        yield Issue(name, f"neutral ratings, which call nothing: {n_neutral}", "note")
    if cells.n_filled:
        yield Issue(name, f"codes that had become numbers, read with all six digits: {cells.n_filled}", "note")
    for column, count in failed.items():
        if count > _EXAMPLES:
            yield Issue(name, f"cannot be used for their {column}: {count - _EXAMPLES} more", "rejected")


def _says_something(row: Sequence[str]) -> bool:
    return any(map(str.strip, row))


def _columns(header: Sequence[str]) -> dict[str, int]:
    """Column -> its place, in the order of `_COLUMNS`; without those that the header does not name."""
    written = ["_".join(_plain(cell).lower().split()) for cell in header]
    found = {
        column: next((written.index(spelling) for spelling in spellings.split() if spelling in written), None)
        for column, spellings in _COLUMNS.items()
    }
    return {column: at for column, at in found.items() if at is not None}


class _Cells:
    """What rows of cells say. Columns hold few spellings, so that what was understood of one is remembered."""

    def __init__(self, zone: str, names: Names, codes: Container[str]) -> None:
        self._codes, self.n_filled = codes, 0
        remember = lru_cache(maxsize=_SPELLINGS)
        self._moment, self._names = remember(partial(_moment, zone=zone)), names
        self._code, self._called = remember(_code), remember(_without_spaces)
        self._bearers = lru_cache(maxsize=_DAYS)(self._bearers_on)
        self._label, self._confidence = remember(_label), remember(_confidence)

    def signal(self, date: str, security: str, label: str, confidence: str = "") -> Signal | None:
        """The signal of a row, None where it is neutral; _Unusable."""
        at, day = self._moment(date)
        code, called, sure = self._security(security, day), self._label(label), self._confidence(confidence)
        return None if called is None else Signal(code, at, day, called, sure)

    def _security(self, written: str, day: date) -> str:
        if (code := self._code(written)) is not None:
            return code
        number = _NUMBER.fullmatch(_plain(written))
        code = self._code(f"{number[1]:0>6}") if number else None
        if code is not None and code in self._codes:
            self.n_filled += 1
            return code
        if not written.strip():
            raise _Unusable("security", "no security is named")
        bearers = self._bearers(day).get(self._called(written), ())
        if not bearers:
            raise _Unusable("security", f"{_shown(written)} is no security, and none was called so on {day}")
        if len(bearers) > 1:
            raise _Unusable("security", f"{' and '.join(bearers)} were both called {_shown(written)} on {day}")
        return bearers[0]

    def _bearers_on(self, day: date) -> Mapping[str, Sequence[str]]:
        """Name, without its spaces -> the codes of who bore it on a day."""
        found: dict[str, list[str]] = {}
        for code, name in self._names(day).items():
            found.setdefault(self._called(name), []).append(code)
        return found


def _plain(written: str) -> str:
    """As it is typed on any other keyboard: full-width letters, digits and signs are plain ones; without what makes a
    spreadsheet take it for text (="600519", '600519)."""
    plain = unicodedata.normalize("NFKC", written).replace("\N{MINUS SIGN}", "-").strip()
    return plain.strip("='\"") if plain.startswith(('="', "'")) else plain


def _without_spaces(name: str) -> str:
    return "".join(_plain(name).split())


def _moment(written: str, *, zone: str) -> tuple[Instant, date]:
    """When it was said, and the day of that; the end of the day where no hour is told."""
    plain = _plain(written)
    if match := _DAY.match(plain):
        year, month, day, hour = (match[1], match[2] or match[4], match[3] or match[5], match[6])
        plain = f"{year}-{month:0>2}-{day:0>2}" + (f" {hour:0>2}" if hour else "") + plain[match.end() :]
    try:
        if (at := instant(plain, zone=zone)) is not None:
            return at, as_datetime(at, zone).date()
    except OverflowError:  # the ends of the calendar, in another zone
        pass
    raise _Unusable("date", f"{_shown(written)} is neither a date nor an instant" if plain else "there is no date")


def _code(written: str) -> str | None:
    return canonical_security(_plain(written))


def _label(written: str) -> Label | None:
    """None for the word of a neutral rating."""
    word = _plain(written).lower()
    if word in _WORDS:
        return _WORDS[word]
    grade = grade_of(word)
    if grade is None:
        raise _Unusable("label", f"the label {_shown(written)} says neither Rise nor Fall")
    return LABELS.get(grade)


def _confidence(written: str) -> float | None:
    plain = _plain(written).lower()
    if plain in _UNKNOWN:
        return None
    try:
        stated = float(plain.removesuffix("%").replace(",", ".")) / (100.0 if plain.endswith("%") else 1.0)
    except ValueError:
        raise _Unusable("confidence", f"the confidence {_shown(written)} is no number") from None
    if not 0.0 <= stated <= 1.0:
        raise _Unusable("confidence", f"the confidence {_shown(written)} is not between 0 and 1 (or 100 %)")
    return stated


def _shown(written: str) -> str:
    return repr(written.strip()[:_SHOWN])
