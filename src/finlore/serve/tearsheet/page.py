"""The page: what stands in its template."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from finlore import resources
from finlore.backtest.document import as_document
from finlore.backtest.results import Backtest
from finlore.backtest.significance import FEWEST_WEEKS
from finlore.records.document import Issue
from finlore.serve.tearsheet import charts, drawing, figures, wording
from finlore.serve.tearsheet.cells import Definitions, definitions
from finlore.serve.tearsheet.ranking import curves, drawn_benchmarks, ranked
from finlore.serve.tearsheet.tables import Tables
from finlore.serve.words import NOTICE

_FOLDER: Final = "tearsheet/"
_MOST_SHOWN: Final = 12  # strategies of a table that is shown whole
_ISSUES: Final = 100
_ISSUES_OF_ONE: Final = 5


def page(backtest: Backtest) -> str:
    """The HTML file of a backtest, complete in itself. No clock and no chance: the same record gives the same bytes."""
    order, defined = ranked(backtest.strategies), definitions()
    document = as_document(replace(backtest, strategies=order.strategies))
    styles = [style for _, style in drawn_benchmarks(backtest)]
    return _templates(defined).get_template("page.html").render(
        backtest=backtest,
        order=order,
        definitions=defined,
        tables=Tables(document, defined, order.styles, styles, most=_MOST_SHOWN),
        figures=figures,
        legend=curves(backtest, order),
        sample=charts.sample,
        style=Markup(resources.read_text(f"{_FOLDER}style.css")),
        rules=wording.rules_in_words(backtest.rules),
        notice=NOTICE,
        fewest=FEWEST_WEEKS,
        returns=document["weekly_returns"],
        issues=_limited(backtest.issues, _ISSUES),
        issues_of={place: _limited(one.issues, _ISSUES_OF_ONE) for place, one in enumerate(order.strategies)},
    )  # fmt: skip


def _templates(defined: Definitions) -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: resources.read_text(f"{_FOLDER}{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finished,
    )
    made.filters.update(
        short=drawing.shortened,
        anchor=lambda key: _anchor(key if key in defined else "counts"),
        count=wording.count,
    )
    return made


def _finished(said: object) -> object:
    return drawing.readable(said) if isinstance(said, str) and not isinstance(said, Markup) else said


def _anchor(key: str) -> str:
    return "d-" + re.sub(r"\W+", "-", key)


def _limited(issues: Iterable[Issue], most: int) -> tuple[list[str], int]:
    """The first ones in words, and how many more there are."""
    said = [
        f"{issue.severity}: {issue.source}{f', line {issue.line}' if issue.line else ''}: {issue.message}"
        for issue in issues
    ]
    return said[:most], max(0, len(said) - most)
