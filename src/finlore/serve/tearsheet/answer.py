"""What a backtest answers, in one or two sentences made of its numbers."""

from typing import Final

from finlore.backtest.significance import FEWEST_WEEKS
from finlore.serve.tearsheet.wording import UNKNOWN, count, gain, interval, ratio
from finlore.serve.words import Json

_SURE: Final = 0.95


def answer(document: Json) -> str:
    """Whether a strategy did better than chance, and what the benchmarks made."""
    found = _over_the_first(document)
    told = [f"{row['name']} {gain(row['total'])}" for row in document["benchmarks"] if row["total"] is not None]
    return f"{found} Fully invested: {', '.join(told)}." if found and told else found


def _over_the_first(document: Json) -> str:
    """Whether a strategy beats the first benchmark at the same exposure by more than chance explains: it made more than
    it, the interval of its Sharpe ratio is above 0, and DSR .95 or more. Nothing where none can be compared."""
    invested = [row for row in document["strategies"] if row["exposure"]]
    first = next((code for row in invested for code in row["over_exposure"]), "")
    rows = [row for row in invested if row["over_exposure"].get(first) is not None]
    if not rows:
        return ""
    rows.sort(key=lambda row: (-row["over_exposure"][first], row["name"]))
    ahead = [row for row in rows if row["over_exposure"][first] > 0]
    told = f"{rows[0]['name']} {gain(rows[0]['over_exposure'][first])}"
    if not document["meaningful"]:
        few = f"weekly returns {document['weekly_returns']}, {FEWEST_WEEKS} needed"
        return f"Too little to tell skill from chance: {few}. Over {first} at the same exposure: best {told}."
    surely = [row for row in ahead if (row["ci"]["sharpe"][0] or 0.0) > 0 and (row["dsr"] or 0.0) >= _SURE]
    if surely:
        each = ", ".join(
            f"{row['name']} {gain(row['over_exposure'][first])} ({_sharpe(row)}, DSR {ratio(row['dsr'])})"
            for row in surely
        )
        return f"In these weeks more than chance explains was made over {first} at the same exposure: {each}."
    how = " by more than chance explains" if ahead else ""
    return f"No strategy beats {first} at the same exposure{how}: best {told}, {_sharpe(rows[0])}."


def _sharpe(row: Json) -> str:
    told = interval(ratio, *row["ci"]["sharpe"])
    return f"with {count(row['n_traded'])} calls bought" if told == UNKNOWN else f"Sharpe 95 % {told}"
