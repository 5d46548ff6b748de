"""One concrete run with the shadow memory: whether this choice of dimensions shows a fault, and what is seen there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from nkiverify.dataflow.order import Recorded
from nkiverify.dataflow.shadow import Fault, Findings, execute
from nkiverify.errors import UnsupportedConstruct
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteRun
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import load_kernel
from nkiverify.manifest import OutsideDomain, Target, Verification
from nkiverify.model.contracts import contract
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.run import SHAPE_PHASES, running
from nkiverify.source import Site, kernel_site
from nkiverify.witness.observe import Key, Observation, ObservingRun, key_of


class FaultsKnown(ConcreteRun):
    """A concrete run that knows from an earlier one what is wrong, and says so when it comes there."""

    #: Faults by the position of the recorded item.
    faults: Mapping[int, Fault] = MappingProxyType({})

    def operation(self, operation: Operation) -> None:
        """Note an operation, and that it breaks a contract."""
        fault = self.faults.get(len(self.recorded))
        super().operation(operation)
        if fault is not None:
            self.at(fault, kernel_site(2))

    def returned(self, tensors: tuple[Tensor, ...]) -> None:
        """Note what is returned, and that it breaks a contract."""
        fault = self.faults.get(len(self.recorded))
        super().returned(tensors)
        if fault is not None:
            self.at(fault, None)

    def at(self, fault: Fault, site: Site | None) -> None:
        """The run has come to `fault`."""
        self.violated(contract(fault.contract), site, dict(fault.quantities))


class _Run(FaultsKnown, ObservingRun):
    """A concrete run that records operations, and sees what is around a fault."""

    def __init__(self, hardware: Hardware, seconds: float, faults: Sequence[Fault] = ()) -> None:
        super().__init__(hardware, False, seconds, (), SHAPE_PHASES)
        self.records = True
        self.faults = by_position(faults)
        self.seen: dict[int, Site | None] = {}

    def at(self, fault: Fault, site: Site | None) -> None:
        """Remember the place."""
        self.seen[fault.position] = site
        super().at(fault, site)


def by_position(faults: Sequence[Fault]) -> dict[int, Fault]:
    """The first fault of each recorded item."""
    return {fault.position: fault for fault in reversed(faults)}


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault of a concrete run, seen again in a second one."""

    fault: Fault
    site: Site | None
    observation: Observation | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What one choice of dimensions shows. `unusable` says why it shows nothing; `outside`: it is not in the domain."""

    values: dict[str, int]
    findings: Findings
    unusable: str = ""
    outside: bool = False


def attempt(target: Target, values: Mapping[str, int], hardware: Hardware, seconds: float) -> Trial:
    """Run `target` with its dimensions set to `values`, and its operations on the shadow memory."""
    played = play(target, values, _Run(hardware, seconds))
    if played.outside or played.unusable:
        return Trial(dict(values), Findings(), played.unusable, played.outside)
    return Trial(dict(values), execute(played.recorded, hardware.generation))


def look(target: Target, trial: Trial, hardware: Hardware, seconds: float) -> list[Seen]:
    """The faults of a trial, with what a second run sees when they happen; one for each line and contract."""
    faults = trial.findings.faults
    run = _Run(hardware, seconds, faults)
    play(target, trial.values, run)
    found: dict[Key, Seen] = {}
    for fault in sorted(faults, key=lambda fault: fault.position):
        if fault.position in run.seen:
            site = run.seen[fault.position]
            key = key_of(fault.contract, site)
            found.setdefault(key, Seen(fault, site, run.observations.get(key)))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Played:
    """What a plain run recorded. `unusable` says why it shows nothing; `outside`: the values are not in the domain."""

    recorded: Sequence[Recorded]
    unusable: str = ""
    outside: bool = False


def play(target: Target, values: Mapping[str, int], run: ConcreteRun) -> Played:
    """Let `run` execute `target` with its dimensions set to `values`."""
    kernel, space = load_kernel(target.kernel, target.root, Rewriting.NONE)
    binding = ConcreteBinding(values)
    try:
        with space.active(), running(run):
            target.function(Verification(binding, kernel))
    except OutsideDomain:
        return Played((), outside=True)
    except UnsupportedConstruct as limit:
        return Played((), limit.construct)
    except (Exception, SystemExit) as error:
        if binding.excludes(error):
            return Played((), outside=True)
        return Played((), f"the kernel raises {type(error).__name__}: {error}")
    # What a target states about the whole kernel says nothing of its operations.
    broken = [one.contract for one in run.broken if not one.contract.id.startswith("target.")]
    return Played(run.recorded, f"{broken[0].id} is broken (phase {broken[0].phase})" if broken else "")
