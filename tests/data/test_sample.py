"""The shipped sample: complete, consistent in itself, and its questions answerable from exactly what they name."""

import csv
import gzip
import html
import json
import re
import zipfile
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest

DATA = Path(str(files("finlore"))) / "data"
SAMPLE = DATA / "sample"
DOCUMENTS = SAMPLE / "documents"
CENCHUAN = "2024-08-29_tonglu_cenchuan_initiation.pdf"
HENGXU = "2025-01-16_yanhai_hengxu_initiation.pdf"
HONGTUO = "2024-11-06_yanhai_hongtuo_initiation_en.pdf"
CODES = {"604801", "306817", "004826", "306842", "604833", "604857"}
QUESTIONS = [json.loads(line) for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()]
BRIEFS = {b["id"]: b for b in map(json.loads, (DOCUMENTS / "briefs.jsonl").read_text("utf-8").splitlines())}
RATINGS = list(csv.DictReader((DOCUMENTS / "ratings.csv").read_text("utf-8").splitlines()))
SAME_ROW = {"Revenue": "营业收入", "Net profit": "归母净利润", "Growth": "同比", "同比增速": "同比"}
# price and shares (millions) behind every forecast table
FORECASTS = {
    CENCHUAN: (31.50, 600),
    HONGTUO: (28.80, 250),
    HENGXU: (54.00, 1200),
    "2024-10-30_tonglu_cenchuan_q3.md": (36.00, 600),
    "2024-11-20_yanhai_cenchuan_initiation.md": (35.20, 600),
    "2025-03-14_tonglu_cenchuan_downgrade.docx": (27.30, 600),
    "2025-05-20_yanhai_yaotu_downgrade.md": (22.40, 2500),
    "2025-08-22_tonglu_lifeng_upgrade.md": (32.40, 600),
}


@cache
def pages(name: str) -> tuple[str, ...]:
    """The pages of a document as plain text; formats without pages are one page."""
    if name in BRIEFS:
        return (BRIEFS[name]["title"] + "\n" + BRIEFS[name]["text"],)
    path = DOCUMENTS / name
    match path.suffix:
        case ".pdf":
            pdf = pypdfium2.PdfDocument(path)
            try:
                return tuple(page.get_textpage().get_text_bounded() for page in pdf)
            finally:
                pdf.close()
        case ".docx":
            body = zipfile.ZipFile(path).read("word/document.xml").decode()
            lines = re.sub(r"</w:p>(?!</w:tc>)|</w:tr>", "\n", body)
            return (html.unescape(re.sub(r"<[^>]+>", "", re.sub("</w:tc>", " ", lines))),)
        case ".txt":
            return (path.read_text("gb18030"),)
        case _:
            return (path.read_text("utf-8"),)


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)


def known_on(place: dict[str, str]) -> date:
    """The day from which a place may be read: crawl date of a rating row, else publication."""
    if place["document"] == "ratings.csv":
        return min(date.fromisoformat(row["crawled_at"][:10]) for row in RATINGS if place["text"] in row["abstract"])
    if place["document"] in BRIEFS:
        return datetime.fromisoformat(BRIEFS[place["document"]]["published_at"]).date()
    return date.fromisoformat(place["document"][:10])


def forecast(name: str) -> dict[str, list[float]]:
    """Rows of the forecast table by meaning, oldest year first; a growth row belongs to the row above it."""
    text = "\n".join(pages(name)).replace("</tr>", "\n")
    lines = [re.sub(r"<[^>]+>|\|", " ", line) for line in text.splitlines()]
    rows: dict[str, list[float]] = {}
    above = ""
    for line in lines:
        if not (match := re.fullmatch(r"\s*([A-Za-z\u4e00-\u9fff].*?)((?:\s+-?[\d,]+(?:\.\d+)?){4})\s*", line)):
            continue
        label = re.sub(r"\s*[(（].*", "", match[1]).strip()
        label = SAME_ROW.get(label, label)
        key = f"{above} 同比" if label == "同比" else label
        rows.setdefault(key, [float(value.replace(",", "")) for value in match[2].split()])
        above = label if label != "同比" else above
    return rows


def test_the_sample_has_every_kind_of_file_and_stays_small():
    sizes = {path.name: path.stat().st_size for path in DOCUMENTS.iterdir()}
    assert {Path(name).suffix for name in sizes} == {".pdf", ".md", ".html", ".txt", ".docx", ".csv", ".jsonl"}
    assert max(sizes.values()) < 300_000
    assert sum(sizes.values()) < 900_000
    assert (len(sizes), len(BRIEFS), len(RATINGS)) == (16, 8, 8)


def test_the_accident_news_is_gb18030_and_not_utf_8():
    with pytest.raises(UnicodeDecodeError):
        (DOCUMENTS / "2025-03-12_news_langxi_accident.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "page", "expected"),
    [
        (CENCHUAN, 1, ["买入（首次）", "目标价（元） 42.00", "表1：盈利预测与估值", "季云舒", "第 1 页 共 3 页"]),
        (CENCHUAN, 2, ["图1：岑川新材硅碳负极出货量（吨）", "资料来源：公司公告", "10,500", "ROA（%） 4.4 4.7 5.6"]),
        (CENCHUAN, 3, ["免责声明", "桐麓证券股份有限公司", "分析师声明"]),
        (HENGXU, 1, ["2025年1月16日", "71.50元", "归母净利润 2,400 3,000 3,900 4,800", "贺兰亭"]),
        (HENGXU, 2, ["图1 恒煦电池动力电池出货量（GWh）", "硅碳负极 岑川新材 100", "2 / 3"]),
        (HENGXU, 3, ["重要声明", "砚海国际证券有限公司"]),
        (HONGTUO, 1, ["6 November 2024", "Target price RMB 36.00", "P/E (x) 40.0 32.0 24.0 20.0"]),
        (HONGTUO, 2, ["Figure 1: New orders (RMB million)", "Return on equity was 12.0%", "Page 2 of 3"]),
        (HONGTUO, 3, ["Important disclosures", "Analyst certification"]),
    ],
)
def test_pdf_text_can_be_extracted_page_by_page(name, page, expected):
    assert len(pages(name)) == 3
    assert [text for text in expected if text not in pages(name)[page - 1]] == []


