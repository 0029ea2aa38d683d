"""A backtest as one HTML file that needs nothing else: tables, drawings, and what every number means."""

from finlore.serve.tearsheet.page import page

__all__ = ["page"]
