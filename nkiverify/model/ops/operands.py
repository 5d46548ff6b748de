"""Checks that many instructions share."""

from __future__ import annotations

import enum
from numbers import Real
from typing import Any, TypeVar

from nkiverify.model.contracts import require
from nkiverify.model.memory import PSUM, SBUF
from nkiverify.model.operators import Operator
from nkiverify.model.tensor import Tensor
from nkiverify.run import current_run
from nkiverify.symbolic import SymInt, SymRational, all_of, equal

MemberT = TypeVar("MemberT", bound=enum.Enum)


def tile(value: object, argument: str) -> Tensor:
    """`value` as a tensor operand without block dimensions."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{argument} must be a tensor, not {type(value).__name__}")
    if value.block_dims:
        require("leg.tile", False, operand=argument, shape=value.shape)
    return value


def member(value: object, enumeration: type[MemberT], argument: str) -> MemberT:
    """`value`, claimed to be a member of `enumeration`."""
    if isinstance(value, enumeration):
        return value
    require("isa.enum_members", False, argument=argument, value=value)
    raise TypeError(f"{argument} is a member of {enumeration.__name__}, not {value!r}")


def on_chip(*operands: Tensor) -> bool:
    """Whether every operand is in SBUF or PSUM."""
    return all(operand.storage.buffer is SBUF or operand.storage.buffer is PSUM for operand in operands)


def in_sbuf(*operands: Tensor) -> bool:
    """Whether every operand is in SBUF."""
    return all(operand.storage.buffer is SBUF for operand in operands)


def any_in_psum(*operands: Tensor | None) -> bool:
    """Whether at least one operand is in PSUM."""
    return any(operand is not None and operand.storage.buffer is PSUM for operand in operands)


def same_layout(first: Tensor, *others: Tensor) -> Any:
    """Whether all operands have the same partitions and the same elements per partition."""
    return all_of(
        *(equal(other.shape[0], first.shape[0]) for other in others),
        *(equal(other.free_size, first.free_size) for other in others),
    )


def claim_same_layout(contract: str, **operands: Tensor) -> None:
    """Claim `same_layout` as `contract`, showing the shapes by argument name."""
    tensors = tuple(operands.values())
    require(contract, same_layout(*tensors), **{name: operand.shape for name, operand in operands.items()})


def claim_integers(op: Operator, *operands: Tensor) -> None:
    """Claim that a bit-wise operator has integer operands only."""
    if op.bitvec:
        dtypes = tuple(operand.dtype for operand in operands)
        require("isa.bitvec_int", all(dtype.is_integer for dtype in dtypes), op=op, dtypes=dtypes)


def claim_available(op: Operator) -> None:
    """Claim that the hardware's ALU has the operator."""
    if op.since > 2:
        generation = current_run().hardware.generation
        require("isa.operator_gen", generation >= op.since, op=op, generation=generation)


def generation() -> int:
    """The hardware generation the kernel is checked for: 2, 3 or 4."""
    return current_run().hardware.generation


def is_number(value: object) -> bool:
    """Whether `value` is a scalar operand: a number of Python, of NumPy, or symbolic."""
    return isinstance(value, int | float | SymInt | SymRational | Real)
