from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.learn import shortens
from finlore.language.legal import short_forms, stem_of


def test_a_legal_name_spells_out_its_short_names() -> None:
    assert {"云禾精密", "云禾精机", "云禾机械", "云禾股份", "岭南云禾"} <= short_forms("岭南云禾精密机械股份有限公司")


def test_characters_in_another_order_are_no_short_name() -> None:
    assert "云禾机精" not in short_forms("岭南云禾精密机械股份有限公司")


def test_the_brand_stands_near_the_head() -> None:
    assert "机械股份" not in short_forms("岭南云禾精密机械股份有限公司")


def test_a_brand_alone_is_no_short_name() -> None:
    assert "云禾" not in short_forms("云禾股份有限公司")


def test_the_legal_form_is_the_longest_one_that_ends_the_name() -> None:
    assert stem_of("云岭光学股份有限公司") == "云岭光学"
    assert stem_of("云岭光学有限公司") == "云岭光学"
    assert stem_of("云岭光学") == "云岭光学"


@given(st.text("岭南云禾精密机械", max_size=12))
def test_every_short_form_is_one_that_naming_accepts_as_well(stem: str) -> None:
    legal = f"{stem}股份有限公司"
    assert all(shortens(short, legal) for short in short_forms(legal) if legal.index(short[:2]) <= 4)


def test_the_number_of_short_forms_stays_small() -> None:
    assert len(short_forms("岭南云禾精密机械智能装备科技发展控股集团股份有限公司")) < 5000
