"""The Word report of the shipped sample: `python scripts/make_sample_docx.py`.

Needs `pip install python-docx`. Dates inside the archive are fixed, so that the bytes depend on the text alone. The
result is committed; neither installing nor running finlore needs this script.
"""

import io
import zipfile
from datetime import datetime
from pathlib import Path

import docx
from docx.document import Document

TARGET = Path(__file__).parents[1] / "src/finlore/data/sample/documents/2025-03-14_tonglu_cenchuan_downgrade.docx"
PUBLISHED = datetime(2025, 3, 14)
TITLE = "岑川新材（604801.SH）点评：硅烷断供冲击出货，下调至增持"
FORECAST = """\
单位：百万元|2023A|2024E|2025E|2026E
营业收入|4,280|5,457|5,730|7,449
同比增速（%）|20.0|27.5|5.0|30.0
归母净利润|342|474|450|690
同比增速（%）|20.0|38.6|-5.1|53.3
EPS（元）|0.57|0.79|0.75|1.15
P/E（倍）|47.9|34.6|36.4|23.7
ROE（%）|8.6|10.7|9.5|12.9"""
TEXT = """\
桐麓证券研究所　公司点评　2025年3月14日
分析师：季云舒、阮知微
投资评级：增持（下调，前值：买入）
目标价：30.00元（前值：46.40元）　当前股价：27.30元　总市值：163.80亿元
# 事件
3月11日，琅溪气体2号硅烷产线起火停产。琅溪气体是岑川新材最主要的硅烷气供应商，2024年供应占比为72%。
# 点评
出货受限。岑川新材的硅烷气库存约可维持三周，我们预计第二季度硅碳负极出货较原计划减少约60%，并将2025年出货预测由7,000吨下调至4,800吨。
担保敞口。岑川新材为琅溪气体3.20亿元贷款提供连带责任担保，珏山控股提供全额反担保。若琅溪气体不能按期还款，公司需先行代偿。
客户可能引入第二供应商。恒煦电池的“玄甲”电芯目前只使用岑川新材的硅碳负极，断供会促使客户加快验证其他来源。
# 盈利预测与评级
我们将2025年归母净利润预测由6.96亿元下调至4.50亿元，2026年由8.70亿元下调至6.90亿元，对应EPS为0.75元和1.15元。给予2025年40倍市盈率，\
目标价由46.40元下调至30.00元，评级由“买入”下调至“增持”。
|table
资料来源：公司公告，桐麓证券研究所。总股本6.00亿股。
风险提示：琅溪气体复产时间晚于预期；客户切换供应商；代偿风险。
# 免责声明
本报告由桐麓证券股份有限公司制作，仅供客户参考，不构成投资建议。"""


def add_table(document: Document, rows: list[list[str]]) -> None:
    table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Light Grid Accent 1")
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text


def report() -> Document:
    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author, properties.created, properties.modified = TITLE, "", PUBLISHED, PUBLISHED
    document.add_heading(TITLE, level=1)
    for line in TEXT.splitlines():
        if line == "|table":
            add_table(document, [row.split("|") for row in FORECAST.splitlines()])
        elif line.startswith("# "):
            document.add_heading(line.removeprefix("# "), level=2)
        else:
            document.add_paragraph(line)
    return document


def with_fixed_dates(archive: bytes) -> bytes:
    """The same archive with the date of the report on every member."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist()):
            info = zipfile.ZipInfo(name, PUBLISHED.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return target.getvalue()


def main() -> None:
    written = io.BytesIO()
    report().save(written)
    content = with_fixed_dates(written.getvalue())
    TARGET.write_bytes(content)
    print(f"{TARGET.name}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
