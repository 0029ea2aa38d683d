"""Signals that somebody else made, from a table.

A header names the columns: date (or an instant), security (code or name), label, and confidence where there is one.
Rows that cannot be used are issues with their lines, as far as these are examples enough, and a count of the others.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from finlore.language.codes import canonical_security
from finlore.records.backtest import Label, Signal, Strategy
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, Instant, as_datetime, parse_instant

_COLUMNS: Final = {
    "date": ("date", "datetime", "time", "at", "timestamp", "signal_date", "trade_date", "日期", "时间", "信号日期"),
    "security": (
        "security", "code", "ts_code", "symbol", "ticker", "stock", "stock_code",
        "代码", "股票代码", "证券代码", "证券",
    ),
    "label": ("label", "signal", "direction", "prediction", "pred", "side", "标签", "方向", "信号", "预测"),
    "confidence": ("confidence", "conf", "置信度", "信心"),
}  # fmt: skip
_SYNONYMS: Final[Mapping[Label, str]] = {
    "Rise": (
        "rise rises rising up buy long bull bullish positive outperform overweight 1 +1 涨 上涨 看涨 看多 做多 买入 "
        "增持 上升 升 多"
    ),
    "Fall": (
        "fall falls falling down sell short bear bearish negative underperform underweight -1 跌 下跌 看跌 看空 做空 "
        "卖出 减持 下降 降 空"
    ),
}
_LABELS: Final = {word: label for label, words in _SYNONYMS.items() for word in words.split()}
_UNKNOWN: Final = frozenset({"", "nan", "none", "null", "n/a", "na", "-", "--"})
_DAY: Final = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})[-/.月](\d{1,2})日?|(\d{2})(\d{2}))(?!\d)")
_LARGEST_FIELD: Final = 1 << 20
_EXAMPLES: Final = 20  # of rows that fail in one column
_NOBODY: Final[Mapping[str, str]] = MappingProxyType({})


class _Unusable(ValueError):
    """Says in which column a row is wrong, and what is wrong with it."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


def read_signals(text: str, *, name: str, zone: str = MARKET_ZONE, names: Mapping[str, str] = _NOBODY) -> Strategy:
    """The signals of a table (comma, semicolon, tab or bar between cells), by instant; `names`: name -> code.
    What is told of the whole table stands before what is told of its lines."""
    read = list(_read(text, name=name, zone=zone, names=names)) or [Issue(name, "the table has no rows", "rejected")]
    signals = [one for one in read if isinstance(one, Signal)]
    signals.sort(key=lambda signal: (signal.at, signal.security, signal.label))
    issues = sorted((one for one in read if isinstance(one, Issue)), key=lambda issue: issue.line is not None)
    return Strategy(name, tuple(signals), tuple(issues))


def _read(text: str, *, name: str, zone: str, names: Mapping[str, str]) -> Iterator[Signal | Issue]:
    named, failed = {_plain(called): code for called, code in names.items()}, Counter[str]()
    csv.field_size_limit(_LARGEST_FIELD)
    delimiter = max(",\t;|", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = _columns(next(reader, []))
        if missing := [column for column in ("date", "security", "label") if column not in columns]:
            said = f"this is no table of signals: it has no column for {' and none for '.join(missing)}"
            yield Issue(name, said, "rejected")
            return
        for row in reader:
            cells = {column: _plain(row[at]) for column, at in columns.items() if at < len(row)}
            try:
                if any(cells.values()):
                    yield _signal(cells, zone=zone, names=named)
            except _Unusable as problem:
                failed[problem.column] += 1
                if failed[problem.column] <= _EXAMPLES:
                    yield Issue(name, str(problem), "rejected", reader.line_num)
    except csv.Error as error:
        yield Issue(name, f"cannot be read as a table from here on: {error}", "rejected", reader.line_num)
    for column, count in failed.items():
        if count > _EXAMPLES:
            yield Issue(name, f"{count - _EXAMPLES} more rows cannot be used for their {column}", "rejected")


def _plain(written: str) -> str:
    """As it is typed on any other keyboard: full-width letters, digits and signs are plain ones."""
    return unicodedata.normalize("NFKC", written).replace("\N{MINUS SIGN}", "-").strip()


def _columns(header: Sequence[str]) -> dict[str, int]:
    written = [cell.strip().lower() for cell in header]
    return {
        column: written.index(found)
        for column, spellings in _COLUMNS.items()
        if (found := next((spelling for spelling in spellings if spelling in written), None)) is not None
    }


def _signal(cells: Mapping[str, str], *, zone: str, names: Mapping[str, str]) -> Signal:
    at = _instant(cells.get("date", ""), zone)
    written = cells.get("security", "")
    security = names.get(written) or canonical_security(written)
    if security is None:
        raise _Unusable("security", f"{written!r} is no security" if written else "no security is named")
    label = _LABELS.get(cells.get("label", "").lower())
    if label is None:
        raise _Unusable("label", f"the label {cells.get('label', '')!r} says neither Rise nor Fall")
    return Signal(security, at, as_datetime(at, zone).date(), label, _confidence(cells.get("confidence", "")))


def _instant(written: str, zone: str) -> Instant:
    plain = written.replace("Z", "+00:00")
    match = _DAY.match(plain)
    try:
        if match is None:
            raise ValueError
        year, month, day = (int(part) for part in match.groups() if part)
        return parse_instant(f"{year:04d}-{month:02d}-{day:02d}{plain[match.end() :]}", zone)
    except (ValueError, OverflowError):
        said = f"{written!r} is neither a date nor an instant" if written else "there is no date"
        raise _Unusable("date", said) from None


def _confidence(written: str) -> float | None:
    if written.lower() in _UNKNOWN:
        return None
    try:
        stated = float(written.removesuffix("%")) / (100.0 if written.endswith("%") else 1.0)
    except ValueError:
        raise _Unusable("confidence", f"the confidence {written!r} is no number") from None
    if not 0.0 <= stated <= 1.0:
        raise _Unusable("confidence", f"the confidence {written!r} is not between 0 and 1 (or 100 %)")
    return stated
