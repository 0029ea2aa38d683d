"""What the verb `import` takes and prints."""

from collections.abc import Mapping

from finlore.errors import UsageError
from finlore.records.imported import ImportReport
from finlore.records.instant import isoformat
from finlore.serve.show import plain
from finlore.serve.words import Json, told


def mapped(text: str) -> Mapping[str, str]:
    """The columns of `subject=COL,object:industry=COL`, by part; UsageError where it is not of this form."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if any(not (part.strip() and column.strip()) for part, _, column in pairs):
        raise UsageError(f"--map {text[:80]!r} is no list of parts and columns", hint="--map subject=COL,object=COL")
    return {part.strip(): column.strip() for part, _, column in pairs}


def imported(report: ImportReport) -> Json:
    return {
        "document": report.document,
        "status": report.status or "rejected",
        "complete": report.is_whole,
        "as": report.what,
        **told(report, "added names"),
        "rejected": report.n_rejected,
        "reasons": [
            {
                **told(rejection, "reason count"),
                "examples": [{"line": n, "text": text} for n, text in rejection.examples],
            }
            for rejection in report.rejected
        ],
        "known_at": isoformat(report.known_at),
        "seconds": round(report.seconds, 3),
        "cpu_seconds": round(report.cpu_seconds, 3),
    }


def show(document: Json) -> None:
    """For people: the counts, then each reason with its first lines."""
    plain({key: str(value or 0) for key, value in document.items() if key in ("document", "status", "added", "names")})
    if not document["complete"] and document["added"]:
        plain({"only a part": "the rest of the file could not be read; import it again once it is mended"})
    for reason in document["reasons"]:
        first = [f"line {at['line']} {at['text']}".strip() for at in reason["examples"]]
        more = ["…"] if reason["count"] > len(first) else []
        plain({f"{reason['count']} left out because {reason['reason']}": [*first, *more] or "the file as a whole"})
