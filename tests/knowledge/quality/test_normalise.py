"""Which names are one company's, and which never are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.quality.alike import likeness
from finlore.knowledge.quality.normalise import Blocks, MergeProposal, company, compare, propose
from finlore.records.fact import Party

KNOWN = {
    "比亚迪": "002594.SZ", "002594": "002594.SZ", "byd": "002594.SZ", "比亚迪电子": "00285.HK",
    "招商银行": "600036.SH", "招商证券": "600999.SH", "中国银行": "601988.SH", "中国银河": "601881.SH",
    "万科a": "000002.SZ", "万科b": "200002.SZ", "海螺水泥": "600585.SH", "海螺型材": "000619.SZ",
    "云禾精机": "309901.SZ", "云禾光学": "309902.SZ", "岭东证券": "broker:岭东证券",
    "roe": "metric:roe", "净资产收益率": "metric:roe", "roa": "metric:roa",
}  # fmt: skip
VARIANTS = (
    "BYD Inc.",
    "BYD Auto",
    "BYD Company Limited",
    "比亚迪",
    "比亚迪股份有限公司",
    "002594",
    "002594.SZ",
    "002594.sz",
)


def decided(one: str, other: str, known: dict[str, str] | None = None) -> str:
    return compare(company(one), company(other), known=KNOWN if known is None else known).decision


def proposed(*names: str) -> dict[str, tuple[str, str]]:
    """Name -> (entity of the best proposal, decision)."""
    found: dict[str, tuple[str, str]] = {}
    for proposal in propose(map(company, names), known=KNOWN):
        found.setdefault(proposal.a.name, (proposal.b.entity, proposal.decision))
    return found


@pytest.mark.parametrize("one", VARIANTS)
@pytest.mark.parametrize("other", VARIANTS)
def test_code_short_name_legal_name_and_english_names_are_one(one: str, other: str) -> None:
    assert decided(one, other) == "merge"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("招商银行", "招商证券"),
        ("中国银行", "中国银河"),
        ("万科A", "万科B"),
        ("海螺水泥", "海螺型材"),
        ("比亚迪", "BYD Electronic Finance"),
    ],
)
def test_names_that_share_a_brand_are_two_whether_or_not_they_are_known(one: str, other: str) -> None:
    assert decided(one, other) == "never"
    assert decided(one, other, known={}) == "never"


def test_measures_are_one_by_what_is_known_of_them_and_never_by_their_letters() -> None:
    roe, roa, written = (Party(name, name.lower(), "metric") for name in ("ROE", "ROA", "净资产收益率"))
    assert compare(roe, written, known=KNOWN).decision == "merge"
    assert compare(roe, roa, known={}).decision == "never"


@pytest.mark.parametrize(
    ("name", "decision"),
    [
        ("广东云禾精密机械股份有限公司", "merge"),
        ("云禾精机股份有限公司", "merge"),
        ("云禾精机有限公司", "merge"),  # before it was converted
        ("云禾精机销售有限公司", "never"),
        ("云禾精机（香港）有限公司", "never"),
        ("云禾精机集团有限公司", "review"),
        ("云禾精机研究院", "never"),
        ("*ST云禾精机", "merge"),
        ("云禾精机分公司", "never"),
    ],
)
def test_legal_form_place_group_and_branch_decide(name: str, decision: str) -> None:
    assert decided(name, "云禾精机", known={}) == decision


def test_a_member_of_a_group_is_not_the_group() -> None:
    assert likeness("岭东集团霜桥照明股份有限公司", "岭东集团").decision != "merge"
    assert likeness("岭东集团霜桥照明股份有限公司", "霜桥照明").decision == "merge"


def test_a_legal_name_is_told_by_the_best_of_the_known_short_names() -> None:
    assert proposed("广东云禾精密机械股份有限公司") == {"广东云禾精密机械股份有限公司": ("309901.SZ", "merge")}


def test_where_two_names_explain_it_equally_well_a_person_is_asked() -> None:
    known = {"云禾机械": "309901.SZ", "云禾精密": "309903.SZ"}
    proposals = propose([company("云禾精密机械股份有限公司")], known=known)
    assert [p.decision for p in proposals] == ["review", "review"]
    assert all("云禾机械" in p.reason and "云禾精密" in p.reason for p in proposals)


def test_a_nickname_inside_a_short_name_is_asked_about() -> None:
    assert decided("霜桥", "霜桥光学", known={}) in ("review", "never")
    assert decided("阳谷", "阳谷电源", known={}) != "merge"


def test_english_names_differ_by_the_words_that_say_who_they_are() -> None:
    assert decided("Harrow Lane Optics Inc.", "Harrow Lane Optics Co., Ltd.", known={}) == "merge"
    assert decided("Harrow Lane Optics", "Harrow Lane Optics Finance", known={}) == "never"
    assert decided("Harrow Lane Optics", "Harrow Lane Group", known={}) == "never"
    assert decided("Harrow Lane Optics", "Harrow Lane Optics Group", known={}) == "review"
    assert decided("Quillmark Devices", "Quilmark Devices", known={}) == "review"


def test_what_is_known_is_proposed_only_where_it_adds_something() -> None:
    assert proposed("招商银行", "600036", "600036.SH") == {}
    assert proposed("招商银行股份有限公司") == {"招商银行股份有限公司": ("600036.SH", "merge")}


def test_a_shorter_name_of_an_unlisted_company_is_found_among_the_names_of_a_batch() -> None:
    found = proposed("浙江霜桥特种气体股份有限公司", "霜桥特气", "霜桥证券")
    assert found == {"浙江霜桥特种气体股份有限公司": ("", "merge")}


@pytest.mark.parametrize(
    "name", ["", " ", "'; DROP TABLE names; --", "`rm`", '"', "）（", "股份有限公司", "A" * 10_000, "云" * 10_000]
)
def test_no_name_is_too_strange(name: str) -> None:
    assert all(p.decision != "merge" for p in propose([company(name), company("云禾")], known=KNOWN))


@given(
    st.text("云禾精机光学广东省集团有限公司股份AB ", min_size=1, max_size=12),
    st.text("云禾精机光学广东股份", max_size=8),
)
def test_likeness_is_the_same_from_both_sides(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)


@given(
    st.permutations(
        ["广东云禾精密机械股份有限公司", "云禾光学股份有限公司", "霜桥特气", "浙江霜桥特种气体股份有限公司"]
    )
)
def test_the_order_of_names_does_not_matter(names: list[str]) -> None:
    def run(parties: list[str]) -> list[MergeProposal]:
        return propose(map(company, parties), known=KNOWN)

    assert run(names) == run(sorted(names))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("云禾私募1号", "云禾私募2号"),
        ("云禾私募", "云禾私募2号"),
        ("岭东12路3号店", "岭东1路23号店"),
        ("Fund 1", "Fund 2"),
    ],
)
def test_names_with_other_numbers_are_never_one(one: str, other: str) -> None:
    assert likeness(one, other).decision == "never"
    assert not propose([company(one)], known={}, others=[company(other)])


def test_a_legal_name_with_a_number_is_found_among_any_number_of_others() -> None:
    others = [company(f"云禾置业{n}号") for n in range(1_000)]
    blocks = Blocks(others)
    assert blocks.near(company("云禾置业617号有限公司")) == [others[617]]


def test_what_hundreds_of_names_share_is_no_reason_to_compare_them() -> None:
    namesakes = [company("云禾", entity=f"company:云禾#{n}") for n in range(300)]
    assert len(Blocks(namesakes[:50]).near(namesakes[0])) == 49
    assert Blocks(namesakes).near(namesakes[0]) == []
