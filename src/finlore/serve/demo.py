"""`make demo`: the main job on the shipped sample, in a workspace of its own, with what it did and in how long."""

import sys
import tempfile
import time
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path
from shutil import which

from rich.text import Text

from finlore.errors import MissingExtra
from finlore.flows import Workspace
from finlore.records.run import BacktestRequest
from finlore.serve import backtests, show, words
from finlore.serve.terminal import out
from finlore.settings import load_settings
from finlore.wiring import write_synthetic_market

_QUESTIONS = (
    ("岑川新材为琅溪气体提供的担保金额是多少？", None),
    ("What share of Hongtuo Equipment's 2023 revenue came from Cenchuan Advanced Materials?", None),
    ("桐麓证券对岑川新材的目标价是多少？", "2025-01-31"),
    ("桐麓证券对岑川新材的目标价是多少？", "2025-03-31"),
    ("由岑川新材提供担保的那家公司，因火灾停产的产线产能有多大？", None),
    ("岑川新材在火星的工厂何时投产？", None),
)
_SINCE, _UNTIL = date(2024, 3, 1), date(2025, 6, 30)


def run() -> None:
    """Ingest, ask, show; the workspace stays in a temporary folder that is named at the end."""
    began = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="finlore-demo-"))
    sample = files("finlore") / "data" / "sample" / "documents"
    with as_file(sample) as documents, Workspace(settings=load_settings(arguments={"workspace": folder})) as workspace:
        _title(f"finlore ingest {documents}")
        with show.progress("ingest") as progress:
            show.ingested(words.ingested(workspace.ingest([documents], progress=progress)))
        _embed(workspace)
        for question, as_of in _QUESTIONS:
            _title(f'finlore ask "{question}"' + (f" --as-of {as_of}" if as_of else ""))
            asked = workspace.ask(question, as_of=as_of)
            show.answered(words.answered(asked.answer, asked.run, asked.trace))
    market = _backtest(folder)
    _title(f"done in {time.perf_counter() - began:.0f} s, without a model, a key or a server")
    finlore = "finlore" if which("finlore") else Path(sys.executable).with_name("finlore")
    here = f"{finlore} --workspace {folder}"
    for line in (
        "try next:",
        f"  {here} entity 岑川新材",
        f"  {here} facts --subject 岑川新材",
        f"  {here} paths 琅溪气体 曜途汽车",
        f"  {here} ingest {market}/ratings.csv   # brokers to follow, a minute",
        f"  {here} --market {market} backtest --from {_SINCE} --to {_UNTIL} --html sheet.html",
        f'  {finlore} ingest YOUR-REPORTS/ && {finlore} ask "…"',
    ):
        out.print(line, soft_wrap=True)


def _backtest(folder: Path) -> Path:
    """Constants and the composite on a market that is made up from a seed, in the folder that is returned."""
    market = folder / "market"
    settings = load_settings(arguments={"workspace": folder, "market": market})
    _title(f"finlore backtest --market {market} --from {_SINCE} --to {_UNTIL}")
    try:
        write_synthetic_market(market, settings)
    except MissingExtra as missing:
        out.print(f"left out: {missing}")
        return market
    with Workspace(settings=settings) as workspace:
        tested = workspace.backtest(BacktestRequest(_SINCE, _UNTIL))
    backtests.show({**tested.document, "run": tested.run})
    return market


def _embed(workspace: Workspace) -> None:
    """Vectors make search better and are never needed."""
    _title("finlore embed")
    try:
        with show.progress("embed") as progress:
            show.embedded(words.embedded(workspace.embed(progress=progress)))
    except MissingExtra as missing:
        out.print(f"left out: {missing}")


def _title(text: str) -> None:
    out.print()
    title = Text(f"$ {text}" if text.startswith("finlore") else text, "bold cyan")
    out.print(title, soft_wrap=not out.is_terminal)
