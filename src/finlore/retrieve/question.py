"""What a question asks for: the names that are known at its date, and the words that remain."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from finlore.index.cues import RelationCues
from finlore.language.normal import fold
from finlore.language.words import words
from finlore.ports import View
from finlore.resources import load_toml

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
_CAPITALISED = re.compile(r"[A-Z][\w&'’.-]*(?:\s+(?:(?:of|the|de|von|van|and)\s+)?[A-Z][\w&'’.-]*)*")
_LEGAL = re.compile(
    r"[\u4e00-\u9fff]{2,16}?(?:股份有限公司|集团有限公司|有限责任公司|有限公司)|(?<!\d)[03468]\d{5}(?!\d)|《[^》]+》"
)


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
    tokens = [match.span() for match in _TOKEN.finditer(folded)]
    entities: dict[int, float] = {}
    spans: list[tuple[int, int]] = []
    topics = set()
    plain = _plain_words(text)
    for start, end, entity in _known_names(view, folded, tokens, plain):
        if leads(view.entity_ids[entity]):
            spans.append((start, end))
        else:
            topics.add(entity)
        weight = rarity(view, entity) * len(folded[start:end].split())
        entities[entity] = max(entities.get(entity, 0.0), weight)
    rest = _without(folded, spans)
    once = cues.marks(fold(text))  # without brackets: "return on equity (ROE)" wants one thing
    marks = {mark: max(1, min(count, once.get(mark, 0))) for mark, count in cues.marks(rest).items()}
    wanted = {word: 1 for word in asked_words(rest)} | marks
    named = " ".join(folded[start:end] for start, end in spans)
    return Question(text, asked_words(_DAY.sub(" ", text)), entities, wanted, _unknown(text, named), frozenset(topics))


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


def _known_names(
    view: View, folded: str, tokens: list[tuple[int, int]], plain: frozenset[str]
) -> Iterator[tuple[int, int, int]]:
    """(start, end, entity) of names that do not overlap, the longest first, then the leftmost."""
    runs = {
        (first, last): folded[tokens[first][0] : tokens[last][1]]
        for first in range(len(tokens))
        for last in range(first, min(first + LONGEST_NAME, len(tokens)))
    }
    known = view.lookup({run for run in runs.values() if run not in plain and _may_be_name(run)})
    taken = [False] * len(tokens)
    for (first, last), run in sorted(runs.items(), key=lambda item: (-len(item[1]), item[0])):
        if run in known and not any(taken[first : last + 1]):
            taken[first : last + 1] = [True] * (last + 1 - first)
            yield tokens[first][0], tokens[last][1], known[run]


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


def _unknown(text: str, named: str) -> tuple[str, ...]:
    """What looks like a name (capitals inside a sentence, legal names, codes, titles in 《》) and is none."""
    found: Counter[str] = Counter()
    for match in _CAPITALISED.finditer(text):
        pieces = fold(match.group()).split()
        while pieces and (pieces[0] in _words_of("common") or pieces[0] in _words_of("asking")):
            pieces = pieces[1:]
        if pieces and (match.start() or len(pieces) > 1):
            found[" ".join(pieces)] += 1
    found.update(fold(match.group()) for match in _LEGAL.finditer(text))
    return tuple(name for name in found if len(name) > 3 and not _may_mean(name, named))


def _may_mean(name: str, named: str) -> bool:
    return name in named or any(piece in named.split() for piece in name.split() if len(piece) > 3)
