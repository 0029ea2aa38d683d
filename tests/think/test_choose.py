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
from finlore.think.choose import MOST_SENTENCES, choose, unmet
from finlore.think.evidence import Evidence
from finlore.think.needs import Need, needs
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
    text: str,
    *,
    covers: set[str] = frozenset(),
    names: set[int] = frozenset(),
    score: float = 1.0,
    known: int = 0,
    links: set[int] = frozenset(),
    broker: str | None = None,
) -> Evidence:
    passage = StoredPassage(
        f"{text}:1:0", len(text), text, 1, 0, 0, len(text), text, (Sentence(0, len(text)),), "", "body",
        Metadata(broker=broker), "", Instant(known),
    )  # fmt: skip
    linked = frozenset(links or names)
    return Evidence(
        passage, 1, text, frozenset(covers), frozenset(), frozenset(names), frozenset(names), linked, None, score
    )


def test_a_measure_is_needed_with_its_company_its_year_and_a_figure(view: View) -> None:
    (need,) = needs(asked(view, "漠川材料2023年的ROA是多少？"), view)
    company, ratio = number(view, "609901.SH"), "~return_on_assets"
    assert (need.names, need.terms, need.answers) == ({company}, {"2023", ratio}, "figure")
    assert need.met_by(sentence("2023年ROA为4.7%", covers={"2023", ratio}, names={company}))
    assert not need.met_by(sentence("2022年ROA为4.7%", covers={ratio}, names={company}))
    assert not need.met_by(sentence("2023年ROA为4.7%", covers={"2023", ratio}))
    assert not need.met_by(sentence("2023年ROA改善", covers={"2023", ratio}, names={company}))


def test_each_of_two_companies_needs_a_sentence_of_its_own(view: View) -> None:
    question = asked(view, "漠川材料和桐远电池2023年的营业收入分别是多少？")
    assert {company for need in needs(question, view) for company in need.names} == {
        number(view, "609901.SH"),
        number(view, "309902.SZ"),
    }


def test_a_relation_is_needed_beside_the_name(view: View) -> None:
    (need,) = needs(asked(view, "桐远电池的硅碳负极由谁供应？"), view)
    assert (need.names, need.either) == ({number(view, "309902.SZ")}, {"~supply"})


def test_of_two_relations_each_is_needed_somewhere(view: View) -> None:
    wanted = needs(asked(view, "桐远电池的供应商的董事长是谁？"), view)
    assert {need.terms for need in wanted if not need.names} == {frozenset({"~supply"}), frozenset({"~executive"})}


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
    wanted = [Need(frozenset(), terms=frozenset({f"term{n}"})) for n in range(20)]
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


def test_what_several_names_have_in_common_is_told_by_one_sentence_about_each(view: View) -> None:
    supply = frozenset({"~supply"})
    wanted = [Need(frozenset({0}), either=supply), Need(frozenset({1}), either=supply)]
    evidence = [
        sentence("a", covers={"~supply"}, names={0}, links={0, 3}, score=2.0),
        sentence("b", covers={"~supply"}, names={0}, links={0, 4}),
        sentence("c", covers={"~supply"}, names={1}, links={1, 4}),
    ]
    (group,) = choose(wanted, evidence, [], view)
    assert [chosen.text for chosen in group.evidence] == ["b", "c"]
    assert group.entities[-1] == 4


def test_a_question_for_all_gets_a_sentence_for_each_that_is_new(view: View) -> None:
    need = Need(frozenset({0}), several=True)
    evidence = [sentence(text, names={0}, links={0, link}) for text, link in (("a", 3), ("b", 3), ("c", 4))]
    groups = choose([need], evidence, [], view)
    assert {chosen.text for group in groups for chosen in group.evidence} in ({"a", "c"}, {"b", "c"})


def test_sources_that_differ_are_both_shown_and_the_newest_first(view: View) -> None:
    need = Need(frozenset({0}), revised=True)
    evidence = [
        sentence("old of A", names={0}, known=1, broker="A"),
        sentence("new of A", names={0}, known=3, broker="A"),
        sentence("of B", names={0}, known=2, broker="B"),
    ]
    groups = choose([need], evidence, [], view)
    assert [chosen.text for group in groups for chosen in group.evidence] == ["new of A", "of B"]
