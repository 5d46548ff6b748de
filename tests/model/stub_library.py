"""The stub library as kernels see it, and runs of ordinary ints that tell which contracts were broken."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.loader import KernelSpace, load_kernel
from nkiverify.ir.contract import Contract
from nkiverify.model.allocation import argument
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.hardware import hardware_named
from nkiverify.model.legacy_tensor import legacy_view
from nkiverify.model.memory import PSUM, SBUF, SHARED_HBM
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.project.controls import Example, controls, variants, written_out
from nkiverify.symbolic.execution import running

LIBRARY = KernelSpace(Path(__file__).parent, Rewriting.NONE)

with LIBRARY.active():
    nki: Any = importlib.import_module("nki")
    nl: Any = importlib.import_module("nki.language")
    nisa: Any = importlib.import_module("nki.isa")
    old_nki: Any = importlib.import_module("neuronxcc.nki")
    old_nl: Any = importlib.import_module("neuronxcc.nki.language")
    old_nisa: Any = importlib.import_module("neuronxcc.nki.isa")
    old_ncc: Any = importlib.import_module("neuronxcc.nki.compiler")


def broken(action: Callable[[], object], hardware: str = "trn2") -> list[str]:
    """The contracts `action` breaks in a run of ordinary ints, each once, in order."""
    run = ConcreteExecution(hardware_named(hardware), stop_at_first=False)
    with running(run):
        try:
            action()
        except (TypeError, ValueError, IndexError):
            # What follows a broken contract that leaves nothing to go on with.
            if not (run.broken or run.tolerated):
                raise
    return list(dict.fromkeys(entry.contract.id for entry in (*run.broken, *run.tolerated)))


class _NotingOpen(ConcreteExecution):
    """A run of ordinary ints that notes what it leaves open."""

    def __init__(self, hardware: str) -> None:
        super().__init__(hardware_named(hardware))
        self.open: list[tuple[str, str]] = []

    def leaves_open(self, rule: Contract, condition: object, why: str, quantities: Mapping[str, object]) -> None:
        """Note a contract of which nobody can tell whether it holds, and why."""
        if condition is not True:
            self.open.append((rule.id, why))

    def suffices(self, rule: Contract, condition: object, quantities: Mapping[str, object]) -> None:
        """Note a contract that may be broken."""
        if condition is not True:
            self.open.append((rule.id, "what is enough does not hold"))


def left_open(action: Callable[[], object], hardware: str = "trn2") -> list[tuple[str, str]]:
    """The contracts that `action`, which breaks none, leaves open in a run of ordinary ints, with the reasons."""
    run = _NotingOpen(hardware)
    with running(run):
        action()
    return run.open


def value(action: Callable[[], Any], hardware: str = "trn2") -> Any:
    """What `action` returns in a run of ordinary ints that breaks no contract."""
    run = ConcreteExecution(hardware_named(hardware))
    with running(run):
        return action()


def uses(*files: str, wrong: bool = False, but: Collection[str] = ()) -> Iterator[tuple[str, Callable[[], object]]]:
    """The controls that need no arguments, of these files or of all, and of no contract of `but`: the generation each
    runs on, and its kernel."""
    for pair in (*controls().values(), *variants().values()):
        example = pair.wrong if wrong else pair.right
        if example.arguments or example.contract in but:
            continue
        if not files or example.file.name in files:
            yield example.hardware, partial(_played, example)


def _played(example: Example) -> None:
    function, space = load_kernel(example.reference, written_out())
    with space.active():
        if example.cores is None:
            function()
        else:
            nki.jit(function)[int(example.cores)]()


def sbuf(*shape: int, dtype: DType = float32) -> NkiTensor:
    """A new tensor in SBUF."""
    tensor: NkiTensor = nl.ndarray(shape, dtype, SBUF)
    return tensor


def psum(*shape: int, dtype: DType = float32) -> NkiTensor:
    """A new tensor in PSUM."""
    tensor: NkiTensor = nl.ndarray(shape, dtype, PSUM)
    return tensor


def hbm(*shape: int, dtype: DType = float32) -> NkiTensor:
    """A tensor argument."""
    return argument("x", shape, dtype, SHARED_HBM)


def old_sbuf(*shape: int, dtype: DType = float32) -> Any:
    """A new tensor in SBUF, of the legacy API."""
    return old_nl.ndarray(shape, dtype)


def old_psum(*shape: int, dtype: DType = float32) -> Any:
    """A new tensor in PSUM, of the legacy API."""
    return old_nl.ndarray(shape, dtype, buffer=PSUM)


def old_hbm(*shape: int, dtype: DType = float32) -> Any:
    """A tensor argument of the legacy API."""
    return legacy_view(hbm(*shape, dtype=dtype))
