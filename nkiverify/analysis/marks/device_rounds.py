"""Rounds of device loops that data decide, in the record of a concrete execution, where some input has them.

Such a body is recorded once, and whether it is executed is not known: what it writes is there perhaps. A fault is one
for some number of rounds. So two numbers that an input may have are tried, none and one; that there is no fault then
proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nkiverify.analysis.marks.order import Recorded
from nkiverify.foundation.dataclass import dataclass
from nkiverify.model.operation import Operation
from nkiverify.model.recorded import Executed
from nkiverify.model.state import LoopBody, bodies
from nkiverify.model.tensor import IndirectionKind, Tensor
from nkiverify.symbolic import all_of, known


@dataclass(frozen=True, slots=True)
class Tried:
    """A record with this many rounds of its device loops. `from_data`: that an input has this many is taken for
    granted."""

    rounds: int
    recorded: list[Recorded]
    from_data: bool = False


def tried(recorded: Sequence[Recorded]) -> Iterator[Tried]:
    """The record with no round, then with one round of its device loops, as far as inputs have these."""
    loops = dict.fromkeys(body for item in recorded for body in _around(item))
    none = {body for body in loops if body.rounds.can_be_none}
    if none:
        yield Tried(0, [_left_out(item) if none.intersection(_around(item)) else item for item in recorded])
    if loops and all(body.rounds.can_be_one for body in loops):
        from_data = any(body.rounds.from_data for body in loops)
        yield Tried(1, [_once(item) for item in recorded], from_data)


def _around(item: Recorded) -> Iterator[LoopBody]:
    """The device loops around an operation that are recorded once."""
    return (body for body in bodies(item.operation.body if isinstance(item, Executed) else None) if body.once)


def _left_out(item: Recorded) -> Recorded:
    """Nothing, in the place of an operation that is not executed."""
    assert isinstance(item, Executed)
    return replace(item, operation=Operation("nisa.register_move", {}, {}, {}, program=item.operation.program))


def _once(item: Recorded) -> Recorded:
    around = list(_around(item))
    if not isinstance(item, Executed) or not around:
        return item
    operation = item.operation
    reads = {name: _placed(view, around) for name, view in operation.reads.items()}
    writes = {name: _placed(view, around) for name, view in operation.writes.items()}
    return replace(item, operation=replace(operation, reads=reads, writes=writes, body=None))


def _placed(view: Tensor, around: Sequence[LoopBody]) -> Tensor:
    """A view that the register of a loop moves, in its first round."""
    moves = view.indirect_by
    if moves is None or moves.kind is not IndirectionKind.SCALAR or moves.reach is None:
        return view
    first = next((body.rounds.first for body in around if body.rounds.register is moves.index), None)
    if first is None:
        return view
    reach = moves.reach
    if not known(all_of(reach.first + first * reach.unit >= 0, reach.last + first * reach.unit < reach.size)):
        return view
    found = view.with_layout(view.shape, view.strides, moved_by=((first, moves.stride),))
    found.indirect_by = None
    return found
