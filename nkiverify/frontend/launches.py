"""A launch whose sizes are all numbers: an execution concretely that states claims, and how it ends.

Loops, lists, NumPy and `program_id` are what they are in Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as cartesian

from nkiverify.foundation.budget import RunningBudget
from nkiverify.foundation.errors import InternalError, UnsupportedConstruct, described
from nkiverify.frontend.concrete import (
    ConcreteElements,
    ConcreteExecution,
    Order,
    innermost_kernel_site,
)
from nkiverify.frontend.observe import BreakObserver, key_of, observed_in
from nkiverify.frontend.paths import Limits, Unsupported
from nkiverify.frontend.stated import StatedClaims, rule_of
from nkiverify.frontend.tracebacks import (
    kernel_entries,
    our_entry,
    raised_by_chance,
    undocumented,
)
from nkiverify.frontend.traced_loops import LEFT
from nkiverify.ir.program import Claim
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware


class Corners(Order):
    """The order of a launch: as it is, where a grid of many programs is run at its corners only."""

    def programs(self, run: ConcreteExecution, grid: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The programs that are run; where these are not all, that is remembered."""
        total = 1
        for extent in grid:
            total *= extent
        if total <= RunningBudget.PROGRAMS:
            yield from cartesian(*map(range, grid))
            return
        chosen = [sorted({0, 1, extent // 2, extent - 2, extent - 1} & set(range(extent))) for extent in grid]
        found = list(cartesian(*chosen))
        yield from found
        if run.unsupported_construct is None:
            advice = f"launch at most {RunningBudget.PROGRAMS} programs"
            text = f"a launch of {total} programs, of which {len(found)} were run"
            run.unsupported_construct = Unsupported(text, advice, None)


def launch(
    hardware: Hardware,
    limits: Limits,
    phases: frozenset[int] = frozenset(),
    elements: ConcreteElements | None = None,
    *,
    puts_back: bool = False,
    records: bool = False,
) -> ConcreteExecution:
    """An execution that states claims; with `puts_back`, each iteration of a legacy loop begins with the variables of
    the first. With `records` it records what is executed, whatever the phases."""
    return ConcreteExecution(
        hardware,
        False,
        limits.seconds,
        phases=phases,
        records=records,
        observers=(BreakObserver(),),
        elements=elements,
        order=Corners(puts_back),
        stated=StatedClaims(limits),
    )


def stopped(run: ConcreteExecution, limit: UnsupportedConstruct) -> None:
    """The run has ended at a construct that is not understood."""
    if run.unsupported_construct is None:
        run.unsupported_construct = Unsupported(limit.construct, limit.advice, limit.site)


def raised(run: ConcreteExecution, error: Exception | SystemExit) -> None:
    """The kernel has raised `error`. Raises `InternalError` where that is the model's fault."""
    if isinstance(error, InternalError):
        raise error
    if raised_by_chance(error):
        fault = fault_of_model(error)
        if not run.broken:
            raise fault
        # What is already known to be wrong with the kernel may be what we stumble over.
        raise run.unsupported(str(fault))
    if isinstance(error, AttributeError | NotImplementedError) and our_entry(error) is not None:
        # The stubs may lack it.
        raise run.unsupported(described(error), at=innermost_kernel_site(error))
    unknown = undocumented(error)
    if unknown is not None:
        raise run.unsupported(*unknown, innermost_kernel_site(error))
    run.raised = error
    rule = rule_of(error)
    site = innermost_kernel_site(error)
    seen = observed_in(error)
    if seen is not None:
        run.observer(BreakObserver).observations[key_of(rule.id, site)] = seen
    run.claims.claim(rule, False, site, quantities=(("exception", described(error)),))


def finish(run: ConcreteExecution) -> None:
    """The kernel has come to its end."""
    if run.bodies.open and run.raised is None and run.unsupported_construct is None:
        run.unsupported_construct = Unsupported(LEFT, "let its body come to its end", None)
    if 2 in run.phases and not any(claim.phase == 2 for claim in run.program.body.items if type(claim) is Claim):
        # Each integer was examined when it was made.
        run.claims.claim(contract("host.int32"), True, None)


def fault_of_model(error: BaseException) -> InternalError:
    """The exception where code of ours fails on numbers: a fault of ours, with both places."""
    entry = our_entry(error)
    ours = f"{entry.tb_frame.f_globals.get('__name__', '')}:{entry.tb_lineno}" if entry is not None else "?"
    place = f", called at {innermost_kernel_site(error)}" if kernel_entries(error) else ""
    return InternalError(f"please report this: {described(error)}, raised in {ours}{place}")
