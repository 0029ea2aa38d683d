"""Ingest the shipped reports, ask at two dates, print what is cited: `python examples/ask_reports.py`."""

from importlib.resources import files
from tempfile import TemporaryDirectory

from finlore import Workspace


def main() -> None:
    with TemporaryDirectory() as folder, Workspace(folder) as workspace:
        workspace.ingest([str(files("finlore") / "data/sample/documents")])
        for as_of in ("2024-11-15", "2025-03-31"):
            answer = workspace.ask("岑川新材为琅溪气体提供的担保金额是多少？", as_of=as_of).answer
            print(f"\nas of {as_of}: {answer.text}")
            for citation in answer.citations:
                page = f", page {citation.page}" if citation.page else ""
                print(f"  [{citation.n}] {citation.title}{page}: {citation.quote}")


if __name__ == "__main__":
    main()
