"""What would answer a question: which needs it has, which sentences are chosen, and what stays open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.flows import Workspace
from finlore.index.cues import shipped_cues
from finlore.ports import View
from finlore.records.document import Metadata, Sentence, StoredPassage
from finlore.records.instant import Instant, now
from finlore.retrieve.question import Question, read_question
from finlore.think.evidence import Evidence
from finlore.think.judge import MOST_SENTENCES, Need, choose, needs, unmet
from tests.small_world import WORLD, jsonl, workspace


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder: Path = tmp_path_factory.mktemp("judge")
    with workspace(folder / "store") as made:
        made.ingest([jsonl(folder / "world.jsonl", *WORLD)])
        yield _view(made)


def _view(made: Workspace) -> View:
    return made._store.view(now())


def asked(view: View, text: str) -> Question:
    return read_question(view, text, shipped_cues())


def number(view: View, entity: str) -> int:
    return list(view.entity_ids).index(entity)


def sentence(
    text: str, *, covers: set[str] = frozenset(), names: set[int] = frozenset(), score: float = 1.0, known: int = 0
) -> Evidence:
    passage = StoredPassage(
        f"{text}:1:0", len(text), text, 1, 0, 0, len(text), text, (Sentence(0, len(text)),), "", "body",
        Metadata(), "", Instant(known),
    )  # fmt: skip
    return Evidence(passage, 1, text, frozenset(covers), frozenset(), frozenset(names), frozenset(names), score)


def test_a_measure_is_needed_with_its_company_its_year_and_a_figure(view: View) -> None:
    (need,) = needs(asked(view, "漠川材料2023年的ROA是多少？"), view)
    company, ratio = number(view, "609901.SH"), number(view, "metric:roa")
    assert (need.names, need.terms, need.answers) == ({company, ratio}, {"2023"}, "figure")
    assert need.met_by(sentence("2023年ROA为4.7%", covers={"2023"}, names={company, ratio}))
    assert not need.met_by(sentence("2022年ROA为4.7%", names={company, ratio}))
    assert not need.met_by(sentence("2023年ROA为4.7%", covers={"2023"}, names={ratio}))
    assert not need.met_by(sentence("2023年ROA改善", covers={"2023"}, names={company, ratio}))


def test_each_of_two_companies_needs_a_sentence_of_its_own(view: View) -> None:
    question = asked(view, "漠川材料和桐远电池2023年的营业收入分别是多少？")
    assert len([need for need in needs(question, view) if need.terms == {"2023"}]) == 2


def test_a_relation_is_needed_beside_the_name_and_on_its_own(view: View) -> None:
    wanted = needs(asked(view, "桐远电池的硅碳负极由谁供应？"), view)
    company = number(view, "309902.SZ")
    assert any(need.names == {company} and "~supply" in need.either for need in wanted)
    assert any(need.terms == {"~supply"} for need in wanted)


def test_of_what_is_revised_the_latest_of_the_good_sentences_is_chosen(view: View) -> None:
    need = Need(frozenset({1}), revised=True)
    old, new = sentence("旧", names={1}, known=1), sentence("新", names={1}, known=2, score=0.9)
    (group,) = choose([need], [old, new], [], view) if len(view.entity_ids) > 1 else []
    assert group.evidence == (new,)


def test_a_far_better_sentence_beats_a_later_one(view: View) -> None:
    need = Need(frozenset({1}), revised=True)
    good, late = sentence("好", names={1}, known=1), sentence("迟", names={1}, known=2, score=0.1)
    (group,) = choose([need], [good, late], [], view)
    assert group.evidence == (good,)


def test_few_sentences_are_chosen_however_many_meet_a_need(view: View) -> None:
    wanted = [Need(frozenset(), frozenset({f"term{n}"})) for n in range(20)]
    evidence = [sentence(f"s{n}", covers={f"term{n}"}) for n in range(20)]
    groups = choose(wanted, evidence, [], view)
    assert sum(len(group.evidence) for group in groups) == MOST_SENTENCES


def test_what_no_chosen_sentence_meets_is_named(view: View) -> None:
    question = asked(view, "桐远电池的硅碳负极由谁供应？")
    wanted = needs(question, view)
    assert unmet(wanted, question, [], view) == [need for need in wanted if need.required]


def test_a_word_that_stands_nowhere_leaves_a_relation_open(view: View) -> None:
    question = asked(view, "漠川材料向火星供应什么？")
    company = number(view, "609901.SH")
    told = sentence("公司独家供应", covers={"~supply"}, names={company})
    groups = choose(needs(question, view), [told], [], view)
    (missing,) = unmet(needs(question, view), question, groups, view)
    assert missing.terms == {"火星"}
