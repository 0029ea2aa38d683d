"""Events of sentences, as a reader of the report would tell them."""

from collections.abc import Mapping
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.events import find_events
from finlore.knowledge.schema import load_schema
from finlore.knowledge.sentences import Named, Reading
from finlore.records.document import Metadata, Role
from finlore.records.fact import Event, Party
from finlore.records.instant import end_of_day
from finlore.records.mapped import MappedText
from finlore.records.names import EntityKind

SCHEMA = load_schema()
COVERED = Party("云岭光学", "云岭光学", "security", entity="603999.SH")


def reading(
    text: str,
    names: Mapping[str, EntityKind] | None = None,
    *,
    heading: str = "",
    role: Role = "body",
    passage: int = 0,
) -> Reading:
    places = sorted(
        (at, at + len(name), kind)
        for name, kind in (names or {}).items()
        for at in range(len(text))
        if text.startswith(name, at)
    )
    named = tuple(Named(a, b, Party(text[a:b], text[a:b].lower(), kind)) for a, b, kind in places)
    return Reading(passage, 1, MappedText(text), named, heading, role)


def events(*readings: Reading, subject: Party | None = COVERED, published: date = date(2024, 5, 10)) -> list[Event]:
    return find_events(readings, subject, Metadata(published_at=end_of_day(published)), SCHEMA)


def only(text: str, /, **names: EntityKind) -> Event:
    (event,) = events(reading(text, names))
    return event


def told(text: str) -> list[tuple[str, str, str]]:
    return [(event.driver, event.subtype, event.direction) for event in events(reading(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("公司新产线建成投产。", ("supply", "capacity_adjustment", "good")),
        ("公司因原料不足停产。", ("supply", "capacity_adjustment", "bad")),
        ("公司中标城东轨道项目。", ("demand", "sales", "good")),
        ("下游需求疲软。", ("demand", "consumption", "bad")),
        ("公司营业收入同比增长 12%。", ("revenue", "earning", "good")),
        ("毛利率同比下降 2pct。", ("revenue", "profit", "bad")),
        ("公司拟每10股派现金红利 3 元，现金分红合计 2 亿元。", ("revenue", "income", "good")),
        ("管理费用率下降 1pct。", ("efficiency", "lower_cost", "good")),
        ("公司完成产线的自动化改造。", ("efficiency", "automation", "good")),
        ("公司收购了一家模具厂。", ("strategy", "merger_acquisition", "good")),
        ("公司海外建厂稳步推进。", ("strategy", "overseas_expansion", "good")),
        ("公司拟分拆上市子板块。", ("strategy", "spin_off", "good")),
        ("公司推出车载镜头。", ("innovation", "new_product", "good")),
        ("公司获得专利三项。", ("innovation", "has_innovated", "good")),
        ("公司收到交易所问询函。", ("policy", "regulatory_action", "bad")),
        ("公司产品获得注册证。", ("policy", "licence", "good")),
        ("受疫情影响，公司物流受阻。", ("macro", "disaster", "bad")),
        ("The company's revenue rose 8%.", ("revenue", "earning", "good")),
        ("Net loss narrowed to $3 million.", ("revenue", "profit", "good")),
        ("Our plants were shut down.", ("supply", "capacity_adjustment", "bad")),
    ],
)
def test_each_driver_is_told_by_its_wordings(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("公司亏损收窄。", "good"),
        ("公司净利润增速放缓。", "bad"),
        ("公司销量降幅收窄。", "good"),
        ("公司利润未能增长。", "bad"),
        ("公司产品竞争加剧。", "bad"),
        ("公司业绩超预期。", "good"),
        ("公司费用率低于预期。", "good"),
        ("The company's sales growth slowed to 4%.", "bad"),
        ("The company's margins did not improve.", "bad"),
    ],
)
def test_the_direction_is_that_of_the_measure_its_move_and_its_denial(text: str, direction: str) -> None:
    assert only(text).direction == direction


def test_what_follows_a_but_has_a_direction_of_its_own() -> None:
    found = events(reading("公司营业收入下滑 3%，但净利润增长 9%。"))
    assert [(event.subtype, event.direction) for event in found] == [("earning", "bad"), ("profit", "good")]


@pytest.mark.parametrize(
    "text",
    [
        "若公司收购失败，业绩将下滑。",
        "公司未收购任何资产。",
        "如果需求疲软，公司利润可能下降。",
        "原材料价格上涨的风险。",
        "公司是否会停产？",
        "本报告中的“增持”是指未来六个月涨幅超过 10%。",
        "维持“买入”评级，关注投资机会。",
        "资料来源：公司公告，营业收入增长。",
        "If demand falls, margins of the company may decline.",
    ],
)
def test_what_is_supposed_denied_feared_or_defined_did_not_happen(text: str) -> None:
    assert events(reading(text)) == []


