"""Nothing is shown under its id: what relations, measures and drivers are called."""

from finlore.intake.tables.labels import lexicon
from finlore.knowledge.schema import load_schema
from finlore.knowledge.vocabulary import Vocabulary, spoken
from finlore.records.schema import Labels

VOCABULARY = Vocabulary.of(load_schema())


def test_every_measure_of_tables_and_names_has_a_label_in_words() -> None:
    measures = {id_ for id_, _ in lexicon().metrics.values()}
    assert len(measures) > 200
    shown = [word for id_ in measures for word in (VOCABULARY.label(id_).zh, VOCABULARY.label(id_).en)]
    assert not [word for word in shown if not word or "metric:" in word or "_" in word or word.endswith("*")]


def test_labels_are_the_first_names_in_each_language() -> None:
    assert VOCABULARY.label("metric:contract_value") == Labels("合同金额", "contract value")
    assert VOCABULARY.label("metric:eps_diluted") == Labels("稀释每股收益", "diluted eps")
    assert VOCABULARY.label("metric:equity_parent") == Labels("归母所有者权益", "equity attributable")
    assert VOCABULARY.label("metric:revenue.growth") == Labels("营业收入同比", "revenue growth")


def test_what_has_no_name_is_called_by_its_own_words() -> None:
    assert VOCABULARY.label("metric:odd_measure.growth") == Labels("odd measure growth", "odd measure growth")
    assert spoken("target_price") == "target price"


def test_one_name_for_both_languages_is_said_once() -> None:
    assert spoken("metric:sga") == "SG&A"
    assert spoken("metric:revenue") == "营业收入 revenue"


def test_what_a_measure_is_called_is_what_it_may_be_asked_for_by() -> None:
    assert VOCABULARY.ids("合同金额") == {"metric:contract_value"} == VOCABULARY.ids("Contract Value")
