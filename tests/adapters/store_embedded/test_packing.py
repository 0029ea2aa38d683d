"""Records survive being packed, to the last bit."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.store_embedded import packing
from finlore.records.document import Block, Box, Document, Issue, Line, Metadata, Sentence, Span
from finlore.records.names import Mention

strings = st.text(st.characters(), max_size=12)  # NUL, control characters and lone surrogates included
numbers = st.integers(0, 2**31)
coordinates = st.floats(allow_nan=False, width=32)
boxes = st.none() | st.builds(Box, coordinates, coordinates, coordinates, coordinates)
spans = st.builds(Span, numbers, numbers, strings)


@given(strings)
def test_text_survives(text: str) -> None:
    assert packing.unpack_text(packing.pack_text(text)) == text


@given(
    st.lists(st.builds(Block, numbers, numbers, st.just("table"), numbers, st.none() | numbers, boxes), max_size=3),
    st.lists(
        st.builds(
            Line, numbers, numbers, numbers, boxes.filter(bool), st.lists(st.integers(-9, 9000), max_size=5).map(tuple)
        ),
        max_size=3,
    ),
    st.lists(st.builds(Issue, strings, strings, st.just("note"), st.none() | numbers), max_size=2),
)
def test_layout_survives(blocks: list[Block], lines: list[Line], issues: list[Issue]) -> None:
    document = Document("a", "a.md", "pdf", "", Metadata(), tuple(blocks), (), tuple(lines), issues=tuple(issues))
    layout = packing.unpack_layout(packing.pack_layout(document))
    assert (layout.blocks, layout.lines, layout.issues) == (document.blocks, document.lines, document.issues)


@given(st.lists(spans, max_size=4))
def test_spans_survive(held: list[Span]) -> None:
    assert packing.unpack_spans(packing.pack_spans(held)) == tuple(held)


@given(
    st.lists(st.builds(Sentence, numbers, numbers, st.none() | numbers, boxes, st.none() | spans), max_size=4), numbers
)
def test_sentences_survive(sentences: list[Sentence], origin: int) -> None:
    assert packing.unpack_sentences(packing.pack_sentences(sentences, origin), origin) == tuple(sentences)


@given(st.lists(st.builds(Mention, numbers, numbers, numbers, numbers, strings, strings), max_size=5))
def test_mentions_survive(mentions: list[Mention]) -> None:
    packed = packing.pack_mentions(mentions)
    assert packing.unpack_mentions(packed) == mentions
    assert packing.mentioned_surfaces(packed) == sorted({mention.surface for mention in mentions})


@given(strings, st.lists(strings, max_size=2).map(tuple), st.none() | strings)
def test_metadata_survives(title: str, analysts: tuple[str, ...], broker: str | None) -> None:
    metadata = Metadata(title=title, analysts=analysts, broker=broker)
    assert packing.unpack_metadata(packing.pack_metadata(metadata)) == metadata


def test_all_metadata_but_the_time_of_the_crawl_makes_a_version() -> None:
    def of(**stated: object) -> bytes:
        return packing.content_fingerprint(Document("a", "", "md", "text", replace(Metadata(), **stated), (), ()))

    assert of() == of(crawled_at=5)
    assert len({of(), of(title="x"), of(rating="买入"), of(published_at=5), of(analysts=("x",))}) == 5
