"""What a document is about and who wrote it, as its fields and title say."""

import re

from finlore.graph.folded import surface_of, without_legal_form
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.learn import name_before
from finlore.graph.shipped import word_list
from finlore.language.codes import canonical_security, find_codes
from finlore.language.normal import fold, has_han
from finlore.records.document import Document
from finlore.records.names import STRENGTH_LIST, Alias

_LONGEST_TITLE = 60
_OPENING = 2_000  # characters in which a document says of whom it is
_OPENED = re.compile("[（(][^（()）]{0,40}$")
_HEADLINE = re.compile("[。；：:;，]")
_DESK = re.compile("(?:股份有限公司|有限责任公司|有限公司)?(?:研究(?:所|院|部|中心|总部))?$")


def subject_of(document: Document, gazetteer: Gazetteer) -> tuple[str | None, tuple[Alias, ...]]:
    """The covered security, else the title when it is a name: the only security of the title, that of which the text
    says the code where it first names it, a shipped name, or a short title that the text itself uses."""
    stated, title = document.metadata.security, document.metadata.title.strip()
    if stated:
        return canonical_security(stated) or stated, ()
    for codes in (_coded(title), _coded(document.text[:_OPENING], among=title)):
        if len(codes) == 1:
            return codes.pop(), ()
    title = without_legal_form(title)
    surface = fold(title)
    if known := gazetteer.aliases(surface):
        return known[0].entity, ()
    if not surface or _is_headline(title, surface) or not _is_used(title, surface, document.text):
        return None, ()
    entity = f"name:{surface}"
    return entity, (Alias(surface, entity, "name", title, STRENGTH_LIST),)


def _coded(text: str, *, among: str = "") -> set[str]:
    """The securities whose code stands behind a name; only names that stand in `among` as well, where that is given."""
    named = ((code.entity, name_before(_OPENED.sub("", text[: code.start]))[0]) for code in find_codes(text))
    return {entity for entity, name in named if name and (not among or fold(name) in fold(among))}


def _is_headline(title: str, surface: str) -> bool:
    if len(title) > _LONGEST_TITLE or _HEADLINE.search(title) or surface in word_list("common_words"):
        return True
    return not word_list("headline_words").isdisjoint(surface.split())


def _is_used(title: str, surface: str, text: str) -> bool:
    body = "\n".join(line for line in text.splitlines() if line.strip() != title)
    return len(surface) <= 12 and surface in fold(body) if has_han(title) else _names_a_page(title, body)


def _names_a_page(title: str, body: str) -> bool:
    """Whether a latin title is a name that the text is about: the text uses it, or all its capital words."""
    if f" {fold(title)}" in f" {fold(body)}":
        return True
    words = [word for word in re.findall(r"[^\W_]+", re.sub(r"\s*\([^)]*\)", "", title)) if word[:1].isupper()]
    return bool(words) and all(re.search(rf"\b{word}", body) for word in words)


def broker_of(document: Document, gazetteer: Gazetteer) -> tuple[str, tuple[Alias, ...]]:
    """The surface of the broker whose document it is ("" where nobody says), and the alias that makes it one unless the
    shipped lists do. Its research desk is the broker itself."""
    stated = (document.metadata.broker or "").strip()
    name = stated if surface_of(stated) in gazetteer else without_legal_form(_DESK.sub("", stated))
    surface = surface_of(name)
    if len(surface) < 2 or surface.isdigit() or surface in gazetteer:
        return surface, ()
    return surface, (Alias(surface, f"broker:{surface}", "broker", name, STRENGTH_LIST),)
