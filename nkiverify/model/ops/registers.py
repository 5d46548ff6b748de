"""Instructions on registers: register_alloc, register_move, register_load, register_store (reference c.4)."""

from __future__ import annotations

from nkiverify.model.contents import held, wrote
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.extents import as_extent
from nkiverify.model.known_numbers import UNKNOWN, Value
from nkiverify.model.memory import PSUM
from nkiverify.model.ops.operands import tile
from nkiverify.model.registers import VirtualRegister, held_by, set_register
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import all_of, equal
from nkiverify.symbolic.execution import unsupported

REGISTER_ALLOC = operation(
    "nisa.register_alloc", dependence=Dependence(Link.NOTHING), engine="none", side_effect=True, decides=True
)
REGISTER_MOVE = operation(
    "nisa.register_move", dependence=Dependence(Link.NOTHING), engine="none", side_effect=True, decides=True
)
REGISTER_LOAD = operation(
    "nisa.register_load", dependence=Dependence(Link.NOTHING), engine="none", side_effect=True, decides=True
)
REGISTER_STORE = operation(
    "nisa.register_store", dependence=Dependence(Link.NOTHING), engine="none", side_effect=True, decides=True
)
CORE_BARRIER = operation("nisa.core_barrier", dependence=Dependence(Link.NOTHING), side_effect=True, barrier=True)
LANGUAGE_DEVICE_PRINT = operation(
    "nl.device_print", dependence=Dependence(Link.NOTHING), engine="none", side_effect=True
)


def register_alloc(x: object = None) -> VirtualRegister:
    """A new register, holding `x` if that is given."""
    register = VirtualRegister()
    if x is None:
        return register
    if isinstance(x, Tensor):
        raise unsupported("register_alloc with a tensor", "register_load it")
    _set(register, x, "register_alloc.x")
    return register


def register_move(dst: object, src: object) -> None:
    """dst = src, a constant or another register."""
    target = _written(dst)
    if isinstance(src, VirtualRegister):
        set_register(target, held_by(src))
    else:
        _set(target, src, "register_move.src")


def _set(register: VirtualRegister, value: object, contract: str) -> None:
    number = as_extent(value) if not isinstance(value, VirtualRegister) else None
    require(contract, number is not None, value=value)
    if number is None:
        raise TypeError(f"a register holds an integer, not {type(value).__name__}")
    set_register(register, Value.between(number, number))


def register_load(dst: object, src: object) -> None:
    """dst = the one element of src."""
    target, source = _written(dst), tile(src, "src")
    _claim_one_element("register_load.src", source)
    set_register(target, held(source))


def register_store(dst: object, src: object) -> None:
    """The one element of dst = src."""
    target, source = tile(dst, "dst"), _register(src)
    _claim_one_element("register_store.dst", target)
    plain = target.dtype.is_integer and target.dtype.itemsize == 4 and target.dtype == target.storage.dtype
    wrote(target, held_by(source) if plain else UNKNOWN)


def _claim_one_element(contract: str, tensor: Tensor) -> None:
    require(
        contract,
        all_of(equal(tensor.size, 1), tensor.buffer is not PSUM, tensor.dtype.itemsize <= 4),
        shape=tensor.shape,
        buffer=tensor.buffer,
        dtype=tensor.dtype,
    )


def _register(value: object) -> VirtualRegister:
    require("register.operand", isinstance(value, VirtualRegister), operand=type(value).__name__)
    if not isinstance(value, VirtualRegister):
        raise TypeError(f"the operand is a register, not {type(value).__name__}")
    return value


def _written(value: object) -> VirtualRegister:
    register = _register(value)
    require("loop.dynamic_frozen", not register.frozen)
    return register
