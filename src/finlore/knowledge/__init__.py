"""Typed knowledge: what documents state by the schema, how it is checked, corrected and reviewed."""
