"""Comparison of two kernels: the same operations on the same elements, in the same loops, for all shapes of a domain.

Both shape programs are walked side by side. Loop indices and allocations of one stand for those of the other, terms are
equal where they are the same, or where a solver finds no values on the way to the place for which they differ. Claims
are passed over: that they hold is for the phases to say. A mutant that does the same operations computes the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

from nkiverify.analysis.sets.keys import indices_of, key_of
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.paths import Limits
from nkiverify.frontend.target import Target
from nkiverify.ir.program import Assume, Block, Branch, Claim, Item, Loop, Program, Unordered
from nkiverify.ir.walk import claims
from nkiverify.model.current_execution import SHAPE_PHASES
from nkiverify.model.hardware import hardware_named
from nkiverify.model.indices import IndexTensor
from nkiverify.model.recorded import Allocation, Executed, Returned
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.state import LoopBody
from nkiverify.model.tensor import Storage, Tensor
from nkiverify.symbolic import as_term
from nkiverify.symbolic.atoms import Atom, Term
from nkiverify.symbolic.conditions import Condition, disjunction, equals_zero, negate
from nkiverify.symbolic.prover import BUDGETS, Prover
from nkiverify.symbolic.terms import add, of_atom, substitute
from nkiverify.verify.exploration import explore

#: Questions that may be asked.
_QUESTIONS = 200

_DATAFLOW = SHAPE_PHASES | {4}


def program_of(target: Target, seconds: float) -> Program | None:
    """The shape program with all operations; None where it does not speak of all iterations and paths."""
    try:
        run = explore(target, hardware_named(target.hardware), Limits(seconds=seconds), _DATAFLOW).run
    except UnsupportedConstruct:
        return None
    if run.unsupported_construct is not None or any(claim.unwinding for claim, _ in claims(run.program)):
        return None
    return run.program


def same_operations(kernel: Program, mutant: Program) -> bool:
    """True if both programs are shown to do the same. Memories (SBUF, PSUM, …) and placements are not compared."""
    try:
        _Walk().blocks(kernel.body, mutant.body, [])
    except (_Differ, UnsupportedConstruct):
        # Rounded numbers, for one, cannot be compared: it is not shown that they are the same.
        return False
    return True


class _Differ(Exception):
    """The programs do not do the same, or it is not shown that they do."""


class _Walk:
    def __init__(self) -> None:
        self._indices: dict[Atom, Term] = {}
        #: What stands for what, both ways: allocations and loop bodies of the kernel, and of the mutant. Storages are
        #: other objects on every path, their keys are not.
        self._others: dict[object, object] = {}
        self._ones: dict[object, object] = {}
        #: Conditions that were asked about, which must not be replaced by others of the same identity.
        self._kept: list[object] = []
        self._asked = 0
        self._answers: dict[tuple[int, ...], bool] = {}

    def blocks(self, one: Block, two: Block, path: list[Condition | bool]) -> None:
        """Compare blocks; `path` holds what is known there."""
        depth = len(path)
        others = _executed(two.items)
        for item in one.items:
            if isinstance(item, Assume):
                path.append(item.condition)
            elif not isinstance(item, Claim):
                self._item(item, next(others, None), path)
        _same(next(others, None) is None)
        del path[depth:]

    def _item(self, one: Item, two: Item | None, path: list[Condition | bool]) -> None:
        if isinstance(one, Loop) and isinstance(two, Loop):
            self._equal(one.extent, two.extent, path)
            _same(one.parallel == two.parallel)
            self._indices[two.index] = of_atom(one.index)
            path.extend(one.bounds)
            self.blocks(one.body, two.body, path)
            del path[len(path) - len(one.bounds) :]
        elif isinstance(one, Branch) and isinstance(two, Branch):
            self._equal(one.condition, two.condition, path)
            for condition, arm, other in (
                (one.condition, one.then, two.then),
                (one.condition.negation(), one.orelse, two.orelse),
            ):
                path.append(condition)
                self.blocks(arm, other, path)
                path.pop()
        elif isinstance(one, Executed) and isinstance(two, Executed):
            done, again = one.operation, two.operation
            _same(done.name == again.name)
            for part in ("reads", "writes", "attributes", "mask", "body", "program"):
                self._equal(getattr(done, part), getattr(again, part), path)
        elif isinstance(one, Allocation) and isinstance(two, Allocation):
            self._stands_for(key_of(one.storage), key_of(two.storage))
            self._equal((one.storage.shape, one.program), (two.storage.shape, two.program), path)
            _same(one.storage.dtype == two.storage.dtype)
        elif isinstance(one, Returned) and isinstance(two, Returned):
            self._equal(one.tensors, two.tensors, path)
        elif isinstance(one, Unordered):
            _same(type(one) is type(two))
            parts = [field.name for field in fields(one) if field.name != "site"]
            _same([getattr(one, part) for part in parts] == [getattr(two, part) for part in parts])
        else:
            raise _Differ

    def _stands_for(self, one: object, two: object) -> None:
        """From now on these are the same; each stands for one only."""
        _same(self._ones.setdefault(two, one) == one and self._others.setdefault(one, two) == two)

    # --- values -------------------------------------------------------------------------------------------------------

    def _equal(self, one: Any, two: Any, path: Sequence[Condition | bool]) -> None:
        left, right = _number(one), _number(two)
        if left is not None and right is not None:
            self._always(equals_zero(add(left, substitute(right, self._indices), -1)), path)
        elif isinstance(one, Condition | bool) and isinstance(two, Condition | bool):
            other = two.substitute(self._indices) if isinstance(two, Condition) else two
            if one is not other:
                self._always(disjunction((negate(one), other)), path)
                self._always(disjunction((one, negate(other))), path)
        elif isinstance(one, Tensor) and isinstance(two, Tensor):
            self._storages(one.storage, two.storage, path)
            _same(one.dtype == two.dtype)
            for part in ("shape", "strides", "offset", "block_dims", "indirect_by"):
                self._equal(getattr(one, part), getattr(two, part), path)
        elif isinstance(one, IndexTensor) and isinstance(two, IndexTensor):
            self._equal((one.base, one.coefficients, one.shape), (two.base, two.coefficients, two.shape), path)
        elif isinstance(one, LoopBody) and isinstance(two, LoopBody):
            self._stands_for(one, two)
            self._equal(one.outer, two.outer, path)
        elif isinstance(one, VirtualRegister) and isinstance(two, VirtualRegister):
            # Nothing tells where they were allocated: they are the same if as many were before.
            _same(_sequence(one) == _sequence(two) is not None)
        elif isinstance(one, dict) and isinstance(two, dict):
            _same(list(one) == list(two))
            self._all(one.values(), two.values(), path)
        elif isinstance(one, tuple | list) and isinstance(two, tuple | list):
            self._all(one, two, path)
        elif is_dataclass(one) and type(one) is type(two):
            parts = [field.name for field in fields(one)]
            self._all([getattr(one, part) for part in parts], [getattr(two, part) for part in parts], path)
        else:
            _same(one is two or (_plain(one) and type(one) is type(two) and one == two) or _same_function(one, two))

    def _all(self, ones: Iterable[Any], twos: Iterable[Any], path: Sequence[Condition | bool]) -> None:
        nothing = object()
        for one, two in zip_longest(ones, twos, fillvalue=nothing):
            _same(nothing is not one and nothing is not two)
            self._equal(one, two, path)

    def _storages(self, one: Storage, two: Storage, path: Sequence[Condition | bool]) -> None:
        first, second = key_of(one), key_of(two)
        if first[0] == "argument":
            self._stands_for(first, second)
            _same(first == second)
        _same(self._ones.get(second) == first and one.dtype == two.dtype)
        # One allocation in a loop makes a storage in each iteration.
        self._equal(indices_of(one), indices_of(two), path)

    def _always(self, condition: Condition | bool, path: Sequence[Condition | bool]) -> None:
        """The condition holds whenever execution comes here."""
        if not isinstance(condition, Condition):
            _same(condition)
            return
        # Conditions are the same objects where they are equal.
        key = (id(condition), *map(id, path))
        if key not in self._answers:
            self._kept.append(condition)
            self._asked += 1
            _same(self._asked <= _QUESTIONS)
            self._answers[key] = Prover(path, BUDGETS.path).proves(condition)
        _same(self._answers[key])


def _same(holds: object) -> None:
    if not holds:
        raise _Differ


def _executed(items: Iterable[Item]) -> Any:
    return (item for item in items if not isinstance(item, Assume | Claim))


def _number(value: object) -> Term | None:
    return None if isinstance(value, Condition | bool) else as_term(value)


def _sequence(register: VirtualRegister) -> object:
    return getattr(register.identity, "key", None) if not getattr(register.identity, "indices", ()) else None


def _plain(value: object) -> bool:
    """True if `==` says all there is to say of values of this kind."""
    return (
        value is None or isinstance(value, str | float | int | slice) or type(value).__module__.startswith("nkiverify.")
    )


def _same_function(one: object, two: object) -> bool:
    """True if these are one function of the stubs, which each kernel has a copy of."""
    names = [(getattr(value, "__module__", ""), getattr(value, "__qualname__", "")) for value in (one, two)]
    return names[0] == names[1] and str(names[0][0]).partition(".")[0] in ("nki", "neuronxcc") and names[0][1] != ""
