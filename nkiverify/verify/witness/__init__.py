"""Counterexamples: made small, generalised, explained, replayed, written down."""
