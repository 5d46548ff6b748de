"""Instructions about positions: cores, registers."""

from __future__ import annotations

from typing import Any

from nkiverify.model.documented import documented
from nkiverify.model.instruction import ISSUED, NkiInstruction
from nkiverify.model.isa_enums import engine
from nkiverify.model.ops import gathers as _gathers
from nkiverify.model.ops import registers as _registers
from nkiverify.model.registers import VirtualRegister


@documented
def core_barrier(data: Any, cores: Any, engine: Any = engine.gpsimd, name: Any = None) -> NkiInstruction:
    """Both cores wait for each other."""
    _gathers.core_barrier(data, cores, engine)
    return ISSUED


@documented
def register_alloc(x: Any = None) -> VirtualRegister:
    """A new register."""
    return _registers.register_alloc(x)


@documented
def register_move(dst: Any, src: Any) -> NkiInstruction:
    """A constant or register moved into a register."""
    _registers.register_move(dst, src)
    return ISSUED


@documented
def register_load(dst: Any, src: Any) -> NkiInstruction:
    """One element loaded into a register."""
    _registers.register_load(dst, src)
    return ISSUED


@documented
def register_store(dst: Any, src: Any) -> NkiInstruction:
    """A register stored to one element."""
    _registers.register_store(dst, src)
    return ISSUED
