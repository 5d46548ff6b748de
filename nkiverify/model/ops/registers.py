"""Registers, printing from the device (reference section c.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.model.contents import any_of_dtype, held
from nkiverify.model.contracts import define, require
from nkiverify.model.current_execution import current_execution
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import int32
from nkiverify.model.extents import as_extent
from nkiverify.model.indices import Mask
from nkiverify.model.interval_arithmetic import converted
from nkiverify.model.known_numbers import Interval, Value, unknown
from nkiverify.model.memory import PSUM
from nkiverify.model.ops.operands import tile
from nkiverify.model.register_contents import VirtualRegister, held_by, set_register
from nkiverify.model.registry import OVERWRITES, Declaration, operation
from nkiverify.model.tensor import Register, Tensor
from nkiverify.symbolic import all_of, equal

if TYPE_CHECKING:
    from nkiverify.model.bounds import Bounds
    from nkiverify.model.meaning import Step


NKI = ("nki",)

# --- registers --------------------------------------------------------------------------------------------------------


def _on_registers(name: str) -> Declaration:
    return operation(
        name,
        dependence=Dependence(Link.NOTHING),
        engine="none",
        behaviour=OVERWRITES.but(side_effect=True, decides=True),
    )


REGISTER_ALLOC = _on_registers("nisa.register_alloc")
REGISTER_MOVE = _on_registers("nisa.register_move")
REGISTER_LOAD = _on_registers("nisa.register_load")
REGISTER_STORE = _on_registers("nisa.register_store")

define(
    "register.operand",
    "The operands of register instructions must be registers.",
    "register_move; register_load; register_store",
    api=NKI,
)
define(
    "register_alloc.x", "A register must be allocated with None or a compile-time integer.", "register_alloc", api=NKI
)
define(
    "register_move.src",
    "The source of register_move must be a compile-time integer or a register.",
    "register_move",
    api=NKI,
)
define(
    "register_load.src",
    "The source of register_load must be one element of at most 32 bits in HBM or SBUF.",
    "register_load",
    api=NKI,
)
define(
    "register_store.dst",
    "The destination of register_store must be one element of at most 32 bits in HBM or SBUF.",
    "register_store",
    api=NKI,
)


@REGISTER_ALLOC.current
def _(x: object = None) -> VirtualRegister:
    """A new register, holding `x` if that is given."""
    register = VirtualRegister()
    if x is None:
        return register
    if isinstance(x, Tensor):
        # As published kernels have it: as register_load.
        source = tile(x, "x")
        _claim_one_element("register_load.src", source)
        set_register(register, _loaded(source))
        return register
    _set(register, x, "register_alloc.x")
    return register


@REGISTER_ALLOC.meaning
def _(step: Step) -> None:
    """A new register takes a constant, or the one element of a tensor, if one is given."""
    number = int(step.indices("x").ravel()[0]) if step.has("x") else step.register_or_number("x")
    if number is not None:
        step.set_register("result", number)


@REGISTER_MOVE.current
def _(dst: object, src: object) -> None:
    """dst = src, a constant or another register."""
    target = _written(dst)
    if isinstance(src, VirtualRegister):
        _write(target, held_by(src))
    else:
        _set(target, src, "register_move.src")


@REGISTER_MOVE.meaning
def _(step: Step) -> None:
    """A register takes a constant or another register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.set_register("dst", number)


def _set(register: VirtualRegister, value: object, contract: str) -> None:
    number = as_extent(value) if not isinstance(value, VirtualRegister) else None
    require(contract, number is not None, value=value)
    if number is None:
        raise TypeError(f"a register holds an integer, not {type(value).__name__}")
    _write(register, Value.between(number, number))


@REGISTER_LOAD.current
def _(dst: object, src: object) -> None:
    """dst = the one element of src."""
    target, source = _written(dst), tile(src, "src")
    _claim_one_element("register_load.src", source)
    _write(target, _loaded(source))


def _loaded(source: Tensor) -> Value | None:
    """The contents of a register once the one element of a tensor is loaded."""
    value = held(source)
    if value is None:
        return None
    if not source.dtype.is_integer:
        return _numbered(unknown(value))
    value = any_of_dtype(value, source)
    if converted(value, int32).known is None and source.dtype.itemsize >= 4:
        # Whether its 32 bits have a sign is not documented.
        value = replace(value, intervals=(Interval(-(2**31), 2**32 - 1),), exact=False)
    return _numbered(value)


def _numbered(value: Value) -> Value:
    """The contents of a register that has just been loaded, with its number as a term where it has one."""
    if value.number is not None:
        return value
    number = current_execution().run_time_number()
    return value if number is None else replace(value, term=number)


@REGISTER_LOAD.meaning
def _(step: Step) -> None:
    """A register takes the one element of a tensor."""
    step.set_register("dst", int(step.indices("src").ravel()[0]))


@REGISTER_STORE.current
def _(dst: object, src: object) -> None:
    """The one element of dst = src."""
    _register(src)
    _claim_one_element("register_store.dst", tile(dst, "dst"))


@REGISTER_STORE.meaning
def _(step: Step) -> None:
    """The one element of a tensor takes a register's number."""
    number = step.register_or_number("src")
    assert number is not None
    step.write_integers("dst", np.array([number], dtype=np.int64))


@REGISTER_STORE.bounds
def _(bounds: Bounds) -> None:
    """The register's number."""
    bounds.write(bounds.elements("src"))


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


def _write(register: VirtualRegister, value: Value | None) -> None:
    if not register.keeps:
        set_register(register, value)


# --- printing ---------------------------------------------------------------------------------------------------------

DEVICE_PRINT = operation(
    "nl.device_print", dependence=Dependence(Link.NOTHING), engine="none", behaviour=OVERWRITES.but(side_effect=True)
)


define(
    "device_print.prefix",
    "The prefix of device_print must be a text.",
    "nl.device_print",
    api=NKI,
)
define(
    "device_print.tensor",
    "The tensor of device_print must be in SBUF or HBM.",
    "nl.device_print",
    api=NKI,
)


@DEVICE_PRINT.current
def _(print_prefix: object, tensor: object) -> None:
    """Prints at run time."""
    require(
        "device_print.prefix",
        not isinstance(print_prefix, Tensor | Register | int | float),
        prefix=type(print_prefix).__name__,
    )
    if isinstance(tensor, Tensor):
        require("device_print.tensor", tensor.buffer is not PSUM, buffer=tensor.buffer)


@DEVICE_PRINT.legacy
def _(prefix: object, x: object, *, mask: Mask | None = None, **kwargs: object) -> None:
    """Prints at run time: nothing to check."""


@DEVICE_PRINT.meaning
def _(step: Step) -> None:
    """Print what the kernel asks to see."""
    if not step.tracking:
        prefix = step.attribute("print_prefix", step.attribute("prefix", ""))
        print(prefix, *step.stored(step.only_read))
