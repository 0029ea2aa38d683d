"""What is flagged as boilerplate, and what must not be."""

from finlore.formats.markdown import read_markdown
from finlore.intake.clean import flag_boilerplate
from finlore.language.reading import readable_spans

LEGAL = "本报告仅供本公司客户使用，不构成任何投资建议。未经书面许可，不得以任何形式翻版，本公司保留一切权利。"
CONTENT = (
    "公司三季度收入同比增长百分之二十，主要受益于新产线投产以及海外客户需求恢复，预计全年保持较快增长，毛利率继续提升。"
)


def kept(markdown: str) -> str:
    outline = read_markdown(markdown)
    blocks = flag_boilerplate(markdown, outline.blocks, spans=readable_spans(outline.markup))
    return "|".join(
        markdown[block.start : block.end] for block in blocks if block.role not in {"disclaimer", "header_footer"}
    )


def test_a_disclaimer_is_dropped_up_to_the_next_heading_of_content() -> None:
    text = f"# 点评\n\n{CONTENT}\n\n### 免责声明\n\n{LEGAL}\n\n上海\n\n### 附：盈利预测\n\n{CONTENT}\n"
    assert kept(text) == f"点评|{CONTENT}|附：盈利预测|{CONTENT}"


def test_rating_definitions_and_contacts_belong_to_it() -> None:
    text = (
        f"{CONTENT}\n\n#### 分析师声明\n\n{LEGAL}\n\n#### 投资评级说明\n\n"
        "<table><tr><td>买入</td><td>优于指数20%</td></tr></table>"
        "\n\n#### 公司总部\n\n电话：400\n"
    )
    assert kept(text) == CONTENT


def test_english_sections_are_known_too() -> None:
    content = "Revenue grew by 12% on strong demand for the new product line, and margins improved in every region."
    legal = "This report is for informational purposes only and does not constitute an offer. All rights reserved."
    assert kept(f"# Note\n\n{content}\n\n## Important Disclosures\n\n{legal}\n") == f"Note|{content}"


def test_safe_harbour_paragraphs_are_told_by_their_phrases() -> None:
    harbour = (
        "This release contains forward-looking statements within the meaning of the Private Securities Litigation "
        "Reform Act. Actual results may differ materially and the company undertakes no obligation to update them."
    )
    assert kept(f"Net sales rose.\n\n{harbour}\n") == "Net sales rose."


def test_a_heading_is_not_enough_where_the_text_speaks_of_the_subject() -> None:
    text = f"# 免责声明\n\n{CONTENT}\n\n{CONTENT}\n"
    assert CONTENT in kept(text)


def test_two_paragraphs_of_content_end_a_disclaimer_that_no_heading_ends() -> None:
    text = f"# 点评\n\n## 重要声明\n\n{LEGAL}\n\n{CONTENT}\n\n{CONTENT}\n"
    assert kept(text).endswith(f"{CONTENT}|{CONTENT}")


def test_paragraphs_about_the_report_itself_stay_in_its_section_whatever_their_words() -> None:
    about = "本报告署名分析师以审慎的研究方法得出结论，结论不受任何第三方的授意或影响，与本报告中的推荐意见无关。"
    text = f"# 点评\n\n{CONTENT}\n\n### 分析师声明\n\n{about}\n\n{LEGAL}\n\n{about}\n"
    assert kept(text) == f"点评|{CONTENT}"


def test_the_list_of_uncertainties_goes_with_the_statement_that_it_continues() -> None:
    opening = "This release contains forward-looking statements. Actual results may differ materially because of:"
    factors = ["changes in consumer spending that we cannot foresee;", "our ability to open stores as planned; and"]
    # typographic hyphens, as press releases have them
    text = "\n\n".join(
        ["Sales rose.", "## Forward\u2011Looking Statements", opening, *factors, "## Outlook", "We expect growth."]
    )
    assert kept(text) == "Sales rose.|Outlook|We expect growth."


def test_statements_after_a_disclaimer_without_a_heading_of_their_own_are_content() -> None:
    rows = ["| | 2024 | 2023 |", "|---|---|---|", "| Net sales | 2,634.3 | 2,345.9 |", "| Costs | 1,581.2 | 1,404.8 |"]
    table = "\n".join([*rows, "| Profit | 347.1 | 331.4 |"])
    text = f"# Note\n\n## Safe Harbor\n\nThis release contains forward-looking statements.\n\n{table}\n"
    assert "2,634.3" in kept(text)


def test_what_a_company_says_of_measures_outside_the_standards_is_content() -> None:
    measure = "Free cash flow is cash from operations less spending, and is subject to risks and uncertainties."
    text = f"# Results\n\n## About Non-GAAP Financial Measures\n\n{measure}\n"
    assert "Free cash flow" in kept(text)


def test_the_form_of_a_filing_is_no_content_and_its_items_are() -> None:
    box = (
        "Check the appropriate box below if the filing is intended to satisfy the filing obligation of the registrant."
    )
    rule = "Soliciting material pursuant to Rule 14a-12 under the Exchange Act (17 CFR 240.14a-12)"
    signed = "The registrant has duly caused this report to be signed on its behalf by the undersigned."
    text = "\n\n".join([box, rule, "Item 5.07. The proposal on an independent chair was defeated.", signed])
    assert kept(text) == "Item 5.07. The proposal on an independent chair was defeated."


def test_a_whole_report_in_one_paragraph_is_not_lost_for_its_legal_line() -> None:
    for text in (f"证监会核准的证券投资咨询业务资格，未经许可，禁止转载。{CONTENT * 40}", CONTENT * 12 + LEGAL * 8):
        assert kept(text) == text


def test_a_heading_that_repeats_an_entry_of_the_contents_begins_the_text() -> None:
    text = f"## 目录\n\n1. 市场回顾....... 3\n\n2. 投资建议..... 5\n\n1. 市场回顾\n\n{CONTENT}\n"
    assert kept(text) == f"1. 市场回顾|{CONTENT}"


def test_risks_ratings_and_the_word_itself_are_content() -> None:
    text = f"公司评级 买入\n\n报告日期 2024-05-31\n\n## 风险提示\n\n{CONTENT}\n\n公司发布声明，称不对传闻负责。\n"
    assert kept(text) == f"公司评级 买入|报告日期 2024-05-31|风险提示|{CONTENT}|公司发布声明，称不对传闻负责。"


def test_running_heads_and_tables_of_contents_are_dropped() -> None:
    text = (
        "请务必阅读正文之后的免责声明及其项下所有内容\n\n## 目录\n\n一、市场回顾.... 3\n\n二、风险 4\n\n"
        f"## 一、市场回顾\n\n{CONTENT}\n"
    )
    assert kept(text) == f"一、市场回顾|{CONTENT}"


def test_an_abstract_that_trails_off_is_no_table_of_contents() -> None:
    assert kept("预计归母净利润3.88亿元，同比增长26%...\n") == "预计归母净利润3.88亿元，同比增长26%..."
