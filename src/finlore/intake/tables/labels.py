"""Labels of rows and columns -> the measure they name, what is derived from it, and the unit. The words are data:
`lexicon/metrics.toml` over the names of measures in `names/metrics.tsv`."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from finlore.intake.tables.units import is_money, read_unit
from finlore.language.normal import HAN
from finlore.resources import load_rows, load_toml

_KINDS: Final = ("flow", "balance", "per_share", "price", "multiple", "ratio", "count", "days", "turns")
_NOT_KEY = re.compile(r"[\W_]+")
_NUMBERING = re.compile(
    r"(?:[一二三四五六七八九十]{1,2}[、.]|\(?[\da-z一二三四五六七八九]{1,2}[).、](?=\D)|其中\s*:?|[减加]\s*:"
    r"|(?:less|add)\s*:|of which\s*:?)\s*"
)
_BRACKETED = re.compile(r"[(\[【]([^()\[\]【】]*)[)\]】]")
_PARTS = re.compile(r"[,;、|/]")
_PLUS_MINUS = re.compile(r"\(?\+\s?/\s?-\s?\)?\s*(?:\(?\s*(%|pct|bps)\s*\)?)?|±\s*(%)?")
_TAIL = re.compile(r"([\s,:_\-–—/]+)([^\s,:]{1,12}|(?:us\$|hk\$|rmb|usd)\s\S{1,8})$")
_LATIN = re.compile(r"[a-z][a-z0-9/&. ]*")
_IGNORABLE: Final = frozenset({"ttm", "lyr", "mrq", "lf", "e", "a", "fy1", "gaap"})
_LONGEST = 120
_MARKS: Final = " *†‡^←→↑↓"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`metrics`: key -> (id, kind); `prefixes` the same for wordings that go on; `derived`, `headers`: key -> which."""

    metrics: Mapping[str, tuple[str, str]]
    prefixes: tuple[tuple[str, tuple[str, str]], ...]
    derived: Mapping[str, str]
    headers: Mapping[str, str]
    growth_sections: frozenset[str]
    cash_flow: tuple[str, ...]
    whole: tuple[str, ...]
    totals: tuple[str, ...]
    uncounted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """`metric` is an id without what is `derived` from it (growth, qoq, cagr, share); "" where the measure is unknown.

    `is_bare`: it names only what is derived, and belongs to the measure above or beside it.
    """

    metric: str = ""
    kind: str = ""
    derived: str = ""
    unit: str = ""
    is_bare: bool = False

    @property
    def id(self) -> str:
        return f"{self.metric}.{self.derived}" if self.metric and self.derived else self.metric


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The words of the data files, compiled."""
    table = load_toml("lexicon/metrics.toml")
    metrics: dict[str, tuple[str, str]] = {}
    prefixes: list[tuple[str, tuple[str, str]]] = []
    kinds = {f"metric:{name}": kind for kind in _KINDS for name in table[kind]}
    for _, name, also, metric in islice(load_rows("names/metrics.tsv", 4), 1, None):
        metrics |= {key_of(word): (metric, kinds.get(metric, "")) for word in (name, *also.split("|")) if word}
    for kind in _KINDS:
        for name, words in table[kind].items():
            known = (f"metric:{name}", kind)
            prefixes += ((key_of(word), known) for word in words if word.endswith("*"))
            metrics |= {key_of(word): known for word in words if not word.endswith("*")}
    return Lexicon(
        metrics=metrics,
        prefixes=tuple(sorted(prefixes, key=lambda entry: -len(entry[0]))),
        derived=dict(sorted(_keys(table["derived"]), key=lambda entry: -len(entry[0]))),
        headers=dict(_keys(table["headers"])),
        growth_sections=frozenset(map(key_of, table["context"]["growth"])),
        cash_flow=tuple(table["context"]["cash_flow"]),
        whole=tuple(map(key_of, table["context"]["whole"])),
        totals=tuple(map(key_of, table["context"]["totals"])),
        uncounted=tuple(table["context"]["uncounted"]),
    )


def _keys(words: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    return ((key_of(word), role) for role, listed in words.items() for word in listed)


def key_of(text: str) -> str:
    """How labels are compared: NFKC, lower case, letters and digits alone ("#" stands for itself)."""
    folded = unicodedata.normalize("NFKC", text).lower().strip()
    return folded if folded == "#" else _NOT_KEY.sub("", folded)


def header_role(text: str) -> str:
    """What a head says that only says what stands below it: company, code, ordinal, unit, time, ignored; else ""."""
    role = lexicon().headers.get(_outside_key(text), "")
    return "" if role == "aggregate" else role


def is_aggregate(text: str) -> bool:
    """Whether a row of a comparison stands for several companies."""
    key = _outside_key(text)
    ends = ("平均", "均值", "平均值", "中位数", "average", "median")
    return lexicon().headers.get(key) == "aggregate" or key.endswith(ends)


def is_growth_section(text: str) -> bool:
    """Whether a heading inside a statement says that amounts below it in per cent are growth rates."""
    return _outside_key(text) in lexicon().growth_sections


def is_cash_flow(title: str) -> bool:
    """Whether a title is that of a cash flow statement."""
    folded = title.lower()
    return any(word in folded for word in lexicon().cash_flow)


def is_whole(text: str) -> bool:
    """Whether a heading above measures stands for the whole company and not for a part of it."""
    key = _outside_key(text)
    return not key or any(word in key for word in lexicon().whole)


def is_total(text: str) -> bool:
    """Whether a label says that its row adds up others."""
    key = _outside_key(text)
    return any(key.startswith(word) or key.endswith(word) for word in lexicon().totals)


def is_countless(text: str) -> bool:
    """Whether a label names what no amount of money is: a rate, a number of shops."""
    folded = text.lower()
    return any(word in folded for word in lexicon().uncounted)


def _outside_key(text: str) -> str:
    return key_of(_BRACKETED.sub("", unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=8192)
def read_label(text: str) -> Label:
    """What a label says; a label that no word list knows keeps its unit."""
    folded = " ".join(unicodedata.normalize("NFKC", text).lower().split())[:_LONGEST].rstrip(_MARKS)
    derived = unit = ""
    if sign := _PLUS_MINUS.search(folded):
        derived, unit = "growth", sign[1] or sign[2] or ""
        folded = (folded[: sign.start()] + " " + folded[sign.end() :]).strip()
    folded, inside = _without_brackets(folded)
    unit = unit or next((found for piece in inside if (found := read_unit(piece))), "")
    said = [piece for piece in inside if not read_unit(piece)]
    derived = derived or next((found for piece in said if (found := lexicon().derived.get(key_of(piece), ""))), "")
    name, tail = _without_tail(folded)
    unit = unit or tail
    label = _named(name, said) or _named(folded, said) or Label()
    derived = label.derived or derived
    unit = unit or ("%" if derived and "%" in folded else "")
    is_bare = label.is_bare or (bool(derived) and not key_of(name))
    return Label(label.metric, label.kind, derived, unit, is_bare)


def _without_brackets(folded: str) -> tuple[str, list[str]]:
    """(text outside, contents of brackets: whole where that is a unit, else its parts)."""
    inside: list[str] = []
    for match in _BRACKETED.finditer(folded):
        inside += [match[1]] if read_unit(match[1]) else [part.strip() for part in _PARTS.split(match[1])]
    return " ".join(_BRACKETED.sub(" ", folded).split()), [piece for piece in inside if piece]


def _without_tail(folded: str) -> tuple[str, str]:
    """(name, unit behind it): "revenue, rmb mn", 毛利率%, eps 元."""
    if folded.endswith("%") and folded.count("%") == 1:
        return folded[:-1].rstrip(" -:,"), "%"
    match = _TAIL.search(folded)
    if match is not None and (unit := read_unit(match[2])):
        is_word = match[2].isascii() and not is_money(unit)  # "earnings per share" ends in no unit
        if not is_word or "," in match[1] or ":" in match[1]:
            return folded[: match.start()], unit
    return folded, ""


def _named(name: str, said: list[str]) -> Label | None:
    """The label that a name with its bracketed words stands for; the words may tell measures apart (稀释)."""
    name = name[found.end() :] if (found := _NUMBERING.match(name)) else name
    with_words = (f"{name}{''.join(said)}", name) if said else (name,)
    for wording in with_words:
        if known := _known(key_of(wording)):
            return Label(*known)
    for wording in with_words:
        if label := _derived(key_of(wording)):
            return label
    return next((Label(*known) for wording in with_words if (known := _of_two_scripts(wording))), None)


def _known(key: str) -> tuple[str, str] | None:
    words = lexicon()
    if not key:
        return None
    return words.metrics.get(key) or next((known for prefix, known in words.prefixes if key.startswith(prefix)), None)


def _derived(key: str) -> Label | None:
    """营业收入同比增速, growth of revenue: a measure and what is derived from it."""
    for word, derived in lexicon().derived.items():
        if key == word:
            return Label(derived=derived, is_bare=True)
        for rest in (key.removesuffix(word), key.removeprefix(word)):
            if rest == key:
                continue
            if known := _known(rest.removesuffix("的").removeprefix("of").removeprefix("in")):
                return Label(*known, derived=derived)
            if (inner := _derived(rest)) and inner.derived == derived:
                return inner
    return None


def _of_two_scripts(name: str) -> tuple[str, str] | None:
    """市盈率 P/E: the same measure in two languages, or one with a mark that changes nothing (市盈率TTM)."""
    latin = "".join(_LATIN.findall(name))
    chinese = "".join(re.findall(rf"[{HAN}]+", name))
    if not latin or not chinese:
        return None
    one, other = _known(key_of(chinese)), _known(key_of(latin))
    if one and (one == other or key_of(latin) in _IGNORABLE):
        return one
    return other if other and not one and chinese in {"倍", "比率", "比"} else None
