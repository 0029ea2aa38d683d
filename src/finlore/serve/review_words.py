"""Reviews and decisions as JSON documents and as text for people, and the edits that people write."""

from collections import Counter
from collections.abc import Iterable

from finlore.errors import UsageError
from finlore.knowledge.vocabulary import spoken
from finlore.records.review import Reviewed
from finlore.serve.terminal import indented, say
from finlore.serve.words import Json, told


def reviews(found: Iterable[Reviewed]) -> Json:
    return {"reviews": [_review(reviewed) for reviewed in found]}


def show(document: Json) -> None:
    for row in document["reviews"]:
        say(f"{row['id']}  {row['kind']}  {row['status']}", "bold")
        indented(row["question"] or "what it was about was forgotten", 3)
        if row["status"] == "open" and row["proposal"]:
            indented(f"accept: {row['proposal']}", 3, "dim")
        for decision in row["decisions"]:
            indented(_told(decision), 3, "dim")
        if row["void"]:
            indented("does nothing any more: what it was about is not there", 3, "dim")
    counts = Counter(row["kind"] for row in document["reviews"])
    say(", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())) or "nothing to review")


def quality(documents: Iterable[Json]) -> Iterable[str]:
    """What quality control did and could not do, in a line for each kind of note, with an example."""
    notes = [note.split(": ", 3) for document in documents for note in document["quality"]]
    kinds: dict[str, list[str]] = {}
    for step, relation, *what in notes:
        done = "left empty" if what[0] == "left empty" else f"{step}ed".replace("ee", "e")
        kinds.setdefault(f"{spoken(relation)} {done}", []).append(what[-1])
    return (f"{kind} {len(of)} times, such as: {of[0]}" for kind, of in sorted(kinds.items()))


def edited(pairs: Iterable[str]) -> dict[str, str]:
    """What ``key=value`` says, by key. UsageError where one says nothing."""
    found: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{pair!r} is not KEY=VALUE", hint="such as value=26.8")
        found[key.strip()] = value.strip()
    return found


def _review(found: Reviewed) -> Json:
    fields = "status by made_at edits note undone_at undone_by"
    return {
        **told(found.item, "id kind status about question proposal payload confidence asked_at"),
        "void": found.is_void,
        "decisions": [told(decision, fields) for decision in found.decisions],
    }


def _told(decision: Json) -> str:
    edits = ", ".join(f"{key}={value}" for key, value in decision["edits"].items())
    undone = f"taken back {decision['undone_at'][:10]} by {decision['undone_by']}" if decision["undone_at"] else ""
    made = f"{decision['status']} {decision['made_at'][:10]} by {decision['by'] or 'somebody'}"
    return "; ".join(filter(None, (made, edits, decision["note"], undone)))
