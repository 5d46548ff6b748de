"""Gradients among the arguments and results of a backward kernel, and what they are of, by names and order."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError

#: `dx`, `d_x`, `grad_x`, `g_x`; `x_grad`, `x_bar`.
_GRADIENT = (re.compile(r"(?:grad_|d_|g_|d)(\w+)"), re.compile(r"(\w+?)_(?:grad|bar)"))


@dataclass(frozen=True, slots=True)
class KnownTensor:
    """A tensor of either kernel: the names that it goes by, the one to show first, and its shape."""

    names: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name to show."""
        return self.names[0]

    def __str__(self) -> str:
        return f"{self.name} {list(self.shape)}"


class ArgumentKind(enum.Enum):
    """The kinds of arguments of a backward kernel."""

    #: An argument of the forward kernel.
    INPUT = "is"
    #: A result of it.
    SAVED = "is the result"
    #: The gradient of a result.
    INCOMING = "is the gradient of"
    #: A gradient that the kernel is to write.
    OWN = "is where the gradient is written of"


@dataclass(frozen=True, slots=True)
class Role:
    """The part of an argument, by the position of the forward kernel's argument or result; whether its name said so."""

    part: ArgumentKind
    position: int
    by_name: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """The words of the user: which gradients belong to what, and which arguments are the values of what."""

    gradients: Mapping[str, str]
    values: Mapping[str, str]


def _bases(name: str) -> list[str]:
    """The names of tensors that one of this name may be the gradient of."""
    return [found[1] for pattern in _GRADIENT if (found := pattern.fullmatch(name))]


def _named(wanted: Iterable[str], among: Sequence[KnownTensor]) -> int | None:
    """The position of the first one with one of the names; capitals make no difference where nothing else fits."""
    names = list(wanted)
    for form in (str, str.lower):
        for position, known in enumerate(among):
            if {form(name) for name in names} & {form(name) for name in known.names}:
                return position
    return None


