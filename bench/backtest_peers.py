"""NAV and CPU seconds of another engine, run by the interpreter of an environment that has it.

usage: backtest_peers.py vectorbt|bt FILE.npz
FILE.npz: `days` (n,), `close` (n, m), `weights` (sleeves, n, m): the share of a sleeve in each security after the
trades of a session, NaN where none trade. Prints JSON: the version, CPU seconds of each of two runs (the second has
everything compiled), NAV (n,) of sleeves that begin alike.
"""

import json
import sys
import time
from importlib.metadata import version
from typing import Any


def by_vectorbt(close: Any, weights: Any) -> Any:
    import vectorbt

    done = vectorbt.Portfolio.from_orders(
        close, size=weights, size_type="targetpercent", group_by=True, cash_sharing=True,
        init_cash=1_000_000.0, freq="1D",
    )  # fmt: skip
    return done.value().to_numpy() / 1_000_000.0


def by_bt(close: Any, weights: Any) -> Any:
    import bt

    trades = weights.dropna(how="all").fillna(0.0)
    strategy = bt.Strategy("sleeve", [bt.algos.WeighTarget(trades), bt.algos.Rebalance()])
    test = bt.Backtest(strategy, close, initial_capital=1_000_000.0, integer_positions=False, progress_bar=False)
    test.run()
    return test.strategy.values.reindex(close.index).to_numpy() / 1_000_000.0


def main() -> None:
    import numpy as np
    import pandas

    engine, path = sys.argv[1:]
    run = {"vectorbt": by_vectorbt, "bt": by_bt}[engine]
    with np.load(path) as given:
        close = pandas.DataFrame(given["close"], index=pandas.DatetimeIndex(given["days"]))
        sleeves = [pandas.DataFrame(one, index=close.index) for one in given["weights"]]
    spent = []
    for _ in range(2):
        began = time.process_time()
        nav = np.mean([run(close, weights) for weights in sleeves], axis=0)
        spent.append(time.process_time() - began)
    print(json.dumps({"version": version(engine), "cpu_seconds": spent, "nav": nav.tolist()}))


if __name__ == "__main__":
    main()
