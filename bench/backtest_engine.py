"""What a backtest costs: CPU of the engine on a made-up market, beside vectorbt and bt where they can say the same.

usage: backtest_engine.py [--peers] [--json] [--signals N] [--securities N] [--sessions N] [--bt-sessions N]

With --peers, both are installed into an environment of their own under the system's folder of temporary files, unless
it stands there. They get what they can express: equal weights, no limits, no costs, all names of a week bought at one
close. bt is given fewer sessions, for it is slow; the NAV of each is compared with ours over its sessions.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.significance import mean_to_spread, stationary_bootstrap
from finlore.backtest.simulate import simulate
from finlore.backtest.weeks import weekly
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import PricePanel, week_of
from machine import facts, save

ENVIRONMENT: Final = Path(tempfile.gettempdir()) / "finlore-bench-peers"
PEERS: Final = ("vectorbt", "bt")
HOUR: Final = 3_600_000_000
PLAIN: Final = replace(STRICT, name="plain", respects_limits=False, cap=1.0, costs=None)
N_RUNS: Final = 7
GOALS: Final = {"strict": 0.05, "paper": 0.03, "10,000 bootstrap replicates": 0.05}


@dataclass(frozen=True)
class Cost:
    """The least CPU seconds of a few runs."""

    what: str
    cpu_seconds: float


@dataclass(frozen=True)
class Peer:
    """`ours` CPU seconds of the engine on the same; `difference` the largest of the two NAVs on any session."""

    engine: str
    sessions: int
    first: float
    warm: float
    ours: float
    difference: float


def made_up(n_sessions: int, n_securities: int, *, seed: int = 0) -> PricePanel:
    """Random walks with limits of 10 % and 1 % of all days suspended."""
    generator = np.random.default_rng(seed)
    close = np.round(10 * np.exp(np.cumsum(generator.normal(0, 0.02, (n_sessions, n_securities)), axis=0)), 2)
    before = np.vstack([close[:1], close[:-1]])
    traded = generator.random(close.shape) > 0.01
    days = np.busday_offset(np.datetime64("2022-01-03"), np.arange(n_sessions))
    closed_at = days.astype("datetime64[us]").astype(np.int64) + 7 * HOUR
    never = np.full(n_securities, "NaT", "datetime64[D]")
    return PricePanel(
        days=days, codes=tuple(map(str, range(n_securities))), names=("",) * n_securities, open=before, high=close,
        low=close, close=np.where(traded, close, np.nan), volume=np.full_like(close, 1e6), factor=np.ones_like(close),
        upper=np.round(before * 1.1, 2), lower=np.round(before * 0.9, 2), traded=traded,
        special=np.zeros_like(traded), listed=never, delisted=never, opened_at=closed_at - 5 * HOUR,
        known_at=closed_at, adjustment="none",
    )  # fmt: skip


def rises(panel: PricePanel, assets: NDArray[np.int64], rows: NDArray[np.int64]) -> Calls:
    """Calls said an hour before the close of their sessions."""
    signs, unsure = np.ones(len(rows), np.int8), np.full(len(rows), np.nan)
    return Calls(assets, signs, panel.known_at[rows] - HOUR, panel.days[rows], unsure)


def scattered(panel: PricePanel, n_signals: int) -> Calls:
    generator = np.random.default_rng(1)
    n, m = panel.close.shape
    return rises(panel, generator.integers(0, m, n_signals), np.sort(generator.integers(0, n, n_signals)))


def by_cohorts(panel: PricePanel, n_signals: int) -> Calls:
    """All calls of a week on its second session; no security twice while it is held."""
    generator = np.random.default_rng(2)
    m = panel.close.shape[1]
    weeks = week_of(panel.days)
    tuesdays = np.flatnonzero(weeks[1:] != weeks[:-1]) + 2
    tuesdays = tuesdays[tuesdays < len(weeks) - 1]
    each = min(n_signals // len(tuesdays), m // 2)
    drawn = [2 * generator.permutation(m // 2)[:each] + number % 2 for number in range(len(tuesdays))]
    return rises(panel, np.concatenate(drawn), np.repeat(tuesdays, each))


def weights_of(panel: PricePanel, calls: Calls, *, n_sleeves: int) -> NDArray[np.float64]:
    """(sleeves, n, m) what a peer is told to hold after the trades of a session: equal shares where names are bought,
    nothing when the following week ends."""
    weeks = week_of(panel.days)
    weights = np.full((n_sleeves, *panel.close.shape), np.nan)
    rows = np.searchsorted(panel.days, calls.days)
    for row in np.unique(rows).tolist():
        sleeve = (weeks[row] - weeks[0]) % n_sleeves
        names = calls.assets[rows == row]
        weights[sleeve, row + 1] = 0.0
        weights[sleeve, row + 1, names] = 1.0 / len(names)
        if len(ends := np.flatnonzero(weeks == weeks[row] + 1)):
            weights[sleeve, ends[-1]] = 0.0
    return weights


def least(run: Callable[[], object]) -> float:
    spent = []
    for _ in range(N_RUNS):
        began = time.process_time()
        run()
        spent.append(time.process_time() - began)
    return min(spent)


def ours(panel: PricePanel, calls: Calls) -> list[Cost]:
    def of(rules: Rules) -> Cost:
        return Cost(rules.name, least(lambda: simulate(panel, calls, rules)))

    returns = np.diff(np.log(weekly(panel.days, simulate(panel, calls, STRICT).net)[1]))
    bootstrap = least(lambda: stationary_bootstrap(returns, mean_to_spread))
    return [of(STRICT), of(PAPER), Cost("10,000 bootstrap replicates", bootstrap)]


def beside(engine: str, panel: PricePanel, calls: Calls) -> Peer:
    """The peer on the same market and the same names."""
    before_end = calls.days < panel.days[-1]
    columns = ("assets", "signs", "at", "days", "confidence")
    calls = Calls(*(getattr(calls, name)[before_end] for name in columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        weights = weights_of(panel, calls, n_sleeves=PLAIN.sleeves)
        np.savez(path, days=panel.days.astype("datetime64[ns]"), close=panel.close, weights=weights)
        script = Path(__file__).with_name("backtest_peers.py")
        done = subprocess.run([interpreter(), script, engine, path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    nav = simulate(panel, calls, PLAIN).gross
    difference = float(np.abs(nav - np.array(found["nav"])).max())
    spent = least(lambda: simulate(panel, calls, PLAIN))
    return Peer(f"{engine} {found['version']}", len(nav), *found["cpu_seconds"], spent, difference)


def interpreter() -> Path:
    """Of the environment that has the peers, which is made where there is none."""
    python = ENVIRONMENT / "bin" / "python"
    ready = ENVIRONMENT / "ready"
    if not ready.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        ready.touch()
    return python


def table(costs: Sequence[Cost], peers: Sequence[Peer]) -> str:
    lines = [f"{'':30} {'CPU s':>8} {'goal':>6}"]
    lines += [f"{cost.what:30} {cost.cpu_seconds:8.4f} {GOALS[cost.what]:6.2f}" for cost in costs]
    if peers:
        heads = f"{'sessions':>8} {'first run':>9} {'warm':>8} {'ours':>8} {'times':>6} {'NAV differs by':>14}"
        lines += ["", f"{'no limits, no costs':20} {heads}"]
    for peer in peers:
        spent = f"{peer.first:9.2f} {peer.warm:8.3f} {peer.ours:8.4f} {peer.warm / peer.ours:5.0f}x"
        lines.append(f"{peer.engine:20} {peer.sessions:8} {spent} {peer.difference:14.1e}")
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, help="not needed: the market is made up")
    arguments.add_argument("--peers", action="store_true")
    arguments.add_argument("--json", action="store_true")
    for name, number in {"signals": 10_000, "securities": 2_000, "sessions": 500, "bt-sessions": 60}.items():
        arguments.add_argument(f"--{name}", type=int, default=number)
    options = arguments.parse_args()
    panel = made_up(options.sessions, options.securities)
    costs = ours(panel, scattered(panel, options.signals))
    peers: list[Peer] = []
    if options.peers:
        whole = np.vstack([panel.open[1:], panel.open[:1]])  # closes without a hole
        plain = replace(panel, close=whole, traded=np.ones_like(panel.traded))
        calls, fewer = by_cohorts(plain, options.signals), plain.sessions(slice(options.bt_sessions))
        peers = [beside("vectorbt", plain, calls), beside("bt", fewer, calls)]
    size = {name: getattr(options, name) for name in ("signals", "securities", "sessions")}
    result = {
        "machine": facts(), "size": size, "goals_cpu_seconds": GOALS, "costs": [asdict(cost) for cost in costs],
        "peers": [asdict(peer) for peer in peers],
    }  # fmt: skip
    print(json.dumps(result, indent=1) if options.json else table(costs, peers))
    save("backtest_engine", result)


if __name__ == "__main__":
    main()
