"""What one document teaches about names, from its text alone: which surfaces stand for which security or company.

What needs more than one document to be believed says so (`Alias.needs`); what needs two surfaces is a `SameName` link.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from finlore.graph.folded import is_coined, surface_of, without_legal_form, word_pieces
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.patterns import find_patterns, head_of, legal_head
from finlore.graph.shipped import word_list
from finlore.language.codes import CodeMatch, canonical_security, code_surface, find_codes
from finlore.language.legal import LEGAL_FORM, brands, is_legal
from finlore.language.normal import HAN, has_han
from finlore.records.document import Document
from finlore.records.names import (
    STRENGTH_DEFINITION,
    STRENGTH_IDENTIFIER,
    STRENGTH_PATTERN,
    Alias,
    SameName,
)

_WINDOW: Final = 100  # characters before a bracket in which the name that it explains is looked for
_LONGEST_ABBREVIATION: Final = 6
_STRENGTH_FORMAL: Final = STRENGTH_DEFINITION - 1  # a legal or English name: as certain, but not what a share is called
STRENGTH_SAME: Final = 30  # legal name -> short name; a longer short name counts more
_BEFORE_CODE = re.compile(
    r"\s?[（(]\s?(?:(?:证券|股票|A股)?(?:代码|简称)|A股|code|[A-Z][A-Za-z ]{2,14})?\s?[:：]?\s?$|[:：\s]\s?$"
)
_RUN = re.compile(rf"[{HAN}A-Za-z0-9*·&]{{2,30}}$")
_ENGLISH = re.compile(
    r"(?<![\w'’.&-])(?:[A-Z][A-Za-z0-9À-ÿ'’.&-]*(?:\s+(?:of|&|the)(?=\s+[A-Z(]))?"
    r"(?:\s+(?:\([A-Z][\w-]*\)\s+)?(?=[A-Z])|$))+$"
)
_SHORT = re.compile(
    r"(?:以下|下文|下称|以下合并)?(?:简称|统称)(?:为)?[:：]?\s?(?:[“\"「『‘]([^”\"」』’\n]{2,16})[”\"」』’]|"
    rf"([{HAN}A-Za-z0-9]{{2,8}})(?=[)）]))(?:(?:或|、|，|/)\s?[“\"「]([^”\"」\n]{{2,16}})[”\"」])?"
)
_NAMES_SHORT = re.compile("[简统]称")
_CAPITAL = re.compile("[A-Z]")
_IN_BRACKETS = re.compile(r"[（(]([^（()）\n]{0,80})[)）]")
_LATIN_NAME = re.compile(
    r"(?:^|[，,;；/、|]\s?)(?:英文(?:名称?|简称)|English\s[Nn]ame)?\s?[:：]?\s?[“\"]?([A-Z][A-Za-z&.'’ -]{2,48})$"
)
_ROLE = re.compile("[本我该贵]|(?:公司|发行人|集团|上市公司|[标目][的标]公司|[甲乙丙丁]方|母公司|子公司|[Cc]ompany)$")
_NO_NAME: Final = ("上市", "代码", "股票", "简称", "发行", "标的", "等", "挂牌", "企业", "龙头", "分别", "板块", "行业")
_ENDS_LEGAL = re.compile(f"(?:{LEGAL_FORM})$")
_MAY_BE_SHORT = re.compile(rf"[{HAN}]{{2}}(?s:.{{0,6}})\Z")
_Owner = tuple[str, str, bool]
"""(entity, kind, whether the name is a legal one)"""


def learn(document: Document, sentences: Sequence[str], gazetteer: Gazetteer) -> tuple[Alias, ...]:
    """The aliases that the title, the fields and the sentences of a document state, each once."""
    found: dict[tuple[str, str], Alias] = {}
    for alias in _stated(document, sentences, gazetteer):
        known = {shipped.entity for shipped in gazetteer.aliases(alias.surface)}
        if alias.entity in known or (alias.surface in gazetteer and alias.strength < STRENGTH_IDENTIFIER):
            continue
        old = found.get((alias.surface, alias.entity))
        if old is None or (alias.needs, -alias.strength) < (old.needs, -old.strength):
            found[alias.surface, alias.entity] = alias
    return tuple(found.values())


def _stated(document: Document, sentences: Sequence[str], gazetteer: Gazetteer) -> Iterator[Alias]:
    security = canonical_security(document.metadata.security or "") or document.metadata.security
    if security:
        yield Alias(code_surface(security), security, "security", security, STRENGTH_IDENTIFIER)
    texts = tuple(dict.fromkeys((document.metadata.title, *sentences)))
    named = [alias for text in texts for code in find_codes(text) for alias in _named(text, code)]
    yield from named
    owners = {alias.surface: (alias.entity, alias.kind, False) for alias in named if alias.needs == 1}
    for text in texts:
        for code in find_codes(text):
            yield Alias(code.surface, code.entity, "security", code.entity, STRENGTH_IDENTIFIER)
        yield from _short_names(text, gazetteer, owners)
        for pattern in find_patterns(text):
            if pattern.kind == "policy" or (pattern.kind == "company" and not gazetteer.knows_tail(pattern.surface)):
                yield from _itself(pattern.surface, pattern.kind, text[pattern.start : pattern.end])


def _itself(surface: str, kind: str, name: str) -> Iterator[Alias]:
    """A name that stands for itself, so that it is found where its form does not give it away. A group whose brand is
    made of ordinary words must be named twice. A subsidiary is also called by place and brand."""
    certain = kind == "policy" or _ENDS_LEGAL.search(surface) or is_coined(surface[:2])
    yield Alias(surface, f"{kind}:{surface}", kind, name, STRENGTH_PATTERN, needs=1 if certain else 2)
    if kind != "company" or len(surface) <= 8 or surface.endswith("股份有限公司"):
        return
    stem = _ENDS_LEGAL.sub("", surface)
    if surface[4:].startswith(("集团", "控股")):
        short = f"{surface[2:4]}集团"
    elif 4 in accumulate(map(len, word_pieces(stem)[:-1])):
        short = surface[:4]
    else:
        return
    if is_coined(surface[2:4]):
        yield Alias(short, f"company:{short}", "company", short, STRENGTH_PATTERN)


def _named(text: str, code: CodeMatch) -> Iterator[Alias]:
    """The names that stand before a code in brackets, or before "code:", and an English one beside it there."""
    before = text[max(0, code.start - _WINDOW) : code.start]
    opening = _BEFORE_CODE.search(before)
    if opening is None:
        return
    name, needs = name_before(before[: opening.start()])
    if not name:
        return
    yield from _security(name, needs, code=code)
    yield from _security(*_in_the_other_script(before[: opening.start()], name), code=code)
    bracket = _IN_BRACKETS.match(text, code.start - len(opening[0]))
    for short in _shorts(bracket[1]) if bracket and _ENDS_LEGAL.search(name) else ():
        yield from _security(short, code=code)
    yield from _security(*_latin_name(bracket[1] if bracket else ""), code=code)


def _security(name: str, needs: int = 1, *, code: CodeMatch) -> Iterator[Alias]:
    if name:
        is_short = has_han(name) and not _ENDS_LEGAL.search(name)
        strength = STRENGTH_DEFINITION if is_short else _STRENGTH_FORMAL
        yield Alias(surface_of(name), code.entity, "security", name, strength, needs=needs)


def _in_the_other_script(text: str, name: str) -> tuple[str, int]:
    """Of a bilingual head (恒旭电池 Hengxu Battery) whose last half is `name`, the first; "" where there is none."""
    rest = text[: text.rfind(name)].rstrip(" /|｜\t")
    if not has_han(name):
        return name_before(rest) if has_han(rest[-1:]) else ("", 1)
    english = _ENGLISH.match(without_legal_form(rest))
    return (english[0], 1) if english else ("", 1)


def _latin_name(bracket: str) -> tuple[str, int]:
    """The latin name that ends what stands in brackets, behind a comma or alone, and how many documents must say so: an
    abbreviation (LCD) may be that of something else. "" where there is none."""
    found = _LATIN_NAME.search(without_legal_form(bracket.strip().rstrip('”"')))
    name = found[1].strip() if found else ""
    surface = surface_of(name)
    if len(surface) < 3 or surface in word_list("common_words") or ("." in name and canonical_security(name)):
        return "", 1
    return name, 2 if name.isupper() and len(name) <= _LONGEST_ABBREVIATION else 1


def name_before(text: str) -> tuple[str, int]:
    """The name that ends the text, and how many documents must say so before it is believed; "" if there is none."""
    text = without_legal_form(text)
    if (english := _ENGLISH.search(text[-80:])) and not has_han(text[-80:][: english.start()][-1:]):
        name = re.sub(r"^(?:The|We|Our|For|At|In|By|Of|And)(?:\s+|$)", "", english[0])
        return (name, 1) if len(name) > 2 else ("", 1)
    match = _RUN.search(text)
    if match is None or not has_han(match[0]) or match[0].endswith(_NO_NAME):
        return "", 1
    run = match[0]
    if _ENDS_LEGAL.search(run):
        return run[legal_head(run) :], 1
    head = head_of(run)
    if not head and run[0] in "和与及或" and text[: match.start()].endswith((")", "）")):
        head = 1
    head += _prefix(run[head:])
    name = run[head:]
    if len(name) > 6:
        return _tail(name), 2
    return name, 1 if not head or len(name) in (3, 4) else 2


def _prefix(run: str) -> int:
    """Length of what the layout put before a Chinese name: numbers, and abbreviations of something else."""
    prefix = re.match(rf"\d*(?:[A-Za-z0-9&]*(?=[{HAN}]{{4}}))?", run)
    return prefix.end() if prefix else 0


def _tail(run: str) -> str:
    """The end of a run that looks like a short name: four characters if a word begins there, five or three if one
    begins only there. Characters that form no word together (昱|拓) are one piece: brands are like that."""
    pieces = word_pieces(run)
    lengths = {sum(map(len, pieces[at:])) for at in range(len(pieces))}
    if 4 in lengths or not lengths & {3, 5}:
        return run[-4:]
    return run[-5:] if 3 not in lengths or (5 in lengths and is_coined(run[-5:-3])) else run[-3:]


def _short_names(text: str, gazetteer: Gazetteer, owners: Mapping[str, _Owner]) -> Iterator[Alias]:
    """`legal name（…以下简称"X"）` and `name（English Name）` where the name is a company, of `owners` for one."""
    for bracket in _IN_BRACKETS.finditer(text):
        shorts = [surface_of(short) for short in _shorts(bracket[1])] if _NAMES_SHORT.search(bracket[1]) else []
        latin, needs = _latin_name(bracket[1]) if _CAPITAL.search(bracket[1]) else ("", 1)
        if not (shorts or latin) or find_codes(bracket[0]):
            continue
        before = text[max(0, bracket.start() - _WINDOW) : bracket.start()]
        owner = _company_before(before, gazetteer) or _taught_before(before, owners)
        if owner is None:
            continue
        entity, kind, is_legal = owner
        for short in shorts if is_legal else ():
            yield Alias(short, entity, kind, short, STRENGTH_DEFINITION)
        if latin:
            yield Alias(surface_of(latin), entity, kind, latin, _STRENGTH_FORMAL, needs=needs)


def _taught_before(before: str, owners: Mapping[str, _Owner]) -> _Owner | None:
    """The longest of the names at the end of the text."""
    ends = (surface_of(before[at:]) for at in range(max(0, len(before) - 20), len(before) - 1))
    return next((owners[surface] for surface in ends if surface in owners), None) if owners else None


def _company_before(before: str, gazetteer: Gazetteer) -> _Owner | None:
    legal = [found for found in find_patterns(before) if found.end == len(before) and found.kind == "company"]
    if legal:
        surface = legal[0].surface
        known = gazetteer.aliases(surface)
        entity, kind = (known[0].entity, known[0].kind) if known else (f"company:{surface}", "company")
        return entity, kind, _ENDS_LEGAL.search(surface) is not None
    ends = [match for match in gazetteer.find(before[-24:]) if match.end == len(before[-24:])]
    for match in ends:
        for alias in gazetteer.aliases(match.surface)[:1]:
            if alias.kind in ("security", "company", "broker", "organisation"):
                return alias.entity, alias.kind, False
    return None


def _shorts(bracket: str) -> Iterator[str]:
    for match in _SHORT.finditer(bracket):
        for short in match.groups():
            if short and len(surface_of(short)) >= 2 and not _ROLE.match(short):
                yield short


def same_names(surfaces: Iterable[str], *, new: Collection[str] | None = None) -> list[SameName]:
    """Links from legal names to the short names that they spell out; with `new` only those that one of these is part
    of.

    Listed companies are joint-stock companies, so a security is only the short form of a …股份有限公司. The rule
    looks at two strings at a time: neither what they mean nor what else is known changes a link.
    """
    shorts: dict[str, list[str]] = defaultdict(list)
    legal = []
    for surface in set(surfaces):
        if is_legal(surface):
            legal.append(surface)
        elif _MAY_BE_SHORT.match(surface):
            shorts[surface[:2]].append(surface)
    recent = shorts if new is None else {
        brand: found for brand, held in shorts.items() if (found := [short for short in held if short in new])
    }  # fmt: skip
    links = {
        SameName(name, short, STRENGTH_SAME + len(short), not name.endswith("股份有限公司"))
        for name in legal
        for brand in brands(name)
        for short in (shorts if new is None or name in new else recent).get(brand, ())
        if shortens(short, name)
    }
    return sorted(links, key=lambda link: (link.surface, link.via))


def shortens(short: str, legal: str) -> bool:
    """Whether the brand (two characters) stands near the head of the legal name and the others follow in order."""
    at, rest = legal.find(short[:2]), iter("")
    if 0 <= at <= 4 and len(short) > 2:
        rest = iter(legal[at + 2 :])
        return all(character in rest for character in short[2:])
    return False
