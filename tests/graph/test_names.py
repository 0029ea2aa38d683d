"""All names of a document, its aliases and its subject."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_all_names, find_names
from finlore.language.reading import context_text
from finlore.records.document import Span
from finlore.records.names import STRENGTH_IDENTIFIER, STRENGTH_LIST, Alias, FoundNames
from tests.graph.pages import page

KNOWN = Gazetteer(
    [
        Alias("青禾电池", "300990.SZ", "security", "青禾电池", STRENGTH_IDENTIFIER),
        Alias("300990", "300990.SZ", "security", "青禾电池", STRENGTH_IDENTIFIER),
        Alias("临江", "region:临江", "region", "临江", STRENGTH_LIST),
        Alias("larkfield", "company:larkfield", "company", "Larkfield", STRENGTH_LIST),
    ]
)


class Taker:
    """Takes every text it is given for one name, and remembers them."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.calls: list[list[str]] = []

    def recognise(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        self.calls.append(list(texts))
        return [[(0, len(text), "organisation")] for text in texts]


def written(text: str, found: FoundNames) -> list[tuple[str, str, str]]:
    return [(text[m.start : m.end], m.surface, m.kind) for m in found.mentions]


def test_mentions_say_passage_sentence_and_range() -> None:
    text = "行业回暖。临江的青禾电池扩产。"
    found = find_names(page(text), KNOWN)
    assert written(text, found) == [("临江", "临江", ""), ("青禾电池", "青禾电池", "")]
    assert {(mention.passage, mention.sentence) for mention in found.mentions} == {(0, 2)}


def test_shipped_aliases_come_with_the_names_that_occur_and_only_those() -> None:
    found = find_names(page("青禾电池扩产。"), KNOWN)
    assert [(alias.surface, alias.entity) for alias in found.aliases] == [("青禾电池", "300990.SZ")]


def test_what_a_document_teaches_is_found_in_it_too() -> None:
    text = "骊阡新材（609990）公告。随后骊阡新材上涨。"
    mentions = written(text, find_names(page(text), KNOWN))
    assert mentions.count(("骊阡新材", "骊阡新材", "")) == 2


def test_no_occurrence_is_counted_twice() -> None:
    text = "临江骊阡新材料股份有限公司扩产。"
    spans = [(m.start, m.end, m.surface) for m in find_names(page(text), KNOWN).mentions]
    assert len(spans) == len(set(spans))
    assert written("Larkfield rose.", find_names(page("Larkfield rose.", language="en"), KNOWN)) == [
        ("Larkfield", "larkfield", "")
    ]


def test_a_recogniser_reads_only_between_shipped_organisations_and_once_per_document() -> None:
    taker = Taker("zh")
    find_names(page("江口机械与青禾电池在临江合资。北岭集团退出。"), KNOWN, [taker])
    assert taker.calls == [["江口机械与", "在临江合资。", "北岭集团退出。"]]


def test_a_recogniser_is_asked_once_for_several_documents_and_finds_in_each_what_it_finds_in_it_alone() -> None:
    taker, pages = Taker("zh"), [page("江口机械与青禾电池在临江合资。"), page(""), page("北岭集团退出。")]
    assert find_all_names(pages, KNOWN, [taker]) == [find_names(each, KNOWN, [Taker("zh")]) for each in pages]
    assert taker.calls == [["江口机械与", "在临江合资。", "北岭集团退出。"]]


def test_a_code_is_no_capitalised_span() -> None:
    found = find_names(page("Larkfield bought 300990.SZ shares.", language="en"), KNOWN)
    assert {(mention.surface, mention.kind) for mention in found.mentions} == {("larkfield", ""), ("300990", "")}


def test_what_is_learnt_does_not_change_what_a_recogniser_reads() -> None:
    taker = Taker("zh")
    find_names(page("骊阡新材（609990）与北岭合作。"), KNOWN, [taker])
    assert taker.calls == [["骊阡新材（609990）与北岭合作。"]]


def test_english_statistical_names_have_no_kind_of_their_own() -> None:
    text = "shares of northgate fell."
    found = find_names(page(text, language="en"), KNOWN, [Taker("en")])
    assert {mention.kind for mention in found.mentions} == {"name"}


def in_context(found: FoundNames) -> set[tuple[str, str]]:
    return {(mention.surface, mention.kind) for mention in found.mentions if mention.sentence == 0}


def test_a_passage_is_read_with_the_names_of_its_title_broker_and_heading() -> None:
    document = page("公司扩产。", "青禾电池点评", broker="临江")
    found = find_names(replace(document, passages=(replace(document.passages[0], heading="与Larkfield合资"),)), KNOWN)
    context = context_text(document.metadata, "与Larkfield合资")
    assert [(context[m.start : m.end], m.sentence, m.surface, m.kind) for m in found.mentions] == [
        ("青禾电池", 0, "青禾电池", ""),
        ("临江", 0, "临江", ""),
        ("Larkfield", 0, "larkfield", ""),
    ]
    assert {alias.surface for alias in found.aliases} == {"青禾电池", "临江", "larkfield"}


def test_names_in_the_context_do_not_reach_across_its_lines() -> None:
    assert in_context(find_names(page("扩产。", "谈青禾", broker="电池"), KNOWN)) == {("电池", "")}


@pytest.mark.parametrize(
    ("broker", "alias"),
    [
        ("霜桥证券", Alias("霜桥证券", "broker:霜桥证券", "broker", "霜桥证券", STRENGTH_LIST)),
        ("霜桥证券股份有限公司研究所", Alias("霜桥证券", "broker:霜桥证券", "broker", "霜桥证券", STRENGTH_LIST)),
        ("Frost Bridge", Alias("frost bridge", "broker:frost bridge", "broker", "Frost Bridge", STRENGTH_LIST)),
        ("青禾电池", Alias("青禾电池", "300990.SZ", "security", "青禾电池", STRENGTH_IDENTIFIER)),
    ],
)
def test_the_broker_of_a_document_is_always_a_name_in_its_context(broker: str, alias: Alias) -> None:
    found = find_names(page("行业回暖。", broker=broker), KNOWN)
    assert alias in found.aliases
    assert (alias.surface, "") in in_context(found)


def test_what_a_heading_teaches_is_found_in_the_sentences_below_it() -> None:
    document = page("骊阡新材扩产。")
    found = find_names(
        replace(document, passages=(replace(document.passages[0], heading="骊阡新材（609990）"),)), KNOWN
    )
    assert {(m.sentence, m.surface) for m in found.mentions} == {(0, "骊阡新材"), (0, "609990"), (1, "骊阡新材")}


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("Harrow Lane Optics: first look", "Sales rose.", {"harrow lane optics"}),
        ("Harrow Lane Optics: First Look", "Harrow Lane Optics grew.", {"harrow lane optics"}),
        ("Margin Outlook And Solid Growth", "Sales rose.", set()),
    ],
)
def test_a_title_in_capitals_names_only_what_the_text_names_too(title: str, text: str, names: set[str]) -> None:
    found = find_names(page(text, title, language="en"), KNOWN)
    assert {surface for surface, _ in in_context(found)} == names


