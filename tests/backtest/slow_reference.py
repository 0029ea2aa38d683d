"""The rules of trading once more, as a clerk would keep them: day by day, with dictionaries of shares and of cash.

Written from the words of the rules and the records. Shares nothing with the engine but the records.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isfinite

from finlore.records.backtest import Calls, Costs, Rules
from finlore.records.panel import PricePanel

DAY = 86_400_000_000


@dataclass
class Call:
    number: int
    asset: int
    entry: int | None
    due: int | None  # session; None: after the data
    state: str = ""


@dataclass
class Holding:
    """`call` began it; `later`: the calls that met it, each with the day on which it was to be sold until then."""

    call: Call
    due: int | None
    units: float = 0.0
    waits: str = ""
    later: list[tuple[Call, int]] = field(default_factory=list)


@dataclass
class Sleeve:
    cash: float
    held: dict[int, Holding] = field(default_factory=dict)


@dataclass
class Account:
    """What the clerk hands in: one number a session, one state a call."""

    gross: list[float] = field(default_factory=list)
    net: list[float] = field(default_factory=list)
    exposure: list[float] = field(default_factory=list)
    breadth: list[int] = field(default_factory=list)
    turnover: list[float] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Clerk:
    """Goes through the sessions once, never looking at a later one's prices."""

    def __init__(self, panel: PricePanel, rules: Rules) -> None:
        self.panel, self.rules = panel, rules
        self.days: list[date] = panel.days.tolist()
        self.last: dict[int, float] = {}  # what each security was worth at its last close
        self.sleeves = [Sleeve(1.0 / rules.sleeves) for _ in range(rules.sleeves)]
        self.account = Account()
        self.bought, self.sold, self.charged = 0.0, 0.0, 0.0
        mondays = sorted({day - timedelta(day.weekday()) for day in self.days})
        self.sleeve_of = [mondays.index(day - timedelta(day.weekday())) % rules.sleeves for day in self.days]

    # -- what can be seen on a day

    def listed(self, day: int, asset: int) -> bool:
        end = self.panel.delisted.tolist()[asset]
        return end is None or self.days[day] <= end

    def bar(self, day: int, asset: int, *, at_open: bool) -> float | None:
        close, opened = float(self.panel.close[day, asset]), float(self.panel.open[day, asset])
        asked = opened if at_open else close
        return asked if asked > 0 and isfinite(asked) and close > 0 and isfinite(close) else None

    def level(self, day: int, asset: int, *, at_open: bool) -> float | None:
        asked = self.bar(day, asset, at_open=at_open)
        return None if asked is None else asked * float(self.panel.factor[day, asset])

    def sells(self, day: int, asset: int, *, at_open: bool) -> bool:
        if not self.rules.respects_limits:
            return True
        asked = float((self.panel.open if at_open else self.panel.close)[day, asset])
        if not (asked > 0 and isfinite(asked)) or not self.panel.traded[day, asset] or not self.listed(day, asset):
            return False
        return not asked <= self.panel.lower[day, asset]

    def why_not_bought(self, day: int, asset: int, *, at_open: bool) -> str:
        if not self.listed(day, asset):
            return "no_bar"
        asked = self.bar(day, asset, at_open=at_open)
        limits = self.rules.respects_limits
        if asked is not None and limits and self.panel.traded[day, asset] and asked >= self.panel.upper[day, asset]:
            return "at_limit"
        if asked is None or (limits and not self.panel.traded[day, asset]):
            return "suspended" if self.bar(day, asset, at_open=False) or asset in self.last else "no_bar"
        return ""

    # -- the day

    def day(self, day: int, calls: list[Call]) -> None:
        self.bought, self.sold, self.charged = 0.0, 0.0, 0.0
        at_open = self.rules.entry == "open"
        for asset in [asset for asset in self.last if not self.listed(day, asset)]:
            if day and self.listed(day - 1, asset):
                self.last[asset] *= 1 - self.rules.haircut
        if at_open:
            self.buy(day, calls)
        for asset in range(len(self.panel.codes)):
            level = self.level(day, asset, at_open=False)
            if level is not None and self.listed(day, asset):
                self.last[asset] = level
        if not at_open:
            self.prolong(calls, day)
        self.sell(day)
        if not at_open:
            self.buy(day, calls)
        self.write_down(day)

    def prolong(self, calls: list[Call], day: int) -> None:
        """A call on what is held, even on what is sold at this close: it stays at least as long as the call asks."""
        for call in calls:
            for sleeve in self.sleeves:
                if not call.state and (held := sleeve.held.get(call.asset)) and self.listed(day, call.asset):
                    self.extend(call, held)

    def extend(self, call: Call, held: Holding) -> None:
        call.state = "repeated"
        if held.due is not None and (call.due is None or call.due > held.due):
            held.later.append((call, held.due))
            held.due, held.waits = call.due, ""

    def note_who_prolongs(self, held: Holding, day: int) -> None:
        """Without the call it would be sold now."""
        if self.listed(day, held.call.asset) and self.sells(day, held.call.asset, at_open=False):
            for call, due in held.later:
                if due <= day and (call.due is None or day < call.due):
                    call.state = "prolonged"

    def sell(self, day: int) -> None:
        for sleeve in self.sleeves:
            for asset, held in list(sleeve.held.items()):
                gone = not self.listed(day, asset)
                is_due = held.due is not None and day >= held.due
                self.note_who_prolongs(held, day)
                if not gone and not is_due:
                    continue
                if not gone and not self.sells(day, asset, at_open=False):
                    if not held.waits:
                        limited = self.panel.traded[day, asset] and (
                            self.panel.close[day, asset] <= self.panel.lower[day, asset]
                        )
                        held.waits = "exit at the limit" if limited else "exit suspended"
                    continue
                money = held.units * self.last[asset]
                sleeve.cash += money
                self.order(-money)
                self.account.counts["delisted while held"] += gone
                self.account.counts[held.waits] += bool(held.waits)
                held.call.state = "closed"
                del sleeve.held[asset]

    def buy(self, day: int, calls: list[Call]) -> None:
        at_open = self.rules.entry == "open"
        self.prolong(calls, day)
        sleeve = self.sleeves[self.sleeve_of[day]]
        new: dict[int, Holding] = {}
        for call in calls:
            if call.state:
                continue
            call.state = self.why_not_bought(day, call.asset, at_open=at_open)
            if call.state:
                continue
            if call.asset in new:
                self.extend(call, new[call.asset])
            else:
                call.state, new[call.asset] = "held", Holding(call, call.due)
        for asset in [asset for asset, held in new.items() if held.due == day]:
            self.account.counts["bought and sold at one close"] += 1
            new.pop(asset).call.state = "closed"
        if not new:
            return
        worth = {asset: held.units * self.worth(day, asset, at_open=at_open) for asset, held in sleeve.held.items()}
        free = {asset: worth[asset] for asset in worth if self.sells(day, asset, at_open=at_open)}
        size = min(self.rules.cap * (sleeve.cash + sum(worth.values())), share(sleeve.cash, len(new), free))
        wanted = max(0.0, len(new) * size - sleeve.cash)
        for asset, cut in cuts(wanted, free).items():
            sleeve.held[asset].units -= cut / self.worth(day, asset, at_open=at_open)
            sleeve.cash += cut
            self.order(-cut)
        for asset, bought in new.items():
            level = self.level(day, asset, at_open=at_open)
            assert level is not None
            bought.units, sleeve.held[asset] = size / level, bought
            if not at_open:
                self.note_who_prolongs(bought, day)
            sleeve.cash -= size
            self.order(size)

    def worth(self, day: int, asset: int, *, at_open: bool) -> float:
        level = self.level(day, asset, at_open=True) if at_open and self.listed(day, asset) else None
        return self.last[asset] if level is None else level

    def order(self, money: float) -> None:
        self.bought += max(money, 0.0)
        self.sold += max(-money, 0.0)
        costs = self.rules.costs
        if costs and costs.capital and abs(money) > 1e-15:
            self.charged += max(0.0, costs.minimum / costs.capital - costs.commission * abs(money))

    def write_down(self, day: int) -> None:
        account = self.account
        invested = sum(h.units * self.last[asset] for sleeve in self.sleeves for asset, h in sleeve.held.items())
        value = invested + sum(sleeve.cash for sleeve in self.sleeves)
        paid = 0.0 if self.rules.costs is None else self.paid(day, self.rules.costs)
        kept = account.net[-1] / account.gross[-1] if account.net else 1.0
        account.gross.append(value)
        account.net.append(value * kept * max(0.0, 1 - paid / value))
        account.exposure.append(invested / value)
        account.breadth.append(sum(h.units > 0 for sleeve in self.sleeves for h in sleeve.held.values()))
        account.turnover.append((self.bought + self.sold) / value)

    def paid(self, day: int, costs: Costs) -> float:
        duty = 0.0
        for since, rate in costs.stamp_duty:
            if since <= self.days[day]:
                duty = rate
        each = costs.commission + costs.transfer_fee + costs.slippage
        return (self.bought + self.sold) * each + self.sold * duty + self.charged


