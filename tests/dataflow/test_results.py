"""Tensors in what a kernel returns are found wherever they are; where they cannot be, nothing is concluded."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from nkiverify.cli.outcome import check
from nkiverify.foundation.records import Verdict
from nkiverify.model.hardware import hardware_named
from nkiverify.products.equiv.comparison import EquivalenceAnswer
from nkiverify.products.equiv.equivalence import Comparer
from nkiverify.products.equiv.paired_runs import Side
from nkiverify.products.simulate.simulation import Simulation
from nkiverify.project.request import request
from nkiverify.verify.options import Options

HEAD = """
import abc
import collections
import dataclasses
import enum
import functools
import types
import typing
import weakref

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


class Plain:
    shared = None

    def __init__(self, part):
        self.part = part


class Slots:
    __slots__ = ("part",)

    def __init__(self, part):
        self.part = part


@dataclasses.dataclass(frozen=True)
class Frozen:
    part: object
    other: typing.Optional[int] = None

    @property
    def twice(self):
        return self.part, self.part


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenSlots:
    part: object


class Made(nl.NKIObject):
    pass


class Abstract(abc.ABC):
    def __init__(self, part):
        self.part = part

    @abc.abstractmethod
    def get(self): ...


class Concrete(Abstract):
    def get(self):
        return self.part


class ListOf(list):
    pass


class DictOf(dict):
    pass


class Key(enum.Enum):
    OUT = 1


Named = collections.namedtuple("Named", "first part")
Typed = typing.NamedTuple("Typed", [("part", object)])


def _keep(part):
    class Keeper:
        def get(self):
            return part

    return Keeper()


def _class_attribute(part):
    class Keeper:
        kept = part

    return Keeper()


def _cycle(part):
    made = [part]
    made.append(made)
    return made


def _attribute_of_a_list(part):
    made = ListOf()
    made.part = part
    return made


def _array(part):
    made = np.empty((1, 2), dtype=object)
    made[0, 1] = part
    return made


def _ring(part):
    one, two = Plain(part), Plain(None)
    one.back, two.part = two, one
    return two


def _yielded(part):
    yield part
"""
KERNEL = """

@nki.jit
def kernel(x):
    a = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=a, src=x)
    b = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.{buffer})
    nisa.dma_copy(dst=b[0:{rows}, :], src=x[0:{rows}, :])
    return a, {result}
