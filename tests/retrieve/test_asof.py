"""A search at a date over the real index equals, to the last bit, one over an index that never saw the future."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.names import NameTable
from finlore.index.segment import Segment
from finlore.index.view import IndexView
from finlore.language.normal import fold
from finlore.language.words import words
from finlore.records.index import OWNED, IndexedSentence, IndexRow, KnownName
from finlore.records.instant import NEVER, Instant
from finlore.retrieve.search import Found, retrieve
from tests.retrieve.market import CUES, MARKS, NAMES

_TEXTS = (
    "瑚海电池的正极材料由岭南锂材供应。", "青禾集团控股岭南锂材。", "青禾集团董事长为周砚。",
    "瑚海电池毛利率提升至二成。", "东湖设备供应瑚海电池。", "行业供应充足，价格平稳。", "Huhai Battery opened a plant.",
)  # fmt: skip
_QUESTIONS = (
    "瑚海电池的供应方的控股方的董事长是谁？",
    "岭南锂材由谁控股？",
    "Who supplies Huhai Battery?",
    "供应充足吗？",
)
_TODAY = 50

dated_row = st.tuples(
    st.integers(0, 10_000),
    st.integers(0, 100),
    st.lists(st.sampled_from(_TEXTS), min_size=1, max_size=3),
    st.sampled_from([NEVER, Instant(40), Instant(80)]),
    st.booleans(),
)


def row(key: int, known: int, texts: list[str], until: Instant, owned: bool) -> IndexRow:
    sentences = [IndexedSentence({}, {OWNED + "300001.SZ": 1} if owned else {})]
    for text in texts:
        marks = {"~" + relation: 1 for cue, relation in MARKS.items() if cue in text}
        names = Counter(fold(name) + "\x1f" for name in NAMES if name in text)
        sentences.append(IndexedSentence({**Counter(words(text)), **marks}, names))
    return IndexRow(key, Instant(known), tuple(sentences), until if until > known else NEVER)


def found(rows: list[IndexRow], learnt: dict[str, int], question: str) -> Found:
    names = [KnownName(fold(name), NAMES[name], "company", name, 80, Instant(known)) for name, known in learnt.items()]
    view = IndexView([Segment.from_rows(rows)], NameTable(names, [], {}), as_of=Instant(_TODAY), sequence=0,
                     until={}, replaced=frozenset())  # fmt: skip
    return retrieve(view, question, cues=CUES, method="graph")


@settings(deadline=None)
@given(
    st.lists(dated_row, min_size=1, max_size=12, unique_by=lambda parts: parts[0]),
    st.fixed_dictionaries({name: st.sampled_from([0, 30, 70]) for name in NAMES}),
    st.sampled_from(_QUESTIONS),
)
def test_what_is_known_later_changes_no_bit(
    drawn: list[tuple[int, int, list[str], Instant, bool]], learnt: dict[str, int], question: str
) -> None:
    rows = [row(*parts) for parts in drawn]
    past = [r for r in rows if r.known <= _TODAY < r.until]
    known = {name: instant for name, instant in learnt.items() if instant <= _TODAY}
    assert found(rows, learnt, question) == found(past, known, question)
