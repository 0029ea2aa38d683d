"""What companies make, sell and do, as sentences state it: behind a label, behind a verb, as what somebody is a maker
of, as brands. The words are data (`lexicon/products.toml`)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from finlore.knowledge.sentences import Reading
from finlore.language.alternatives import any_of
from finlore.language.normal import HAN, fold, normalise
from finlore.records.fact import Fact, Party
from finlore.records.mapped import MappedText
from finlore.resources import load_toml

_COMPANIES: Final = frozenset({"security", "company", "organisation", "name"})
_NO_THINGS: Final = frozenset(
    {"security", "company", "organisation", "person", "region", "broker", "regulator", "metric", "index"}
)
_STOP: Final = re.compile(r"[。;!?\n]|\.(?=\s|$)")
_CLAUSE: Final = re.compile(r"[,:]")
_BRACKET: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_QUOTES: Final = " \t\"“”'’‘「」『』《》*•·-—"
_ITEMS: Final = re.compile(r"[、/]|以及|及其|及|(?<![共饱缓调饱温])和|[与暨]|,\s(?:and\s)?|\sand\s|\s&\s")
_ENDS: Final = re.compile(rf"(?<![高中低同上对平劣优])等(?![离级温位式电])|(?<=[{HAN}])[,:]|[,:](?=[{HAN}])")
_BEGINS: Final = re.compile(
    r"^(?:[一二两三四五六七八九十]+[类大种项]|销售(?!费|渠道|网)|以|从|各类|包括|由|于|了|在|对|向|为|一系列|多种|针对|的)+"
)
_TRAIL: Final = re.compile(
    r"(?:多年|为主|为核心|构成|组成|等|两大|三大|四大|五大|六大|几大|类|方面|之一|板块|领域|[一二三四五六七八九两\d]+(?:大|项|类|个)\S{0,4})+$"
)
_MOST, _LONGEST, _SHORTEST, _OPENING = 20, 18, 2, 4
_REVENUE, _SEGMENT = "metric:revenue.", 0.7
_GAP: Final = "\ue000"  # the company itself in what stands before a statement


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that is offered at [start, end) of the text read. `whose` is the company that the clause names; None:
    it speaks of the company that the text is about."""

    start: int
    end: int
    whose: Party | None
    confidence: float


def find_offers(reading: Reading) -> list[Offer]:
    """What a sentence says that a company makes, sells or does, from left to right, each place once."""
    normal = normalise(reading.text)
    words = _words()
    if words.any.search(normal.text) is None:
        return []
    masked = _masked(normal.text)
    found: dict[int, Offer] = {}
    for form, sure, lists in words.forms:
        for match in form.finditer(masked):
            whose = _whose(reading, normal, match.start(), lists=lists)
            if whose == "other":
                continue
            for start, end in _items(masked, *match.span("list")):
                first, last = normal.span(start, end)
                if not _is_somebody(reading, first, last):
                    found.setdefault(first, Offer(first, last, whose, sure))
    return sorted(found.values(), key=lambda offer: offer.start)


def segment_products(figures: Iterable[Fact], said: Iterable[Fact]) -> list[Fact]:
    """The parts whose revenue is stated, each once, as products of the company whose figures these are, without those
    that are said to be products anyhow."""
    known = {(fact.subject, fact.object.surface) for fact in said if fact.relation == "key_products" and fact.object}
    found: dict[tuple[Party, str], Fact] = {}
    for figure in figures:
        part = figure.part if figure.relation.startswith(_REVENUE) and figure.subject.kind in _COMPANIES else ""
        place = _named_thing(part, 0, len(part)) if part else None
        name = part[slice(*place)] if place else ""
        surface = fold(name)
        if surface and (figure.subject, surface) not in known:
            product = Fact(
                figure.subject, "key_products", figure.evidence, name, Party(name, surface, "product"),
                confidence=min(figure.confidence, _SEGMENT),
            )  # fmt: skip
            found.setdefault((figure.subject, surface), product)
    return list(found.values())


def _is_somebody(reading: Reading, start: int, end: int) -> bool:
    """Whether what stands at a place is a company, person or region."""
    return any(name.party.kind in _NO_THINGS and (name.start, name.end) == (start, end) for name in reading.names)


# whose it is


