"""Tensors with block dimensions that a legacy allocator places: followed shape by shape, in concrete runs.

Which block a physical tile holds changes from operation to operation, so that lifetimes of whole tensors say nothing.
A domain of few shapes is run through; of a larger one nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from nkiverify.engines.shapes import Shapes, TooManyShapes, domain_of
from nkiverify.foundation.budget import MemoryBudget
from nkiverify.foundation.clock import now
from nkiverify.foundation.source import Site
from nkiverify.ir.program import Claim, DomainDimension, Program
from nkiverify.ir.walk import last_number, of_kind
from nkiverify.model.contracts import contract
from nkiverify.phases.memory.claims import MemoryClaims
from nkiverify.phases.phase import Explored, Phase
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.conditions import Condition

#: What a concrete run says of tiles that allocators place.
_OVERLAP = "mem.placed_overlap"
_RULES = (_OVERLAP, "mem.addr_range")


def state_placed(phase: Phase, kernel: Explored, memory: MemoryClaims, seconds: float) -> None:
    """Claim, for each shape of the domain, what a concrete run of it says of the tensors that allocators place;
    in this many `seconds`."""
    program = kernel.run.program
    shapes = _all(program, kernel.assumptions)
    if shapes is None:
        memory.gap = f"an allocator of the legacy API, in a domain of more than {MemoryBudget.SHAPES} shapes"
        return
    deadline, contracts = now() + seconds, MemoryBudget.CONTRACTS
    stated: list[Claim] = []
    known = {(claim.contract.id, claim.site) for claim in of_kind(program.body, Claim)}
    places: dict[tuple[str, Site | None], list[Condition | bool]] = {}
    for values in shapes:
        left = max(0.0, deadline - now())
        played = phase.confirm(kernel.target, values, kernel.hardware, seconds=left, contracts=contracts)
        contracts -= played.looked_at
        if played.excluded:
            continue
        if played.unsupported or played.raised is not None:
            memory.gap = f"an allocator of the legacy API: {played.unsupported or played.raised}"
            return
        other = conditions.negate(conditions.conjunction(_are(program.dimensions, values)))
        for one in (*played.broken, *played.tolerated):
            if one.contract.id in _RULES and (one.contract.id, one.site) not in known:
                places.setdefault((one.contract.id, one.site), []).append(other)
    for (rule, site), found in (places or {(_OVERLAP, None): [True]}).items():
        condition = conditions.conjunction(found)
        severity = kernel.run.policy.severity(contract(rule), site)
        number = last_number(program) + len(stated) + 1
        stated.append(Claim(number, contract(rule), condition, phase.number, site, "", severity=severity))
    program.state_first(stated)


def _all(program: Program, assumptions: Iterable[str]) -> list[dict[str, int]] | None:
    """All shapes of the domain; None where there are more than are run through."""
    try:
        domain = Shapes(program.dimensions, domain_of(program, assumptions))
        found = list(islice(domain.within({}), MemoryBudget.SHAPES + 1))
    except TooManyShapes:
        return None
    return found if len(found) <= MemoryBudget.SHAPES else None


def _are(dimensions: list[DomainDimension], values: Mapping[str, int]) -> Iterator[Condition | bool]:
    for dimension in dimensions:
        difference = terms.add(terms.of_atom(dimension.atom), terms.constant(-values[dimension.atom.name]))
        yield conditions.equals_zero(difference)
