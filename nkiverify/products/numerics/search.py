"""Looking for inputs that show what ranges do not rule out: the ends of ranges, few extremes, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import numpy as np

from nkiverify.analysis.ranges.masked import OtherFills, tell_dependence
from nkiverify.analysis.ranges.range_findings import MASKED, RangeFindings
from nkiverify.analysis.ranges.range_run import WatchedElements, WatchedFloats
from nkiverify.analysis.values.number_formats import STORED, Array
from nkiverify.execute.runner import Source, start
from nkiverify.foundation.budget import NumericsBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.frontend.target import Verification
from nkiverify.model.dtypes import DTypeKind
from nkiverify.model.hardware import Hardware
from nkiverify.model.meaning import Numbers
from nkiverify.model.tensor import Storage
from nkiverify.products.numerics.numeric_trial import asked_range, entering

#: The elements of an argument in float64, given its range, its shape and a generator.
Kind = Callable[[float, float, tuple[int, ...], np.random.Generator], Array]


def _nearest(low: float, high: float, wanted: float) -> float:
    return min(max(wanted, low), high)


def _one_extreme(low: float, high: float, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    found = np.full(shape, low)
    found[..., random.integers(shape[-1])] = high
    return found


def _in_turns(low: float, high: float, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    return np.where(np.arange(int(np.prod(shape))).reshape(shape) % 2 == 0, high, low)


def _nearly_one(low: float, high: float, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Numbers that differ in their last bits: what is left of their differences is rounding."""
    middle = float(random.uniform(low / 2, high / 2) * 2)
    return np.clip(middle * (1 + random.uniform(-1, 1, shape) * 2.0**-20), low, high)


def _spread(low: float, high: float, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Numbers of all magnitudes."""
    size = max(abs(low), abs(high), 1e-300)
    found = random.choice([-1.0, 1.0], shape) * size * 10.0 ** -random.uniform(0, 12, shape)
    return np.clip(found, low, high)


#: By name: what all elements are, in the order in which they are tried.
_KINDS: dict[str, Kind] = {
    "the greatest": lambda low, high, shape, random: np.full(shape, high),
    "the least": lambda low, high, shape, random: np.full(shape, low),
    "0, or what is nearest to it,": lambda low, high, shape, random: np.full(shape, _nearest(low, high, 0.0)),
    "the greatest and the least in turns": _in_turns,
    "the least, with the greatest once in each row": _one_extreme,
    "1, or what is nearest to it,": lambda low, high, shape, random: np.full(shape, _nearest(low, high, 1.0)),
    "one of both ends by chance": lambda low, high, shape, random: random.choice([low, high], shape),
    "random numbers": lambda low, high, shape, random: random.uniform(low / 2, high / 2, shape) * 2,
    "numbers of random magnitude": _spread,
    "random numbers, nearly one,": _nearly_one,
}


def _by_rows(low: float, high: float, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Rows of all kinds: as many inputs as there are rows, where these go through a kernel apart."""
    if len(shape) < 2:
        return _spread(low, high, shape, random)
    kinds = list(_KINDS.values())[:-1]
    chosen = random.integers(len(kinds), size=shape[0])
    return np.stack([kinds[kind](low, high, shape[1:], random) for kind in chosen])


#: The kind of which each row has one of its own.
BY_ROWS = "random rows of all kinds"
_KINDS[BY_ROWS] = _by_rows


@dataclass(slots=True)
class Inputs:
    """One choice of inputs: what each argument holds, by its name, as it is filled."""

    kinds: tuple[str, ...]
    seed: int
    #: The words that describe an argument, by its name.
    said: dict[str, str]

    def fill(self, storage: Storage) -> Array:
        """The elements of an argument."""
        name = storage.name
        kind = self.kinds[len(self.said) % len(self.kinds)]
        random = np.random.default_rng((self.seed, len(self.said)))
        shape = tuple(map(int, storage.shape))
        if storage.dtype.kind in (DTypeKind.PACKED, DTypeKind.SCALE):
            self.said[name] = f"{name} = 0 everywhere"
            return np.zeros(shape)
        low, high = asked_range(storage)
        found = _KINDS[kind](low, high, shape, random)
        if storage.dtype.is_integer:
            found = np.clip(np.rint(found), low, high)
        else:
            found = found.astype(STORED[storage.dtype]).astype(np.float64)
        if found.size and (found == found.flat[0]).all():
            self.said[name] = f"{name} = {found.flat[0]:.9g} everywhere"
        else:
            seeded = f" (seed {self.seed})" if "random" in kind or "chance" in kind or "once" in kind else ""
            self.said[name] = f"{name} = {kind} of {low:.6g}..{high:.6g}{seeded}"
        return found

    def again(self) -> Inputs:
        """The same choice, for another run."""
        return Inputs(self.kinds, self.seed, {})

    def __str__(self) -> str:
        return "; ".join(self.said.values())


def inputs(mixed: int = NumericsBudget.MIXED_INPUTS, first: int = 0) -> Iterator[Inputs]:
    """Choices of inputs, the plainest first, and this many of mixed kinds; others for another `first` seed."""
    for seed, kind in enumerate(_KINDS):
        yield Inputs((kind,), first + seed, {})
    names = list(_KINDS)
    random = np.random.default_rng(first)
    for seed in range(mixed):
        kinds = tuple(names[number] for number in random.integers(len(names), size=4))
        yield Inputs(kinds, first + len(names) + seed, {})


def again(
    source: Source,
    call: Callable[[Verification], None],
    values: Mapping[str, int],
    hardware: Hardware,
    stop: tuple[str, str, int],
) -> None:
    """Call the kernel with inputs of its ranges until one breaks a contract at a file and line, as `ContractViolation`.

    Returns where none does.
    """

    def results(numbers: Numbers, findings: RangeFindings, choice: Inputs) -> list[Array]:
        elements = WatchedElements(numbers, findings, 1 << 60)
        elements.random, elements.results = np.random.default_rng(0), []
        elements.fill = entering(numbers, choice.fill)
        with suppress(UnsupportedConstruct):
            start(source, values, elements.execution(hardware), call, Verification)
        return elements.results

    for choice in inputs():
        findings = RangeFindings(stop=stop)
        found = results(WatchedFloats(findings), findings, choice)
        if stop[0] == MASKED:
            tell_dependence(found, results(OtherFills(), RangeFindings(), choice.again()), findings)
