"""Coverage of contracts: those that the targets of a manifest exercise, and which controls keep and break each."""

from __future__ import annotations

from collections.abc import Sequence

from nkiverify.foundation.budget import SetsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.contract import Contract
from nkiverify.ir.walk import claims
from nkiverify.model.hardware import hardware_named
from nkiverify.phases import PHASES
from nkiverify.project.controls import Control, controls
from nkiverify.verify.exploration import explore

#: Contracts that no kernel breaks by itself, and why.
WITHOUT_CONTROL = {
    "target.output_shape": "a target states it of what a kernel returns",
    "target.output_dtype": "a target states it of what a kernel returns",
    "target.claim": "a target states it",
    "host.unwinding": "says whether a loop was unrolled far enough, which bounds a verdict",
    "df.unwritten_times_zero": "said of the shapes that are run; tests/check/test_times_zero.py",
    "df.output_parameter": "contested, and said of the shapes that are run; tests/check/test_output_parameter.py",
    "mem.capacity_live": "claimed where a target says that nothing is spilled",
}

_REFUSED = "stated where it is broken: what is legal takes another way, on which there is nothing to claim"
_FOLDED = "stated where it is open: a legal kernel of known sizes leaves nothing to claim"

#: Contracts that a run that keeps them does not claim, and why. That the nearest legal kernel is accepted, and the
#: wrong one refused, is tested by their controls.
NOTHING_TO_CLAIM = {
    **dict.fromkeys(
        ("num.overflow", "num.invalid", "num.division", "num.integer", "num.masked"),
        "asked of all numbers of a run, in phase 5, not claimed at a place of the program",
    ),
    **dict.fromkeys(
        (
            "ap.offset_semantics", "isa.enum_members", "isa.enum_values", "isa.kwargs_checked", "isa.operator_name",
            "kernel.exception",
            "lang.no_list_args",
            "leg.affine_index", "leg.binary.broadcast", "leg.control_arange", "leg.index_const", "leg.iota.expr",
            "leg.mask_and", "leg.mask_form", "leg.tensor_truth", "leg.tile", "mem.ap_uniform", "nl.divide.unsupported",
            "nl.fmod.unsupported",
            "nl.mod.unsupported", "reg.python", "tensor_copy.dtype", "tensor.dtypes",
            "tensor.setitem", "tensor.setitem_shape", "view.reshape_after_permute", "idx.range",
        ),
        _REFUSED,
    ),
    **dict.fromkeys(
        (
            "ap.vector_offset_rank", "api.version", "leg.indirect_mgrid", "mem.placed_overlap",
            "cc.permute_hbm", "core_barrier.data", "memset.value_kind",
            "nl.binary.broadcast", "nl.operand_on_chip", "nl.reduce.axis_last",
            "tensor_reduce.axis_last", "tensor_tensor.broadcast",
        ),
        _FOLDED,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Covered:
    """One contract: the targets in whose run it is claimed, its control, if it has one, and whether the right kernel of
    the control claims it."""

    contract: Contract
    targets: tuple[str, ...]
    control: Control | None
    kept: bool

    @property
    def gap(self) -> str:
        """The missing part: a run in which it is claimed and holds, or a kernel that breaks it; empty for nothing."""
        if self.control is None and self.contract.id not in WITHOUT_CONTROL:
            return "no control breaks it"
        if not self.targets and not self.kept and self.contract.id not in {**NOTHING_TO_CLAIM, **WITHOUT_CONTROL}:
            return "no target and no right control claims it"
        return ""


def coverage(targets: Sequence[Target], contracts: Sequence[Contract]) -> list[Covered]:
    """The use of `contracts`, one by one, by targets in the phases they expect verdicts for, and by controls.

    Everything is executed symbolically. Of phase 4 it counts what is claimed of targets that sets of few elements
    decide.
    """
    by_contract: dict[str, dict[str, None]] = {}
    for target in targets:
        for contract in claimed(target, frozenset(target.expect)):
            by_contract.setdefault(contract, {})[target.name] = None
    pairs = controls()
    return [
        Covered(rule, tuple(by_contract.get(rule.id, ())), pairs.get(rule.id), _kept(rule, pairs.get(rule.id)))
        for rule in contracts
    ]


def _kept(rule: Contract, control: Control | None) -> bool:
    return control is not None and rule.id in claimed(control.right.target(), frozenset((rule.phase,)))


def claimed(target: Target, phases: frozenset[int]) -> set[str]:
    """The contracts that a run of `target` claims in the phases 1 and 2 and in `phases`."""
    hardware = hardware_named(target.hardware)
    try:
        exploration = explore(target, hardware, Limits(), phases)
        for phase in phases:
            exploration.claimed(PHASES[phase], SetsBudget.SECONDS_OF_COVERAGE, SetsBudget.OPERATIONS_OF_COVERAGE)
    except UnsupportedConstruct:
        return set()
    return {claim.contract.id for claim, _ in claims(exploration.run.program)}
