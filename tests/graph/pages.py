"""Documents for tests, written as text: 。！？； and line ends end a Chinese sentence, ". " an English one."""

import re

from finlore.records.document import Block, Document, Metadata, Passage, Sentence, Span

_ENDS = {"zh": r"[^。！？；\n]+[。！？；]?", "en": r"\S.*?(?:[.!?](?=\s)|$)"}


def page(
    text: str, title: str = "", *, language: str = "zh", markup: tuple[Span, ...] = (), **stated: object
) -> Document:
    """One document of one passage; `stated` goes into its metadata."""
    sentences = tuple(Sentence(*match.span()) for match in re.finditer(_ENDS[language], text))
    metadata = Metadata(title=title, language=language, **stated)  # type: ignore[arg-type]
    whole = Block(0, len(text))
    return Document("d", "/d", "text", text, metadata, (whole,), (Passage(0, len(text), sentences),), markup=markup)
