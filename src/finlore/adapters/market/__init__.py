"""Prices: a folder of files, and sources that are fetched into such a folder."""
