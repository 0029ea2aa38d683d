"""What the measures of one company say about each other: growth, sums, ratios, products."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from finlore.intake.tables.findings import Findings, Interval, as_fraction, compared, cost_of, interval_of, places
from finlore.intake.tables.periods import year_before
from finlore.intake.tables.values import PART, Reading

Amounts = Mapping[tuple[str, str], Reading]
"""Readings of one subject by (measure, period)."""
_IDENTITIES: Final = (  # a measure, what it adds up, what it takes off, and of what it is the share in per cent
    ("gross_profit", ("revenue",), ("operating_cost",), ""),
    ("total_assets", ("current_assets", "noncurrent_assets"), (), ""),
    ("total_assets", ("total_liabilities", "equity"), (), ""),
    ("total_liabilities", ("current_liabilities", "noncurrent_liabilities"), (), ""),
    ("liabilities_and_equity", ("total_liabilities", "equity"), (), ""),
    ("liabilities_and_equity", ("total_assets",), (), ""),
    ("equity", ("equity_parent", "minority_equity"), (), ""),
    ("net_profit", ("net_profit_parent", "minority_profit"), (), ""),
    ("net_profit", ("pretax_profit",), ("income_tax",), ""),
    ("gross_margin", ("gross_profit",), (), "revenue"),
    ("gross_margin", ("revenue",), ("operating_cost",), "revenue"),
    ("leverage", ("total_liabilities",), (), "total_assets"),
)
_PRICED: Final = (("pe", "eps"), ("pb", "bvps"))
_RATIO_ROOM: Final = 0.002
_PRICE_ROOM: Final = 0.005


def check_arithmetic(findings: Findings, readings: Sequence[Reading], *, own: Amounts) -> None:
    """Adds every check that the measures of a table allow. `own` are those of the document's company in all of its
    tables."""
    _check_growth(findings, readings, own)
    for company, amounts in by_company(readings).items():
        known = amounts if company else {**own, **amounts}
        _check_identities(findings, amounts, known)
        quoted = [amounts["share_price", period].value.value for period in _periods(amounts, "share_price")]
        for multiple, per_share in _PRICED:
            pairs = _pairs(amounts, known, multiple, per_share)
            _check_price(findings, pairs, quoted=quoted[0] if len(quoted) == 1 else None)


def _check_growth(findings: Findings, readings: Sequence[Reading], known: Amounts) -> None:
    """Printed growth against that of the measure's own two values."""
    amounts = {(r.panel, r.value.row, r.value.period): r for r in readings if not r.derived and r.value.period}
    rows: dict[tuple[int, str, str], set[int]] = {}
    for r in readings:
        if r.value.metric and not r.derived:
            rows.setdefault((r.panel, r.value.metric, r.value.company), set()).add(r.value.row)
    for r in readings:
        period = r.value.period
        if r.derived != "growth" or r.value.unit not in {"%", ""} or not period:
            continue
        measure = r.value.metric.removesuffix(".growth")
        own = rows.get((r.panel, measure, r.value.company), set())
        row = r.base_row if r.base_row is not None else min(own) if len(own) == 1 else -1
        now, before = (amounts.get((r.panel, row, at)) for at in (period, year_before(period)))
        if row < 0 and not own and not r.value.company:  # the amounts may stand in another table
            now, before = (known.get((measure.removeprefix("metric:"), at)) for at in (period, year_before(period)))
        if now is None or before is None or now.value.unit != before.value.unit or now.value.unit == "%":
            continue
        if interval_of(before).low <= 0:
            continue
        growth = (interval_of(now) / interval_of(before) - Interval(1, 1)).times(100)
        holds = growth.meets(interval_of(r)) or growth.meets(as_fraction(r))
        findings.expect(holds, compared(r, growth, "growth"), places(r, now, before))


def _check_identities(findings: Findings, amounts: Amounts, known: Amounts) -> None:
    for measure, plus, minus, under in _IDENTITIES:
        for period in _periods(amounts, measure):
            printed, names = amounts[measure, period], [*plus, *minus, *filter(None, [under])]
            parts = [part for name in names if (part := known.get((name, period))) is not None]
            units = {part.value.unit for part in (*parts, *([] if under else [printed]))}
            if len(parts) < len(names) or len(units) > 1:
                continue
            added, taken = parts[: len(plus)], parts[len(plus) : len(plus) + len(minus)]
            amount, how = Interval(0, 0), " + ".join(part.value.label for part in added)
            for part in added:
                amount += interval_of(part)
            for part in taken:
                amount, how = amount - cost_of(part), f"{how} - {part.value.label}"
            if under:
                if (whole := interval_of(parts[-1])).low <= 0:
                    continue
                amount = (amount / whole).times(100).widened(_RATIO_ROOM)
                how = f"{f'({how})' if taken else how} / {parts[-1].value.label}"
            holds = amount.meets(interval_of(printed)) or (bool(under) and amount.meets(as_fraction(printed)))
            findings.expect(holds, compared(printed, amount, how), places(printed, *parts))


def _pairs(amounts: Amounts, known: Amounts, multiple: str, per_share: str) -> list[tuple[Reading, Reading]]:
    """(multiple, amount per share) of each period that has both, above zero."""
    both = [
        (amounts[multiple, period], known[per_share, period])
        for period in _periods(amounts, multiple)
        if (per_share, period) in known
    ]
    return [pair for pair in both if all(interval_of(reading).low > 0 for reading in pair)]


def _check_price(findings: Findings, pairs: Sequence[tuple[Reading, Reading]], *, quoted: float | None) -> None:
    """P/E x EPS is one price in all periods: the one that is quoted beside them, where any period agrees with it (it
    may be of another day), else that of most."""
    products = [interval_of(ratio) * interval_of(amount) for ratio, amount in pairs]
    if len(products) > 1 and not any(quoted is not None and span.low <= quoted <= span.high for span in products):
        quoted = median((span.low + span.high) / 2 for span in products)
    if quoted is None:
        return
    price, expected = quoted, Interval(quoted, quoted).widened(_PRICE_ROOM)
    for (ratio, amount), product in zip(pairs, products, strict=True):
        how = f"{price:,.2f} / {amount.value.label}"
        words = compared(ratio, expected / interval_of(amount), how)
        findings.expect(product.meets(expected), words, places(ratio, amount))


def by_company(readings: Iterable[Reading]) -> dict[tuple[str, int] | None, Amounts]:
    """The measures of each company of a comparison, and of the document's own (None). What a table states twice, and
    differently, is about parts of something, and is left out."""
    found: dict[tuple[str, int] | None, dict[tuple[str, str], Reading]] = {}
    twice: set[tuple[tuple[str, int] | None, tuple[str, str]]] = set()
    for reading in readings:
        value = reading.value
        if not value.metric or reading.derived or value.metric.endswith(PART):
            continue
        company = (value.company, value.row) if value.company else None
        key = (value.metric.removeprefix("metric:"), value.period)
        first = found.setdefault(company, {}).setdefault(key, reading)
        if first.value.value != value.value:
            twice.add((company, key))
    return {
        company: {key: reading for key, reading in amounts.items() if (company, key) not in twice}
        for company, amounts in found.items()
    }


def _periods(amounts: Amounts, metric: str) -> Iterator[str]:
    return (period for name, period in list(amounts) if name == metric)
