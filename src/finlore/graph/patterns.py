"""Names that their own form gives away: legal names, groups, brands with a line of business, policies and works in
《》, people beside an office."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

import rjieba

from finlore.graph.folded import is_coined, surface_of
from finlore.graph.shipped import word_list
from finlore.language.alternatives import any_of
from finlore.language.codes import SENTENCES
from finlore.language.legal import LEGAL_FORM, stem_of
from finlore.language.normal import HAN, has_han

_LEGAL = re.compile(
    rf"[{HAN}A-Za-z0-9·&]{{1,16}}(?:[（(][{HAN}]{{2,8}}[)）][{HAN}]{{0,10}})??(?:{LEGAL_FORM})(?![{HAN}]{{0,2}}有限公司)"
)
_MAY_BE_LEGAL = re.compile("有限(?:责任)?公司|有限合伙企业")
_GROUP = re.compile(
    rf"(?<![{HAN}])[{HAN}]{{2,12}}?(?:集团|控股)(?!股东|子公司|有限|股份|权|企业|平台|比例|[{HAN}]{{0,6}}?有限公司)"
)
_GRAMMAR: Final = (
    "的了是在和与及或并等对向为由被把将从自至到于以按据其该此本各每这那哪我你他她它们不没未无非也都还又再更最很太较已曾正即就才仅只可能会要应需"
    "须得让使令给跟同因故若如则虽但而且所者着过起来去上下中内外前后间里年月日时分秒元亿万千百十一二三四五六七八九零两几多少大小高低新老旧首末第次"
    "个家股份支条项笔种类批名位人有做说称表示认占超近达共总均全拟系购售建造获拓投供采产用主型性级化业量价率额且含属乃"
)
"""Characters of grammar, counting and trade: no coined brand holds one."""
_TITLED = re.compile(r"《([^《》\n]{2,40})》")
_LINKS: Final = "占获购拟已将与由向"
_PREPOSITIONS: Final = "为由向对"
_MAY_BE_PLANNED: Final = "拟将已"
_DEEDS: Final = frozenset(("拟", "将", "已", "同意", "收购", "受让", "增资", "入股", "参股", "聘任", "聘请", "起诉"))
"""What stands before the name of a company, and begins none."""
_MAY_BEGIN: Final = "和同自以应当将因若系"
_POLICY = re.compile(
    "(?:办法|规划|方案|意见|通知|条例|目录|指引|纲要|法|规定|决定|措施|细则|计划|指南|准则|政策|若干|公告|标准|规范|函|令|清单|协[定议]|声明)"
    r"(?:[（(][^()（）]*[)）])?$"
)
_WARNED = re.compile(rf"(?<![A-Za-z])S?\*?ST[{HAN}]{{2}}")
_BEFORE_PERSON = re.compile("(?:[由请聘选]|[聘选]任)$")
_NAMES_TO: Final = ("聘", "选")
_GLUED: Final = "为由向对任聘"
_AFTER_PERSON = re.compile(
    r"[，。、；：（(）)“”\s]|先生|女士|表示|介绍|指出|称|认为|透露|强调|在|于|出席|持有|直接|间接|出任|担任|$"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A name that stands on its own; its entity is ``kind:surface`` unless an alias knows better."""

    start: int
    end: int
    surface: str
    kind: str


@lru_cache(maxsize=SENTENCES)
def find_patterns(text: str) -> tuple[Found, ...]:
    """All names of one sentence that their form gives away."""
    return (*_legal(text), *_groups(text), *_titled(text), *_people(text), *_warned(text))


def head_of(text: str) -> int:
    """Where the name that ends the text begins, as far as the words before it tell (0: nothing marks a head).

    A single character at the very beginning may be the name's own (同仁堂, 和邦生物).
    """
    head = at = 0
    for word in rjieba.cut(text, False):
        at += len(word)
        own = at == 1 and (len(text) <= 4 or word in _MAY_BEGIN)
        if at < len(text) - 1 and not own and word in word_list("before_names"):
            head = at
    return head


def legal_head(name: str) -> int:
    """As `head_of`, for a legal name. In a long one a verb ends what stands before the name, unless it is a line of
    business."""
    stem = stem_of(name)
    head = head_of(stem[:-3]) if len(stem) > 5 else 0
    if day := re.match(r"(?:\d+[年月日号])+(?:度|末|底)?", stem[head:]):
        head += day.end()
    head += _glued(stem[head:])
    if len(stem) - head <= 9:
        return head
    at = head
    for word, tag in rjieba.tag(stem[head:], False):
        at += len(word)
        if len(stem) - at < 4:
            break
        if word in _LINKS or (tag[0] == "v" and len(word) > 1 and word not in word_list("business_words")):
            head = at
    return head


def _glued(stem: str) -> int:
    """Where the name begins behind prepositions and verbs that no name begins with (为蓝汀控股, 拟收购蓝汀)."""
    at = 0
    for word in rjieba.cut(stem, False):
        is_preposition = word in _PREPOSITIONS and len(stem) - at > 4
        if not (is_preposition or (word in _DEEDS and len(stem) - at - len(word) >= 2)):
            break
        at += len(word)
    return at if at and stem[:at] not in _MAY_BE_PLANNED else 0


