"""What Chinese names are called in English texts."""

import pytest

from finlore.graph.romanised import latin_aliases, romanised
from finlore.records.names import STRENGTH_DEFINITION, STRENGTH_PATTERN, Alias


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("云禾化学", "yunhe chemical"),
        ("云禾新材", "yunhe new materials"),
        ("云禾控股", "yunhe holdings"),
        ("云禾半导体", "yunhe semiconductor"),
        ("岭南云禾材料有限公司", "yunhe lingnan materials"),
        ("长桥证券", "zhangqiao securities"),
        ("长桥证券", "changqiao securities"),
    ],
)
def test_the_brand_is_read_and_the_business_translated(chinese: str, english: str) -> None:
    assert english in romanised(chinese)


def test_another_business_of_the_same_brand_is_another_name() -> None:
    assert not romanised("云禾化学") & romanised("云禾材料")


@pytest.mark.parametrize("name", ["", "云禾", "云禾之歌", "Yunhe Chemical", "化学", "云禾股份有限公司"])
def test_what_is_no_brand_and_business_has_no_english_name(name: str) -> None:
    assert not romanised(name)


def test_people_are_called_by_their_given_name_first_or_last() -> None:
    assert romanised("陆云川", person=True) == {"yunchuan lu", "lu yunchuan"}
    assert romanised("欧阳云川", person=True) == {"yunchuan ouyang", "ouyang yunchuan"}
    assert not romanised("霁岳云", person=True)


def test_an_english_name_is_no_stronger_than_a_pattern() -> None:
    alias = Alias("云禾化学", "600001.SH", "security", "云禾化学", STRENGTH_DEFINITION)
    found = {latin.surface: latin for latin in latin_aliases([alias])}
    assert found["yunhe chemical"].entity == "600001.SH"
    assert found["yunhe chemical"].strength < STRENGTH_PATTERN
    assert not list(latin_aliases([Alias("云禾", "concept:云禾", "concept", "云禾", 1)]))
