"""The parts of a company's name that say who it is: code, legal form, class of share, region, trade, group, branch.

Pure functions on names and shipped word lists; nothing here knows which companies there are.
"""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Final, Literal

from finlore.graph.folded import surface_of, without_legal_form
from finlore.language.codes import canonical_security
from finlore.language.legal import LEGAL_FORM
from finlore.language.normal import HAN, has_han
from finlore.resources import load_rows, load_toml, load_words

Language = Literal["zh", "en"]
_BRAND: Final = (1.0, 1.0, 0.6)
"""What the first letters tell that are of no listed word; further ones tell `_LATER`."""
_LATER: Final = 0.35
_SHARED: Final = 0.4
_TAIL: Final = 0.1
_LINKING: Final = " ()（）-·&"
_STOCK: Final = "股份"
_GROUP: Final = "集团"
_FORM: Final = re.compile(f"(集团)?({LEGAL_FORM}|股份公司)")
_STATUS: Final = re.compile(rf"^(?:s?\*?st|s|pt|xd|xr|dr|n|c)\s?(?=[{HAN}])|(?<=[{HAN}])-(?:u|w|uw|wd|d|s|r)$")
_DELISTED: Final = re.compile(rf"(?<=[{HAN}]{{2}})退$|^退市")
_CLASS: Final = re.compile(rf"(?<=[{HAN}])([abh])股?$")
_DIGITS: Final = re.compile(r"[0-9]+")
_CODE: Final = re.compile(r"(?:[a-z]{2}\.?)?\d{4,6}(?:[. ][a-z]{2})?")


@dataclass(frozen=True, slots=True)
class NameParts:
    """`core` is the folded name without legal form, class of share and marks of its trading; a code has none. `code` is
    canonical, `form` the legal form as printed (集团 before it included)."""

    core: str
    language: Language
    form: str = ""
    share_class: str = ""
    code: str = ""

    @property
    def is_stock_company(self) -> bool:
        return _STOCK in self.form

    @property
    def numbers(self) -> str:
        """The digits of the core, a space between two numbers."""
        return " ".join(_DIGITS.findall(self.core))

    @property
    def whole(self) -> str:
        """The core with what of the legal form stands in short names (集团, 股份)."""
        return self.core + (_GROUP if self.form.startswith(_GROUP) else "") + (_STOCK if self.is_stock_company else "")


@dataclass(frozen=True, slots=True)
class Word:
    """[start, end) of a core, and how much it tells: letters of the brand, which comes first, tell most, words for
    places and trades little, those of a tail next to nothing."""

    start: int
    end: int
    weight: float
    is_place: bool = False

    @property
    def is_brand(self) -> bool:
        """Whether no short name does without it."""
        return self.weight == _BRAND[0]


@lru_cache(maxsize=1 << 15)
def read_name(name: str) -> NameParts:
    """The parts of a name as printed."""
    surface = surface_of(name)
    if _CODE.fullmatch(surface) and (code := canonical_security(surface.replace(" ", "."))):
        return NameParts("", "en", code=code)
    if not has_han(surface):
        return NameParts(surface_of(without_legal_form(name)), "en", form=_latin_form(name))
    plain = surface.replace(" ", "")
    plain = _DELISTED.sub("", _STATUS.sub("", plain))
    form = next((match for match in _FORM.finditer(plain) if match.start() >= 2), None)
    if form is not None and len(plain) - len(form.group()) >= 2:
        return NameParts(plain[: form.start()] + plain[form.end() :], "zh", form=form.group())
    share = _CLASS.search(plain)
    if share is not None and share.start() >= 2:
        return NameParts(plain[: share.start()], "zh", share_class=share[1].upper())
    return NameParts(plain, "zh")


def words_of(core: str) -> list[Word]:
    """A Chinese core cut into what its letters are: words of the lists, the longest first, else single letters."""
    found: list[Word] = []
    n_brand = at = 0
    begin = brand_from(core)
    while at < len(core):
        length, weight, is_place = _word_at(core, at)
        if not weight:
            n_own = n_brand if at >= begin else len(_BRAND)
            weight = _BRAND[n_own] if n_own < len(_BRAND) else _LATER
            n_brand += at >= begin
        found.append(Word(at, at + length, weight, is_place))
        at += length
    return found if n_brand else [replace(word, weight=_BRAND[n]) for n, word in enumerate(found[:2])] + found[2:]


def has_brand(core: str) -> bool:
    """Whether a core says more than a place and a trade."""
    return not is_listed(core)


def is_listed(text: str) -> bool:
    """Whether a text is made of words of the lists alone, places and trades; nothing is."""
    at = 0
    while at < len(text):
        length, weight, _ = _word_at(text, at)
        if not weight and text[at] not in _LINKING:
            return False
        at += length
    return True


def brand_from(core: str) -> int:
    """Where the brand may begin: behind the group that a member of it names first (岭东集团云禾照明), else 0."""
    at = core.find(_GROUP) + len(_GROUP)
    return at if at > len(_GROUP) and len(core.removesuffix(_STOCK)) - at >= 2 else 0


def has_region(text: str) -> bool:
    return any(text[a:b] in _regions() for a in range(len(text)) for b in range(a + 2, min(len(text), a + 6) + 1))


def word_list(kind: Literal["units", "groups", "descriptions"], language: Language) -> frozenset[str]:
    """The words of `lexicon/company_names.toml`."""
    return _words()[kind, language]


def _word_at(core: str, at: int) -> tuple[int, float, bool]:
    """(length, weight, whether it is a place) of the longest listed word at a place; (1, 0, False) of a letter."""
    for length in range(min(6, len(core) - at), 1, -1):
        word = core[at : at + length]
        if word in _words()["tails", "zh"] and at + length == len(core):
            return length, _TAIL, False
        if word in _regions() or word in _trades():
            return length, _SHARED, word in _regions()
    return 1, 0.0, False


def _latin_form(name: str) -> str:
    return name.rstrip()[len(without_legal_form(name)) :].strip(" ,")


@cache
def _words() -> dict[tuple[str, str], frozenset[str]]:
    return {
        (kind, language): frozenset(words)
        for kind, languages in load_toml("lexicon/company_names.toml").items()
        for language, words in languages.items()
    }


@cache
def _regions() -> frozenset[str]:
    names = {name for _, name, also, _ in islice(load_rows("names/regions.tsv", 4), 1, None) for name in (name, also)}
    plain = {surface_of(part) for name in names for part in name.split("|") if has_han(part)}
    cities = {f"{name}{what}" for name in plain for what in "省市" if len(name) == 2}
    return frozenset(name for name in plain | cities if len(name) > 1)


@cache
def _trades() -> frozenset[str]:
    listed = {chinese for chinese, _ in load_rows("names/business_english.tsv", 2)}
    return frozenset(
        word
        for word in listed | load_words("names/business_words.txt") | _words()["tails", "zh"] | _words()["units", "zh"]
        if len(word) > 1
    )
