"""Frozen records: the only thing that crosses a border between stages."""
