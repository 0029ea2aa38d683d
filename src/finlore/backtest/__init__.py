"""Signals in, value out: simulation, measures and their honesty, as pure functions over arrays."""