def share(cash: float, n_new: int, held: dict[int, float]) -> float:
    """What each new name gets where the largest are cut one after the other until none is larger than the new ones."""
    size, pot, sharers = cash / n_new, cash, n_new
    for one in sorted(held.values(), reverse=True):
        if one <= size:
            break
        pot, sharers = pot + one, sharers + 1
        size = pot / sharers
    return size


def cuts(wanted: float, held: dict[int, float]) -> dict[int, float]:
    """How much is cut from each, the largest first, until the cuts make what is wanted."""
    if wanted <= 0 or not held:
        return {}
    low, high = 0.0, max(held.values())
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(0.0, one - middle) for one in held.values()) > wanted:
            low = middle
        else:
            high = middle
    return {asset: one - high for asset, one in held.items() if one > high}


def monday(day: date) -> date:
    return day - timedelta(day.weekday())


def when(
    panel: PricePanel, rules: Rules, at: int, day: date, *, week_goes_on: bool
) -> tuple[str, int | None, int | None]:
    """(why it is not traded or "", session of entry or None, session of exit or None): None lies after the data."""
    days: list[date] = panel.days.tolist()
    sessions = range(len(days))
    opens, closes = panel.opened_at.tolist(), panel.known_at.tolist()
    if rules.rolls_by_clock:
        if days and at < opens[0] - DAY:
            return "before_the_start", None, None
        heard = next((i for i in sessions if closes[i] >= at), None)
        at_open = next((i for i in sessions if opens[i] > at), None)
        at_close = next((i for i in sessions if closes[i] > at), None)
        later = None if heard is None or heard + 1 == len(days) else heard + 1
    else:
        if days and day < days[0] - timedelta(1):
            return "before_the_start", None, None
        heard = at_close = next((i for i in sessions if days[i] >= day), None)
        at_open = later = next((i for i in sessions if days[i] > day), None)
    entry = {"open": at_open, "close": at_close, "next_close": later}[rules.entry]
    if entry is None:
        return "after_the_end", None, None
    weeks = sorted({monday(day) for day in days})
    last_of = {week: max(i for i in sessions if monday(days[i]) == week) for week in weeks}
    unfinished = weeks[-1] if week_goes_on else None
    if rules.exit_after_entry:
        assert heard is not None
        for week in weeks:
            if week > monday(days[heard]) and last_of[week] > entry:
                return "", entry, None if week == unfinished else last_of[week]
        return "", entry, None
    week = monday(day) + timedelta(7)
    if week == unfinished or week > weeks[-1]:
        return "", entry, None
    if week not in last_of or last_of[week] < entry:
        return "no_exit", entry, None
    return "", entry, last_of[week]