def test_nothing_is_read_where_risks_are_listed() -> None:
    assert events(reading("新品推广不及预期；公司停产。", heading="风险提示")) == []
    before, after = reading("公司中标。风险提示：公司停产。"), reading("公司减产。")
    assert [event.relation for event in events(before, after)] == ["中标"]


def test_the_industry_is_not_the_company() -> None:
    assert events(reading("全国商品房销售收入同比下降 8%。")) == []
    assert events(reading("行业需求旺盛。")) == []
    outside = only("行业需求旺盛，公司持续受益。")
    assert (outside.subject, outside.driver) == (COVERED, "demand")
    assert outside.confidence < only("公司产品需求旺盛。").confidence


@pytest.mark.parametrize(
    "text",
    [
        "宏观经济复苏，散货市场前景可观。",
        "央行宣布降息。",
        "预计公司净利润增长 12%，维持买入评级。",
        "临床试验............12新产线建成投产............15",
        "剔除疫情影响后，流感季仍在。",
    ],
)
def test_what_concerns_no_activity_of_the_company_is_no_event(text: str) -> None:
    assert events(reading(text)) == []


def test_what_was_over_long_ago_is_no_news() -> None:
    assert events(reading("1998年公司收购云禾机械60%股权。", {"云禾机械": "company"})) == []


def test_a_short_form_means_the_company() -> None:
    assert only("云光营业收入增长 20%。", 云光="name").subject == COVERED


def test_who_is_mentioned_before_is_not_who_acts_after() -> None:
    found = events(reading("公司下游客户岚山电子等销量回暖，毛利率提升 2pct。", {"岚山电子": "company"}))
    assert [event.subject.name for event in found if event.subtype == "profit"] == [COVERED.name]


def test_a_happening_is_told_once_a_passage() -> None:
    first = reading("公司营业收入增长 12%。")
    (event,) = events(first, reading("受益于客户提货，营业收入增长。"), subject=COVERED)
    assert event.cause == "客户提货"
    assert len(events(first, reading("公司营业收入增长。", passage=1))) == 2


def test_without_a_company_there_is_no_event() -> None:
    assert events(reading("新产线建成投产。"), subject=None) == []
    assert events(reading("新产线建成投产。"), subject=Party("全球制造业展望", "全球制造业展望", "name")) == []


def test_a_named_company_is_the_subject_of_what_is_said_of_it() -> None:
    event = only("岚山电子营业收入增长 20%。", 岚山电子="company")
    assert event.subject.name == "岚山电子"
    assert only("公司向岚山电子供货，订单增长 20%。", 岚山电子="company").subject == COVERED


def test_a_cue_inside_a_name_tells_nothing() -> None:
    assert events(reading("星宇并购与岚山电子同城。", {"星宇并购": "company", "岚山电子": "company"})) == []


def test_the_cause_and_the_metric_that_it_moves_are_told() -> None:
    event = only("受益于海外客户提货，公司营业收入增长 30%。")
    assert (event.cause, event.metric) == ("海外客户提货", "metric:revenue")
    event = only("毛利率下降 3pct，主要系铜价走势所致。")
    assert (event.cause, event.metric) == ("铜价走势", "metric:gross_margin")
    launched, earned = events(reading("新品放量带动营业收入增长。"))
    assert (launched.subtype, launched.metric) == ("new_product", "metric:revenue")
    assert (earned.cause, earned.subtype) == ("新品放量", "earning")
    assert only("The company's revenue rose 8%, driven by lens shipments abroad.").cause == "lens shipments abroad"


def test_the_time_frame_is_resolved() -> None:
    event = only("2023年三季度公司营业收入增长 5%。")
    assert event.time_frame == "2023年三季度"
    assert event.valid_to == end_of_day(date(2023, 9, 30))
    assert event.valid_from == end_of_day(date(2023, 6, 30)) + 1_000_000


def test_what_is_expected_is_less_sure() -> None:
    assert only("公司营业收入有望增长 5%。").confidence < only("公司营业收入增长 5%。").confidence


def test_an_event_quotes_its_sentence() -> None:
    event = only("公司中标城东轨道项目。")
    assert (event.evidence.start, event.evidence.end) == (0, 11)