def test_mark_up_inside_a_name_does_not_hide_it() -> None:
    text = "与**青禾**电池签约"
    found = find_names(page(text, markup=(Span(1, 3, "markup"), Span(5, 7, "markup"))), KNOWN)
    assert written(text, found) == [("青禾**电池", "青禾电池", "")]


@pytest.mark.parametrize(
    ("title", "text", "stated", "subject"),
    [
        ("周报", "正文。", "300990.SZ", "300990.SZ"),
        ("青禾电池", "正文。", None, "300990.SZ"),
        ("骊阡新材（609990）深度报告", "正文。", None, "609990.SH"),
        ("骊阡新材（609990）与青禾电池（300990）比较", "正文。", None, None),
        ("行业周报：景气回升", "景气回升。", None, None),
        ("骊阡河", "骊阡河流经临江。", None, "name:骊阡河"),
        ("骊阡河", "正文。", None, None),
    ],
)
def test_the_subject_is_the_covered_security_else_a_title_that_is_a_name(
    title: str, text: str, stated: str | None, subject: str | None
) -> None:
    assert find_names(page(text, title, security=stated), KNOWN).subject == subject


@pytest.mark.parametrize(
    ("title", "text", "subject"),
    [
        ("Osric Vale Announces First Quarter Results", "Osric Vale, Inc. (NASDAQ: OSRV) today announced …", "OSRV.US"),
        ("Osric Vale Announces First Quarter Results", "Marl Bay Corp. (NYSE: MRLB) is a rival.", None),
        ("Two Results: Osric Vale, Marl Bay", "Osric Vale (NASDAQ: OSRV) and Marl Bay (NYSE: MRLB)", None),
        ("鲸湾储能深度报告：订单放量", "鲸湾储能（688998）今日公告", "688998.SH"),
        ("Osric Vale Announces First Quarter Results", "…" * 3_000 + " Osric Vale (NASDAQ: OSRV)", None),
    ],
)
def test_the_subject_is_whom_the_title_names_and_the_opening_gives_a_code(
    title: str, text: str, subject: str | None
) -> None:
    assert find_names(page(text, title), KNOWN).subject == subject


@pytest.mark.parametrize(
    ("title", "text", "subject"),
    [
        ("Osric Vale (painter)", "Osric Vale was a painter.", "name:osric vale"),
        ("Osric Vale", "Osric Tam Vale was a painter.", "name:osric vale"),
        ("Solid quarter ahead", "Sales rose.", None),
        ("Larkfield: margins up", "Larkfield: margins up again.", None),
    ],
)
def test_the_subject_of_an_english_page(title: str, text: str, subject: str | None) -> None:
    found = find_names(page(text, title, language="en"), KNOWN)
    assert found.subject == subject
    assert not subject or Alias("osric vale", subject, "name", title, STRENGTH_LIST) in found.aliases


def test_the_same_document_gives_the_same_names() -> None:
    document = page("骊阡新材（609990）与青禾电池、Larkfield合作，董事长张远山出席。")
    assert find_names(document, KNOWN) == find_names(document, KNOWN)


def test_an_empty_document_has_no_names() -> None:
    assert find_names(page(""), KNOWN) == FoundNames((), (), None)
