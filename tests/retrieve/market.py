"""A small made-up market that the tests of retrieval share."""

from collections.abc import Sequence

from finlore.index.cues import RelationCues
from tests.retrieve.fake_view import FakeRow, FakeView, passage

NAMES = {
    "瑚海电池": "300001.SZ", "Huhai Battery": "300001.SZ", "300001": "300001.SZ",
    "瑚海": "concept:瑚海",
    "岭南锂材": "company:岭南锂材", "青禾集团": "company:青禾集团",
    "周砚": "person:周砚", "东湖设备": "company:东湖设备",
}  # fmt: skip
MARKS = {"供应": "supply", "控股": "ownership", "董事长": "executive", "毛利率": "gross_margin"}
CUES = RelationCues({relation: [cue] for cue, relation in MARKS.items()})
KINDS = {"300001.SZ": "security", "person:周砚": "person", "concept:瑚海": "concept"}

ROWS = (
    passage(11, "瑚海电池的正极材料由岭南锂材供应。", "行业景气度回升。", names=NAMES, marks=MARKS),
    passage(12, "青禾集团控股岭南锂材。", names=NAMES, marks=MARKS),
    passage(13, "青禾集团董事长为周砚。", names=NAMES, marks=MARKS),
    passage(14, "公司毛利率提升至二成。", "公司股权结构清晰，控股稳定。", names=NAMES, marks=MARKS,
            owner="300001.SZ", title="瑚海电池点评"),
    passage(15, "东湖设备董事长在会上表示，供应充足，控股股东支持。", names=NAMES, marks=MARKS),
    passage(16, "行业景气度回升，供应充足。", "天气晴好。", names=NAMES, marks=MARKS),
)  # fmt: skip


def market(rows: Sequence[FakeRow] = ROWS) -> FakeView:
    return FakeView(rows, NAMES, kinds=KINDS)
