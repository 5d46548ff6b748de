"""The emission of a device loop's body: once, for all iterations, or once for each (reference section e.1)."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.model.known_numbers import Value
from nkiverify.model.state import ANY_ROUNDS, LoopBody, Rounds
from nkiverify.model.tensor import Register, Tensor
from nkiverify.symbolic import constant_value

if TYPE_CHECKING:
    from types import FrameType, TracebackType


def innermost_body() -> LoopBody | None:
    """The loop body being emitted, if there is one."""
    return current_execution().model.body


def claim_in_scope(tensor: Tensor) -> None:
    """Claim that the loop body `tensor` was allocated in, if any, is the one being emitted or around it."""
    body = tensor.storage.body
    if body is not None:
        require("loop.escape", body.is_around(innermost_body()), tensor=tensor.label or "tensor")


class Emission:
    """A loop body from its start to its end."""

    __slots__ = ("_body",)

    def __init__(self, once: bool = True, loop: object = None, rounds: Rounds = ANY_ROUNDS) -> None:
        self._body = LoopBody(innermost_body(), once, loop, rounds)

    def __enter__(self) -> None:
        run = current_execution()
        require("loop.dynamic_no_reorder", run.model.fixed_orders == 0)
        run.device_loop(self._body, begins=True)
        run.model.enter_body(self._body, run)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A signal of ours ends the path, or the run: nothing follows.
        self.end(ended=error is None or isinstance(error, Exception))

    def end(self, *, ended: bool = True, left: bool = False) -> None:
        """Leave the body and what was left inside it without an end; `left`: not at the end of its last statement."""
        run = execution_in_progress()
        if run is not None:
            _leave(self._body, ended=ended, left=left)


def _leave(body: LoopBody, *, ended: bool, left: bool = False) -> None:
    run = current_execution()
    if body.is_around(run.model.body):
        body.left |= left
        run.model.leave_body(body, run, ended=ended)
        run.device_loop(body, begins=False)


def while_rounds(condition: Value | None) -> Rounds:
    """The rounds of a loop that continues while a register, which holds `condition` at first, is not 0."""
    run = current_execution()
    known = condition.known if condition is not None else None
    declared = condition is not None and known is not None and condition.exact and not condition.undeclared
    ends = [(constant_value(each.low), constant_value(each.high)) for each in known or ()]
    none = declared and any(0 in each for each in ends)
    once = not declared or any(each not in ((0, 0), (None, None)) for each in ends)
    return Rounds(run.round_index(None), None, (), none, once, from_data=once and not declared)


def is_bare_while(frame: FrameType) -> bool:
    """True if `frame` is at the test of `while register:` ("loop.while_reg") whose body is left at its end only."""
    linecache.checkcache(frame.f_code.co_filename)
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    return any(
        isinstance(node, ast.While)
        and node.test.lineno == frame.f_lineno
        and isinstance(node.test, ast.Name | ast.Attribute)
        and not node.orelse
        and not any(_leaves(part, inside=False) for part in node.body)
        for node in ast.walk(tree)
    )


def _leaves(statement: ast.AST, *, inside: bool) -> bool:
    """True if `statement` leaves the loop around it; `inside`: it is in another loop inside that."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    if isinstance(statement, ast.Return) or (isinstance(statement, ast.Break) and not inside):
        return True
    within = inside or isinstance(statement, ast.For | ast.While)
    return any(_leaves(part, inside=within) for part in ast.iter_child_nodes(statement))


def goes_round(frame: FrameType, register: Register) -> bool:
    """The outcome of the test of a bare `while` that `frame` is at. Where the number of its register is not known the
    body is emitted once, from one test to the next."""
    loop, body = (id(frame), frame.f_lineno), innermost_body()
    if body is not None and body.loop == loop:
        _leave(body, ended=True)
        return False
    goes_on = current_execution().elements.tested(register)
    if goes_on is not None:
        return goes_on
    Emission(loop=loop, rounds=while_rounds(current_execution().model.read(register))).__enter__()
    return True
