"""Functions of nki.language that allocate or compute over instructions."""

from __future__ import annotations

NKI = ("nki",)
