"""The yardsticks of the intake benchmark: they must count what is right, and nothing else."""

import pytest

from bench.intake_scores import (
    Truth,
    cells_right,
    changes,
    expected_records,
    pairs_right,
    prose_whole,
    read_truth,
    rows_kept,
    rows_right,
    switches,
)

STATED = {
    "H": ["年度", "2023A", "2024E"],
    "R": [["收入（百万元）", "1,200", "1,500"], ["  增速（%）", "(2.0)", "25.0"], ["利润（百万元）", "100", "130"],
          ["  增速（%）", "5.0", "30.0"]],
    "SB": [["收盘价（元）", "41.80"]],
    "P1": ["公司订单饱满。", "毛利率提升。"],
    "RISK": "汇率波动。",
}  # fmt: skip
GRID = [
    ["年度", "2023A", "2024E"],
    ["收入（百万元）", "1,200", "1,500"],
    ["增速（%）", "(2.0)", "25.0"],
    ["利润（百万元）", "100", "130"],
    ["增速（%）", "5.0", "30.0"],
]


@pytest.fixture
def truth() -> Truth:
    return read_truth(STATED)


def test_tables_pairs_and_prose_are_told_apart(truth: Truth) -> None:
    assert list(truth.tables) == ["R"]
    assert truth.n_cells == 8
    assert truth.pairs == (("收盘价（元）", "41.80"),)
    assert truth.prose == ("公司订单饱满。", "毛利率提升。", "汇率波动。")


def test_a_grid_that_is_the_table_has_every_cell_right(truth: Truth) -> None:
    assert cells_right(truth, [GRID]) == 8


def test_a_cell_counts_only_under_its_header(truth: Truth) -> None:
    assert cells_right(truth, [[["年度", "2024E", "2023A"], *GRID[1:]]]) == 0
    assert cells_right(truth, [GRID[1:]]) == 0


def test_a_row_is_right_with_all_its_values_behind_its_label_whatever_its_header(truth: Truth) -> None:
    assert rows_right(truth, [GRID[1:3]]) == 2
    assert rows_right(truth, [[["序号", *GRID[1]], ["增速（%）", "(2.0)", "", "25.0"]]]) == 1


def test_a_cell_counts_only_beside_its_label_and_spelled_exactly(truth: Truth) -> None:
    assert cells_right(truth, [[GRID[0], ["收入（百万元）", "1200", "1,500"]]]) == 1
    assert cells_right(truth, [[GRID[0], ["利润（百万元）", "1,200", "1,500"]]]) == 0


def test_labels_that_occur_again_are_taken_in_order(truth: Truth) -> None:
    assert cells_right(truth, [[GRID[0], GRID[1], GRID[4], GRID[3], GRID[2]]]) == 4


def test_tables_side_by_side_in_one_grid_each_have_their_own_columns() -> None:
    two = read_truth({"H": ["年度", "2023A"], "A": [["收入", "1", "x"][:2]]} | {"H": ["年度", "2023A", "2024E"]}
                     | {"A": [["收入", "1", "2"]], "B": [["存货", "3", "4"]]})  # fmt: skip
    grid = [["资产", "2023A", "2024E", "利润", "2023A", "2024E"], ["存货", "3", "4", "收入", "1", "2"]]
    assert cells_right(two, [grid]) == 4


def test_a_pair_of_the_side_bar_needs_its_value_in_the_next_cell(truth: Truth) -> None:
    assert pairs_right(truth, [[["收盘价（元）", "", "41.80"]]]) == 1
    assert pairs_right(truth, [[["收盘价（元） 41.80"]], [["收盘价（元）", "41.8"]]]) == 0


def test_prose_is_whole_or_does_not_count(truth: Truth) -> None:
    assert prose_whole(truth, "公司订单\n饱满。毛利率")  == 1  # fmt: skip


def test_expected_records_carry_unit_period_basis_and_the_row_above(truth: Truth) -> None:
    first, *_, last = expected_records(truth)
    assert (first.label, first.of, first.value, first.unit, first.period, first.basis) == (
        "收入", "", 1200.0, "百万元", "2023", "actual",
    )  # fmt: skip
    assert (last.label, last.of, last.value, last.unit, last.basis) == ("增速", "利润", 30.0, "%", "forecast")
    assert expected_records(truth)[2].value == -2.0


def test_a_row_is_kept_when_its_numbers_stand_in_one_line_in_order() -> None:
    reference = [["收入 1,200 1,500 1,800", "two 1 2"], ["next 7 8 9"]]
    assert rows_kept(reference, [["收入\t1,200\t1,500\t1,800"], ["7 8 9"]]) == (2, 2)
    assert rows_kept(reference, [["1,500 1,200 1,800", "7 8 9"], []]) == (0, 2)
    assert rows_kept(reference, []) == (0, 2)


def test_jumps_between_columns_are_counted() -> None:
    main, side = "主要内容第一段文字。主要内容第二段文字。", "收盘价与市值的栏目文字"
    assert switches(["主要内容第一段文字。", "主要内容第二段文字。", "收盘价与市值的栏目文字"], main, side) == 1
    assert switches(["主要内容第一段文字。", "收盘价与市值的栏目文字", "主要内容第二段文字。"], main, side) == 2
    assert switches(["主要内容第一段文字。 收盘价与市值的栏目文字", "主要内容第二段文字。"], main, side) == 2
    assert changes([]) == 0
