"""Runs of a forward kernel on dual numbers, and of its backward kernel on numbers, from the same draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from zlib import crc32

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.asked_kernel import (
    AskedKernel,
    Ends,
    Filling,
    KernelWithArguments,
    arguments_of,
    contents,
    declared_range,
    execute,
    random_array,
)
from nkiverify.analysis.values.compared_pieces import Pieces
from nkiverify.analysis.values.degrees import Degrees
from nkiverify.analysis.values.duals import Duals
from nkiverify.analysis.values.fields import Fields
from nkiverify.analysis.values.number_formats import Array, widened
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.budget import ComparingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Tensor
from nkiverify.products.equiv.gradient_pairing import ArgumentKind, KnownTensor, Role, Roles, Said, gradients_in
from nkiverify.products.equiv.paired_runs import (
    Side,
    common_contents,
    common_range,
    drawn_text,
    entered_contents,
    guarded,
)
from nkiverify.products.equiv.references import Reference

#: log2 of the magnitudes of floats in a wide draw.
_MAGNITUDES = (-14.0, 3.0)


@dataclass(frozen=True, slots=True)
class ComparedKernel:
    """One of the two kernels: `like` has the arguments of a reference, `returned` the names of what is returned."""

    side: Side
    returned: tuple[str, ...] = ()
    like: KernelWithArguments | None = None


@dataclass(frozen=True, slots=True)
class Gradient:
    """A result of the backward kernel, and the argument of the forward kernel that it is the gradient of."""

    name: str
    of: str
    position: int
    by_name: bool


@dataclass(slots=True)
class Pairing:
    """The parts of both kernels that belong together."""

    inputs: list[KnownTensor]
    outputs: list[KnownTensor]
    roles: dict[str, Role]
    #: The positions of inputs that may have a gradient: floats that the kernel does not write.
    floats: frozenset[int]
    gradients: list[Gradient] = field(default_factory=list)
    #: The ranges that one kernel declares, which hold for both, as text.
    one_sided: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Draw:
    """The choice of numbers: with `tied`, elements of an argument are often equal, and move the same; with `wide`,
    floats without a range are of all magnitudes from 2^-14 to 8."""

    seed: int
    tied: bool = False
    wide: bool = False

    def generator(self, *what: str) -> np.random.Generator:
        """The generator of one kind of number of one tensor."""
        return np.random.default_rng((self.seed, *(crc32(part.encode()) for part in what)))

    def floats(self, what: str, name: str, tensor: Tensor, ends: Ends | None) -> Array:
        """Elements of a tensor, as float64, or as integers."""
        random, shape = self.generator(what, name), _shape(tensor)
        found = random_array(
            random, (ComparingBudget.TIED_NUMBERS,) if self._ties(tensor) else shape, tensor.dtype, ends
        )
        if self.wide and ends is None and tensor.dtype.is_float:
            signs = np.where(random.integers(0, 2, shape), 1.0, -1.0)
            found = number_formats.stored(
                (signs * np.exp2(random.uniform(*_MAGNITUDES, shape))).astype(np.float32), tensor.dtype
            )
        if tensor.dtype.is_integer:
            return found.astype(np.int64)
        wide = widened(found, tensor.dtype).astype(np.float64)
        return wide[self._places(name, shape)] if self._ties(tensor) else wide

    def exact(self, what: str, name: str, tensor: Tensor, numbers: Fields | Degrees) -> Array:
        """Elements of a tensor in exact numbers: residues, or variables."""
        shape = _shape(tensor)
        if isinstance(numbers, Degrees):
            return numbers.variables(shape)
        random = self.generator("exact", what, name)
        if not self._ties(tensor):
            return numbers.random_elements(random, shape, tensor.dtype)
        return numbers.random_elements(random, (ComparingBudget.TIED_NUMBERS,), tensor.dtype)[
            :, self._places(name, shape)
        ]

    def _ties(self, tensor: Tensor) -> bool:
        return self.tied and tensor.dtype.is_float

    def _places(self, name: str, shape: tuple[int, ...]) -> Array:
        return self.generator("places", name).integers(0, ComparingBudget.TIED_NUMBERS, shape)


@dataclass(slots=True)
class Forward:
    """Values of the outputs of the forward kernel and their derivatives by direction, (lanes, elements)."""

    values: list[Array]
    derivatives: list[list[Array]]


class GradientRuns:
    """Both kernels, run as often as it is asked for, and what they are paired by."""

    def __init__(
        self, forward: ComparedKernel, backward: ComparedKernel, hardware: Hardware, said: Said, *, legal_only: bool
    ) -> None:
        """With `legal_only` a contract that is broken ends a run."""
        self.forward, self.backward = forward, backward
        self._hardware = hardware
        self._said = said
        self._legal_only = legal_only
        self.pairing: Pairing | None = None
        #: The arguments of the forward kernel as it was run first, and where its outputs are defined.
        self._given: dict[str, Tensor] = {}
        #: The ranges of those that the backward kernel takes as well, and the contents that are given for either.
        self._ranges: dict[str, Ends] = {}
        self._contents: dict[str, Array] = {}
        self._defined: list[Array] = []

    # --- what is run --------------------------------------------------------------------------------------------------

    def floats(self, draw: Draw) -> tuple[AskedKernel, AskedKernel]:
        """Both kernels as they are, in floating point; the backward one is given what the forward one left. Says, the
        first time, what is paired. Raises `UsageError` where nothing says it."""
        first = self._executed(self.forward, Floats(), self._inputs(Floats(), draw))
        outputs = first.outputs()
        if self.pairing is None:
            self._given = first.arguments
            self.pairing = self._paired(first, outputs)
            self._ranges, self._contents = self._in_common(self.pairing)
            if self.pairing.one_sided or self._contents:
                return self.floats(draw)
        numbers = first.elements.numbers
        found = [contents(first.elements, tensor) for _, tensor in outputs]
        self._defined = [np.ones(part[0].size, bool) if part[1] is None else (part[1] == 0).ravel() for part in found]
        values = [
            numbers.read(part[0], tensor.dtype).reshape(1, -1) for part, (_, tensor) in zip(found, outputs, strict=True)
        ]
        second = self.run_backward(numbers, draw, values)
        if not self.pairing.gradients:
            self.pairing.gradients = self._gradients(second)
        return first, second

    def run_forward(self, numbers: Duals, draw: Draw, along: Sequence[tuple[int, Array]]) -> Forward:
        """The forward kernel on dual numbers; a direction moves one input, given by its position."""
        assert self.pairing is not None
        fill = self._inputs(numbers.base, draw)
        names = list(self._given)

        def moved(name: str, tensor: Tensor) -> Array:
            value = fill(name, tensor)
            still = np.zeros_like(value)
            parts = [part.reshape(value.shape) if names[place] == name else still for place, part in along]
            return numbers.dual(value, *parts)

        execution = self._executed(self.forward, numbers, moved)
        outputs = [contents(execution.elements, tensor)[0] for _, tensor in execution.outputs()]
        flat = [part.reshape(numbers.lanes, -1) for part in outputs]
        return Forward([numbers.value(part) for part in flat], [numbers.derivatives(part) for part in flat])

    def run_backward(
        self,
        numbers: Numbers,
        draw: Draw,
        values: Sequence[Array],
        incoming: Mapping[int, Array] | None = None,
    ) -> AskedKernel:
        """The backward kernel, given the values of the outputs, and their gradients, unless those that are drawn."""
        return self._executed(self.backward, numbers, self._arguments(numbers, draw, values, incoming or {}))

    def gradients(self, execution: AskedKernel) -> list[Array]:
        """The gradients that the backward kernel left, (lanes, elements), in the order of the pairing."""
        return [
            contents(execution.elements, tensor)[0].reshape(execution.elements.numbers.lanes, -1)
            for _, tensor in execution.outputs()
        ]

    @property
    def drawn(self) -> str:
        """The words that integer arguments are drawn once, and contents given, of which nothing is proved but for
        these."""
        tensors = {**self._given, **self._parameters()}
        held = [
            name for name, tensor in tensors.items() if name in self._contents or tensor.storage.elements is not None
        ]
        integers = [name for name, tensor in tensors.items() if tensor.dtype.is_integer and name not in held]
        return drawn_text(integers, held)

    # --- what is drawn ------------------------------------------------------------------------------------------------

    def direction(self, numbers: Pieces, draw: Draw, position: int) -> Array:
        """A direction in which an input moves, (lanes, elements)."""
        name, tensor = list(self._given.items())[position]
        return _drawn(numbers, draw, "along", name, tensor, None).reshape(numbers.lanes, -1)

    def incoming(self, numbers: Pieces, draw: Draw) -> dict[int, Array]:
        """The gradients of the outputs that the backward kernel is given, (lanes, elements), by position."""
        assert self.pairing is not None
        tensors = self._parameters()
        return {
            role.position: self._of_output(numbers, draw, role.position, tensors[name])
            for name, role in self.pairing.roles.items()
            if role.part is ArgumentKind.INCOMING
        }

    def incoming_shape(self, position: int) -> tuple[str, tuple[int, ...]]:
        """The argument that is the gradient of an output, and its shape."""
        assert self.pairing is not None
        names = (
            name
            for name, role in self.pairing.roles.items()
            if role == Role(ArgumentKind.INCOMING, position, role.by_name)
        )
        name = next(names)
        return name, _shape(self._parameters()[name])

    def _inputs(self, numbers: Floats | Pieces, draw: Draw) -> Filling:
        def fill(name: str, tensor: Tensor) -> Array:
            if name in self._contents:
                return entered_contents(numbers, self._contents[name], tensor)
            return numbers.convert(self._input(numbers, draw, name, tensor), tensor.dtype)

        return fill

    def _input(self, numbers: Floats | Pieces, draw: Draw, name: str, tensor: Tensor) -> Array:
        """An argument of the forward kernel."""
        return _drawn(numbers, draw, "input", name, tensor, self._ranges.get(name) or declared_range(tensor))

    def _arguments(
        self, numbers: Numbers, draw: Draw, values: Sequence[Array], incoming: Mapping[int, Array]
    ) -> Filling:
        assert isinstance(numbers, Floats | Pieces) and self.pairing is not None
        roles = self.pairing.roles

        def fill(name: str, tensor: Tensor) -> Array:
            role = roles[name]
            if role.part is ArgumentKind.SAVED:
                found = values[role.position]
            elif role.part is ArgumentKind.INPUT:
                known = list(self._given)[role.position]
                if known in self._contents:
                    return entered_contents(numbers, self._contents[known], tensor)
                found = self._input(numbers, draw, known, self._given[known])
            elif role.part is ArgumentKind.INCOMING:
                given = incoming.get(role.position)
                found = self._of_output(numbers, draw, role.position, tensor) if given is None else given
            elif tensor.storage.elements is not None:
                return entered_contents(numbers, tensor.storage.elements, tensor)
            else:
                found = _drawn(numbers, draw, "own", name, tensor, declared_range(tensor))
            return numbers.convert(found.reshape(numbers.lanes, *_shape(tensor)), tensor.dtype)

        return fill

    def _of_output(self, numbers: Floats | Pieces, draw: Draw, position: int, tensor: Tensor) -> Array:
        """The gradient of an output, (lanes, elements); 0 where the forward kernel leaves it undefined."""
        ends = declared_range(tensor)
        found = _drawn(numbers, Draw(draw.seed), "incoming", str(position), tensor, ends).reshape(numbers.lanes, -1)
        return np.where(self._defined[position], found, found.dtype.type(0))

    # --- how ----------------------------------------------------------------------------------------------------------

    def _executed(self, kernel: ComparedKernel, numbers: Numbers, fill: Filling) -> AskedKernel:
        run = ComputedElements(numbers).execution(self._hardware, stop_at_first=self._legal_only)
        dimensions = kernel.side.dimensions

        def executed(asked: KernelWithArguments | Reference) -> AskedKernel:
            if not isinstance(asked, Reference):
                return execute(asked, run, dimensions, fill)
            assert kernel.like is not None
            return asked.execute(run, self._given_to(kernel.like, dimensions), fill)

        return guarded(kernel.side, run, executed)

    def _parameters(self) -> dict[str, Tensor]:
        """The tensors that the backward kernel takes."""
        asked = self.backward.side.asked
        assert not isinstance(asked, Reference)
        return self._given_to(asked, self.backward.side.dimensions).arguments

    def _given_to(self, asked: KernelWithArguments, dimensions: Mapping[str, int]) -> AskedKernel:
        return arguments_of(asked, ComputedElements(Floats()).execution(self._hardware), dimensions)

    def _paired(self, first: AskedKernel, outputs: Sequence[tuple[str, Tensor]]) -> Pairing:
        # What the kernel writes goes by the name of a result.
        inputs = [
            KnownTensor((f"{name} as given" if place in first.written else name,), _shape(tensor))
            for place, (name, tensor) in enumerate(first.arguments.items())
        ]
        known = _results(outputs, first.results(), self.forward.returned)
        if not known:
            raise UsageError("the forward kernel returns nothing and writes nothing")
        parameters = [KnownTensor((name,), _shape(tensor)) for name, tensor in self._parameters().items()]
        floats = [place for place, tensor in enumerate(first.arguments.values()) if tensor.dtype.is_float]
        roles = Roles(inputs, known, self._said).assign(parameters)
        return Pairing(inputs, known, roles, frozenset(floats) - first.written)

    def _in_common(self, pairing: Pairing) -> tuple[dict[str, Ends], dict[str, Array]]:
        """The ranges of the inputs that both kernels take, and the contents of inputs. Raises `UsageError` where they
        declare two, or what is computed or drawn is given contents."""
        ranges: dict[str, Ends] = {}
        contents = {name: tensor.storage.elements for name, tensor in self._given.items()}
        for name, tensor in self._parameters().items():
            role = pairing.roles[name]
            if role.part in (ArgumentKind.SAVED, ArgumentKind.INCOMING) and tensor.storage.elements is not None:
                what = (
                    "what the forward kernel leaves"
                    if role.part is ArgumentKind.SAVED
                    else "an incoming gradient, and random"
                )
                raise UsageError(f"{name} is {what}: it has no contents of a file")
            if role.part is not ArgumentKind.INPUT:
                continue
            known = list(self._given)[role.position]
            both = (known, self._given[known]), (name, tensor)
            contents[known] = common_contents(*both, pairing.one_sided)
            ends = None if contents[known] is not None else common_range(*both, pairing.one_sided)
            if ends is not None:
                ranges[known] = ends
        return ranges, {name: array for name, array in contents.items() if array is not None}

    def _gradients(self, second: AskedKernel) -> list[Gradient]:
        assert self.pairing is not None
        inputs = self.pairing.inputs
        results = _results(second.outputs(), second.results(), self.backward.returned)
        if not results:
            raise UsageError("the backward kernel returns nothing and writes nothing")
        found = gradients_in(results, inputs, self._said, self.pairing.floats.__contains__)
        unused = set(self._said.gradients) - set(self.pairing.roles) - {name for one in results for name in one.names}
        unused |= set(self._said.values) - set(self.pairing.roles)
        if unused:
            names = (*self.pairing.roles, *(one.name for one in results))
            raise UsageError(f"the backward kernel has no {', '.join(sorted(unused))}, but {', '.join(names)}")
        return [
            Gradient(result.name, inputs[position].name, position, by_name)
            for result, (position, by_name) in zip(results, found, strict=True)
        ]


def _results(
    outputs: Sequence[tuple[str, Tensor]], results: Sequence[tuple[str, Tensor]], returned: Sequence[str]
) -> list[KnownTensor]:
    """The tensors that a kernel leaves, by names in its `return`, keys of what it returns, or arguments."""
    names = list(returned) if len(returned) == len(results) else [""] * len(results)
    names += [""] * (len(outputs) - len(results))
    found = []
    for (path, tensor), name in zip(outputs, names, strict=True):
        known = (name, path, path.removeprefix("result_"))
        found.append(KnownTensor(tuple(dict.fromkeys(filter(None, known))), _shape(tensor)))
    return found


def _drawn(numbers: Floats | Pieces, draw: Draw, what: str, name: str, tensor: Tensor, ends: Ends | None) -> Array:
    """Numbers of a tensor (lanes, *shape), the same floats in all kinds of numbers."""
    floats = draw.floats(what, name, tensor, ends)
    if isinstance(numbers, Floats):
        return numbers.read(numbers.entered(floats, tensor.dtype), tensor.dtype)
    if tensor.dtype.is_integer:
        return numbers.entered(floats, tensor.dtype)
    return numbers.joined(draw.exact(what, name, tensor, numbers.exactly), floats[None])


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(map(int, tensor.shape))
