"""The word lists of intake, compiled. They are data: a replaced file of the same name changes them (`resources`)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from finlore.language.alternatives import any_of
from finlore.records.document import DocumentKind
from finlore.resources import load_rows, load_toml

_SHORTEST_BROKER = 3
_LONGEST_LABELLED = 240
"""Where in a line a label may stand: further on it is part of running text."""
_HAN_SPACE = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s+|\s+(?=[\u3000-\u9fff\uff00-\uffef])")


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """What marks text that is not about the subject of its document; see `disclaimers.toml`."""

    headings: re.Pattern[str]
    english_headings: re.Pattern[str]
    inner_headings: tuple[str, ...]
    content_headings: tuple[str, ...]
    contents: frozenset[str]
    triggers: tuple[str, ...]
    phrases: tuple[re.Pattern[str], ...]
    inside: re.Pattern[str]
    footers: re.Pattern[str]


def as_listed(text: str) -> str:
    """Text as the word lists are written: NFKC, lower case, plain hyphens, no spaces beside Chinese, single ones
    elsewhere."""
    text = unicodedata.normalize("NFKC", text).lower().replace("\u2010", "-").strip()
    return " ".join(_HAN_SPACE.sub("", text).split())


def letters(text: str) -> str:
    """`as_listed` without anything but letters and digits at its ends: how headings are compared."""
    return as_listed(text).strip(" ：:.。、,，-—_·•■●◆*#()（）[]【】<>《》|/\\")


@lru_cache(maxsize=1)
def boilerplate() -> Boilerplate:
    """The compiled word lists of `lexicon/disclaimers.toml`."""
    table = load_toml("lexicon/disclaimers.toml")
    return Boilerplate(
        headings=re.compile("|".join(name for name in table["headings"] if not name.isascii())),
        english_headings=re.compile(rf"(?:{'|'.join(filter(str.isascii, table['headings']))})\b"),
        inner_headings=tuple(table["inner_headings"]),
        content_headings=tuple(table["content_headings"]),
        contents=frozenset(table["contents"]),
        triggers=tuple(table["triggers"]),
        phrases=tuple(re.compile(phrase) for phrase in table["phrases"]),
        inside=re.compile("|".join(table["inside"])),
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
    word, changes = any_of(ratings), any_of(table["ratings"]["changes"])
    chinese = any_of(rating for rating in ratings if not rating.isascii())
    return FirstPage(
        labels={name: _label_pattern(words) for name, words in table["labels"].items()},
        ratings=tuple(ratings),
        rating_change=re.compile(
            rf"(?<![a-z])({word})\W{{0,2}}[（(\[【,，]?\s?(?:{changes})"
            rf"|(?:维持|首次|给予|上调至|下调至|调高至|调低至).{{0,12}}?[“\"‘'「]?({chinese})[”\"’'」]?\W{{0,2}}(?:的?投资)?(?:的)?评级"
            rf"|\b(?:maintain|reiterate|we rate|initiat).{{0,40}}?\b({word})\W{{0,2}}\s?(?:rating|recommendation)"
        ),
        kinds={kind: re.compile("|".join(words)) for kind, words in table["kinds"].items()},
        kind_words={kind: frozenset(words) for kind, words in table["kind_words"].items()},
        generic=frozenset(table["titles"]["generic"]),
    )


def labels(line: str, field: str) -> Iterator[tuple[str, str]]:
    """(label, what stands after it) for every label of a field (`published_at`, `analysts`, `rating`, `broker`)."""
    if line.isascii() and ":" not in line:
        return
    for match in first_page().labels[field].finditer(line, 0, _LONGEST_LABELLED):
        yield match.group(), line[match.end() :]


@lru_cache(maxsize=1)
def brokers() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """(pattern of all shipped names of brokers, longest first; name as written -> the name it is known by)."""
    known: dict[str, str] = {}
    for _, name, also, _ in islice(load_rows("names/brokers.tsv", 4), 1, None):
        known |= {surface: name for surface in (name, *also.split("|")) if len(surface) >= _SHORTEST_BROKER}
    return re.compile(any_of(known)), known


def _label_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """A label and its colon; a Chinese label may also be followed by spaces only."""
    listed = list(words)
    chinese, latin = any_of(word for word in listed if not word.isascii()), any_of(filter(str.isascii, listed))
    return re.compile(rf"(?:{chinese})(?:\s?[：:]\s?|\s+)|(?<![a-z])(?:{latin})(?:s|\(s\))?\s?[：:]\s?", re.IGNORECASE)
