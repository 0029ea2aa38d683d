"""Ranked evidence -> answers whose every sentence is cited."""
