"""finlore: reports in, cited answers out, never knowing the future.

    from finlore import Workspace

    with Workspace("my-reports") as workspace:
        workspace.ingest(["reports/"])
        print(workspace.ask("Who supplies the company?", as_of="2025-03-31").answer.text)

Public is what `__all__` names. Everything is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finlore.errors import FinloreError as FinloreError
    from finlore.flows import Asked as Asked
    from finlore.flows import EntityPage as EntityPage
    from finlore.flows import Workspace as Workspace
    from finlore.records.answer import Answer as Answer
    from finlore.records.answer import Citation as Citation
    from finlore.records.answer import Retrieved as Retrieved
    from finlore.records.report import IngestReport as IngestReport
    from finlore.records.run import BacktestRequest as BacktestRequest
    from finlore.settings import Settings as Settings

__version__ = "0.1.0"
_HOME = {
    "Answer": "records.answer",
    "Asked": "flows",
    "BacktestRequest": "records.run",
    "Citation": "records.answer",
    "EntityPage": "flows",
    "FinloreError": "errors",
    "IngestReport": "records.report",
    "Retrieved": "records.answer",
    "Settings": "settings",
    "Workspace": "flows",
}
__all__ = [
    "Answer", "Asked", "BacktestRequest", "Citation", "EntityPage", "FinloreError", "IngestReport", "Retrieved",
    "Settings", "Workspace", "__version__",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'finlore' has no attribute {name!r}")
    return getattr(import_module(f"finlore.{_HOME[name]}"), name)
