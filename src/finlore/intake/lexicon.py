"""The word lists of intake, compiled. They are data: a replaced file of the same name changes them (`resources`)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from finlore.records.document import DocumentKind
from finlore.resources import load_toml, names

_HAN_SPACE = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s+|\s+(?=[\u3000-\u9fff\uff00-\uffef])")


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """What marks text that is not about the subject of its document; see `disclaimers.toml`."""

    headings: tuple[str, ...]
    inner_headings: tuple[str, ...]
    content_headings: tuple[str, ...]
    contents: frozenset[str]
    triggers: re.Pattern[str]
    phrases: tuple[re.Pattern[str], ...]
    footers: re.Pattern[str]


def folded(text: str) -> str:
    """Text as the word lists are written: NFKC, lower case, no spaces beside Chinese, single ones elsewhere."""
    text = unicodedata.normalize("NFKC", text).lower().strip()
    return " ".join(_HAN_SPACE.sub("", text).split())


def letters(text: str) -> str:
    """`folded` without anything but letters and digits at its ends: how headings are compared."""
    return folded(text).strip(" ：:.。、,，-—_·•■●◆*#()（）[]【】<>《》|/\\")


@lru_cache(maxsize=1)
def boilerplate() -> Boilerplate:
    """The compiled word lists of `lexicon/disclaimers.toml`."""
    table = load_toml("lexicon/disclaimers.toml")
    return Boilerplate(
        headings=tuple(table["headings"]),
        inner_headings=tuple(table["inner_headings"]),
        content_headings=tuple(table["content_headings"]),
        contents=frozenset(table["contents"]),
        triggers=re.compile("|".join(map(re.escape, table["triggers"]))),
        phrases=tuple(re.compile(phrase) for phrase in table["phrases"]),
        footers=re.compile("|".join(f"(?:{footer})" for footer in table["footers"])),
    )


@dataclass(frozen=True, slots=True)
class FirstPage:
    """How documents name their own fields; see `metadata.toml`."""

    labels: dict[str, re.Pattern[str]]
    ratings: tuple[str, ...]  # longest first
    rating_change: re.Pattern[str]
    kinds: dict[DocumentKind, re.Pattern[str]]
    kind_words: dict[DocumentKind, frozenset[str]]
    generic: frozenset[str]


@lru_cache(maxsize=1)
def first_page() -> FirstPage:
    """The compiled word lists of `lexicon/metadata.toml`."""
    table = load_toml("lexicon/metadata.toml")
    ratings = sorted((*table["ratings"]["words"], *table["ratings"]["english"]), key=len, reverse=True)
    word = "|".join(map(re.escape, ratings))
    chinese = "|".join(map(re.escape, (rating for rating in ratings if not rating.isascii())))
    changes = "维持|首次|上调|下调|调高|调低|maintain|initiat|upgrade|downgrade|reiterat"
    return FirstPage(
        labels={name: _label_pattern(words) for name, words in table["labels"].items()},
        ratings=tuple(ratings),
        rating_change=re.compile(
            rf"(?<![a-z])({word})\W{{0,2}}[（(\[【,，]?\s?(?:{changes})"
            rf"|(?:维持|首次|给予|上调至|下调至|调高至|调低至).{{0,12}}?[“\"‘'「]?({chinese})[”\"’'」]?\W{{0,2}}(?:的?投资)?(?:的)?评级"
            rf"|(?:maintain|reiterate|rate|initiate).{{0,30}}?\b({word})\b"
        ),
        kinds={kind: re.compile("|".join(words)) for kind, words in table["kinds"].items()},
        kind_words={kind: frozenset(words) for kind, words in table["kind_words"].items()},
        generic=frozenset(table["titles"]["generic"]),
    )


def labels(line: str, field: str) -> Iterator[tuple[str, str]]:
    """(label, what stands after it) for every label of a field (`published_at`, `analysts`, `rating`, `broker`)."""
    for match in first_page().labels[field].finditer(line):
        yield match.group(), line[match.end() :]


@lru_cache(maxsize=1)
def brokers() -> re.Pattern[str]:
    """Any shipped name of a broker, longest first; matches nothing when no list is shipped."""
    table = load_toml("names/brokers.toml") if "names/brokers.toml" in names("names") else {}
    found = sorted(_strings(table), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, found)) if found else r"(?!)")


def _label_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """A label and its colon; a Chinese label may also be followed by spaces only."""
    ordered = sorted(words, key=len, reverse=True)
    chinese = "|".join(map(re.escape, (word for word in ordered if not word.isascii())))
    latin = "|".join(map(re.escape, (word for word in ordered if word.isascii())))
    return re.compile(
        rf"(?:{chinese})(?:\s?[：:]\s?|\s+)|(?<![a-z])(?:{latin})s?\s?(?:\(s\))?\s?[：:]\s?", re.IGNORECASE
    )


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