def test_why_it_moves_the_company_is_said_in_the_words_of_the_schema_or_not_at_all() -> None:
    assert only("公司中标城东轨道项目。").reasoning == ""
    event = only("受益于海外客户提货，公司营业收入增长 30%。")
    assert event.reasoning == "营收（收入与利润，利好）：影响营业收入，因为海外客户提货。"
    event = only("The company's revenue rose 8%, driven by lens shipments abroad.")
    assert event.reasoning == "Earning (revenue, good): moves revenue, because of lens shipments abroad."


def test_a_deal_has_its_parts() -> None:
    event = only("2023年3月8日，岚山电子以现金3.5亿元收购云禾机械60%股权。", 岚山电子="company", 云禾机械="company")
    assert (event.subject.name, event.object and event.object.name) == ("岚山电子", "云禾机械")
    assert {role.name: role.text for role in event.roles} == {
        "trigger": "收购", "doer": "岚山电子", "target": "云禾机械", "money": "3.5亿元", "proportion": "60%",
        "collateral": "股权", "date": "2023年3月8日", "way": "以现金",
    }  # fmt: skip


def test_words_stand_in_for_names_that_nobody_knows() -> None:
    event = only("公司收购禾屿新材35%股权。")
    assert event.object == Party("禾屿新材", "禾屿新材", "name")


def test_who_is_taken_over_is_the_object() -> None:
    event = only("Acme was acquired by Borealis.", Acme="company", Borealis="company")
    assert {role.name: role.text for role in event.roles if role.name != "trigger"} == {
        "doer": "Borealis",
        "target": "Acme",
    }
    assert event.direction == "neutral"


def test_what_is_done_to_shares_concerns_the_company_whose_they_are() -> None:
    event = only("控股股东禾屿控股减持公司股份120万股，占总股本的1.2%。", 禾屿控股="company")
    assert (event.subject, event.object and event.object.name, event.direction) == (COVERED, "禾屿控股", "bad")


def test_who_sues_suffers_nothing_bad() -> None:
    assert only("岚山电子起诉云禾机械。", 岚山电子="company", 云禾机械="company").direction == "neutral"


def test_a_deal_that_is_mentioned_twice_is_one() -> None:
    event = only("岚山电子将500万股进行质押，质押股数占其所持股份的8%。", 岚山电子="company")
    assert {role.name for role in event.roles} >= {"number", "proportion"}


def test_rows_of_figures_are_no_sentences() -> None:
    assert events(reading("营业收入增长率 | 12.1 | 13.5 | 9.8", role="table")) == []


WORDS = (
    "公司", "岚山电子", "收购", "质押", "增长", "下降", "毛利率", "未", "不", "受益于", "导致", "被", "向", "，", "。",
    "2023年", "5%", "3亿元", "股权", "若", "风险", "revenue", " rose ", "due to ", " by ", "( ", "）", "…", "|", "判决",
    "被告", "股东林望舒", "、", "减持", "起诉", "与", "签署", "中标", "为", "担保", "但", "预计",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map("".join))
def test_whatever_is_read_is_quoted_and_pointed_at(text: str) -> None:
    for event in events(reading(text, {"岚山电子": "company"})):
        assert event.relation in text
        assert text[event.evidence.start : event.evidence.end] == text
        assert all(text[role.start : role.end] == role.text for role in event.roles)
        assert 0 < event.confidence <= 1


def test_text_is_data() -> None:
    hostile = "公司" + "（" * 200 + "收购" + "\\d+(" * 50 + "增长" * 30
    assert isinstance(events(reading(hostile)), list)


@pytest.mark.parametrize(
    ("text", "relation", "time_frame", "is_sure"),
    [
        ("云岭光学收购禾屿新材60%股权", "收购", "", True),
        ("云岭光学拟收购禾屿新材60%股权", "拟收购", "", False),
        ("云岭光学收购禾屿新材60%股权，尚需股东大会批准", "收购", "尚需股东大会批准", False),
    ],
)
def test_a_deal_that_is_planned_or_awaits_approval_says_so(
    text: str, relation: str, time_frame: str, is_sure: bool
) -> None:
    event = only(text, 云岭光学="security", 禾屿新材="company")
    assert (event.relation, event.time_frame, event.confidence > 0.7) == (relation, time_frame, is_sure)


@pytest.mark.parametrize(
    "text",
    [
        "Net cash provided by operating activities was $120 million for Lakeside Energy.",
        "Lakeside Energy said cash flows provided by all its activities rose.",
        "At Lakeside Energy, net cash was provided by (used in) investing.",
    ],
)
def test_a_measure_of_cash_flow_provides_nobody_with_anything(text: str) -> None:
    assert "is_provided_by" not in {event.subtype for event in events(reading(text, {"Lakeside Energy": "company"}))}