class Roles:
    """The roles of the arguments of a backward kernel."""

    def __init__(self, inputs: Sequence[KnownTensor], outputs: Sequence[KnownTensor], said: Said) -> None:
        self._inputs, self._outputs, self._said = inputs, outputs, said
        self.found: dict[str, Role] = {}

    def assign(self, parameters: Sequence[KnownTensor]) -> dict[str, Role]:
        """A role for each parameter. Raises `UsageError` where there is none, or shapes do not fit."""
        rules = (self._by_the_user, self._same_name, self._next_gradient, self._only_one_left, self._next_saved)
        for rule in rules:
            for parameter in parameters:
                if parameter.name not in self.found and (role := rule(parameter, parameters)) is not None:
                    self.found[parameter.name] = role
        for parameter in parameters:
            if parameter.name not in self.found:
                raise UsageError(
                    f"what is {parameter} of the backward kernel? --pair {parameter.name}=NAME: the gradient of a "
                    f"result ({_listed(self._outputs)}); --value {parameter.name}=NAME: the value of one, or of an "
                    f"argument ({_listed(self._inputs)})"
                )
            self._check(parameter, self.found[parameter.name])
        if not any(role.part is ArgumentKind.INCOMING for role in self.found.values()):
            raise UsageError(
                f"no argument of the backward kernel is the gradient of {_listed(self._outputs)}: say which, --pair "
                f"{parameters[-1].name if parameters else 'dy'}={self._outputs[0].name}"
            )
        return {parameter.name: self.found[parameter.name] for parameter in parameters}

    def _by_the_user(self, parameter: KnownTensor, parameters: Sequence[KnownTensor]) -> Role | None:
        for given, first, second in (
            (self._said.values, (self._inputs, ArgumentKind.INPUT), (self._outputs, ArgumentKind.SAVED)),
            (self._said.gradients, (self._outputs, ArgumentKind.INCOMING), (self._inputs, ArgumentKind.OWN)),
        ):
            wanted = given.get(parameter.name)
            if wanted is None:
                continue
            for among, part in (first, second):
                position = _named([wanted], among)
                if position is not None:
                    return Role(part, position)
            raise UsageError(
                f"{parameter.name}={wanted}: the forward kernel has no {wanted}; its arguments are "
                f"{_listed(self._inputs)}, its results {_listed(self._outputs)}"
            )
        return None

    def _same_name(self, parameter: KnownTensor, parameters: Sequence[KnownTensor]) -> Role | None:
        bases = _bases(parameter.name)
        for names, among, part in (
            (parameter.names, self._inputs, ArgumentKind.INPUT),
            (bases, self._outputs, ArgumentKind.INCOMING),
            (parameter.names, self._outputs, ArgumentKind.SAVED),
            (bases, self._inputs, ArgumentKind.OWN),
        ):
            position = _named(names, among)
            if position is not None and not (part is ArgumentKind.INCOMING and self._taken(part, position)):
                return Role(part, position)
        return None

    def _next_gradient(self, parameter: KnownTensor, parameters: Sequence[KnownTensor]) -> Role | None:
        """The gradient of the next result that has none yet, for what has the name of a gradient."""
        return self._next(parameter, ArgumentKind.INCOMING) if _bases(parameter.name) else None

    def _only_one_left(self, parameter: KnownTensor, parameters: Sequence[KnownTensor]) -> Role | None:
        """As long as no gradient is given: what alone is left is it."""
        given = any(role.part is ArgumentKind.INCOMING for role in self.found.values())
        left = [other for other in parameters if other.name not in self.found]
        return None if given or len(left) > 1 else self._next(parameter, ArgumentKind.INCOMING)

    def _next_saved(self, parameter: KnownTensor, parameters: Sequence[KnownTensor]) -> Role | None:
        """The next result of its size, where gradients are given."""
        given = any(role.part is ArgumentKind.INCOMING for role in self.found.values())
        return self._next(parameter, ArgumentKind.SAVED) if given else None

    def _next(self, parameter: KnownTensor, part: ArgumentKind) -> Role | None:
        for position, output in enumerate(self._outputs):
            if not self._taken(part, position) and prod(output.shape) == prod(parameter.shape):
                return Role(part, position, by_name=False)
        return None

    def _taken(self, part: ArgumentKind, position: int) -> bool:
        return any(role.part is part and role.position == position for role in self.found.values())

    def _check(self, parameter: KnownTensor, role: Role) -> None:
        among = self._inputs if role.part in (ArgumentKind.INPUT, ArgumentKind.OWN) else self._outputs
        known = among[role.position]
        if prod(known.shape) != prod(parameter.shape):
            raise UsageError(f"{parameter} {role.part.value} {known}: their numbers of elements differ")


def gradients_in(
    results: Sequence[KnownTensor], inputs: Sequence[KnownTensor], said: Said, wanted: Callable[[int], bool]
) -> list[tuple[int, bool]]:
    """For each result of a backward kernel the position of the input that it is the gradient of, and whether a name
    says so; `wanted` says which inputs can have one. Raises `UsageError` where one has none."""
    found: dict[int, tuple[int, bool]] = {}
    for number, result in enumerate(results):
        given = next((said.gradients[name] for name in result.names if name in said.gradients), None)
        names = [given] if given is not None else [base for name in result.names for base in _bases(name)]
        position = _named(names, inputs)
        if position is not None and position not in {taken for taken, _ in found.values()}:
            if not wanted(position):
                raise UsageError(f"{result.name}: {inputs[position].name} is no float argument, and has no gradient")
            found[number] = position, True
        elif given is not None:
            raise UsageError(f"{result.name}={given}: the forward kernel has no argument {given}: {_listed(inputs)}")
    for number, result in enumerate(results):
        if number in found:
            continue
        taken = {position for position, _ in found.values()}
        free = [place for place in range(len(inputs)) if place not in taken and wanted(place)]
        fitting = [place for place in free if prod(inputs[place].shape) == prod(result.shape)]
        if not fitting:
            raise UsageError(
                f"which argument of the forward kernel is {result} the gradient of? --pair {result.name}=NAME, one of "
                f"{_listed(inputs)}"
            )
        found[number] = fitting[0], False
    for number, (position, _) in found.items():
        if prod(inputs[position].shape) != prod(results[number].shape):
            raise UsageError(f"{results[number]} is no gradient of {inputs[position]}: numbers of elements differ")
    return [found[number] for number in range(len(results))]


def _listed(known: Iterable[KnownTensor]) -> str:
    return ", ".join(one.name for one in known) or "none"
