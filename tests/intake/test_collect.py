"""Paths become sources, or issues that a person understands."""

import os
import stat
import struct
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

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


UNPRIVILEGED = """
import os, sys
from finlore.intake.collect import collect
if os.geteuid() == 0:  # who may read everything
    os.setuid(65534)
for found in collect([sys.argv[1]], suffixes={".md", ".zip"}):
    print(found.message if hasattr(found, "message") else found.name)
"""


def test_files_and_folders_that_may_not_be_read_are_rejected_and_the_others_read() -> None:
    with TemporaryDirectory() as name:  # below folders that everybody may enter
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir()
        for path in ("closed/a.md", "a.md", "b.zip", "c.md"):
            (folder / path).write_text("文")
        for path in ("closed", "a.md", "b.zip"):
            (folder / path).chmod(0)
        ran = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, name], capture_output=True, text=True, check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        for path in ("closed", "a.md", "b.zip"):
            (folder / path).chmod(0o755)
    denied = "it may not be read (permission denied)"
    assert ran.stdout.splitlines() == [denied, denied, str(folder.resolve() / "c.md"), denied], ran.stderr


def test_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    found = list(collect([tmp_path / "zero.md"], suffixes=SUFFIXES))
    assert rejections(found) == ["this is not a regular file"]


def test_links_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").symlink_to(tmp_path / "in" / "b.md")
    (tmp_path / "in" / "b.md").symlink_to(tmp_path / "in" / "a.md")
    (tmp_path / "in" / "around").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "c.md").write_text("文")
    assert names(list(collect([tmp_path / "in"], suffixes=SUFFIXES))) == ["c.md"]
    assert "nowhere" in rejections(list(collect([tmp_path / "in" / "a.md"], suffixes=SUFFIXES)))[0]


def test_a_path_that_cannot_be_one_is_rejected() -> None:
    assert len(rejections(list(collect(["a\0.md"], suffixes=SUFFIXES)))) == 1
    assert len(rejections(list(collect(["a" * 5000 + ".md"], suffixes=SUFFIXES)))) == 1


def test_a_name_that_is_no_text_names_its_source(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"bad\xff.md")
    file.write_text("文")
    (found,) = collect([tmp_path], suffixes=SUFFIXES)
    assert isinstance(found, Source)
    assert found.name == str(file)


def test_a_file_that_is_written_all_the_while_is_rejected(tmp_path: Path) -> None:
    file, ended = tmp_path / "a.md", threading.Event()
    file.write_bytes(b"x" * (64 << 20))

    def append() -> None:
        with file.open("ab", buffering=0) as stream:
            while not ended.is_set():
                stream.write(b"x")

    writer = threading.Thread(target=append)
    writer.start()
    try:
        assert rejections(list(collect([file], suffixes=SUFFIXES))) == ["the file changes while it is read"]
    finally:
        ended.set()
        writer.join()
    assert len(list(collect([file], suffixes=SUFFIXES))) == 1


def test_the_size_of_what_will_be_read_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * 100)
    (tmp_path / "b.exe").write_bytes(b"x" * 1000)
    (tmp_path / "c.zip").write_bytes(b"no archive")
    zipped(tmp_path / "d.zip", {"a.md": b"x" * 50, "b.md": b"y" * 5})
    assert collect([tmp_path, tmp_path / "absent.md"], suffixes=SUFFIXES).n_bytes == 155


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


def directory(n_members: int, *, stated: int | None = None, wide: bool = False) -> bytes:
    """The end of an archive: a directory of members without names, and the record that states their number."""
    entries = (b"PK\x01\x02" + bytes(42)) * n_members
    n = n_members if stated is None else stated
    if not wide:
        return entries + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, n, n, len(entries), 0, 0)
    record = b"PK\x06\x06" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, n, n, len(entries), 0)
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, len(entries), 1)
    return entries + record + locator + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 0, 0)


@pytest.mark.parametrize(
    "content",
    [
        directory(module.MOST_MEMBERS + 1),
        directory(1_000_000, wide=True),
        directory(1_000_000, stated=1),
        directory(70_000, stated=1),
    ],
    ids=["too many", "a million", "a million that says it is one", "many that say they are one"],
)
def test_an_archive_of_too_many_members_is_rejected_before_they_are_listed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r.zip").write_bytes(content)
    began = time.process_time()
    (message,) = rejections(list(collect([tmp_path / "r.zip"], suffixes=SUFFIXES)))
    assert "members" in message
    assert time.process_time() - began < 1


def test_members_that_share_the_bytes_of_one_are_a_bomb_as_well(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"0.txt": b"0" * 1_000_000})
    raw = archive.read_bytes()
    at = raw.index(b"PK\x01\x02")
    entry, end = raw[at : raw.index(b"PK\x05\x06")], raw[raw.index(b"PK\x05\x06") :]
    entries = entry * 50
    counts = struct.pack("<2HL", 50, 50, len(entries))
    (tmp_path / "r.zip").write_bytes(raw[:at] + entries + end[:8] + counts + end[16:])
    assert "bomb" in rejections(list(collect([tmp_path / "r.zip"], suffixes=SUFFIXES)))[0]


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
