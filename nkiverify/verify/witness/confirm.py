"""Confirming refuted claims: the simplest witness of each place, concrete run on the unmodified kernel."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from nkiverify.engines.embedded import Decision, EmbeddedEngine, dimension_values
from nkiverify.engines.minimise import Witness, simplicity, smallest_witness
from nkiverify.foundation.budget import WitnessBudget
from nkiverify.foundation.clock import Allowance
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import Violation
from nkiverify.foundation.source import Site
from nkiverify.frontend.concrete import TOO_LONG
from nkiverify.frontend.observe import key_of
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Claim, Loop, Program
from nkiverify.ir.walk import of_kind
from nkiverify.model.hardware import Hardware
from nkiverify.model.launch import is_program
from nkiverify.model.placement import SUFFICIENT
from nkiverify.phases import PHASES
from nkiverify.phases.memory.claims import demanding, needed
from nkiverify.phases.witness_replay import Replay
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.conditions import Condition
from nkiverify.verify.witness.generalise import generalisation
from nkiverify.verify.witness.labels import argument_labels
from nkiverify.verify.witness.witness_explanation import Circumstances, violation_of

_LATER = "iterations before"

#: That a memory overflows is one thing, wherever it first does.
CAPACITY = "mem.capacity_live"


class Confirmation:
    """Makes violations of the refuted claims of one phase, each with a witness and the concrete run that fails on
    it."""

    def __init__(
        self,
        target: Target,
        program: Program,
        engine: EmbeddedEngine,
        hardware: Hardware,
        phase: int,
        played: tuple[dict[str, int], Replay] | None = None,
    ) -> None:
        self._target = target
        self._program = program
        self._engine = engine
        self._hardware = hardware
        self._phase = PHASES[phase]
        #: `played` is the run that the claims were made in, with its values: it shows all that a further one could.
        self._replays: list[tuple[dict[str, int], Replay]] = [] if played is None else [played]
        self._played = played is not None
        #: Contracts and lines of which only what is enough is refuted, without a concrete run that breaks them.
        self._unsure: set[tuple[str, str, int]] = set()
        #: Contracts that they may still look at.
        self._may_replay = WitnessBudget.CONTRACTS

    @property
    def replays(self) -> list[Replay]:
        """All concrete runs so far, in order."""
        return [played for _, played in self._replays]

    def may_hold(self, violation: Violation) -> bool:
        """True if all that is known is that what is enough for the contract does not hold."""
        return not violation.replayed and (
            violation.contract in SUFFICIENT or (violation.contract, violation.file, violation.line) in self._unsure
        )

    def violations(self, refuted: Sequence[Sequence[Decision]]) -> list[Violation]:
        """A violation per place: each list has the refuted claims of one place, as `by_place` gives them."""
        self._may_replay = WitnessBudget.CONTRACTS
        allowed = Allowance(WitnessBudget.MINIMISE_MS)
        found: list[Violation] = []
        awaited = [(decision.claim.contract.id, decision.claim.site) for group in refuted for decision in group[:1]]
        for position, group in enumerate(refuted):
            simplest = self._simplest(group, awaited, allowed)
            # The first is what a reader sees: what else fails is found out whatever the search for it took.
            left = allowed.share(WitnessBudget.GENERALISE_MS) if position else Allowance(WitnessBudget.GENERALISE_MS)
            found.append(self._violation(simplest, left))
        if any(violation.replayed for violation in found):
            # The concrete run ends at the first exception: what lies behind it fails only if it is mended.
            note = "not reached by the concrete run, which fails before it"
            found = [violation if violation.replayed else replace(violation, note=note) for violation in found]
        return found

    def _simplest(
        self, group: Sequence[Decision], awaited: list[tuple[str, Site | None]], allowed: Allowance
    ) -> _Confirmed:
        """Of the refuted claims of one place, the one with the simplest witness that the concrete run confirms."""
        dimensions = self._program.dimensions
        # Without dimensions there is one witness, and the claim that comes first says it best.
        candidates = self._promising(group) if dimensions else group[:1]
        witnesses: list[tuple[Decision, Witness]] = []
        further = allowed.share(WitnessBudget.FURTHER_MS)
        for decision in candidates:
            if len(witnesses) >= WitnessBudget.CANDIDATES and further.used_up:
                # One of the claims not examined may have a simpler witness.
                witnesses = [(seen, replace(witness, smallest=False)) for seen, witness in witnesses]
                break
            witnesses.append((decision, smallest_witness(self._program, decision, allowed)))
        witnesses.sort(key=lambda pair: (pair[0].claim.sufficient, simplicity(pair[1].values, dimensions)))
        found: _Confirmed | None = None
        for decision, witness in witnesses[: WitnessBudget.REPLAYS_OF_A_LINE]:
            tried = self._replayed(decision, witness, awaited)
            found = found or tried
            if tried.replay is not None:
                # The verdict stands: what is tried from here on makes it no surer.
                self._may_replay = min(self._may_replay, WitnessBudget.CONTRACTS_FURTHER)
                return tried
        assert found is not None
        return found

    def _promising(self, group: Sequence[Decision]) -> Sequence[Decision]:
        """The refuted claims of one place, those first whose counterexample is simple as the solver gave it."""
        if group[0].claim.contract.id == CAPACITY:
            # What needs most overflows first.
            return group
        dimensions = self._program.dimensions
        return sorted(group, key=lambda one: (one.claim.sufficient, simplicity(dimension_values(one), dimensions)))

    def _replayed(
        self, decision: Decision, witness: Witness, awaited: list[tuple[str, Site | None]], *, soon: bool = False
    ) -> _Confirmed:
        """The claim with a witness on which the concrete run breaks the contract at the same line, if there is one; it
        comes to it as `soon` as any does."""
        claim = decision.claim
        key = (claim.contract.id, claim.site)
        asked = awaited if key in awaited else [*awaited, key]
        for values, played in self._replays:
            if values == witness.values and played.confirms(claim.contract, claim.site):
                return _Confirmed(decision, witness, played)
        if self._played:
            return _Confirmed(decision, witness, None)
        huge = any(abs(value) > WitnessBudget.HUGE for value in witness.values.values())
        late = not soon and any(witness.assignment.get(loop, 0) > WitnessBudget.SOON for loop in _loops(decision))
        if (huge or late) and self._phase.checks_arithmetic:
            found = self._from_there(decision, witness)
            if found is not None:
                return found
        left = min(self._may_replay, WitnessBudget.CONTRACTS_FURTHER) if huge or late else self._may_replay
        if left <= 0:
            self._replays.append((witness.values, Replay((), unsupported=TOO_LONG)))
            return _Confirmed(decision, witness, None)
        began = time.process_time()
        played = self._phase.confirm(
            self._target,
            witness.values,
            self._hardware,
            seconds=left / WitnessBudget.CONTRACTS_OF_A_SECOND,
            contracts=left,
            awaited=asked,
            decisive=key,
            first=_first_program(witness),
        )
        # The time counts where a loop of Python's takes it, in which nothing is looked at.
        taken = int((time.process_time() - began) * WitnessBudget.CONTRACTS_OF_A_SECOND)
        self._may_replay -= max(played.looked_at, taken)
        self._replays.append((witness.values, played))
        if played.confirms(claim.contract, claim.site):
            return _Confirmed(decision, witness, played)
        if played.unsupported == TOO_LONG and not soon:
            sooner = self._sooner(decision)
            if sooner is not None:
                found = self._replayed(*sooner, awaited, soon=True)
                return replace(found, decision=replace(found.decision, hypotheses=decision.hypotheses))
        # What suffices is not fulfilled: what is necessary may be broken by larger values only. That need not be asked
        # where no run may show it.
        harder = demanding(claim) if claim.contract.id in SUFFICIENT else later(decision) if claim.sufficient else None
        if harder is not None and self._may_replay > 0:
            refuted = self._engine.refuted(harder, decision.hypotheses)
            if refuted is not None:
                larger = smallest_witness(self._program, refuted, Allowance(WitnessBudget.FURTHER_MS))
                return self._replayed(refuted, larger, awaited)
        for values, earlier in self._replays:
            if earlier.confirms(claim.contract, claim.site):
                return _Confirmed(decision, Witness.unexplained(values, self._program), earlier)
        return _Confirmed(decision, witness, None)

    def _from_there(self, decision: Decision, witness: Witness) -> _Confirmed | None:
        """A claim about host arithmetic with the concrete run that breaks it, which begins loops at the iteration that
        fails: what it computes there does not depend on earlier ones. None where the run does not break it, or has to
        begin them as Python does."""
        claim, program = decision.claim, self._program
        starts: dict[Site, list[int]] = {}
        for loop in of_kind(program.body, Loop):
            value = witness.assignment.get(loop.index)
            if value is not None and loop.site is not None and program.independent.get(loop.site, False):
                starts.setdefault(loop.site, []).append(value)
        if not any(map(any, starts.values())):
            return None
        key = (claim.contract.id, claim.site)
        played = self._phase.confirm(
            self._target,
            witness.values,
            self._hardware,
            seconds=WitnessBudget.CONTRACTS_FROM_THERE / WitnessBudget.CONTRACTS_OF_A_SECOND,
            contracts=WitnessBudget.CONTRACTS_FROM_THERE,
            awaited=[key],
            decisive=key,
            first=_first_program(witness),
            starts=starts,
        )
        lines = sorted((site.line, value) for site, values in starts.items() for value in values if value)
        places = ", ".join(f"line {line} at iteration {value}" for line, value in lines)
        begun = f"the concrete run begins loops whose iterations are independent where it fails: {places}"
        return _Confirmed(decision, witness, played, begun) if played.confirms(claim.contract, claim.site) else None

    def _sooner(self, decision: Decision) -> tuple[Decision, Witness] | None:
        """A counterexample in the second iteration of all loops around a claim, or in the first one, with its witness,
        if there is one."""
        loops = _loops(decision)
        for iteration in (1, 0) if loops else ():
            # As a number, so that products with it are none.
            early = (
                conditions.equals_zero(terms.add(terms.of_atom(loop), terms.constant(-iteration))) for loop in loops
            )
            refuted = self._engine.refuted(decision.claim, [*decision.hypotheses, *early])
            if refuted is not None:
                return refuted, smallest_witness(self._program, refuted, Allowance(WitnessBudget.FURTHER_MS))
        return None

    def _violation(self, found: _Confirmed, allowed: Allowance) -> Violation:
        """The violation, with what else fails as far as what is `allowed` suffices to find out."""
        decision, witness = found.decision, found.witness
        program = self._program
        if found.replay is None:
            violation = violation_of(decision, witness, program, Circumstances(replayed=False))
            if decision.claim.sufficient or program.searches:
                self._unsure.add((violation.contract, violation.file, violation.line))
            return violation
        known = Circumstances(
            replayed=True,
            observation=found.replay.observations.get(key_of(decision.claim.contract.id, decision.claim.site)),
            labels=self._labels(witness.values),
            generalises=generalisation(program, decision, witness, allowed) if witness.smallest else {},
        )
        return replace(violation_of(decision, witness, program, known), note=found.begun)

    def _labels(self, values: dict[str, int]) -> dict[str, tuple[str, ...]]:
        return argument_labels(self._target, values, self._hardware) if values else {}


@dataclass(frozen=True, slots=True)
class _Confirmed:
    """A refuted claim, its witness, and the concrete run that breaks the contract at the same line, if one does."""

    decision: Decision
    witness: Witness
    replay: Replay | None
    #: The iterations at which it begins, if it does not begin as Python does.
    begun: str = ""


def later(decision: Decision) -> Claim | None:
    """The claim of a refutation for later iterations only, which find what earlier ones leave; None where there are no
    loops, or iterations enough have been tried."""
    claim, reached = decision.claim, dict(decision.claim.quantities).get(_LATER, 0)
    loops = _loops(decision)
    if not loops or not isinstance(reached, int) or reached >= WitnessBudget.ITERATIONS_LATER:
        return None
    early = [conditions.at_most_zero(terms.add(terms.of_atom(loop), terms.constant(-reached))) for loop in loops]
    kept = tuple(pair for pair in claim.quantities if pair[0] != _LATER)
    condition = conditions.disjunction((claim.condition, *early))
    return replace(claim, condition=condition, quantities=(*kept, (_LATER, reached + 1)))


def _loops(decision: Decision) -> set[Index]:
    """The indices of the loops around a refuted claim."""
    return {
        atom
        for condition in decision.hypotheses
        if isinstance(condition, Condition)
        for atom in condition.atoms()
        if isinstance(atom, Index) and not atom.representative
    }


def _first_program(witness: Witness) -> int:
    """The number of the program of a launch that fails, if the witness says which; that of the last one if not, whose
    share of the work is furthest from 0."""
    found = [value for atom, value in witness.assignment.items() if isinstance(atom, Index) and is_program(atom)]
    return found[0] if len(found) == 1 else -1


def by_place(refuted: Iterable[Decision], every: bool) -> list[list[Decision]]:
    """The refuted claims of each line of the kernel together; with `every`, each claim by itself."""
    if every:
        return [[decision] for decision in refuted]
    groups: dict[tuple[str, int] | str | None, list[Decision]] = {}
    for decision in refuted:
        site = decision.claim.site
        place: tuple[str, int] | str | None = (site.file, site.line) if site is not None else None
        if decision.claim.contract.id == CAPACITY:
            place = str(decision.claim.quantities[0])
        groups.setdefault(place, []).append(decision)
    for place, group in groups.items():
        if isinstance(place, str):
            group.sort(key=partial(needed, values=group[0].values), reverse=True)
    return list(groups.values())
