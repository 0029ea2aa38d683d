"""Records become JSON documents: instants as ISO text with offset, boxes as four numbers, what is missing as null."""

import json
from dataclasses import replace

from finlore.records.answer import Answer, Citation, Hit, Retrieved, SentencePath
from finlore.records.document import Box, Metadata, Sentence, StoredPassage
from finlore.records.instant import ALWAYS, parse_instant
from finlore.records.names import Entity
from finlore.records.report import DocumentOutcome, IngestReport, NamePath, Neighbour
from finlore.records.store import StoreStatus
from finlore.serve import words

DAY = parse_instant("2024-03-01")
SENTENCE = Sentence(0, 8, page=3, box=Box(10.04, 20.06, 30, 40))
TITLED = Metadata("题", published_at=DAY)
PASSAGE = StoredPassage(
    "a:1:0", 7, "a", 1, 0, 0, 8, "桐远电池已投产。", (SENTENCE,), "要点", "body", TITLED, "a.pdf", DAY
)  # fmt: skip


def test_a_passage_stands_on_the_page_and_in_the_box_of_its_first_sentence() -> None:
    shown = words.passage(PASSAGE)
    assert (shown["page"], shown["bbox"]) == (3, [10.0, 20.1, 30, 40])
    assert shown["known_at"] == "2024-03-01T23:59:59+08:00"


def test_a_passage_without_pages_or_dates_says_null() -> None:
    plain = replace(PASSAGE, sentences=(), metadata=Metadata(), known_at=ALWAYS)
    shown = words.passage(plain)
    assert (shown["page"], shown["bbox"], shown["published_at"], shown["known_at"]) == (None, None, None, None)


def test_a_hit_adds_score_parts_and_entities_to_its_passage() -> None:
    hit = Hit(PASSAGE, 0.123456789, (("text", 1 / 3),), ("309902.SZ",))
    found = Retrieved("问", DAY, "auto", (hit,), ("309902.SZ",), ("绯屿",), (), (("total", 1.23456),))
    shown = words.searched(found)
    assert shown["passages"] == [
        {**words.passage(PASSAGE), "score": 0.123457, "parts": {"text": 0.333333}, "entities": ["309902.SZ"]}
    ]
    assert (shown["unknown_names"], shown["timing_ms"]) == (["绯屿"], {"total": 1.235})


def test_totals_count_every_status_and_all_passages() -> None:
    outcomes = (DocumentOutcome("a", "a.pdf", "added", passages=3), DocumentOutcome("b", "b.pdf", "rejected", "empty"))
    shown = words.ingested(IngestReport(outcomes, 2, 1.23456, 0.98765))
    assert shown["totals"] == {
        "added": 1, "new_version": 0, "unchanged": 0, "duplicate": 0, "rejected": 1, "skipped": 2, "passages": 3,
    }  # fmt: skip
    assert (shown["seconds"], shown["cpu_seconds"], shown["llm_calls"], shown["cost"]) == (1.235, 0.988, 0, 0)


def test_neighbours_and_paths_name_only_passages_that_were_read() -> None:
    page = words.entity(Entity("e", "E", "name"), [Neighbour("f", "F", 1.5, (7, 8))], [PASSAGE])
    assert page["neighbours"] == [{"id": "f", "name": "F", "weight": 1.5, "passages": ["a:1:0"]}]
    paths = words.name_paths([NamePath(("e", "f"), ((8, 7),), ("甲", "乙"))], [PASSAGE])
    assert paths == {
        "paths": [{"entities": ["e", "f"], "names": ["甲", "乙"], "passages": [["a:1:0"]], "titles": [["题"]]}]
    }


def test_an_answer_carries_its_citations_and_the_notice() -> None:
    cited = Citation(1, "a", 1, "题", None, None, "桐远电池已投产。", 0, 8, True, "a:1:0", DAY)
    answer = Answer("问", DAY, "extractive", "答 [1]", (cited,), ("!",), (SentencePath(("e",), ((7, 1),), 0.5),), True)
    shown = words.answered(answer, None, {})
    assert (shown["answer"], shown["run"], shown["notice"]) == ("答 [1]", None, words.NOTICE)
    assert (shown["citations"][0]["quote"], shown["citations"][0]["page"]) == ("桐远电池已投产。", None)
    assert shown["paths"] == [{"entities": ["e"], "sentences": 1, "score": 0.5}]


def test_a_status_says_how_far_the_derived_files_are_behind() -> None:
    shown = words.status(StoreStatus(1, 12, "d", (("documents", 3),), (("database", 10),), 9, ("torn",)))
    assert shown["derived"] == {"sequence": 9, "behind": 3}
    assert (shown["counts"], shown["sizes"], shown["problems"]) == ({"documents": 3}, {"database": 10}, ["torn"])


def test_every_document_is_plain_json_even_with_a_lone_surrogate() -> None:
    odd = replace(PASSAGE, text="\ud800\u202e")
    assert json.loads(json.dumps(words.edge([odd])))["edge"][0]["text"] == "\ud800\u202e"