"""
SEEN = {
    "tuple": "(b,)",
    "list": "[1, [b]]",
    "dictionary": "{'b': b}",
    "dictionary of an enum": "{Key.OUT: {0: b}}",
    "ordered dictionary": "collections.OrderedDict(b=b)",
    "default dictionary": "collections.defaultdict(list, b=[b])",
    "derived dictionary": "DictOf(b=b)",
    "comprehension": "{name: part for name, part in [('b', b)]}",
    "key of a dictionary": "{b: 1}",
    "mapping proxy": "types.MappingProxyType({'b': b})",
    "values of a dictionary": "{'b': b}.values()",
    "chain map": "collections.ChainMap({}, {'b': b})",
    "user dictionary": "collections.UserDict(b=b)",
    "set": "{b}",
    "frozen set": "frozenset([b])",
    "deque": "collections.deque([b], maxlen=2)",
    "named tuple": "Named(1, b)",
    "typed named tuple": "Typed(b)",
    "object": "Plain(b)",
    "object with slots": "Slots(b)",
    "frozen dataclass": "Frozen(b)",
    "frozen dataclass with slots": "FrozenSlots(b)",
    "NKIObject": "Made(part=b)",
    "object of an abstract class": "Concrete(b)",
    "name space": "types.SimpleNamespace(part=b)",
    "derived list": "ListOf([b])",
    "attribute of a derived list": "_attribute_of_a_list(b)",
    "array of objects": "_array(b)",
    "slice": "slice(None, b)",
    "nested": "{'a': [Frozen(Named(0, (Slots({1: b}),)))]}",
    "cycle": "_cycle(b)",
    "objects in a ring": "_ring(b)",
    "shared": "[[b]] * 2",
}
#: What holds the tensor is not looked into; the first word is part of the reason.
UNSEEN = {
    "iterator": "iter([b])",
    "generator": "_yielded(b)",
    "generator expression": "(part for part in [b])",
    "zip": "zip([b], [b])",
    "map": "map(Plain, [b])",
    "enumerate": "enumerate([b])",
    "reversed": "reversed([b])",
    "filter": "filter(None, [b])",
    "function": "lambda: b",
    "partial function": "functools.partial(Plain, b)",
    "method": "Concrete(b).get",
    "closure of a class": "_keep(b)",
    "class attribute": "_class_attribute(b)",
    "class": "type(_class_attribute(b))",
    "weak reference": "weakref.ref(Plain(b))",
    "exception": "ValueError(b)",
    "object of a class of C": "memoryview(b'')",
    "more than can be looked at": "functools.reduce(lambda part, _: [part, part], range(40), b)",
}
#: Nothing is in these.
NOTHING = {
    "None": "None",
    "numbers": "(1, 2.5, True, 3j, 'text', b'bytes', ..., range(3))",
    "empty containers": "((), [], {}, set(), Plain(None))",
    "facts": "(nl.float32, nl.sbuf, x.dtype, x.shape)",
    "numbers of NumPy": "(np.float32(1), np.zeros(3), np.dtype('int8'))",
    "an enum": "Key.OUT",
    "a class": "Frozen",
}


def _file(folder: Path, result: str, *, rows: int = 31, buffer: str = "shared_hbm", name: str = "kernels") -> str:
    text = dedent(HEAD) + dedent(KERNEL.format(result=result, rows=rows, buffer=buffer))
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return f"{name}.py::kernel"


def _verdict(folder: Path, result: str, shape: str, phase: int, **options: object) -> tuple[Verdict, str]:
    """The verdict of a phase, and its reason."""
    reference = _file(folder, result, **options)  # type: ignore[arg-type]
    asked = request(reference, folder, [f"x={shape}"], [], None)
    (run,) = check(asked, ["trn2"], Options(root=folder, phases=(phase,))).runs
    return run.verdict, run.reason


@pytest.mark.parametrize("result", SEEN.values(), ids=SEEN)
def test_a_row_of_a_returned_tensor_that_nothing_writes_is_seen(tmp_path: Path, result: str) -> None:
    # Symbolic and plain: FAILED has been replayed.
    assert _verdict(tmp_path, result, "f32[32,N:1..512]", 4)[0] is Verdict.FAILED
    assert _verdict(tmp_path, result, "f32[32,N:1..512]", 4, rows=32)[0] is Verdict.SUCCESSFUL


@pytest.mark.parametrize("result", SEEN.values(), ids=SEEN)
def test_a_returned_tensor_is_in_hbm(tmp_path: Path, result: str) -> None:
    assert _verdict(tmp_path, result, "f32[32,16]", 1, buffer="sbuf")[0] is Verdict.FAILED


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_looked_into_is_unknown(tmp_path: Path, name: str) -> None:
    for phase in (1, 4):
        verdict, reason = _verdict(tmp_path, UNSEEN[name], "f32[32,N:1..512]", phase)
        assert verdict is Verdict.UNKNOWN
        said = ("result", "returns", "weak references", "`weakref.ref` in a launch")
        assert any(words in reason for words in said)


@pytest.mark.parametrize("result", NOTHING.values(), ids=NOTHING)
def test_values_without_tensors_are_nothing_to_claim(tmp_path: Path, result: str) -> None:
    for phase in (1, 4):
        assert _verdict(tmp_path, result, "f32[32,N:1..512]", phase)[0] is Verdict.SUCCESSFUL


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", SEEN.values(), ids=SEEN)
def test_a_simulation_has_every_result(tmp_path: Path, result: str) -> None:
    asked = request(_file(tmp_path, result), tmp_path, ["x=f32[32,16]"], [], None)
    outcome = Simulation(asked, hardware_named("trn2"), 0, {}).run(None, None)
    assert not outcome.violation
    assert not outcome.unsupported
    assert len(outcome.results) >= 2
    assert {found.result for found in outcome.undefined} == set(outcome.results) - {"result_0"}


@pytest.mark.parametrize("name", UNSEEN)
def test_a_simulation_without_every_result_says_so(tmp_path: Path, name: str) -> None:
    asked = request(_file(tmp_path, UNSEEN[name]), tmp_path, ["x=f32[32,16]"], [], None)
    assert "result" in Simulation(asked, hardware_named("trn2"), 0, {}).run(None, None).unsupported


def _compared(folder: Path, one: str, two: str) -> list[EquivalenceAnswer]:
    def side(name: str, result: str) -> Side:
        reference = _file(folder, result, rows=32, name=name)
        return Side(name, request(reference, folder, ["x=f32[32,16]"], [], None), {})

    found = Comparer(side("one", one), side("two", two), hardware_named("trn2"), 0, None).compare()
    return [finding.answer for finding in found.findings()]


EQUAL = [EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.YES, EquivalenceAnswer.TESTED]
DIFFERENT = [EquivalenceAnswer.YES, EquivalenceAnswer.NO, EquivalenceAnswer.NO, EquivalenceAnswer.NO]
UNKNOWN = [EquivalenceAnswer.YES, EquivalenceAnswer.UNKNOWN, EquivalenceAnswer.UNKNOWN, EquivalenceAnswer.UNKNOWN]


@pytest.mark.parametrize("result", SEEN.values(), ids=SEEN)
def test_results_are_equal_to_themselves(tmp_path: Path, result: str) -> None:
    assert _compared(tmp_path, result, result) == EQUAL


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("[a, b]", "(a, b)"),
        ("Plain(b)", "Slots(b)"),
        ("{'a': a, 'b': b}", "collections.OrderedDict(b=b, a=a)"),
        ("{Key.OUT: b}", "{Key.OUT: a}"),
        ("(b, 3, None, {})", "(b, 3, None, {})"),
        ("_cycle(b)", "_cycle(a)"),
    ],
)
def test_results_of_the_same_structure_are_compared(tmp_path: Path, one: str, two: str) -> None:
    assert _compared(tmp_path, one, two) == EQUAL


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("{'b': b}", "{'c': b}"),
        ("{'b': b}", "Plain(b)"),
        ("(b,)", "b"),
        ("(a, b)", "(a,)"),
        ("(b,)", "(b, b)"),
        ("(b, None)", "(b,)"),
        ("(b, 3)", "(b, 4)"),
        ("(b, 3)", "(b, None)"),
        ("(b, 3)", "(b, a)"),
        ("(b, {})", "(b, {1: a})"),
        ("_cycle(b)", "[b, [b]]"),
        ("np.arange(3)", "np.arange(4)"),
        ("{'b': nl.float32}", "{'b': nl.bfloat16}"),
    ],
)
def test_another_structure_is_a_difference(tmp_path: Path, one: str, two: str) -> None:
    assert _compared(tmp_path, one, two) == DIFFERENT
    assert _compared(tmp_path, two, one) == DIFFERENT


def test_tensors_in_a_set_are_not_compared(tmp_path: Path) -> None:
    assert _compared(tmp_path, "{a, b}", "{a, b}") == UNKNOWN


# --- programs, helper functions, arrays -------------------------------------------------------------------------------

PROGRAMS = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    a = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if nl.program_id(0) == 0:
        nisa.dma_copy(dst=a[0:{rows}, :], src=x[0:{rows}, :])
        return a
    nisa.dma_copy(dst=b, src=x)
    return b
"""