def _whose(reading: Reading, normal: MappedText, at: int, *, lists: bool) -> Party | Literal["other"] | None:
    """The company that stands before a statement, None where it is the one that the text is about, "other" where
    something else stands there; lists may stand farther behind it than verbs."""
    text = normal.text
    begin = max((stop.end() for stop in _STOP.finditer(text, 0, at)), default=0)
    clause = max((stop.end() for stop in _CLAUSE.finditer(text, begin, at)), default=begin)
    opens, starts, ends = (normal.origin(offset) for offset in (begin, clause, at))
    before = [
        name for name in reading.names if name.party.kind in _COMPANIES and opens <= name.start and name.end <= ends
    ]
    own = next((name for name in reversed(before) if name.start >= starts), None)
    words = _words()
    if own is None:
        lead = normalise(reading.text[starts:ends]).text
    else:
        lead = f"{normalise(reading.text[starts : own.start]).text}{_GAP}{normalise(reading.text[own.end : ends]).text}"
    opening = next((name for name in before if name.start - opens <= _OPENING and not _is_house(name.party)), None)
    if not words.lead.fullmatch(_masked(lead)):
        speaks = (
            lists
            and not (own and _is_house(own.party))
            and (own.start - starts <= _OPENING if own else words.opening.match(text, clause, at))
        )
        if not speaks:
            return "other"
    elif lead.lstrip().startswith("其") and before:
        return before[-1].party
    named = own or opening
    return named.party if named else None


def _is_house(party: Party) -> bool:
    """Whether it may be only the one whose research is read."""
    return party.kind == "broker" or party.name.endswith("证券")


def _masked(text: str) -> str:
    """The text with a mark in the place of every character that stands in brackets."""
    return _BRACKET.sub(lambda bracket: "\x00" * len(bracket.group()), text)


# what it is


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """[start, end) of each part of a list, up to the first that names nothing."""
    stop = _ENDS.search(text, start, end)
    end = stop.start() if stop else end
    at = start
    for number, separator in enumerate([*_ITEMS.finditer(text, start, end), None]):
        until = separator.start() if separator else end
        place = _named_thing(text, at, until)
        if place is None or number >= _MOST:
            return
        yield place
        at = separator.end() if separator else end


