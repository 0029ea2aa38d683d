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
