"""Parties that naming does not know, by where they stand: behind what they are, at the head of a clause, in a list."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import rjieba

from finlore.graph.folded import is_coined
from finlore.graph.shipped import word_list
from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.sentences import Named
from finlore.language.alternatives import any_of
from finlore.language.normal import HAN, fold
from finlore.records.fact import Party
from finlore.records.names import EntityKind
from finlore.resources import load_rows

_BRANCH = re.compile(rf"(?:股份有限公司)?[{HAN}]{{0,8}}?(?:分公司|支行|分行|营业部)|总行|(?:集团|信托)(?!军|公司)")
_LOOSE = re.compile(
    r"^(?:.*(?:旗下|所持有?|持有|收购|以及)|[与向给和的对为由将年]|股份)(?=.{4,}(?:公司|集团|银行|信托|基金|网络|科技)$)"
)
_LEAD = re.compile(
    r"(?:[^，,]{0,14}?(?:公告|表示|显示|消息|报道|披露|获悉)[,，:：]?|最终|此外|同时|另外|随后|其中|日前|近日|近期|昨日|今日|目前|截至目前"
    r"|据悉|并|且|而|又|因|但|其|该|当|如|若|由|以|和|或|及|[\d年月日至-]+|今年|去年|[上下]半年)*"
)
_TITLE = re.compile(
    r"(?:控股股东|实际控制人|实控人|大股东|股东|董事长|总经理|总裁|董事|监事|高管|董秘|一致行动人|被告人?|原告人?|自然人|创始人|负责人|[子孙]公司|关联方)"
    r"(?:、|兼|暨)?(?=[^、兼暨])"
)
_HEAD_END: Final = (
    r"(?=于|拟|将|已|以|通过|向|与|为|被|由|对|从|在|计划|因|累计|合计|共计|曾|也|还|则|均|分别|欲|持|所持|宣布|发布|公告|成功|收到|作为|完成|首次|继续"
    r"|质押|减持|增持|收购|转让|出售|提供|申请|承担|签|中标|起诉|投资|个人|先后|多次|新进|方面|先生|女士|夫妇|本次|及|和|、|的|之|自|再|仍|就|减|增|出|转|分|[，,(（:：]|$)"
)
_PERSON = re.compile(rf"(?P<name>[{HAN}]{{2,3}}?){_HEAD_END}")
_BEHIND = re.compile(r"向|给|予|与|对|为|由|收购|购买|受让|投资|增持|减持|质押|担保|起诉|持有的?")
_TITLED = re.compile(
    r"^.*(?:股东|子公司|孙公司|实际控制人|实控人|被告人?|原告人?|上诉人|申请人|主体为|公司为|上市公司|附属公司|附属)(?=[^、，,]{2})"
)
_NO_NAME = re.compile(
    r"[拟将已以向为被由对从因曾也还则均欲持所累合减增等之的在人共全未不其该只仅而且使让令把是有与和及或当若如]|高管|实控"
)
_GENERIC = re.compile(r"(?:[本该此其各]|持有|所)公司$|^(?:公司|集团|.*一致行动人|控股股东|.*证券网|.{0,4}有限公司)$")
_BODY = re.compile(rf"(?P<name>[{HAN}A-Za-z]{{3,16}}?){_HEAD_END}")
_NEXT = re.compile(rf"(?:先生|女士)?(?:、|和|及|与|以及)(?:[{HAN}]{{2,6}}人|股东)?")
_ENDINGS: Final = (
    "公司|集团|股份|企业|银行|证券|实业|地产|资本|信托|健康|影视|环境|新材|材料|光电|光学|机械|重工|电气|生物|药业|医药|化学|食品|航空|装备"
    "|[委局部院所厅会社]|政府|大学|中心"
)


def parties_in(text: str, clauses: Clauses, names: Sequence[Named]) -> list[Named]:
    """The names, less titles and with branches, and what else must be a party, from left to right."""
    found: list[Named] = []
    for given in names:
        name = _without_title(given)
        if name is not None and not (found and name.start < found[-1].end):
            found.append(_with_branch(text, name))
    for start, is_certain in _heads(text, clauses):
        party = _party_at(text, start, is_certain=is_certain)
        if party and not any(party.start < name.end and name.start < party.end for name in found):
            found.append(party)
    for name in found:  # grows: the next of a list continues it
        joint = _NEXT.match(text, name.end) if name.party.kind == "person" else None
        party = _person_at(text, joint.end()) if joint else None
        if party and not any(party.start < other.end and other.start < party.end for other in found):
            found.append(party)
    return sorted(found, key=lambda name: name.start)


def _without_title(name: Named) -> Named | None:
    """The name without 其第一大股东 before it; None where no name is left."""
    known = name.party.kind == "security"
    titled = None if known else _TITLED.match(name.party.name) or _LOOSE.match(name.party.name)
    words = name.party.name[titled.end() :] if titled else name.party.name
    if _GENERIC.search(words):
        return None
    return Named(name.end - len(words), name.end, Party(words, fold(words), "company")) if titled else name


def _with_branch(text: str, name: Named) -> Named:
    branch = _BRANCH.match(text, name.end)
    if branch is None or name.party.kind == "person" or text[name.start].isascii():
        return name
    words = text[name.start : branch.end()]
    known = name.party.kind == "security"
    return Named(name.start, branch.end(), name.party if known else Party(words, fold(words), "company"))


def _heads(text: str, clauses: Clauses) -> Iterator[tuple[int, bool]]:
    """Where a party may begin, and whether it surely does: at the head of a clause, less what leads there, behind
    prepositions and verbs of deals, and, surely, behind titles."""
    for start in clauses.starts:
        lead = _LEAD.match(text, start)
        yield lead.end() if lead else start, False
    for title in _TITLE.finditer(text):
        yield title.end(), True
    for before in _BEHIND.finditer(text):
        yield before.end(), False


def _party_at(text: str, start: int, *, is_certain: bool) -> Named | None:
    body = _BODY.match(text, start)
    if body and looks_like_body(body["name"], is_certain=is_certain):
        return _named(*body.span("name"), body["name"], "name")
    return _person_at(text, start, is_certain=is_certain)


def _person_at(text: str, start: int, *, is_certain: bool = False) -> Named | None:
    person = _PERSON.match(text, start)
    is_one = (
        person
        and not _NO_NAME.match(person["name"])
        and (is_person(person["name"]) or (is_certain and is_coined(person["name"])))
    )
    return _named(*person.span("name"), person["name"], "person") if person and is_one else None


def _named(start: int, end: int, words: str, kind: EntityKind) -> Named:
    return Named(start, end, Party(words, fold(words), kind))


@lru_cache(maxsize=4096)
def is_person(words: str) -> bool:
    """Whether two or three characters are a surname and what is no word with it."""
    return words[0] in word_list("surnames") and (is_coined(words) or rjieba.tag(words) == [(words, "nr")])


@lru_cache(maxsize=4096)
def looks_like_body(words: str, *, is_certain: bool = False) -> bool:
    """Whether words are a place or a made-up word, and then what bodies are called by (富达实业), or place and made-up
    word alone (杭州浩红). Where a party surely stands, an ending suffices."""
    if _NO_NAME.match(words):
        return False
    place = next((words[:n] for n in (3, 2) if words[:n] in _places()), "")
    rest = words[len(place) :]
    ending = _endings().search(rest)
    stem = rest[: ending.start()] if ending else rest
    if ending and 2 <= len(stem) <= 8:
        return is_certain or bool(place) or (len(stem) <= 4 and is_coined(stem))
    return 2 <= len(rest) <= 4 and (bool(place) or (is_certain and len(rest) > 3)) and is_coined(rest)


@lru_cache(maxsize=1)
def _endings() -> re.Pattern[str]:
    """What bodies are called by at their end, lines of business included."""
    return re.compile(f"(?:{_ENDINGS}|{any_of(word_list('business_words'))})$")


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    """Names of places, which short names of companies begin with: 杭州浩红."""
    return frozenset(name for _, name, *_ in load_rows("names/regions.tsv", 4) if len(name) in {2, 3})
