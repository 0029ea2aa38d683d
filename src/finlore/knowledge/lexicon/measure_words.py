"""The words by which sentences state figures: measures, what is derived from them, directions, forecasts. All are data:
`lexicon/statements.toml` over `lexicon/metrics.toml` and `names/metrics.tsv`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from ahocorasick_rs import AhoCorasick, MatchKind

from finlore.intake.tables.labels import lexicon
from finlore.intake.tables.units import is_money, parts_of
from finlore.language.normal import normalise
from finlore.resources import load_rows, load_toml

WordKind = Literal["measure", "derived", "up", "down", "reaches", "from", "forecast", "conditional", "near"]
_Meaning = tuple[WordKind, str, str] | tuple[WordKind, str, str, int]
_KINDS: Final = ("flow", "balance", "per_share", "price", "multiple", "ratio", "count", "days", "turns")
_FIRST_HAN: Final = "\u2e80"
_DEAREST: Final = 1e8  # nobody asks that much for one thing


@dataclass(frozen=True, slots=True)
class Word:
    """A wording at [start, end). `id` is the measure's (metric:revenue) or what is derived (growth, qoq, cagr, share,
    other); `quantity` the kind of number that the measure is (flow, ratio …); `sign` is -1 of a loss."""

    start: int
    end: int
    kind: WordKind
    id: str = ""
    quantity: str = ""
    sign: int = 1


class _Finder:
    """One pass for all wordings, the longest at each place; Latin ones as whole words. Where the same is also spelt one
    character further on, that is the word (运营|收入, not 运|营收|入)."""

    def __init__(self, listed: Mapping[str, _Meaning]) -> None:
        self._listed = listed
        self._words = sorted(listed)
        self._meanings = [listed[word] for word in self._words]
        self._automaton = AhoCorasick(self._words, matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[Word]:
        for number, start, end in self._automaton.find_matches_as_indexes(text):
            if _stands(text, start, end):
                meaning = self._meanings[number]
                further = self._listed.get(text[start + 1 : end + 1]) == meaning
                yield Word(start + further, end + further, *meaning)


def find_words(text: str) -> list[Word]:
    """The wordings of a normalised text from left to right."""
    return list(_finder().find(text))


@lru_cache(maxsize=1)
def fillers() -> tuple[str, ...]:
    """Words before a measure that do not say whose it is, longest first."""
    return tuple(sorted(load_toml("lexicon/statements.toml")["topics"]["fillers"], key=len, reverse=True))


@lru_cache(maxsize=1)
def _finder() -> _Finder:
    table = load_toml("lexicon/statements.toml")
    listed: dict[str, _Meaning] = {}
    quantities = dict(lexicon().metrics.values())
    never = frozenset(table["never"]["words"])
    for word, metric in _measures():
        if word not in never and _is_telling(word):
            listed[word] = ("measure", metric, quantities.get(metric, ""))
    told: tuple[tuple[str, WordKind, int], ...] = (
        ("also", "measure", 1),
        ("near", "near", 1),
        ("losses", "measure", -1),
    )
    for part, kind, sign in told:
        for name, words in table[part].items():
            metric = f"metric:{name}"
            listed |= {word: (kind, metric, quantities.get(metric, ""), sign) for word in words}
    for derived, words in table["derived"].items():
        listed |= {word: ("derived", derived, "") for word in words}
    for kind, words in {**table["direction"], **table["basis"]}.items():
        listed |= {word: (kind, "", "") for word in words}
    return _Finder(listed)


def _measures() -> Iterator[tuple[str, str]]:
    """(wording as it reads in normalised text, id) of every measure of the shipped lists."""
    for _, name, also, metric in islice(load_rows("names/metrics.tsv", 4), 1, None):
        yield from ((normalise(word).text, metric) for word in (name, *also.split("|")) if word)
    table = load_toml("lexicon/metrics.toml")
    for kind in _KINDS:
        for name, words in table[kind].items():
            yield from ((normalise(word.rstrip("*")).text, f"metric:{name}") for word in words)


def _is_telling(word: str) -> bool:
    """Single characters and numbered labels of statements (一、营业总收入) are words of tables only."""
    return len(word) > 1 and "、" not in word and not word.endswith((":", ")"))


def counts(measure: Word, unit: str) -> bool:
    """Whether a measure can be counted in the unit."""
    factor, thing = parts_of(unit)
    in_money = bool(unit) and is_money(unit.partition("/")[0])
    fits = {
        "flow": in_money,
        "balance": in_money,
        "per_share": not unit or (in_money and factor == 1),
        "price": not unit or (in_money and factor == 1),
        "multiple": unit in ("", "x"),
        "turns": unit in ("", "次", "x"),
        "days": unit == "天",
        "ratio": False,  # per cent only, which is read elsewhere
        "count": unit not in ("", "x") and not (thing and in_money),
    }
    if measure.id == "metric:unit_price" and factor >= _DEAREST:
        return False
    return fits.get(measure.quantity, unit not in ("", "x"))


def _stands(text: str, start: int, end: int) -> bool:
    if text[start] >= _FIRST_HAN:
        return True
    before = text[start - 1] if start else " "
    behind = text[end] if end < len(text) else " "
    return not (_is_latin(before) and _is_latin(text[start])) and not (_is_latin(behind) and _is_latin(text[end - 1]))


def _is_latin(character: str) -> bool:
    return character.isalpha() and character < _FIRST_HAN
