"""Shareholders as sentences and tables name them."""

from finlore.knowledge.lexicon.holdings import find_holders
from finlore.knowledge.sentences import readings
from tests.read_reports import facts, read


def test_a_shareholder_is_named_by_the_role_with_the_share() -> None:
    (reading,) = readings(*read("公司控股股东为珏山控股集团，持股比例38.6%。"))
    (holding,) = find_holders(reading)
    assert (holding.party.name, holding.share) == ("珏山控股集团", 38.6)


def test_a_person_in_control_needs_no_name_list() -> None:
    (reading,) = readings(*read("实际控制人为季云舒，合计持有公司31.2%的股份。"))
    assert [(found.party.name, found.share) for found in find_holders(reading)] == [("季云舒", 31.2)]


def test_a_line_may_list_shareholders_with_their_shares() -> None:
    (reading,) = readings(*read("主要股东：珏山控股（38.60%）、季云舒（5.75%），其余分散。"))
    holders = [(found.party.name, found.party.kind, found.share) for found in find_holders(reading)]
    assert holders == [("珏山控股", "organisation", 38.6), ("季云舒", "person", 5.75)]


def test_a_table_of_shareholders_is_known_by_its_heads() -> None:
    table = "| 股东名称 | 持股数量 | 持股比例 |\n|---|---|---|\n| 珏山控股 | 386 | 38.6% |\n| 合计 | 500 | 50.0% |\n"
    assert [(fact.text, fact.value, fact.unit) for fact in facts(table, "major_shareholders")] == [
        ("珏山控股", 38.6, "%")
    ]
    assert facts("| 产品 | 占比 |\n|---|---|\n| 滤布 | 3% |\n", "major_shareholders") == []
