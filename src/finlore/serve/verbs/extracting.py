"""Reading facts, events and links out of what is in a workspace."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from finlore.serve.application import CONFIGURATION, SOME_REJECTED, STOPPED_BY_LIMIT, Told, app, opened, verb

if TYPE_CHECKING:
    from finlore.records.report import ExtractReport


@verb(app)
def extract(
    extractor: Annotated[Literal["llm", "lexicon"], typer.Option(help="A language model, or rules offline.")] = "llm",
    budget: Annotated[int | None, typer.Option(min=0, help="Tokens that may be spent [llm_budget_tokens].")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take at most; send nothing.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Also read again the passages that failed.")] = False,
) -> Told:
    """Read facts, events and links out of what was not read yet, or under another schema; goes on where it stopped."""
    from finlore.serve import extract_words, show

    with show.progress("extract") as progress:
        report = opened().extract(
            extractor, budget=budget, retry=retry, dry_run=dry_run, told=extract_words.tell_estimate, progress=progress
        )
    return Told(extract_words.extracted(report), extract_words.show, code=_exit_code(report))


def _exit_code(report: "ExtractReport") -> int:
    if report.stopped == "endpoint" and not report.extracted:
        return CONFIGURATION
    if report.stopped:
        return STOPPED_BY_LIMIT
    return SOME_REJECTED if report.failed else 0
