"""What every stub function has in common: it takes the documented arguments and no others."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

from nkiverify.model.access import Access
from nkiverify.model.contents import overwritten, tracked
from nkiverify.model.contracts import legacy_rules, require
from nkiverify.model.execution import current_execution
from nkiverify.model.extents import is_sequence
from nkiverify.model.operation import WRITTEN
from nkiverify.model.recording import Recorder
from nkiverify.model.registry import declaration
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.execution import unsupported

#: How operations are called: by the documentation's short names of the modules.
_PREFIXES = {"isa": "nisa", "language": "nl", "collectives": "ncc"}

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def documented(function: FunctionT) -> FunctionT:
    """A stub function whose parameters are the documented ones; any other keyword breaks "isa.kwargs_checked"."""
    allowed = frozenset(inspect.signature(function).parameters)
    recorder = _recorder(function)
    execute = forgetting(function, makes_result=recorder is not None)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not allowed.issuperset(kwargs):
            kwargs = _without_unknown(function, allowed, kwargs)
        result = execute(*args, **kwargs)
        if recorder is not None and current_execution().records:
            recorder.record(args, kwargs, result)
        return result

    return call  # type: ignore[return-value]


def _recorder(function: Callable[..., Any]) -> Recorder | None:
    """What records the calls of `function` as operations; None where it only computes on the host."""
    package = function.__module__.split(".")
    prefix = next((_PREFIXES[part] for part in package if part in _PREFIXES), "nki")
    declared = declaration(f"{prefix}.{function.__name__}")
    if declared.host:
        return None
    return Recorder(declared, inspect.signature(function).parameters, package[0] == "neuronxcc")


def forgetting(function: Callable[..., Any], *, makes_result: bool) -> Callable[..., Any]:
    """`function`, after which the numbers are unknown in all that it writes without saying what: in its operands and,
    where it `makes_result`, in the tile it returns."""
    names = tuple(inspect.signature(function).parameters)
    written = tuple((position, name) for position, name in enumerate(names) if name in WRITTEN)
    if not written and not makes_result:
        return function

    def execute(*args: Any, **kwargs: Any) -> Any:
        operands = [
            operand
            for position, name in written
            for operand in _integers(args[position] if position < len(args) else kwargs.get(name))
        ]
        model = current_execution().model
        before = [model.read(operand.storage) for operand in operands]
        result = function(*args, **kwargs)
        for operand, value in zip(operands, before, strict=True):
            if model.read(operand.storage) is value:
                overwritten(operand)
        if makes_result and isinstance(result, Tensor) and model.read(result.storage) is None:
            overwritten(result)
        return result

    return execute


def _integers(value: Any) -> Iterator[Tensor]:
    """The tensors of integers among the views, or sequences of them, given for a parameter."""
    if isinstance(value, Access):
        value = value.tensor
    if isinstance(value, Tensor):
        if tracked(value.storage):
            yield value
    elif is_sequence(value):
        for part in value:
            yield from _integers(part)


def renamed(function: FunctionT, name: str, documentation: str) -> FunctionT:
    """`function` under the name it is documented by, also in tracebacks and messages: one of a family made alike."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = documentation
    function.__code__ = function.__code__.replace(co_name=name)
    return function


def _without_unknown(function: Callable[..., Any], allowed: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """The documented ones of the keyword arguments `given`; that there are others is a broken contract."""
    unknown = ", ".join(sorted(set(given) - set(allowed)))
    require("isa.kwargs_checked", False, function=function.__name__, unknown=unknown)
    return {name: value for name, value in given.items() if name in allowed}


def legacy_documented(function: FunctionT) -> FunctionT:
    """A stub function of the legacy API: it documents `**kwargs` without a word, so no keyword there is understood but
    `name`, a string."""
    parameters = inspect.signature(function).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    allowed = frozenset(name for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_KEYWORD)
    recorder = _recorder(function)
    execute = forgetting(function, makes_result=recorder is not None)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not allowed.issuperset(kwargs):
            if open_ended and isinstance(kwargs.get("name"), str):
                # Published kernels name instructions so, for the profiler.
                kwargs = {name: value for name, value in kwargs.items() if name != "name"}
            unknown = ", ".join(sorted(set(kwargs) - allowed))
            if unknown and open_ended:
                raise unsupported(f"the undocumented argument {unknown} of {function.__name__}")
            if unknown:
                kwargs = _without_unknown(function, allowed, kwargs)
        with legacy_rules():
            result = execute(*args, **kwargs)
        if recorder is not None and current_execution().records:
            recorder.record(args, kwargs, result)
        return result

    return call  # type: ignore[return-value]


def unmodelled(reason: str) -> Callable[[FunctionT], FunctionT]:
    """A documented function without a model, and why: it can be looked up and passed around, but not called."""

    def refusing(function: FunctionT) -> FunctionT:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> NoReturn:
            name = f"{function.__module__.removesuffix('._unmodelled')}.{function.__name__}"
            raise unsupported(f"{name}: {reason}")

        call.reason = reason  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return refusing