def _legal(text: str) -> list[Found]:
    found = []
    for match in _LEGAL.finditer(text) if _MAY_BE_LEGAL.search(text) else ():
        start = match.start() + legal_head(match[0])
        if match.end() - start >= 8:
            found.append(Found(start, match.end(), surface_of(text[start : match.end()]), "company"))
    return found


def _groups(text: str) -> list[Found]:
    found = []
    for match in _GROUP.finditer(text) if "集团" in text or "控股" in text else ():
        brand = match[0][:-2]
        start = match.start() + head_of(brand + "##")
        if len(brand) > 4 and is_coined(brand[-2:]):
            start = max(start, match.end() - 4)
        if not is_coined(brand[-2:]) and rjieba.tag(brand)[-1][1] == "v":  # 增资控股
            continue
        if 4 <= match.end() - start <= (6 if match[0].endswith("集团") else 5):
            found.append(Found(start, match.end(), surface_of(text[start : match.end()]), "company"))
    return found


def find_brands(text: str) -> Iterator[Found]:
    """Coined brands of two characters with a line of business behind them (霁岳生物), each on the borders of words: a
    guess, as a name of three or four characters may begin earlier."""
    for match in _business().finditer(text):
        at, end = match.start() - 2, match.end()
        start = max(0, at - 5)
        borders = set(accumulate(map(len, rjieba.cut(text[start : end + 2], False)), initial=start))
        before = text[at - 1 : at] if at else ""
        is_longer = has_han(before) and at - 1 in borders and before not in _GRAMMAR  # 新|霁|岳 begins earlier
        if {at, at + 1, at + 2, end} <= borders and not is_longer:
            yield Found(at, end, surface_of(text[at:end]), "company")


@cache
def _business() -> re.Pattern[str]:
    """A line of business behind two characters that may be a brand; begins with what is rarer, to be fast."""
    heads = "|".join(sorted(word_list("company_heads"), key=lambda head: (-len(head), head)))
    brand = f"(?![{_GRAMMAR}])[{HAN}]"
    return re.compile(f"(?:{heads})(?<={brand}{brand}..)|(?:{heads})(?<={brand}{brand}...)")


def _titled(text: str) -> list[Found]:
    return [
        Found(match.start(1), match.end(1), surface, "policy" if _POLICY.search(match[1]) else "work")
        for match in (_TITLED.finditer(text) if "《" in text else ())
        if len(surface := surface_of(match[1])) >= 3
    ]


def _people(text: str) -> Iterator[Found]:
    """董事长张三, and 张三出任董事长: a surname, and something that ends or begins a word on the open side."""
    office, before, after = _offices()
    if not office.search(text):
        return
    for match in before.finditer(text):
        start = match.start(1)
        for end in (start + 3, start + 2, start + 4):
            if end <= match.end(1) and _AFTER_PERSON.match(text, end) and is_person(text[start:end]):
                yield Found(start, end, text[start:end], "person")
                break
    for match in after.finditer(text):
        end = match.end(1)
        for start in (end - 3, end - 2, end - 4):
            is_head = start == 0 or not has_han(text[start - 1]) or _BEFORE_PERSON.search(text, 0, start) is not None
            if start >= match.start(1) and is_head and is_person(text[start:end]):
                begin = person_start(text, start, end)
                yield Found(begin, end, text[begin:end], "person")
                break


def person_start(text: str, start: int, end: int) -> int:
    """Where the name of a person begins: 聘|任何芷晴 is 聘任|何芷晴, as no surname heads 任何芷晴."""
    name, rest = text[start:end], text[start + 1 : end]
    is_word = text[max(0, start - 1) : start] in _NAMES_TO and name[0] == "任"
    is_glued = is_word or (len(name) == 4 and name[0] in _GLUED and not is_person(name))
    return start + 1 if is_glued and len(rest) > 1 and is_person(rest) else start


@cache
def _offices() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """An office; one before a name; one after a name."""
    office = any_of(word_list("offices"))
    return (
        re.compile(office),
        re.compile(rf"(?:{office})(?:为|由|是|系|、|：|:)?(?:(?:先生|女士))?([{HAN}]{{2,4}})"),
        re.compile(
            rf"([{HAN}]{{2,4}}?)(?:先生|女士)?(?:现任|出任|担任|获任|(?<![聘选])任|为)[{HAN}]{{0,12}}?(?:{office})"
        ),
    )


def _warned(text: str) -> list[Found]:
    """Shares under special treatment carry it in front of their short name: *ST or ST and two characters."""
    return [
        Found(match.start(), match.end(), surface_of(match[0]), "company")
        for match in (_WARNED.finditer(text) if "ST" in text else ())
    ]


def is_person(name: str) -> bool:
    """Whether a surname heads it: one character, or two in a name of three or four. An office (董事长) is no person."""
    surnames = word_list("surnames")
    if _offices()[0].search(name):
        return False
    return name[:2] in surnames if len(name) == 4 else name[0] in surnames or (len(name) == 3 and name[:2] in surnames)
