"""The functions of generated stubs: a documented signature that calls what the registry has under its name."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.model.access import MaskedOperand
from nkiverify.model.contracts import LegacyRules, claim_version, require
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.model.dependence import Link
from nkiverify.model.following import following
from nkiverify.model.launch import Kernel, on_arrays
from nkiverify.model.legacy_tensor import given_mask, legacy_view
from nkiverify.model.operation import OPERATOR_PARAMETERS, issued
from nkiverify.model.operators import OPERATORS, legacy_operator, operator, token
from nkiverify.model.recording import Recorder
from nkiverify.model.registry import MODULES, Declaration, declaration
from nkiverify.model.tensor import Tensor, claim_bounds, declared_dtype
from nkiverify.symbolic.execution import unsupported

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_ARRAY = of_numpy(lambda: (np.ndarray,))
#: Reductions of the legacy API that stand for the operators they reduce with.
_REDUCING = {"sum": "add", "max": "maximum", "min": "minimum", "prod": "multiply"}
_PREFIXES = {module: prefix for prefix, modules in MODULES.items() for module in modules.values()}


def stub(signature: FunctionT) -> FunctionT:
    """The function that `signature`, in a generated module, documents: it calls what is declared.

    It takes the documented arguments and no others: any other keyword breaks "isa.kwargs_checked". Operators and masks
    reach what is declared as the model has them.
    """
    module, name = signature.__module__, signature.__name__
    legacy = module.startswith("neuronxcc")
    result = functools.wraps(signature)(_Call.function(f"{_PREFIXES[module]}.{name}", legacy, signature))
    if _PREFIXES[module] == "nl":
        named = _REDUCING.get(name, name) if legacy else name
        if named in OPERATORS:
            return token(result, named)  # type: ignore[return-value]
    return result  # type: ignore[return-value]


class _Work:
    """The work of one stub, prepared when it is asked for first: that is no state of the kernel that asks."""

    __slots__ = ("_prepare", "_prepared")

    def __init__(self, prepare: Callable[[], _Call]) -> None:
        self._prepare = prepare
        self._prepared: _Call | None = None

    def prepared(self) -> _Call:
        """The work; the same each time."""
        if self._prepared is None:
            self._prepared = self._prepare()
        return self._prepared


class _Call:
    """The work of one stub: check the keywords, convert operators and masks, state the contracts, record."""

    def __init__(self, declared: Declaration, legacy: bool, signature: Callable[..., Any]) -> None:
        api = "neuronxcc" if legacy else "nki"
        if api in declared.refusals:
            raise unsupported(f"{signature.__module__}.{signature.__name__}: {declared.refusals[api]}")
        does = declared.functions[api]
        self._states = following(does, declared)
        self._does = does
        self._module = signature.__module__
        self._legacy = legacy
        self._name = declared.short_name
        self._of_arrays = declared.of_arrays
        self._issues = declared.name.startswith("nisa.") and not legacy and not declared.host
        parameters = inspect.signature(signature).parameters
        self._open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        named = frozenset(name for name, each in parameters.items() if each.kind is not each.VAR_KEYWORD)
        self._allowed = named | (declared.tolerates if legacy else frozenset())
        self._redundant = declared.redundant
        self._since = "" if legacy else declared.since
        self._first = next(iter(parameters), "")
        self._converters = _converters(parameters, legacy)
        self._recorder = None if declared.host else Recorder(declared, parameters, legacy)
        self._stating = self._stating_function()
        self._rules = LegacyRules() if legacy else None
        operands = declared.dependence.operands if legacy and declared.dependence is not None else {}
        #: The position and the name of the operand of a product whose columns are those of the result.
        self._moving = next(
            ((at, name) for at, name in enumerate(parameters) if operands.get(name) is Link.MOVING), None
        )

    @classmethod
    def function(cls, name: str, legacy: bool, signature: Callable[..., Any]) -> types.FunctionType:
        """The stub. What it needs is imported and made when it is called first: a kernel calls few of all that there
        are."""
        work = _Work(lambda: cls(declaration(name), legacy, signature))

        def call(*args: Any, **kwargs: Any) -> Any:
            self = work.prepared()
            if execution_in_progress() is None and any(isinstance(value, _ARRAY) for value in args):
                return self._on_arrays(call, args, kwargs)
            if self._moving is not None:
                kwargs = self._with_mask_of_columns(args, kwargs)
            if self._since:
                claim_version(f"{self._module}.{self._name}", self._since)
            if kwargs and not self._allowed.issuperset(kwargs):
                kwargs = self._documented(args, kwargs)
            if self._rules is None:
                result = self._stating(*args, **kwargs)
            else:
                with self._rules:
                    result = self._stating(*args, **kwargs)
            if result is None and self._issues:
                result = issued(current_execution().model.body)
            if self._recorder is not None and current_execution().records:
                self._recorder.record(args, kwargs, result)
            return result

        return call  # type: ignore[return-value]

    def _on_arrays(self, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of the function outside a kernel: for arrays of the host, or for tiles in SBUF that hold them."""
        if self._of_arrays is not None:
            return self._of_arrays(*args, **kwargs)
        view = legacy_view if self._legacy else lambda tensor: tensor
        return on_arrays(Kernel(call, legacy=self._legacy, argument_view=view, helper=True), args, kwargs)

    def _stating_function(self) -> types.FunctionType:
        """The function that states the contracts: executed in the documented module, by its name, which claims are said
        to be of."""

        def states(*args: Any, **kwargs: Any) -> Any:
            for name, position, convert in self._converters:
                if name in kwargs:
                    kwargs[name] = convert(kwargs[name])
                elif position < len(args):
                    args = (*args[:position], convert(args[position]), *args[position + 1 :])
            claim_bounds(*args, *kwargs.values())
            try:
                return self._states(*args, **kwargs)
            except TypeError:
                self._check_arguments(args, kwargs)
                raise

        code = states.__code__.replace(co_name=self._name)
        return types.FunctionType(code, {**globals(), "__name__": self._module}, self._name, None, states.__closure__)

    def _with_mask_of_columns(self, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments of a product, its mask with the columns that one of its moving operand leaves."""
        assert self._moving is not None
        at, name = self._moving
        moving = args[at] if at < len(args) else given.get(name)
        for operand in (*args, *given.values()):
            columns = operand.columns if isinstance(operand, MaskedOperand) else None
            if columns is not None:
                if operand is not moving:
                    raise unsupported("a mask of the free elements of an operand that is not the moving one")
                mask = given_mask(given.get("mask"))
                given = {**given, "mask": columns if mask is None else mask & columns}
        return given

    def _check_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise `TypeError` where there are too few arguments, or too many: Python did, but of the model's function."""
        try:
            inspect.signature(self._does).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}(): {error}") from None

    def _documented(self, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
        """The documented ones of the keyword arguments `given`; that there are others is a broken contract."""
        if self._open_ended and isinstance(given.get("name"), str):
            # Published kernels name instructions so, for the profiler.
            given = {name: value for name, value in given.items() if name != "name"}
        unknown = ", ".join(sorted(set(given) - self._allowed - self._taken_as_redundant(args, given)))
        if unknown and self._open_ended:
            # The legacy API documents `**kwargs` without a word.
            raise unsupported(f"the undocumented argument {unknown} of {self._name}")
        if unknown:
            require("isa.kwargs_checked", False, function=self._name, unknown=unknown)
        return {name: value for name, value in given.items() if name in self._allowed}

    def _taken_as_redundant(self, args: tuple[Any, ...], given: dict[str, Any]) -> set[str]:
        """Keywords that are not documented and leave the result to `dst`: each breaks a contested contract."""
        dst = args[0] if args and self._first == "dst" else given.get("dst")
        found = set()
        for name, rule in self._redundant.items() if not self._legacy else ():
            if name in given and isinstance(dst, Tensor):
                require(rule, False, dtype=declared_dtype(given[name], dst.dtype), dst=dst.dtype)
                found.add(name)
        return found


def _converters(
    parameters: Mapping[str, inspect.Parameter], legacy: bool
) -> list[tuple[str, int, Callable[[Any], Any]]]:
    """The conversion of arguments before the model sees them, by name and position."""
    named = legacy_operator if legacy else operator
    found: list[tuple[str, int, Callable[[Any], Any]]] = []
    for at, (name, parameter) in enumerate(parameters.items()):
        if name in OPERATOR_PARAMETERS:
            found.append((name, at, _optional(named) if parameter.default is None else named))
        elif legacy and name == "mask":
            found.append((name, at, given_mask))
    return found


def _optional(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)
