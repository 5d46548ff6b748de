"""Bounded and unbounded model checking of AWS NKI kernels for Trainium."""

__version__ = "0.1.0"
