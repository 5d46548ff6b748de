"""The legacy distribution package: `neuronxcc.nki` is all of it that kernels use."""

from __future__ import annotations

from . import nki

__all__ = ["nki"]
