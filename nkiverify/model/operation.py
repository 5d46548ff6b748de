"""An operation, as it is recorded: the operands it reads and writes, and all its other arguments."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.contracts import require
from nkiverify.model.indices import Mask
from nkiverify.model.isa_enums import engine, reduce_cmd
from nkiverify.model.registry import Declaration, declaration
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent

#: Parameters whose tensors are written; "isa.dst_first" and the documented signatures.
WRITTEN = frozenset(("dst", "dsts", "dsts_by_channel", "dst_scale", "dst_idx", "val_dst", "idx_dst", "reduce_res"))
#: Parameters that name operators by tokens.
OPERATOR_PARAMETERS = frozenset(("op", "op0", "op1", "reduce_op", "cmp_op", "comp_op0", "comp_op1"))

#: A lane of nc_stream_shuffle's mask that leaves its partition alone.
LANE_STAYS = 255
#: Partitions of a quadrant, within which a shuffle moves them.
LANES = 32
#: The attribute of a shuffle that says whether its destination surely lies in one quadrant.
ONE_QUADRANT = "one_quadrant"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One executed operation.

    `name` is the documented one ("nisa.nc_matmul"); legacy functions have the same names and return their `result`.
    `reads` and `writes` are views by parameter; elements of lists are called `srcs[0]`, an index tensor that moves an
    operand `src.index`. An operand that keeps part of what it holds, or adds to it, is in both. `mask` (legacy) says
    under which coordinates of the operands' grid elements are touched. `attributes` are all other arguments: numbers,
    operators, axes, flags, registers, dtypes. `body` is the device loop the operation is emitted in, `program` the
    coordinates of the program that runs it.
    """

    name: str
    reads: dict[str, Tensor]
    writes: dict[str, Tensor]
    attributes: dict[str, Any]
    mask: Mask | None = None
    body: LoopBody | None = None
    program: tuple[Extent, ...] = ()
    asked_engine: object = field(default=None)
    #: The declaration of the operation.
    declared: Declaration = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Asked for dozens of times by the analyses.
        object.__setattr__(self, "declared", declaration(self.name))

    @property
    def engine(self) -> str:
        """The engine it runs on, by name; "any" where several can and the kernel does not say which."""
        asked = getattr(self.asked_engine, "name", None)
        if asked is not None and asked != engine.unknown.name:
            return str(asked)
        return self.declared.engine

    @property
    def views(self) -> tuple[Tensor, ...]:
        """All operands, those that are read first."""
        return (*self.reads.values(), *self.writes.values())

    def rows(self, operand: str) -> tuple[int, int] | None:
        """Of an operand of which only some rows are touched: rows of a group, and how many of them, the first ones."""
        return self.declared.behaviour.rows.get(operand)


def loads_registers(operation: Operation) -> bool:
    """True if the operation continues from what the reduction registers of its engine hold ("acc.scalar_regs")."""
    return getattr(operation.attributes.get("reduce_cmd"), "name", "") == reduce_cmd.reduce.name


def infers_sum(operation: Operation) -> bool:
    """True if whether a product continues a sum is inferred: how it does so in the next iteration of a loop is not
    documented ("nc_matmul.accum_none")."""
    return operation.declared.behaviour.product and operation.attributes.get("accumulate") is None


class NkiInstruction:
    """The handle that an instruction returns while a kernel is traced: nothing but the device loop that it is in
    distinguishes it. Ordering edges change no shape."""

    def __init__(self, handle: object) -> None:
        self.handle = handle

    def depends_on(self, *producers: object) -> None:
        """An ordering edge from each producer ("NkiInstruction.depends_on")."""
        for producer in producers:
            around = producer.handle if isinstance(producer, NkiInstruction) else None
            inside = (
                isinstance(self.handle, LoopBody) and isinstance(around, LoopBody) and around.is_around(self.handle)
            )
            require("loop.dep_edges", inside or not isinstance(around, LoopBody))


#: The handle of every instruction outside of device loops.
ISSUED = NkiInstruction(None)


def issued(body: LoopBody | None) -> NkiInstruction:
    """The handle of an instruction in the body of a device loop, or in none."""
    return ISSUED if body is None else NkiInstruction(body)
