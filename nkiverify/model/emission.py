"""The emission of a device loop's body: once, for all iterations, or once for each (reference section e.1)."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING

from nkiverify.model.contracts import require
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Register, Tensor

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

    def __init__(self, once: bool = True, loop: object = None) -> None:
        self._body = LoopBody(innermost_body(), once, loop)

    def __enter__(self) -> None:
        model = current_execution().model
        require("loop.dynamic_no_reorder", model.fixed_orders == 0)
        model.enter_body(self._body)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A signal of ours ends the path, or the run: nothing follows.
        self.end(ended=error is None or isinstance(error, Exception))

    def end(self, *, ended: bool = True) -> None:
        """Leave the body and what was left inside it without an end."""
        run = execution_in_progress()
        if run is not None:
            run.model.leave_body(self._body, ended=ended)


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
        current_execution().model.leave_body(body, ended=True)
        return False
    goes_on = current_execution().elements.tested(register)
    if goes_on is not None:
        return goes_on
    Emission(loop=loop).__enter__()
    return True
