"""Links between companies, people and things, by cues and the parties around them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Final

from finlore.graph.folded import is_coined
from finlore.knowledge.lexicon.cues import GAP, CueMatch, CueMatcher
from finlore.knowledge.lexicon.intentions import awaited
from finlore.knowledge.lexicon.nouns import by_noun
from finlore.knowledge.lexicon.roles import PARTY, Pair, clause_of, mark_of
from finlore.knowledge.lexicon.shape import P, Shape, fits, shape_of
from finlore.knowledge.lexicon.verbs import Manner, by_verb
from finlore.knowledge.sentences import Reading
from finlore.language.dates import find_dates
from finlore.language.normal import HAN
from finlore.records.document import Metadata
from finlore.records.fact import Fact, Party
from finlore.records.instant import Instant, end_of_day
from finlore.records.schema import Cue, LinkType, Schema

_MOST: Final = 24  # facts of one cue: longer lists are tables of names, not statements
_CROWD: Final = 30  # parties of a sentence that lists who was there, and tells little of what they did
_NOUN = re.compile(
    "(?:[应供代承经运保分包销营造成]商|提供商|服务商|客户|[方人长]|公司|企业|股东|东家|对手|伙伴|[者席裁官]|秘书|董秘|董事|监事|经理"
    "|总监|主管|代表|对象|[念份权题本材]股|成分股|单位|部门|机[构关]|银行|品牌|平台|厂|名录|[旗属]下|下属|的|标的|下游|上游|供应链|体系"
    "|名单|原料|原材料|材料|耗材|辅料|投入品|高管|分析师|研究员|院士|伙人|主任)$"
    r"|(?:subsidiar(?:y|ies)?|unit|parent|shareholder|holder|owner|supplier|vendor|customer|client|competitor|rival|peer"
    r"|partner|chairman|chairwoman|chair|ceo|cfo|coo|cto|officer|president|director|manager|guarantor|affiliate|founder"
    r"|investor|buyer|company|constituent|stock|material|input|feedstock)s?\*?$",
    re.IGNORECASE,
)
"""What the cues end in that say what somebody is; all others say what somebody does."""
_HOLDING = re.compile("[共合直间仍所]?[计接]?持有?|拥有|控[股制]|授信|提供")
"""Verbs that may stand between a preposition, or another verb, and what that governs: 收购A持有的B."""
_RATER = re.compile(
    "证券|资信|评级|评估|研究|投顾|咨询|信用|高盛|摩根|瑞银|瑞信|大摩|小摩|中金|花旗|汇丰|野村|大和|里昂|标普|穆迪|惠誉|期货|资本"
    "|德银|美银|巴克莱|麦格理|securities|rating|research|moody|fitch|s&p|morgan|goldman|ubs|citi|capital|credit",
    re.IGNORECASE,
)
_OVER = re.compile(
    "(?:(?:尚未|并未|未能|无意|不打算|没有|否认|不存在)[^，,；;。]{0,20}|(?:未能?|没有?|并无|不再|不是|并非|不存在|不构成|否认|拒绝|放弃|终止|解除|取消|停止|中止|退出|卸任|辞去|否决|不得|不会|从未|叫停"
    r"|\b(?:not|no longer|never|denie[sd]|den(?:y|ies)|terminat\w+|without|cancel\w*|end(?:s|ed)|rejects?|rejected"
    r"|failed to)\b)[^，,；;。]{0,7}|(?<![目此之当提年以])前任?|原|曾(?:任|为|是|经)?|former(?:ly)?\s)$",
    re.IGNORECASE,
)
_OVER_BEHIND = re.compile(
    "[^，,；;。]{0,10}(?:失败|终止|告吹|搁浅|流产|被否|未果|未获|破裂|terminated|collapsed|fell through)"
)
_REPORTS = re.compile(
    f"{P}[^\ue000-\uf8ff，,；;。]{{0,8}}(?:分析师|研究员|分析人士|首席|研究总监|研究报告|研报|报告|顾问|律师|经济学家|analyst|strategist)"
)
"""Who has analysts, or writes reports, says an opinion of others where he says something."""
_RATINGS: Final = frozenset(("增持", "减持", "买入", "卖出"))
_RATED = re.compile(r"(?:[\d.)）%|A-Z-]|审慎|谨慎|强烈|维持|给予|评级|[上下]?调至|重申|首次)\s*$")
_OPENS = re.compile("[“\"'‘「【]")
_CLOSES = re.compile("[”\"'’」】]|评级")
_LABEL = re.compile("(?:评级|等级|价|值|报告|研报)$")
_COLUMN = re.compile(r"[^\s|，,；;。]{1,8}")
"""What a column of a list says: a name, a day, a rating; prose says more before it pauses."""
_SUCCEEDED = re.compile("(?:职务|一职|职位|之职)?[，,]?(?:并|改|现|将|拟)?由")
_PLANNED = re.compile(
    "拟|计划|将(?![\ue000-\uf8ff其所该])|意向|筹划|预案|有意|意欲|欲|洽购|洽谈|考虑|可能|有望|传闻|若|如果|假如|一旦|待|谋求|寻求|竞购"
    r"|\b(?:plans?|planned|will|would|intends?|proposed?|may|might|could|if|considers?|considering|in talks|agreed to"
    r"|to (?:acquire|buy|invest))\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s?[%％]")
_WHOLLY = re.compile("全资|独资|wholly[ -]owned", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?P<sign>RMB|CNY|US\$|USD|HK\$|\$)?\s?(?P<number>\d[\d,]*(?:\.\d+)?)\s?"
    r"(?P<unit>(?:万亿|[百千]?[万亿])?(?:美元|港元|欧元|元)|[百千]?[万亿]|bn\b|billion|mn\b|million|m\b)"
)
_BUYS: Final = ("受让", "取得", "获得", "购买", "购入")
_GIVING: Final = frozenset(("提供", "转让", "出售", "出让", "provides", "provided"))
_DATIVE: Final = frozenset(("supplies", "customer_of", "guarantees", "lends_to", "transfers_to"))
_HOLDINGS: Final = ("owns", "controls", "subsidiary_of", "invests_in", "increases_holding", "reduces_holding")
_AWAITING: Final = frozenset((*_HOLDINGS[3:], "acquires", "transfers_to", "merges_with", "guarantees", "lends_to"))
"""The links that somebody may have to approve before they hold."""
_WITH_SHARE: Final = frozenset((*_HOLDINGS, "acquires", "transfers_to"))
_WITH_AMOUNT: Final = frozenset(("guarantees", "lends_to"))


def find_links(readings: Iterable[Reading], subject: Party | None, metadata: Metadata, schema: Schema) -> list[Fact]:
    """The links that sentences state, each once a sentence, in the order of the text.

    What is planned or conditional says so in its note and is trusted less; what is denied or over is left out.
    """
    matcher = _matcher(_Cued(schema.version, schema.links))
    found: list[Fact] = []
    for reading in readings:
        found += _links_of(reading, subject, matcher)
    return found


@dataclass(frozen=True, slots=True)
class _Cued:
    """The links of a version of a schema: the key by which their matcher is kept."""

    version: str
    links: tuple[LinkType, ...] = field(compare=False)


@lru_cache(maxsize=4)
def _matcher(cued: _Cued) -> CueMatcher[LinkType]:
    return CueMatcher((cue, link) for link in cued.links for cue in link.cues)


def _links_of(reading: Reading, subject: Party | None, matcher: CueMatcher[LinkType]) -> Iterator[Fact]:
    shape = shape_of(reading, subject) if reading.names else None
    if shape is None or len({party for parties in shape.parties for party in parties}) < 2:
        return
    best: dict[tuple[Party, str, Party], Fact] = {}
    matches = [_whole(match, shape.text) for match in matcher.find(shape.text)]
    verbs = sorted({m.start for m in matches if not _is_noun(m.cue.text) and not _HOLDING.match(m.cue.text)})
    if len(shape.parties) > _CROWD:
        matches = [match for match in matches if _is_noun(match.cue.text)]
    fitting = {
        link.id: shape.of_kinds((*link.domain, *link.range)) for link in {m.owner.id: m.owner for m in matches}.values()
    }
    for match in (match for match in matches if fitting[match.owner.id].holds_two()):
        for fact in _facts_of(reading, fitting[match.owner.id], match, verbs):
            key = (fact.subject, fact.relation, fact.object or fact.subject)
            kept = best.get(key)
            if kept is None or (kept.value is None, -kept.confidence) > (fact.value is None, -fact.confidence):
                best[key] = fact
    yield from best.values()


def _facts_of(reading: Reading, shape: Shape, match: CueMatch[LinkType], verbs: list[int]) -> Iterator[Fact]:
    link = match.owner
    if _is_over(shape.text, match, verbs) or (link.id == "rates" and _is_cell(reading, shape.text, match)):
        return
    planned = _is_planned(shape.text, match)
    for pair in _pairs(shape, match, verbs):
        statement = _statement(reading, shape, match, pair)
        if planned:
            statement = replace(statement, note="planned", confidence=round(0.6 * statement.confidence, 3))
        in_turn = _in_turn(shape, match, pair)
        reports = link.id == "rates" and _REPORTS.match(shape.text, shape.text.find(pair.doer)) is not None
        for one, other in _directed(shape, pair, swaps=_swaps(match.cue), symmetric=link.symmetric)[:_MOST]:
            if (
                fits(one, link.domain)
                and fits(other, link.range)
                and (reports or _may(one, other, link))
                and not _same(one, other, link)
            ):
                value = in_turn.get(one, in_turn.get(other, statement.value))
                yield replace(
                    statement, subject=one, object=other, value=value, unit="%" if in_turn else statement.unit,
                    relation="acquires" if _takes_over(match.cue.text, value) else link.id,
                )  # fmt: skip


def _is_cell(reading: Reading, text: str, match: CueMatch[LinkType]) -> bool:
    """Whether a word is a column in a row of a list, where whoever stands beside it (an analyst) may be anybody."""
    if reading.role == "table":
        return True
    beside = text[max(0, match.start - 1) : match.start] + text[match.end : match.end + 1]
    columns = re.split(r"[\s|]+", text.strip(" |\t\n"))
    is_label = GAP not in match.cue.text and _LABEL.search(match.cue.text) is not None
    return is_label and not beside.strip(" |\t") and all(map(_COLUMN.fullmatch, columns))


def _takes_over(cue: str, share: float | None) -> bool:
    """Whether who buys shares buys the company: most of them at once."""
    return cue.startswith(_BUYS) and cue.endswith(("股权", "股份", "受让")) and share is not None and share >= 50


def _in_turn(shape: Shape, match: CueMatch[LinkType], pair: Pair) -> dict[Party, float]:
    """The share of each of a list where they are told in turn (A、B分别持有30%、20%)."""
    text = shape.text
    first, last = clause_of(text, match.start, match.end)
    listed = next((shape.at(x) for x in (pair.doer, pair.other) if x and len(shape.at(x)) > 1), ())
    told = _SHARE.findall(text, match.end, last + 12) if listed and "分别" in text[first:last] else []
    if match.owner.id not in _WITH_SHARE or len(told) != len(listed):
        return {}
    return dict(zip(listed, map(float, told), strict=True))


def _pairs(shape: Shape, match: CueMatch[LinkType], verbs: list[int]) -> Iterator[Pair]:
    link = match.owner
    if _is_noun(match.cue.text):
        is_it, has_it = (link.range, link.domain) if match.cue.swaps else (link.domain, link.range)
        pairs = by_noun(shape, match.start, match.end, partial(shape.fits, is_it), partial(shape.fits, has_it))
        found = list(pairs)
        if found or not link.symmetric:  # else A与B互为对手
            yield from found
            return
    manner = Manner(
        dative=link.id in _DATIVE, mutual=link.symmetric, reports=link.id == "rates", shares=link.id in _WITH_SHARE,
        lists=link.id == "competes_with", near=link.id == "affects" or "company" not in link.range,
    )  # fmt: skip
    yield from by_verb(shape, *_verb_of(shape.text, match, giving=manner.dative), verbs, manner)


def _verb_of(text: str, match: CueMatch[LinkType], *, giving: bool) -> tuple[int, int]:
    """The place of the verb of a cue. A preposition that it begins with marks a party, the verb comes behind; what
    somebody gives is no party, to whom is said elsewhere; else a party between its parts is the object."""
    head, _, tail = match.cue.text.partition(GAP)
    if tail and mark_of(head):
        return match.end - len(tail), match.end
    if (giving and head in _GIVING) or not PARTY.search(text, match.head_end, match.end):
        return match.start, match.end
    return match.start, match.head_end


def _whole(match: CueMatch[LinkType], text: str) -> CueMatch[LinkType]:
    """The match with the rest of its word, where the cue is the beginning of one."""
    if not match.cue.text.endswith("*"):
        return match
    end = match.end
    while end < len(text) and text[end].isascii() and text[end].isalpha():
        end += 1
    return replace(match, end=end, head_end=end if GAP not in match.cue.text else match.head_end)


def _is_noun(cue: str) -> bool:
    return GAP not in cue and _NOUN.search(cue) is not None


def _swaps(cue: Cue) -> bool:
    """Whether the doer is the object. A cue that itself marks the doer (获…担保, 获…订单) has him behind it."""
    return cue.swaps != (mark_of(cue.text.partition(GAP)[0]) == "agent")


def _directed(shape: Shape, pair: Pair, *, swaps: bool, symmetric: bool) -> list[tuple[Party, Party]]:
    doers = shape.at(pair.doer)
    if not pair.other:
        before = shape.joined.get(pair.doer)
        return list(combinations(doers, 2)) if before is None else list(product(doers[:before], doers[before:]))
    pairs = list(product(doers, shape.at(pair.other)))
    if symmetric:
        return [(min(p, key=_by_name), max(p, key=_by_name)) for p in pairs]
    return [(other, doer) for doer, other in pairs] if swaps else pairs


@lru_cache(maxsize=1 << 12)
def _is_of_words(name: str) -> bool:
    """Whether a guessed name is made of Chinese words (招股说明书, AI加速器): no company is called so."""
    return not all(is_coined(run) for run in re.findall(f"[{HAN}]+", name))


def _may(doer: Party, other: Party, link: LinkType) -> bool:
    """Of a thing and its maker somebody knows at least one; raters are known by kind or by name, as companies say much
    of others that is no rating; and only of companies it is worth while to say what moves them."""
    if doer.kind == other.kind == "name" and "company" not in link.range:
        return False
    if "company" in link.range and any(party.kind == "name" and _is_of_words(party.name) for party in (doer, other)):
        return False
    if link.id == "affects":
        return other.kind in ("security", "company", "industry")
    return link.id != "rates" or doer.kind in ("broker", "rating_agency") or bool(_RATER.search(doer.name))


def _same(one: Party, other: Party, link: LinkType) -> bool:
    """Whether the two may be forms of one name (恒大, 恒大集团), which only ownership tells apart."""
    shorter, longer = sorted((one.surface, other.surface), key=len)
    if one.surface == other.surface or one.name == other.name or (len(shorter) > 3 and longer.endswith(shorter)):
        return True
    return link.id not in _WITH_SHARE and longer.startswith(shorter)


def _by_name(party: Party) -> tuple[str, str]:
    return party.surface, party.entity


def _is_over(text: str, match: CueMatch[LinkType], verbs: list[int]) -> bool:
    first, _ = clause_of(text, match.start, match.end)
    if match.cue.text in _RATINGS and _RATED.search(text[max(0, match.start - 4) : match.start]):
        return True
    if _OPENS.match(text[max(0, match.start - 1) : match.start]) and _CLOSES.match(text[match.end : match.end + 3]):
        return True
    if _SUCCEEDED.match(text[match.end : match.end + 12]):
        return False
    denied = _OVER.search(text, first, match.start)
    if denied and not any(denied.start() < verb < match.start for verb in verbs):  # else that one is denied
        return True
    return _OVER_BEHIND.match(text, match.end, match.end + 24) is not None


def _is_planned(text: str, match: CueMatch[LinkType]) -> bool:
    first, _ = clause_of(text, match.start, match.end)
    if match.owner.id in _AWAITING and awaited(text, match.end):
        return True
    planned = _PLANNED.search(text, max(0, first - 12), match.end)
    return planned is not None and (planned.start() < match.start or match.owner.id == "acquires")


def _statement(reading: Reading, shape: Shape, match: CueMatch[LinkType], pair: Pair) -> Fact:
    """The fact but for its parties."""
    nobody = Party("", "", "name")
    text = shape.text
    start, end = shape.origins[match.start], shape.origins[match.end - 1] + 1
    value, unit = _measured(text, match, pair)
    return Fact(
        nobody, match.owner.id, reading.evidence(), reading.text[start:end], value=value, unit=unit,
        valid_from=_since(text), confidence=round(pair.sure, 3),
    )  # fmt: skip


def _measured(text: str, match: CueMatch[LinkType], pair: Pair) -> tuple[float | None, str]:
    """The share or amount that belongs to the pair: the first behind both, up to the next party and one clause on."""
    relation = match.owner.id
    if relation in _WITH_SHARE and _WHOLLY.search(text[max(0, match.start - 3) : match.end]):
        return 100.0, "%"
    pattern = _SHARE if relation in _WITH_SHARE else _AMOUNT if relation in _WITH_AMOUNT else None
    if pattern is None:
        return None, ""
    at = max(match.end, *(text.find(letter) for letter in (pair.doer, pair.other) if letter))
    stop = re.search(rf"{P}|[；;。]", text[at + 1 :])
    end = at + 1 + stop.start() if stop else len(text)
    found = (
        pattern.search(text, at, max(end, at))
        or pattern.search(text, match.start, at)
        or pattern.search(text, max(0, match.start - 16), match.start)
    )
    if found is None:
        return None, ""
    if pattern is _SHARE:
        return float(found[1]), "%"
    unit = f"{found['sign'] or ''} {found['unit']}".strip()
    return float(found["number"].replace(",", "")), unit


@lru_cache(maxsize=16)
def _since(text: str) -> Instant | None:
    """The day from which it holds, where the sentence has one date only."""
    days: set[date] = {found.first for found in find_dates(text)}
    return end_of_day(days.pop()) if len(days) == 1 else None