@pytest.mark.parametrize(("rows", "verdict"), [(32, Verdict.SUCCESSFUL), (31, Verdict.FAILED)])
def test_what_any_program_returns_is_written(tmp_path: Path, rows: int, verdict: Verdict) -> None:
    (tmp_path / "kernels.py").write_text(PROGRAMS.format(rows=rows), encoding="utf-8")
    asked = request("kernels.py::kernel", tmp_path, ["x=f32[32,16]"], [], "2")
    (run,) = check(asked, ["trn2"], Options(root=tmp_path, phases=(4,))).runs
    assert run.verdict is verdict
    outcome = Simulation(asked, hardware_named("trn2"), 0, {}).run(None, None)
    assert "programs of a launch that return different tensors" in outcome.unsupported


HELPER = """
import nki.isa as nisa
import nki.language as nl


def helper(t):
    out = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=out[0:{rows}, :], src=t[0:{rows}, :])
    nisa.tensor_copy(dst=t, src=t)
    return {{"out": out}}
"""


@pytest.mark.parametrize(("rows", "verdict"), [(32, Verdict.SUCCESSFUL), (31, Verdict.FAILED)])
def test_what_a_helper_function_returns_is_written(tmp_path: Path, rows: int, verdict: Verdict) -> None:
    (tmp_path / "kernels.py").write_text(HELPER.format(rows=rows), encoding="utf-8")
    asked = request("kernels.py::helper", tmp_path, ["t=f32[32,16]@sbuf"], [], None)
    (run,) = check(asked, ["trn2"], Options(root=tmp_path, phases=(4,))).runs
    assert run.verdict is verdict
