"""Instructions about numbers: statistics, maxima, searches, random numbers, fused element-wise operations."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.instruction import ISSUED, NkiInstruction
from nkiverify.model.isa_enums import engine
from nkiverify.model.ops import randomness as _randomness


@documented
def rng(dst: Any, engine: Any = engine.vector, name: Any = None) -> NkiInstruction:
    """dst = random bits."""
    _randomness.rng(dst, engine)
    return ISSUED


@documented
def rand2(dst: Any, min: Any, max: Any, name: Any = None) -> NkiInstruction:
    """dst = random numbers between two bounds (gen4)."""
    _randomness.rand2(dst, min, max)
    return ISSUED


@documented
def set_rng_seed(src_seeds: Any, name: Any = None) -> NkiInstruction:
    """Seed the generator."""
    _randomness.set_rng_seed(src_seeds)
    return ISSUED


@documented
def rand_set_state(src_seeds: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """Set the generators' states."""
    _randomness.rand_set_state(src_seeds, engine)
    return ISSUED


@documented
def rand_get_state(dst: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """dst = the generators' states."""
    _randomness.rand_get_state(dst, engine)
    return ISSUED


@documented
def dropout(dst: Any, data: Any, prob: Any, name: Any = None) -> NkiInstruction:
    """dst = data, some elements set to 0."""
    _randomness.dropout(dst, data, prob)
    return ISSUED
