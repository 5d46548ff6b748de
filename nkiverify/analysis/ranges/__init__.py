"""Ranges of numbers: a run in which every element is an interval, and the relations between elements."""
