"""The parts of deals and proceedings, by where they stand."""

import pytest

from finlore.knowledge.lexicon.clauses import clauses_of
from finlore.knowledge.lexicon.coined import parties_in
from finlore.knowledge.lexicon.frames import frame_of, is_noun, parts_of
from finlore.knowledge.lexicon.scene import Scene, placed
from finlore.knowledge.lexicon.time_frames import time_frames
from finlore.knowledge.sentences import Named
from finlore.records.fact import Party


def parts(text: str, trigger: str, *names: str) -> dict[str, list[str]]:
    named = tuple(
        Named(at, at + len(name), Party(name, name, "company")) for name in names if (at := text.find(name)) >= 0
    )
    clauses = clauses_of(text)
    scene = Scene(text, clauses, placed(text, clauses, parties_in(text, clauses, named)), time_frames(text))
    framed = frame_of(trigger)
    assert framed
    start = text.index(trigger) + framed[1]
    found: dict[str, list[str]] = {}
    for part in parts_of(scene, framed[0], start, start + framed[2] - framed[1]):
        found.setdefault(part.name, []).append(text[part.start : part.end])
    return found


@pytest.mark.parametrize(
    ("wording", "frame", "core"),
    [
        ("中标候选人", "award", "中标"),
        ("提起诉讼", "lawsuit", "诉讼"),
        ("签署合同", "contract", "签署合同"),
        ("司法拍卖", "sale", "拍卖"),
        ("减持", "reduction", "减持"),
    ],
)
def test_a_frame_is_named_by_its_core(wording: str, frame: str, core: str) -> None:
    found = frame_of(wording)
    assert found
    assert (found[0], wording[found[1] : found[2]]) == (frame, core)


def test_most_events_are_no_deals() -> None:
    assert frame_of("扩产") is None


def test_a_pledge() -> None:
    text = "禾屿控股于2023年5月8日将其持有的1200万股向岚山银行质押，占其所持股份的8.5%。"
    assert parts(text, "质押", "禾屿控股", "岚山银行") == {
        "trigger": ["质押"], "doer": ["禾屿控股"], "other": ["岚山银行"], "date": ["2023年5月8日"],
        "number": ["1200万"], "proportion": ["8.5%"], "collateral": ["股"],
    }  # fmt: skip


def test_a_purchase_from_an_owner() -> None:
    found = parts("云岭光学拟购买禾屿控股持有的云禾机械51%股权", "购买", "云岭光学", "禾屿控股", "云禾机械")
    assert (found["doer"], found["other"], found["target"]) == (["云岭光学"], ["禾屿控股"], ["云禾机械"])


def test_a_contract_and_a_guarantee() -> None:
    found = parts("云岭光学与岚山电子签署供货协议，金额2.3亿元", "签署", "云岭光学", "岚山电子")
    assert (found["doer"], found["other"], found["money"]) == (["云岭光学"], ["岚山电子"], ["2.3亿元"])
    found = parts("云岭光学为云禾机械提供连带责任保证担保", "担保", "云岭光学", "云禾机械")
    assert (found["doer"], found["other"]) == (["云岭光学"], ["云禾机械"])
    assert parts("云岭光学为全资子公司禾屿新材提供担保", "担保", "云岭光学")["other"] == ["禾屿新材"]


def test_a_lawsuit_and_a_ruling() -> None:
    found = parts("云岭光学向法院起诉岚山电子", "起诉", "云岭光学", "岚山电子")
    assert (found["doer"], found["other"]) == (["云岭光学"], ["岚山电子"])
    assert parts("岚山电子深陷诉讼", "诉讼", "岚山电子")["other"] == ["岚山电子"]
    text = "湖州市人民法院判决被告岚山电子向原告云岭光学支付货款300万元"
    found = parts(text, "判决", "岚山电子", "云岭光学")
    assert (found["doer"], found["other"]) == (["云岭光学"], ["岚山电子"])
    assert (found["court"], found["money"]) == (["湖州市人民法院"], ["300万元"])


def test_what_is_held_already_is_not_what_is_sold() -> None:
    found = parts("持股6.2%的股东禾屿控股拟减持不超过1%", "减持", "禾屿控股")
    assert (found["proportion"], found["office"]) == (["不超过1%"], ["股东"])


@pytest.mark.parametrize(
    "text", ["公司发布减持计划", "本次减持后", "云岭光学：股东减持(603999)晚间公告，禾屿控股拟减持"]
)
def test_a_word_that_only_names_a_deal_or_heads_the_news_of_it_tells_none(text: str) -> None:
    at = text.index("减持")
    assert is_noun(text, at, at + 2)
    assert not is_noun("禾屿控股减持120万股", 4, 6)
    assert not is_noun("公司为该项目的中标人", 7, 9)


def test_somebody_unnamed_acts_and_the_company_is_whose_shares_they_are() -> None:
    found = parts("云岭光学公告，控股股东拟减持不超过2%股份", "减持", "云岭光学")
    assert (found.get("doer"), found["target"]) == (None, ["云岭光学"])


def test_the_owner_is_not_what_he_owns() -> None:
    found = parts("禾屿控股持有的云岭光学股份已质押给岚山银行", "质押", "禾屿控股", "云岭光学", "岚山银行")
    assert (found["doer"], found["other"]) == (["禾屿控股"], ["岚山银行"])


def test_in_the_passive_the_topic_suffers() -> None:
    found = parts("云禾机械被云岭光学收购", "收购", "云禾机械", "云岭光学")
    assert (found["doer"], found["target"]) == (["云岭光学"], ["云禾机械"])


def test_a_list_plays_one_part() -> None:
    found = parts(
        "云岭光学收购云禾机械60%股权、禾屿新材和岚山电子", "收购", "云岭光学", "云禾机械", "禾屿新材", "岚山电子"
    )
    assert found["target"] == ["云禾机械", "禾屿新材", "岚山电子"]
