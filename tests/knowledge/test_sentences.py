"""What extractors read: each sentence once, with the parties that stand in it."""

from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.intake.prepare import prepare
from finlore.knowledge.sentences import readings, subject_party
from finlore.records.document import Block, Document, ParsedDocument
from finlore.records.instant import MARKET_ZONE, now

TEXT = "澄川电子（603986）与宁德时代签订供货协议。公司2025年营业收入增长 18.3%。"


def document(text: str = TEXT) -> Document:
    stated = (("title", "供货协议"), ("security", "300750"))
    parsed = ParsedDocument("a.txt", text, (Block(0, len(text)),), "text", stated=stated)
    made, _ = prepare(parsed, zone=MARKET_ZONE, received_at=now())
    assert made is not None
    return made


def test_names_of_a_sentence_are_the_longest_and_lead_back_to_the_source() -> None:
    made = document()
    first, second = readings(made, find_names(made, Gazetteer.load()))
    names = [(named.party.name, first.text[named.start : named.end]) for named in first.names]
    assert ("宁德时代", "宁德时代") in names
    assert all(a.end <= b.start for a, b in zip(first.names, first.names[1:], strict=False))
    evidence = second.evidence()
    assert made.text[evidence.start : evidence.end] == second.text


def test_a_known_name_has_the_kind_of_its_alias() -> None:
    made = document()
    first = next(readings(made, find_names(made, Gazetteer.load())))
    assert {named.party.kind for named in first.names if named.party.name == "宁德时代"} == {"security"}


def test_a_document_speaks_of_its_subject() -> None:
    made = document()
    party = subject_party(made, find_names(made, Gazetteer.load()))
    assert party is not None
    assert (party.entity, party.kind) == ("300750.SZ", "security")
