"""The three PDF reports of the shipped sample, from their typst sources: `python scripts/make_sample_pdfs.py`.

Needs `pip install typst` and the fonts of `apt-get install fonts-noto-cjk`, and writes the same bytes each time for the
same versions of both. The results are committed, so neither installing nor running finlore needs this script.
"""

from pathlib import Path

import typst

SOURCES = Path(__file__).parent / "sample_reports"
DOCUMENTS = Path(__file__).parents[1] / "src" / "finlore" / "data" / "sample" / "documents"
REPORTS = {
    "cenchuan_2024_08_29": "2024-08-29_tonglu_cenchuan_initiation.pdf",
    "hengxu_2025_01_16": "2025-01-16_yanhai_hengxu_initiation.pdf",
    "hongtuo_2024_11_06": "2024-11-06_yanhai_hongtuo_initiation_en.pdf",
}
FONT_FOLDERS = [Path("/usr/share/fonts/opentype/noto")]
FIXED_TIME = 1_735_689_600  # 2025-01-01 in UTC: no clock in the files


def main() -> None:
    for source, name in REPORTS.items():
        content = typst.compile(
            SOURCES / f"{source}.typ",
            font_paths=FONT_FOLDERS,
            ignore_system_fonts=True,
            timestamp=FIXED_TIME,
            pdf_tags=False,  # as brokers' files are; smaller too
        )
        (DOCUMENTS / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
