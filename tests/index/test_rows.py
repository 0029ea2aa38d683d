from collections.abc import Sequence

import pytest

from finlore.index.cues import RelationCues
from finlore.index.rows import index_row
from finlore.records.document import Metadata, Passage, Sentence, Span
from finlore.records.index import IndexRow, name_list
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Mention

CUES = RelationCues({"supply": ["供应", "供应商", "suppl*"], "halt": ["停产"]}, subject=["公司", "we"])


def row_of(
    *sentences: str,
    mentions: Sequence[Mention] = (),
    subject: str | None = None,
    metadata: Metadata | None = None,
    heading: str = "",
    readable: Sequence[Span] = (),
) -> IndexRow:
    text, spans = "", []
    for sentence in sentences:
        spans.append(Sentence(len(text), len(text) + len(sentence)))
        text += sentence
    passage = Passage(0, len(text), tuple(spans), heading=heading)
    return index_row(
        7,
        Instant(1),
        NEVER,
        document_text=text,
        passage=passage,
        mentions=mentions,
        metadata=metadata or Metadata(),
        subject=subject,
        cues=CUES,
        readable=readable,
    )


def mention(surface: str, start: int, end: int, kind: str = "", sentence: int = 1) -> Mention:
    return Mention(0, sentence, start, end, surface, kind)


def test_the_context_sentence_holds_title_broker_and_heading_and_the_owned_subject() -> None:
    metadata = Metadata(title="澜沧深度报告", broker="Harbour Securities")
    context = row_of("产能增长。", subject="301999.SZ", metadata=metadata, heading="Outlook").sentences[0]
    assert {"深度", "报告", "harbour", "outlook"} <= context.words.keys()
    assert context.names == {"=301999.SZ": 1}


def test_what_stands_under_the_heading_of_another_security_is_about_that_one() -> None:
    def about(heading: str) -> list[str]:
        row = row_of("公司上调目标价。", subject="301999.SZ", heading=heading)
        return [name for sentence in row.sentences for name in sentence.names]

    assert about("桐远电池（309902）点评 / 盈利预测") == ["=309902.SZ", "@309902.SZ"]
    assert about("盈利预测") == about("澜沧（301999）") == ["=301999.SZ", "@301999.SZ"]
    assert about("澜沧（301999）与桐远电池（309902）") == ["=301999.SZ", "@301999.SZ"]
    assert about("漠川材料（609901）与桐远电池（309902）") == []


def test_sentences_count_words_and_keep_their_order() -> None:
    row = row_of("电池电池。", "Plants grow.")
    assert [dict(sentence.words) for sentence in row.sentences[1:]] == [{"电池": 2}, {"plant": 1, "grow": 1}]


def test_relation_wordings_that_touch_are_marked_once() -> None:
    assert row_of("向供应商供应，随后停产。").sentences[1].words["~supply"] == 1
    assert row_of("供应铜，供应锂。").sentences[1].words["~supply"] == 2
    assert "~halt" not in row_of("供应铜。").sentences[1].words


def test_latin_cues_match_words_and_not_their_middles() -> None:
    assert "~supply" in row_of("Suppliers wait.").sentences[1].words
    assert "~supply" not in row_of("They resupply.").sentences[1].words


def test_the_company_means_the_owned_subject() -> None:
    assert row_of("公司扩产。", "行业回暖。", subject="x").sentences[1].names == {"@x": 1}
    assert row_of("公司扩产。", "行业回暖。", subject="x").sentences[2].names == {}
    assert row_of("公司扩产。").sentences[1].names == {}


def test_a_cue_between_chinese_letters_is_a_word() -> None:
    assert row_of("而we表示。", subject="x").sentences[1].names == {"@x": 1}
    assert row_of("weapons", subject="x").sentences[1].names == {}


def test_mark_up_is_read_and_not_counted() -> None:
    row = row_of("毛利率 $1 8 . 3 \\%$。", readable=[Span(4, 16, "latex")])
    assert "18.3%" in row.sentences[1].words


def test_a_mention_inside_a_longer_one_has_a_list_of_its_own() -> None:
    names = row_of("贵石茅泉酒厂", mentions=[mention("茅泉", 2, 4), mention("贵石茅泉", 0, 4), mention("茅泉", 2, 4)])
    assert names.sentences[1].names == {name_list("茅泉", "", ("贵石茅泉",)): 1, name_list("贵石茅泉", "", ()): 1}


def test_names_that_only_touch_or_overlap_cover_nothing() -> None:
    names = row_of("甲乙丙", mentions=[mention("甲乙", 0, 2), mention("乙丙", 1, 3)]).sentences[1].names
    assert names == {name_list("甲乙", "", ()): 1, name_list("乙丙", "", ()): 1}


def test_covers_count_within_one_sentence_only() -> None:
    row = row_of("茅泉酒", "茅泉", mentions=[mention("茅泉酒", 0, 3), mention("茅泉", 3, 5, sentence=2)])
    assert row.sentences[2].names == {name_list("茅泉", "", ()): 1}


def test_a_guess_inside_a_longer_guess_is_none_but_may_be_a_known_name() -> None:
    names = row_of("x" * 9, mentions=[mention("a b", 0, 9, "name"), mention("b", 3, 9, "person")]).sentences[1].names
    assert names == {name_list("a b", "name", ()): 1, name_list("b", "", ("a b",)): 1}


def test_a_guess_and_a_name_on_the_same_place_are_one_mention() -> None:
    names = row_of("xy", mentions=[mention("xy", 0, 2), mention("xy", 0, 2, "product"), mention("xy", 0, 2, "company")])
    assert names.sentences[1].names == {name_list("xy", "company", ()): 1}


def test_a_name_with_its_brackets_is_one_mention() -> None:
    names = row_of("xy（A）", mentions=[mention("xy", 0, 2), mention("xy", 0, 5)]).sentences[1].names
    assert names == {name_list("xy", "", ()): 1}


@pytest.mark.parametrize(("language", "number"), [("zh", 0), ("en", 1)])
def test_the_language_is_that_of_the_document(language: str, number: int) -> None:
    assert row_of("a", metadata=Metadata(language=language)).language == number