def _named_thing(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The name within a part of a list, without what leads to it and what goes on behind it."""
    piece = text[start:end].partition("\x00")[0]
    begins = len(piece) - len(piece.lstrip(_QUOTES))
    if (opening := _BEGINS.match(piece[begins:])) is not None:
        begins += opening.end()
    words = _words()
    said = words.praise.sub("", words.tail.sub("", _TRAIL.sub("", piece[begins:].rstrip(_QUOTES))).strip(_QUOTES))
    name = said.rpartition("的")[2]
    begins = piece.rfind(name, begins) if name else -1
    longest = _LONGEST if not name.isascii() else 3 * _LONGEST
    if begins < 0 or not _SHORTEST <= len(name) <= longest or words.never.search(said) or words.never.search(name):
        return None
    return start + begins, start + begins + len(name)


@dataclass(frozen=True, slots=True)
class _Words:
    any: re.Pattern[str]
    forms: tuple[tuple[re.Pattern[str], float, bool], ...]
    lead: re.Pattern[str]
    opening: re.Pattern[str]
    praise: re.Pattern[str]
    tail: re.Pattern[str]
    never: re.Pattern[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = {name: tuple(words) for name, words in load_toml("lexicon/products.toml").items()}
    own, adverbs, praise = (any_of(table[name]) for name in ("self", "adverbs", "praise"))
    deeds, empty = any_of(table["deeds"]), any_of((*table["deeds"], *table["generic"], *table["praise"]))
    marks = ["labels", "lists", "does", "weakly_does", "makers", "has_brands"]
    marks += ["english_labels", "english_lists", "english_does", "english_makers"]
    forms = [(re.compile(form), sure, True) for form, sure in _lists(table)]
    forms += [(re.compile(form), sure, False) for form, sure in _statements(table)]
    return _Words(
        any=re.compile(any_of(word for mark in marks for word in table[mark])),
        forms=tuple(forms),
        lead=re.compile(
            rf"[\s\W\d年月日q]*(?:{adverbs}|\s)*(?:{_GAP}|{own})?(?:\x00|\s)*(?:{own}|{adverbs}|{praise}|\s|[\d年月])*"
            rf"|.*\bthe (?:company|group)\b.{{0,16}}|.*{_GAP}[^{HAN}]{{0,40}}"
        ),
        opening=re.compile(rf"[\s\W\d年月日q]*(?:{adverbs}|\s)*(?:{own})"),
        praise=re.compile(rf"^(?:{praise})+"),
        tail=re.compile(rf"(?:的(?:{deeds})*|(?<=..)(?:研发|设计|开发|生产)(?:制造|加工|销售|封装|测试)*)$"),
        never=re.compile(
            rf"{any_of(table['not_names'])}|^(?:{empty})+$|[%=<>]|年$|(?<=[{HAN}])\s+(?=[{HAN}])|\d[亿万]|^[\d.]+$|\d{{4}}年"
            r"|^(?:it|its|their|a|the company|investors)\b"
        ),
    )


_Table = Mapping[str, tuple[str, ...]]


def _lists(table: _Table) -> Iterator[tuple[str, float]]:
    """Forms of lists behind a label, each with how sure it is."""
    label, lists, adjectives = (any_of(table[name]) for name in ("labels", "lists", "adjectives"))
    kinds = r"(?:[一二两三四五六七八九十\d]+(?:大类|大|类|种|项|个部分|部分)[,:]?)?(?:(?:主要)?包括)?"
    named = rf"(?:{label})(?:{any_of(table['label_tails'])})?(?:主要|目前|已|现)?"
    listed = rf"(?:了|有|:)?{kinds}(?P<list>[^。;!?\n]{{2,200}})"
    yield rf"(?:{adjectives})的?{named}(?:{lists}|{any_of(table['links'])})(?!主){listed}", 0.8
    yield rf"{named}[,:]?(?:主要)?(?:{lists}){listed}", 0.7
    yield (
        rf"\b(?:{any_of(table['english_labels'])})\s(?:{any_of(table['english_lists'])})\s(?P<list>[^.;]{{2,160}})",
        0.75,
    )


def _statements(table: _Table) -> Iterator[tuple[str, float]]:
    """Forms of what somebody does or is."""
    label, tails, praise = (
        any_of(table["labels"]),
        any_of(table["maker_tails"]),
        any_of(table["praise"] + table["praise_of_makers"]),
    )
    deeds, fields, does = (any_of(table[name]) for name in ("deeds", "fields", "does"))
    done = rf"(?:的)?(?:{deeds})(?:[、,及和与]|以及|等|业务|[。;!?,]|$)"
    does = rf"(?:{does})(?!{label})(?:于)?(?:(?:{deeds})[、和及与]?)*(?P<list>[^。;!?\n,:]{{2,60}}?)"
    yield rf"{does}(?:等)?(?:{fields})?{done}", 0.75
    yield rf"{does}(?=(?:等|的)?(?:(?:{fields})(?:[,。;!?、和及与的等]|$)|[,。;!?])|$)", 0.65
    weakly = rf"(?:{any_of(table['weakly_does'])})(?:了)?"
    yield rf"{weakly}(?P<list>[^。;!?\n,:]{{2,60}}?(?:业务|服务|产品|解决方案))(?=[,。;!?、]|$)", 0.55
    made = rf"(?:{any_of(table['is'])})(?:{praise}|[a-z\d]{{1,4}}(?:大|家))*(?P<list>[^。;!?\n,:]{{2,24}}?)(?:{tails})*"
    yield rf"{made}(?:{any_of(table['makers'])})(?![{HAN}]{{3,}})", 0.65
    brands, quoted = rf"(?:{any_of(table['has_brands'])}){{1,2}}(?:了|有)?", r"[“\"‘「][^“”\"‘’「」]{2,16}[”\"’」]"
    yield rf"{brands}(?P<list>[^。;!?\n,:]{{2,60}}?)(?:等|[两二三四五六七八九十\d]+大)[^,。;、]{{0,8}}品牌", 0.65
    yield (
        rf"(?:{any_of(table['launches'])})(?:了)?[^。;!?\n“\"‘「]{{0,28}}(?P<list>{quoted}(?:[、和及与]?{quoted})*)",
        0.6,
    )
    stop = rf"(?P<list>[^.;()]{{2,120}}?)(?=\s(?:{any_of(table['english_ends'])})\b|[.;(]|$)"
    yield rf"\b(?:{any_of(table['english_makers'])})s?\sof\s{stop}", 0.65
    yield rf"\b(?:{any_of(table['english_does'])})\s(?:and\s\w+s\s)?{stop}", 0.6
