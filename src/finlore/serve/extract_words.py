"""What a language model takes or took, and what an extraction gave, for people and machines."""

from dataclasses import asdict

from finlore.records.llm import Usage
from finlore.records.report import ExtractReport
from finlore.serve.terminal import note, say
from finlore.serve.words import Json, told


def usage(counted: Usage) -> Json:
    return {**asdict(counted), "tokens": counted.prompt_tokens + counted.reply_tokens}


def tell_estimate(estimate: Usage) -> None:
    """Says on stderr what will be taken at most, before it is."""
    cost = "at no known price" if estimate.cost is None else f"cost {estimate.cost:.4g}"
    tokens = usage(estimate)["tokens"]
    note(f"at most {estimate.calls} calls, {tokens:,} tokens, {cost}, beside what has to be asked again")


def extracted(report: ExtractReport) -> Json:
    spent = usage(report.usage)
    return {
        **told(report, "extractor extracted facts events links failed pruned"),
        "estimate": usage(report.estimate),
        **{key: spent[key] for key in ("calls", "tokens", "cost")},
        **told(report, "remaining stopped notes"),
    }


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
