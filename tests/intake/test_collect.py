"""Paths become sources, or issues that a person understands."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from finlore.intake import collect as module
from finlore.intake.collect import collect
from finlore.ports import Source
from finlore.records.document import Issue

SUFFIXES = {".md", ".txt"}


def names(found: list[Source | Issue]) -> list[str]:
    return [Path(item.name).name for item in found if isinstance(item, Source)]


def rejections(found: list[Source | Issue]) -> list[str]:
    return [item.message for item in found if isinstance(item, Issue) and item.severity == "rejected"]


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_folder_is_read_in_sorted_order_and_other_kinds_are_counted(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("z.md", "b/a.TXT", "b/c.exe", ".hidden.md", "~$lock.md"):
        (tmp_path / name).write_text("文")
    collection = collect([tmp_path], suffixes=SUFFIXES)
    assert names(list(collection)) == ["z.md", "a.TXT"]
    assert collection.skipped == 1


def test_a_source_is_named_by_its_resolved_path_and_read_once(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("文")
    (found,) = collect([tmp_path / "x" / ".." / "a.md", file, tmp_path], suffixes=SUFFIXES)
    assert found == Source(str(file.resolve()), ".md", "文".encode())


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    collection = collect([tmp_path], suffixes=SUFFIXES)
    assert (list(collection), collection.skipped) == ([], 0)


def test_what_was_named_and_cannot_be_read_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.exe").write_bytes(b"MZ")
    (tmp_path / "empty.md").write_bytes(b"")
    found = list(collect([tmp_path / "a.exe", tmp_path / "empty.md", tmp_path / "absent.md"], suffixes=SUFFIXES))
    kind, empty, absent = rejections(found)
    assert "'.exe'" in kind
    assert empty == "the file is empty"
    assert absent == "there is no such file or folder"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert rejections(list(collect([tmp_path], suffixes=SUFFIXES))) == ["this is not a regular file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("文")
    file.chmod(0)
    assert "permission" in rejections(list(collect([file], suffixes=SUFFIXES)))[0]


def test_members_of_an_archive_are_sources_of_their_own(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"b.md": b"b", "a/c.txt": b"c", "inner.zip": b"PK", "__MACOSX/x.md": b"x"})
    collection = collect([archive], suffixes=SUFFIXES)
    found = list(collection)
    assert [item.name for item in found if isinstance(item, Source)] == [f"{archive}/a/c.txt", f"{archive}/b.md"]
    assert (rejections(found), collection.skipped) == ([], 1)


@pytest.mark.parametrize("name", ["../up.md", "/etc/abs.md", "a/../../up.md", "C:/x.md"])
def test_members_that_point_outside_are_rejected(tmp_path: Path, name: str) -> None:
    archive = zipped(tmp_path / "r.zip", {name: b"x", "good.md": b"ok"})
    found = list(collect([archive], suffixes=SUFFIXES))
    assert names(found) == ["good.md"]
    assert rejections(found) == ["its name points outside the archive"]


def test_symbolic_links_in_archives_are_rejected(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert rejections(list(collect([tmp_path / "r.zip"], suffixes=SUFFIXES))) == ["it is a symbolic link"]


def test_a_decompression_bomb_is_never_unpacked(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"a.txt": b"0" * 4_000_000})
    (message,) = rejections(list(collect([archive], suffixes=SUFFIXES)))
    assert "bomb" in message


def test_an_archive_of_too_many_members_is_rejected(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", dict.fromkeys((f"{n}.md" for n in range(module.MOST_MEMBERS + 1)), b""))
    assert "members" in rejections(list(collect([archive], suffixes=SUFFIXES)))[0]


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04broken"])
def test_a_broken_archive_is_rejected(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r.zip").write_bytes(content)
    assert len(rejections(list(collect([tmp_path / "r.zip"], suffixes=SUFFIXES)))) == 1


def test_chinese_names_of_old_archives_are_read(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("研报.md".encode("gb18030").decode("cp437"))
    with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
        archive.writestr(info, "文")
    raw = (tmp_path / "r.zip").read_bytes()
    wide = "研报.md".encode("gb18030").decode("cp437").encode("utf-8")
    narrow = "研报.md".encode("gb18030").ljust(len(wide), b"d")
    flags = raw.replace(b"\x00\x08\x00\x00", b"\x00\x00\x00\x00")  # clears the mark of UTF-8 names
    (tmp_path / "r.zip").write_bytes(flags.replace(wide, narrow))
    found = list(collect([tmp_path / "r.zip"], suffixes={".md" + "d" * (len(wide) - len("研报.md".encode("gb18030")))}))
    assert [Path(item.name).name[:5] for item in found if isinstance(item, Source)] == ["研报.md"]


def test_a_link_that_leads_out_of_a_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "own.md").write_text("# Own")
    (tmp_path / "folder" / "link.md").symlink_to(tmp_path / "secret.md")
    found = [source.name for source in collect([tmp_path / "folder"], suffixes={".md"}) if isinstance(source, Source)]
    assert found == [str(tmp_path / "folder" / "own.md")]
