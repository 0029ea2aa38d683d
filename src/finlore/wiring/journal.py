"""Which sources need not be read again, and what is remembered of those that were read."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from finlore.records.document import PageStatus
from finlore.records.report import DocumentOutcome
from finlore.records.store import InputRecord

UNREAD: frozenset[PageStatus] = frozenset({"needs_ocr", "garbled"})
"""Pages that OCR may read."""


def stands(kept: InputRecord, record: InputRecord, *, retry: bool, ocr_rules: Callable[[], str]) -> bool:
    """Whether what is remembered of a source still holds: the same bytes, read by the same software.

    What waits for OCR is read again when there is a page reader that has not tried it yet; `retry` reads again what was
    rejected or waits. `ocr_rules` identify the page reader, "" where there is none.
    """
    rules, _, tried = kept.rules.partition(" ")
    if (kept.raw_hash, rules) != (record.raw_hash, record.rules):
        return False
    if kept.outcome == "waiting":
        return not retry and ocr_rules() in ("", tried)
    return kept.outcome == "read" or not retry


def noted(
    record: InputRecord, outcomes: Sequence[DocumentOutcome], *, ocr_rules: Callable[[], str]
) -> InputRecord | None:
    """What to remember of a source, given what became of its documents; None of one that was read in part, so that it
    is read again and what is wrong with it told again."""
    rejected = [outcome for outcome in outcomes if outcome.status == "rejected"]
    if rejected:
        reason = "; ".join(outcome.reason for outcome in rejected[:3]) + ("; …" if len(rejected) > 3 else "")
        return None if len(rejected) < len(outcomes) else replace(record, outcome="rejected", reason=reason)
    waiting = [page for outcome in outcomes for page in outcome.page_verdicts if page.status in UNREAD]
    if not waiting:
        return record
    pages = ", ".join(str(page.page) for page in waiting[:20]) + (", …" if len(waiting) > 20 else "")
    return replace(
        record, outcome="waiting", reason=f"without text: page {pages}", rules=f"{record.rules} {ocr_rules()}".strip()
    )
