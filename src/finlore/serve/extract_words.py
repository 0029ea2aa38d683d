"""What an extraction took and gave, for people and machines."""

from finlore.records.llm import Usage
from finlore.records.report import ExtractReport
from finlore.serve.terminal import note, say
from finlore.serve.words import Json


def extracted(report: ExtractReport) -> Json:
    return {
        "extractor": report.extractor,
        "extracted": report.extracted,
        "facts": report.facts,
        "events": report.events,
        "links": report.links,
        "failed": report.failed,
        "pruned": dict(report.pruned),
        "estimate": _usage(report.estimate),
        "calls": report.usage.calls,
        "tokens": report.usage.prompt_tokens + report.usage.reply_tokens,
        "cost": report.usage.cost,
        "remaining": report.remaining,
        "stopped": report.stopped,
        "notes": list(report.notes),
    }


def told(estimate: Usage) -> None:
    """Says on stderr what will be taken at most, before it is."""
    note(f"extract: at most {_worded(estimate)}, beside what has to be asked again")


def show(document: Json) -> None:
    for message in document["notes"][:10]:
        note(message)
    for reason, n in sorted(document["pruned"].items(), key=lambda item: -item[1])[:10]:
        note(f"left out {n}: {reason}")
    counts = ", ".join(f"{document[name]} {name}" for name in ("facts", "links", "events"))
    cost = "unknown" if document["cost"] is None else f"{document['cost']:.4g}"
    spent = f"{document['calls']} calls, {document['tokens']:,} tokens, cost {cost}"
    say(f"{document['extracted']} documents read: {counts}; {spent}")
    if document["failed"]:
        note(f"{document['failed']} passages could not be read; --retry reads them again")
    if document["remaining"]:
        why = {"budget": ": the budget is spent", "endpoint": ": the endpoint does not answer; see llm_base_url"}
        note(f"{document['remaining']} documents wait{why.get(document['stopped'], '')}")


def _usage(usage: Usage) -> Json:
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "tokens": usage.prompt_tokens + usage.reply_tokens,
        "cost": usage.cost,
    }


def _worded(usage: Usage) -> str:
    cost = "" if usage.cost is None else f", cost {usage.cost:.4g}"
    return f"{usage.calls} calls, {usage.prompt_tokens + usage.reply_tokens:,} tokens{cost}"
