"""The claims of a symbolic run: contracts, asserts of the kernel, and what integers of its own have to be."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from nkiverify.foundation.source import KERNEL_MARKER, Site, frame_site, kernel_site
from nkiverify.frontend.paths import Limits, PathEnded, Paths
from nkiverify.frontend.tracebacks import stub_of
from nkiverify.ir.contract import Contract, Severity
from nkiverify.ir.program import Assume, Assumed, Claim
from nkiverify.model.contracts import contract
from nkiverify.model.policy import applied_policy
from nkiverify.symbolic import conditions, terms
from nkiverify.symbolic.atoms import Index, Term
from nkiverify.symbolic.conditions import Condition, condition_key
from nkiverify.symbolic.integers import Extent
from nkiverify.symbolic.path_conditions import Context
from nkiverify.symbolic.terms import INT32_MAX, INT32_MIN
from nkiverify.symbolic.values import as_term

#: Numbers from here on are refused: Python turns none of more than 4,300 digits into text.
TOO_LARGE = 10**4200


class Claiming(Paths):
    """Paths on which claims are recorded, each once, at the statement of the kernel that they are about."""

    def __init__(self, limits: Limits, unrolled: Mapping[Site, str], known: Context | None = None) -> None:
        super().__init__(limits, unrolled, known)
        self.policy = applied_policy()
        self.rests_on: frozenset[Assumed] = frozenset()
        self.about: Site | None = None
        #: Lines of the kernel whose asserts state preconditions, by file, with the text of the statement: what they
        #: check is assumed. `assumed_asserts` gets the ones that were met.
        self.preconditions: Mapping[tuple[str, int], str] = {}
        self.assumed_asserts: dict[str, None] = {}
        #: How many `try` bodies of the kernel are running.
        self.try_depth = 0
        self._claims = 0
        #: What libraries computed, by the identity of terms: a claim once it is handed back to kernel code.
        self._by_libraries: set[int] = set()

    def require(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim."""
        self.check_alive()
        self.count_step()
        if self.recording:
            self._state(rule, condition, quantities, sufficient=False)

    def suffices(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Record a claim that is enough for the contract."""
        self.check_alive()
        self.count_step()
        if self.recording:
            self._state(rule, condition, quantities, sufficient=True)

    def leaves_open(self, rule: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """Record a claim that is open where its condition does not hold."""
        self.check_alive()
        self.count_step()
        if self.recording:
            self._state(rule, condition, quantities, sufficient=False, why=why)

    def _state(
        self, rule: Contract, condition: object, quantities: Mapping[str, object], *, sufficient: bool, why: str = ""
    ) -> None:
        stub, frame = stub_of(sys._getframe(2))
        site = self.about or (frame_site(frame) if frame is not None else None)
        self._claim(rule, condition, rule.phase, site, stub, tuple(quantities.items()), False, sufficient, why)

    def claim(
        self,
        rule: Contract,
        condition: object,
        phase: int,
        site: Site | None,
        stub: str = "",
        quantities: tuple[tuple[str, object], ...] = (),
        unwinding: bool = False,
        sufficient: bool = False,
        why: str = "",
    ) -> None:
        """Record a claim of `phase` at `site`; with `why`, one that is open for this reason unless it is proved."""
        if self.recording:
            self._claim(rule, condition, phase, site, stub, quantities, unwinding, sufficient, why)

    def claim_unwinding(self, enough: object, site: Site, bound: int) -> None:
        """Claim that unrolling `bound` times is enough; where it is not, the path ends here."""
        quantities = (("iterations", bound),)
        self.claim(contract("host.unwinding"), enough, 1, site, quantities=quantities, unwinding=True)
        self.assume(enough, f"at most {bound} iterations at line {site.line}")

    def _claim(
        self,
        rule: Contract,
        condition: object,
        phase: int,
        site: Site | None,
        stub: str,
        quantities: tuple[tuple[str, object], ...],
        unwinding: bool,
        sufficient: bool,
        why: str,
    ) -> None:
        """Record a claim, on a path that records."""
        stated = condition if isinstance(condition, Condition) else bool(condition)
        self._check_escaped(stated)
        key = (rule.id, condition_key(stated), site, stub, sufficient, why, self.rests_on)
        known = len(self._block.stated)
        self._block.stated.add(key)
        if len(self._block.stated) == known:
            return
        self._claims += 1
        made = Claim(
            self._claims,
            rule,
            stated,
            phase,
            site,
            stub,
            quantities,
            unwinding,
            sufficient,
            severity=Severity.CLAIM if unwinding else self.policy.severity(rule, site),
            open=why,
            rests_on=self.rests_on,
        )
        self._block.items.append(made)

    def kernel_assert(self, condition: Condition, site: Site) -> None:
        """An assert of the kernel: a claim, unless it is to be assumed, and what follows it may rely on it."""
        precondition = self._precondition()
        if precondition is not None:
            self.assumed_asserts[precondition] = None
            self.assume(condition, precondition)
            return
        self.claim(contract("kernel.assert"), condition, 1, site)
        self.assume(condition, f"the assert at line {site.line}")

    def excluded_by_assert(self) -> PathEnded | None:
        """The end of a path, one of several, of which a false assert only says that it is outside the domain."""
        precondition = self._precondition()
        if precondition is None or self._scopes[0].position == 0:
            return None
        self.assumed_asserts[precondition] = None
        return self.excluded(precondition)

    def _precondition(self) -> str | None:
        """The statement being executed, if it is one of `preconditions` or was called by one."""
        if not self.preconditions or len(self._scopes) > 1:
            return None
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if KERNEL_MARKER in frame.f_globals:
                text = self.preconditions.get((frame.f_code.co_filename, frame.f_lineno))
                if text is not None:
                    return text
            frame = frame.f_back
        return None

    def _check_escaped(self, condition: Condition | bool) -> None:
        # Nothing is known of a loop index outside its loop: a claim about it there would be about a made-up number.
        if not isinstance(condition, Condition):
            return
        for atom in condition.indices():
            if not atom.representative and not self._is_open(atom):
                raise self.unsupported(f"the loop index {atom} outside its loop")

    def _is_open(self, atom: Index) -> bool:
        return any(terms.of_atom(atom) is index for index in self._scopes[-1].indices)

    # --- integers of the host -----------------------------------------------------------------------------------------

    def host_extents(self, extents: Sequence[Extent]) -> None:
        """Kernel code hands these integers to the API: they must have 32 bits."""
        if self.recording:
            site = kernel_site(2)
            for extent in extents:
                term = as_term(extent)
                if term is not None:
                    self._fits(term, site)

    def host_integer(self, value: Term, frame: FrameType) -> None:
        """Kernel code computed `value`: it must have 32 bits."""
        if any(abs(coefficient) >= TOO_LARGE for coefficient in value.monomials.values()):
            raise self.unsupported("an integer of thousands of digits")
        if self.recording:
            self._fits(value, frame_site(frame))

    def computed_by_library(self, value: Term) -> None:
        """A library computed `value`: of interest once kernel code has it."""
        self._by_libraries.add(value.uid)

    def handed_back(self, value: Term, frame: FrameType) -> None:
        """Kernel code has `value` from what it called: it must have 32 bits if a library computed it, as what code of
        the kernel computed was examined there."""
        if value.uid in self._by_libraries:
            self.host_integer(value, frame)

    def host_number(self, value: int, frame: FrameType) -> None:
        """Kernel code has this plain integer: it must have 32 bits."""
        self.host_integer(terms.constant(value), frame)

    def _fits(self, value: Term, site: Site | None) -> None:
        constant = value.constant
        fits: Condition | bool
        if constant is not None:
            fits = INT32_MIN <= constant <= INT32_MAX
        else:
            fits = terms.remembered("fits", value.uid, value.uid, lambda: _has_32_bits(value))
        self.claim(contract("host.int32"), fits, 2, site, quantities=(("value", value),))

    def host_division(self, divisor: Term, frame: FrameType) -> None:
        """Kernel code divides by `divisor`: it must not be zero, and what follows is reached only if it is not.

        Where the kernel may handle the exception, the run is split instead.
        """
        self.check_alive()
        nonzero = conditions.negate(conditions.equals_zero(divisor))
        if self.try_depth > 0:
            if isinstance(nonzero, Condition) and not self.decide(nonzero):
                raise ZeroDivisionError("division by zero")
            return
        rule = contract("host.division_by_zero")
        self.claim(rule, nonzero, 2, frame_site(frame), quantities=(("divisor", divisor),))
        if isinstance(nonzero, Condition) and not self._context.entails(nonzero):
            self.record(Assume(nonzero, "a division", of_division=True))
            self._context = self._context.with_condition(nonzero)

    def host_zero_divisor(self, frame: FrameType) -> None:
        """Kernel code divides by a plain zero, which raises nothing: it must not."""
        self.check_alive()
        rule = contract("host.division_by_zero")
        self.claim(rule, False, 2, frame_site(frame), quantities=(("divisor", terms.constant(0)),))


def _has_32_bits(value: Term) -> Condition | bool:
    return conditions.conjunction(
        (
            conditions.at_most_zero(terms.add(value, terms.constant(-INT32_MAX))),
            conditions.at_most_zero(terms.add(terms.constant(INT32_MIN), value, -1)),
        )
    )
