"""The page: what stands in its template."""

import re
from collections.abc import Iterable
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from finlore import resources
from finlore.backtest.significance import FEWEST_WEEKS
from finlore.serve.tearsheet import charts, drawing, figures, wording
from finlore.serve.tearsheet.answer import answer
from finlore.serve.tearsheet.cells import Definitions, definitions
from finlore.serve.tearsheet.ranking import ranked
from finlore.serve.tearsheet.tables import Tables
from finlore.serve.words import NOTICE, Json

_FOLDER: Final = "tearsheet/"
_MOST_SHOWN: Final = 12  # strategies of a table that is shown whole
_ISSUES: Final = 100
_ISSUES_OF_ONE: Final = 5


def page(document: Json) -> str:
    """The HTML file of the document of a backtest, complete in itself. No clock and no chance: the same document gives
    the same bytes."""
    order, defined = ranked(document), definitions()
    styles = [style for _, style in order.benchmarks]
    return _templates(defined).get_template("page.html").render(
        document=order.document,
        order=order,
        answer=answer(order.document),
        definitions=defined,
        tables=Tables(order.document, defined, order.styles, styles, most=_MOST_SHOWN),
        figures=figures,
        sample=charts.sample,
        style=Markup(resources.read_text(f"{_FOLDER}style.css")),
        notice=NOTICE,
        fewest=FEWEST_WEEKS,
        issues=_limited(document["issues"], _ISSUES),
        issues_of={
            place: _limited(row["issues"], _ISSUES_OF_ONE) for place, row in enumerate(order.document["strategies"])
        },
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


def _limited(issues: Iterable[Json], most: int) -> tuple[list[str], int]:
    """The first ones in words, and how many more there are."""
    said = []
    for issue in issues:
        line = f", line {issue['line']}" if issue["line"] else ""
        said.append(f"{issue['severity']}: {issue['source']}{line}: {issue['message']}")
    return said[:most], max(0, len(said) - most)
