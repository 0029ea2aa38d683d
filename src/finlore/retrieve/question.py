"""What a question asks for: the names that are known at its date, and the words that remain."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import rjieba

from finlore.index.cues import RelationCues
from finlore.language.alternatives import any_of
from finlore.language.legal import LEGAL_FORM, short_forms, stem_of
from finlore.language.normal import fold
from finlore.language.words import words
from finlore.ports import View
from finlore.resources import load_toml, load_words

_TOPICS = frozenset({"metric", "region", "industry", "concept", "index", "product", "material"})
_HAN = re.compile(r"[\u3400-\u9fff]")
NAME_MARK = "#"
"""Stands where a name was taken out of a question; no word."""
LONGEST_NAME = 24
"""Tokens of a name: Chinese characters, or whole words of other scripts."""

_BRACKETS = re.compile(r"[()（）\[\]【】]")
_DAY = re.compile(
    r"(?:截至|截止|as of)?\s*\d{4}(?:-\d{1,2}-\d{1,2}|年\d{1,2}月\d{1,2}日)", re.IGNORECASE
)  # when it is asked
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_LATIN = r"[A-Z](?:(?![\u3040-\u9fff\uac00-\ud7a3])[\w&'’.-])*"
_CAPITALISED = re.compile(rf"(?<![A-Za-z0-9]){_LATIN}(?:\s+(?:(?:of|the|de|von|van|and)\s+)?{_LATIN})*")
_LEGAL = re.compile(rf"[\u3400-\u9fffa-z0-9&]{{2,16}}?(?:{LEGAL_FORM})(?![\u3400-\u9fff]{{0,2}}有限公司)")
_CODE_OR_TITLE = re.compile(r"(?<!\d)[03468]\d{5}(?!\d)|《[^》]+》")


_SIDE_BY_SIDE = re.compile(rf"{NAME_MARK}(?: ?(?:和|与|及|以及|跟|同|、|or|and|vs|versus|还是|或) ?{NAME_MARK})+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the view at its date understands it.

    `words` are all of its words; `entities` gives each name, by its number in the view, a weight by rarity; `wanted`
    says how often each word and ``~relation`` mark is wanted that remains without them; `unknown` looks like names;
    `topics` are the entities that are no anchors.
    """

    text: str
    words: tuple[str, ...]
    entities: dict[int, float]
    wanted: dict[str, int]
    unknown: tuple[str, ...] = ()
    topics: frozenset[int] = frozenset()

    @property
    def anchors(self) -> dict[int, float]:
        """The names that lead somewhere."""
        return {entity: weight for entity, weight in self.entities.items() if entity not in self.topics}


def read_question(view: View, text: str, cues: RelationCues) -> Question:
    """The names of a question, longest match first among what is known at the view's date, and what it asks."""
    folded = fold(_BRACKETS.sub(" ", _DAY.sub(" ", text)))
    entities: dict[int, float] = {}
    taken, spans = _known_names(view, folded, _plain_words(text)), []
    topics = set()
    for start, end, entity in taken:
        if leads(view.entity_ids[entity]):
            spans.append((start, end))
        else:
            topics.add(entity)
        weight = rarity(view, entity) * len(folded[start:end].split())
        entities[entity] = max(entities.get(entity, 0.0), weight)
    rest = _without(folded, spans)
    once = cues.marks(fold(text))  # without brackets: "return on equity (ROE)" wants one thing
    n_each = _n_compared(rest)
    marks = {mark: max(n_each, min(count, once.get(mark, 0))) for mark, count in cues.marks(rest).items()}
    wanted = {word: n_each for word in asked_words(rest)} | marks
    supposed = _supposed(text, cues)
    wanted = {term: count for term, count in wanted.items() if term not in supposed} or wanted
    unknown = _unknown(view, text, " ".join(folded[start:end] for start, end in spans), cues)
    unknown += _unknown_legal_names(folded, [(start, end) for start, end, _ in taken])
    return Question(text, asked_words(_DAY.sub(" ", text)), entities, wanted, unknown, frozenset(topics))


def _n_compared(rest: str) -> int:
    """How many names a question puts side by side (A and B, A与B): each of them wants all that is asked."""
    longest = max((match[0] for match in _SIDE_BY_SIDE.finditer(rest)), key=len, default="")
    return max(1, longest.count(NAME_MARK))


def _supposed(text: str, cues: RelationCues) -> frozenset[str]:
    """The words and marks of a condition (若…停产，) that the rest of the question does not hold as well."""
    condition = _supposing().search(text)
    if condition is None:
        return frozenset()
    rest = fold(text[: condition.start()] + text[condition.end() :])
    supposed = fold(condition[0])
    return frozenset({*asked_words(supposed), *cues.marks(supposed)} - {*asked_words(rest), *cues.marks(rest)})


@lru_cache
def _supposing() -> re.Pattern[str]:
    openings = any_of(_words_of("supposing"))
    return re.compile(rf"(?<![A-Za-z])(?:{openings})(?![A-Za-z])[^,，。;；?？]*[,，]", re.IGNORECASE)


def asked_words(text: str) -> tuple[str, ...]:
    """The distinct words of a question, sorted, without those that only ask."""
    return tuple(sorted(set(words(text)) - _words_of("asking")))


