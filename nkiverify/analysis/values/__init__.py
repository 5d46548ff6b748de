"""Kernels on numbers: what the operations of a run compute, in floating point or over prime fields."""