def settle(panel: PricePanel, calls: Calls, rules: Rules, *, week_goes_on: bool = False) -> Account:
    """What the clerk hands in for these calls."""
    clerk, todo, states = Clerk(panel, rules), [], {}
    entries: dict[int, tuple[int, int | None]] = {}
    for number, (asset, sign, at, day) in enumerate(
        zip(calls.assets.tolist(), calls.signs.tolist(), calls.at.tolist(), calls.days.tolist(), strict=True)
    ):
        why, entry, due = when(panel, rules, at, day, week_goes_on=week_goes_on)
        entries[number] = (asset, entry)
        if asset < 0:
            states[number] = "unknown_security"
        elif sign < 0:
            states[number] = "fall"
        elif why:
            states[number] = why
        else:
            todo.append(Call(number, asset, entry, due))
    falls = {entries[number] for number, state in states.items() if state == "fall"}
    for call in todo:
        if (call.asset, call.entry) in falls:
            call.state = "conflict"
    todo.sort(key=lambda call: len(clerk.days) if call.due is None else call.due)
    for day in range(len(clerk.days)):
        clerk.day(day, [call for call in todo if call.entry == day])
    still = {asset: held for sleeve in clerk.sleeves for asset, held in sleeve.held.items()}
    for held in still.values():
        clerk.account.counts[held.waits] += bool(held.waits)
    for call in todo:
        states[call.number] = call.state
    clerk.account.states = [states[number] for number in range(len(calls.signs))]
    clerk.account.counts = +clerk.account.counts
    clerk.account.counts.pop("", None)
    return clerk.account