def leads(entity: str) -> bool:
    """Whether mentions of an entity id lead from one sentence to another.

    Not so for what many sentences share: kinds of topic, common words taken for a name, and the Chinese "names" of no
    known kind, which are things (products, materials) and no parties. A question wants their words instead.
    """
    kind, _, name = entity.rpartition(":")
    if kind in _TOPICS or name in _words_of("common"):
        return False
    return kind != "name" or _HAN.search(name) is None


@lru_cache
def _words_of(table: str) -> frozenset[str]:
    return frozenset(load_toml("lexicon/stopwords.toml")[table].split())


def rarity(view: View, entity: int) -> float:
    """ln(1 + passages / passages that mention the entity)."""
    return math.log1p(view.n_passages / max(int(view.entity_counts[entity]), 1))


def _plain_words(text: str) -> frozenset[str]:
    """Words written small in a question that has capitals: "father" there is no title of that name."""
    if not any(word[:1].isupper() for word in text.split()[1:]):
        return frozenset()
    return frozenset(fold(word) for word in text.split() if word.isascii() and word[:1].islower())


def _known_names(view: View, folded: str, plain: frozenset[str]) -> list[tuple[int, int, int]]:
    """(start, end, entity) of names that do not overlap, the longest first, then the leftmost."""
    tokens = [match.span() for match in _TOKEN.finditer(folded)]
    runs = {
        (start, end): folded[start:end]
        for first, (start, _) in enumerate(tokens)
        for _, end in tokens[first : first + LONGEST_NAME + 1]
    }
    known = view.lookup({run for run in runs.values() if run not in plain and _may_be_name(run)})
    found = {span: known[run] for span, run in runs.items() if run in known}
    found |= _spelled_out(view, folded, {end for _, end in found})
    names: list[tuple[int, int, int]] = []
    for (start, end), entity in sorted(found.items(), key=lambda item: (item[0][0] - item[0][1], item[0])):
        if all(end <= first or last <= start for first, last, _ in names):
            names.append((start, end, entity))
    return names


def _spelled_out(view: View, folded: str, known_ends: set[int]) -> dict[tuple[int, int], int]:
    """Legal names that no document spells and whose short name is known, as `Question.entities` takes them.

    A security is only the short form of a joint-stock company; where several names are as long, the smallest id wins.
    """
    found = {}
    for start, end in _legal_names(folded):
        if end in known_ends:
            continue
        is_stock = folded.endswith("股份有限公司", start, end)
        meant = {
            (-len(short), view.entity_ids[entity], entity)
            for short, entity in view.lookup(short_forms(folded[start:end])).items()
            if is_stock or ":" in view.entity_ids[entity]
        }
        if meant:
            found[start, end] = min(meant)[2]
    return found


def _legal_names(folded: str) -> Iterator[tuple[int, int]]:
    """(start, end) of what has a legal form, without the words before the name."""
    for match in _LEGAL.finditer(folded):
        stem = stem_of(match[0])
        head = at = 0
        for word in rjieba.cut(stem, False):
            if word in _words_before_names() and at != 1 and len(stem) - at > 2:  # 三和, 日与夜: inside a name
                head = at + len(word)
            at += len(word)
        yield match.start() + head, match.end()


@lru_cache
def _words_before_names() -> frozenset[str]:
    return load_words("names/before_names.txt") | _words_of("asking") | _words_of("joining")


def _unknown_legal_names(folded: str, known: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Legal names of which no known name spells the end, with or without the legal form."""
    ends = {end for _, end in known}
    spelled = ((folded[start:end], end) for start, end in _legal_names(folded))
    return tuple(dict.fromkeys(name for name, end in spelled if not {end, end - len(name) + len(stem_of(name))} & ends))


def _may_be_name(run: str) -> bool:
    pieces = run.split()
    if len(pieces) == 1 and (len(run) < 2 or (run.isascii() and len(run) < 3)):
        return False
    return not all(
        piece in _words_of("common") or piece in _words_of("asking") or _is_short_number(piece) for piece in pieces
    )


def _is_short_number(piece: str) -> bool:
    return piece.isdigit() and len(piece) < 5


def _without(folded: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        folded = f"{folded[:start]} {NAME_MARK} {folded[end:]}"
    return folded


def _unknown(view: View, text: str, named: str, cues: RelationCues) -> tuple[str, ...]:
    """What looks like a name (capitals inside a sentence, codes, titles in 《》) and is none."""
    found: Counter[str] = Counter()
    in_chinese = _HAN.search(text) is not None
    for match in _CAPITALISED.finditer(text):
        pieces = fold(match.group()).split()
        while pieces and (pieces[0] in _words_of("common") or pieces[0] in _words_of("asking")):
            pieces = pieces[1:]
        if in_chinese and len(pieces) == 1 and _is_term(view, pieces[0], cues):
            continue
        if pieces and (match.start() or len(pieces) > 1):
            found[" ".join(pieces)] += 1
    found.update(fold(match.group()) for match in _CODE_OR_TITLE.finditer(text))
    return tuple(name for name in found if len(name) > 3 and not _may_mean(name, named))


def _is_term(view: View, piece: str, cues: RelationCues) -> bool:
    """Whether a latin piece of a Chinese question is an abbreviation or a model that visible text uses as well."""
    return bool(cues.marks(piece)) or all(len(view.words(word)[0]) for word in words(piece))


def _may_mean(name: str, named: str) -> bool:
    return name in named or any(piece in named.split() for piece in name.split() if len(piece) > 3)
