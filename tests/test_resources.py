from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore import resources
from finlore.errors import ConfigurationError


@pytest.fixture
def overrides(tmp_path: Path) -> Iterator[Path]:
    resources.override_with(tmp_path)
    yield tmp_path
    resources.override_with(None)


def test_every_shipped_table_can_be_read() -> None:
    tables = [name for name in resources.names() if name.endswith(".toml")]
    assert tables
    for name in tables:
        assert resources.load_toml(name), name


def test_a_file_of_the_same_name_replaces_a_shipped_one_until_the_folder_is_taken_away(tmp_path: Path) -> None:
    shipped = next(name for name in resources.names() if name.endswith(".toml"))
    before = resources.read_bytes(shipped)
    (tmp_path / shipped).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / shipped).write_bytes(b"own = 1\n")
    resources.override_with(tmp_path)
    assert resources.read_bytes(shipped) == b"own = 1\n"
    resources.override_with(None)
    assert resources.read_bytes(shipped) == before


def test_a_folder_may_add_files_of_its_own(overrides: Path) -> None:
    (overrides / "words.txt").write_text("锂电\n", encoding="utf-8")
    assert resources.read_text("words.txt") == "锂电\n"


def test_comments_and_empty_lines_are_no_words_and_no_rows(overrides: Path) -> None:
    (overrides / "list.txt").write_text("# 注释 comment\n\n锂电 储能\n", encoding="utf-8")
    assert resources.load_words("list.txt") == {"锂电", "储能"}
    assert list(resources.load_rows("list.txt", 2)) == [("锂电 储能", "")]


def test_a_row_with_too_many_cells_is_told(overrides: Path) -> None:
    (overrides / "table.tsv").write_text("a\tb\tc\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="3 columns instead of 2"):
        list(resources.load_rows("table.tsv", 2))


def test_an_unknown_name_is_answered_with_what_is_shipped() -> None:
    with pytest.raises(ConfigurationError, match=r"no resource 'absent\.toml'.*shipped: .*\.toml"):
        resources.load_toml("absent.toml")


@pytest.mark.parametrize("name", ["../errors.py", "/etc/hostname", "sample/../../errors.py"])
def test_a_name_cannot_leave_the_data_folder(name: str) -> None:
    with pytest.raises(ConfigurationError, match="stays inside"):
        resources.read_text(name)


def test_a_fault_in_a_table_is_reported_with_its_place(overrides: Path) -> None:
    (overrides / "own.toml").write_text("good = 1\nbad = \n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"own\.toml is not valid TOML.*line 2"):
        resources.load_toml("own.toml")


def test_bytes_that_are_not_text_are_reported_with_their_place(overrides: Path) -> None:
    (overrides / "own.txt").write_bytes(b"ab\xff")
    with pytest.raises(ConfigurationError, match=r"not UTF-8.*byte 2"):
        resources.read_text("own.txt")


def test_the_folder_has_to_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a folder"):
        resources.override_with(tmp_path / "absent")