@pytest.mark.parametrize("name", FORECASTS)
def test_forecast_tables_agree_with_price_shares_and_themselves(name):
    price, shares = FORECASTS[name]
    rows = forecast(name)
    for metric in ("营业收入", "归母净利润"):
        values, stated = rows[metric], rows[f"{metric} 同比"]
        recomputed = [round(100 * (new / old - 1), 1) for old, new in pairwise(values)]
        assert stated[1:] == pytest.approx(recomputed, abs=0.051)
    assert [eps * shares for eps in rows["EPS"]] == pytest.approx(rows["归母净利润"], abs=0.005 * shares)
    assert [pe * eps for pe, eps in zip(rows["P/E"], rows["EPS"], strict=True)] == pytest.approx([price] * 4, rel=0.003)
    assert all(0 < roe < 25 for roe in rows["ROE"])
    assert f"{price:.2f}" in without_space("".join(pages(name)))


def test_a_revised_forecast_starts_from_the_value_it_replaces():
    net_profit_2025 = {name: forecast(name)["归母净利润"][2 if "lifeng" not in name else 1] for name in FORECASTS}
    tonglu = [net_profit_2025[name] for name in sorted(FORECASTS) if "tonglu" in name]
    assert tonglu == [630, 696, 450, 480]
    assert "由6.30亿元上调至6.96亿元" in pages("2024-10-30_tonglu_cenchuan_q3.md")[0]
    assert "由6.96亿元下调至4.50亿元" in pages("2025-03-14_tonglu_cenchuan_downgrade.docx")[0]


def test_the_new_name_is_unknown_before_the_renaming_and_the_old_one_unused_after_it():
    renamed = date(2025, 6, 18)
    names = [path.name for path in DOCUMENTS.iterdir() if path.suffix not in {".csv", ".jsonl"}] + list(BRIEFS)
    for name in names:
        on, text = known_on({"document": name, "text": ""}), "".join(pages(name))
        assert on >= renamed or "砺峰" not in text
        assert on <= renamed or "岑川新材" not in text


def test_rating_rows_are_crawled_after_they_are_dated():
    assert all(row["crawled_at"][:10] > row["report_date"] for row in RATINGS)
    assert {row["code"] for row in RATINGS} == CODES


def test_every_code_is_one_of_the_invented_ones():
    texts = "\n".join("".join(pages(path.name)) for path in DOCUMENTS.iterdir())
    assert set(re.findall(r"(?<!\d)(\d{6})(?:\.S[HZ])", texts)) == CODES


def test_no_invented_code_or_name_is_in_a_shipped_list_of_names():
    invented = CODES | {"岑川", "砺峰", "泓拓", "霁原", "恒煦", "曜途", "菡岳", "珏山", "琅溪", "沛原", "桐麓", "砚海"}
    lists = {path.name: path.read_bytes() for path in (DATA / "names").iterdir() if path.suffix in {".tsv", ".csv"}}
    lists |= {path.name: gzip.decompress(path.read_bytes()) for path in (DATA / "names").glob("*.gz")}
    assert lists
    assert [(name, word) for name, content in lists.items() for word in invented if word.encode() in content] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_what_a_question_needs_stands_where_it_says_and_was_known_by_then(question):
    as_of = date.fromisoformat(question["as_of"] or "2025-12-31")
    for fact in question["needs"]:
        for place in fact:
            read = pages(place["document"])
            stated_on = read[place["page"] - 1] if place["page"] else "".join(read)
            assert without_space(place["text"]) in without_space(stated_on)
            assert known_on(place) <= as_of
            assert (place["page"] is None) == (not place["document"].endswith(".pdf"))


def test_questions_cover_the_kinds_that_matter():
    kinds = [question["type"] for question in QUESTIONS]
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert kinds.count("two_hop") >= 5
    assert kinds.count("unanswerable") >= 3
    assert all((not question["needs"]) == (question["type"] == "unanswerable") for question in QUESTIONS)
    assert sum(question["language"] == "en" and question["type"] != "unanswerable" for question in QUESTIONS) >= 2


def test_questions_asked_at_two_dates_have_two_answers():
    answers: dict[str, list[set[str]]] = {}
    for question in QUESTIONS:
        if question["as_of"]:
            places = {place["document"] + place["text"] for fact in question["needs"] for place in fact}
            answers.setdefault(question["question"], []).append(places)
    asked_again = [found for found in answers.values() if len(found) > 1]
    assert len(asked_again) >= 3
    for found in asked_again:
        assert all(not one & other for i, one in enumerate(found) for other in found[i + 1 :])


def test_what_is_not_there_is_in_no_document():
    everything = "\n".join("".join(pages(name)) for name in [*(p.name for p in DOCUMENTS.iterdir()), *BRIEFS])
    assert not re.search("研发费用|dividend|沛原硅业董事长", everything)
