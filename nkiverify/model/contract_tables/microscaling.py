"""Microscaled (MX) formats, gen4."""

from __future__ import annotations
