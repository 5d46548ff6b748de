"""Attributes that kernel code reads and writes, where that would tell a symbolic value from the one it stands for, or
change something a snapshot does not hold."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from nkiverify.frontend import refused
from nkiverify.frontend.explorer import SymbolicExecution
from nkiverify.frontend.holders import LABELS, is_watched
from nkiverify.frontend.host_integers import method
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.placeholders import get_attribute, has_attribute
from nkiverify.frontend.ranges import SymRange
from nkiverify.frontend.symbolic_text import SymText
from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic.conditions import Condition
from nkiverify.symbolic.execution import execution_in_progress, unsupported
from nkiverify.symbolic.integers import SymInt
from nkiverify.symbolic.lists import SymList
from nkiverify.symbolic.rationals import SymRational

#: Classes of symbolic values, and what they stand for.
STAND_INS: dict[type, type] = {
    SymInt: int,
    SymList: list,
    SymRational: float,
    Condition: bool,
    SymText: str,
    SymRange: range,
}

#: Values that are made again where one of a list made in a loop is read, and that nobody can change.
COPIED = (Tensor, tuple, slice)

#: The documented attributes of NKI's objects, by class; ours have more.
DOCUMENTED_ATTRIBUTES: dict[type, frozenset[str]] = {
    NkiTensor: frozenset(
        [
            "ap",
            "broadcast",
            "buffer",
            "dtype",
            "expand_dim",
            "flatten_dims",
            "get_pattern",
            "indirect",
            "is_contiguous",
            "is_indirect",
            "name",
            "ndim",
            "offset",
            "permute",
            "rearrange",
            "reinterpret_cast",
            "reshape",
            "reshape_dim",
            "select",
            "shape",
            "size",
            "slice",
            "squeeze_dim",
            "strides",
            "vector_select",
            "view",
        ]
    ),
    LegacyTensor: frozenset(
        [
            "assert_shape",
            "astype",
            "broadcast_to",
            "dtype",
            "expand_dims",
            "itemsize",
            "ndim",
            "reshape",
            "shape",
            "view",
        ]
    ),
    VirtualRegister: frozenset(),
}

#: Attributes that no document names, and published kernels read.
_ATTESTED: dict[type, frozenset[str]] = {NkiTensor: frozenset(["base_tensor"])}

#: What modules of the stubs import for themselves, as far as kernel code could take it for a name of NKI.
_IMPORTED_BY_STUBS = frozenset(["annotations", "np", "stub"])

#: Attributes that values of ours have, and what a kernel takes them for has not.
OWN_NAMES = (
    frozenset(
        name
        for ours, theirs in STAND_INS.items()
        for name in {*dir(ours), *getattr(ours, "__slots__", ())} - set(dir(theirs))
        if not name.startswith("__")
    )
    | {
        name
        for ours, documented in DOCUMENTED_ATTRIBUTES.items()
        for name in set(dir(ours)) - documented - _ATTESTED.get(ours, frozenset())
        if not name.startswith("__")
    }
    | _IMPORTED_BY_STUBS
)


def stands_for(value: object) -> type | None:
    """The built-in class whose place the symbolic `value` takes; None for any other value."""
    return STAND_INS.get(type(value))


def lacks(value: object, name: str) -> bool:
    """True if `name` is an attribute of ours that the value a symbolic one stands for does not have."""
    kind = stands_for(value)
    return kind is not None and not hasattr(kind, name)


def read(value: Any, name: str) -> Any:
    """`value.name`, where that is the name of an attribute of ours."""
    if lacks(value, name):
        raise no_attribute(value, name)
    _refuse_undocumented(value, name)
    return getattr(value, name)


def _refuse_undocumented(value: object, name: str) -> None:
    """Refuse an attribute that an object of NKI has here only."""
    if not isinstance(execution_in_progress(), SymbolicExecution):
        return
    if isinstance(value, types.ModuleType):
        public = getattr(value, "__all__", None)
        if value.__name__.partition(".")[0] in STUB_PACKAGES and public is not None and name not in public:
            shown = vars(value).get(name)
            if shown is not None and not isinstance(shown, types.ModuleType):
                raise unsupported(f"{value.__name__}.{name}, which is not documented")
        return
    documented = DOCUMENTED_ATTRIBUTES.get(type(value))
    if name in _ATTESTED.get(type(value), ()):
        return
    if documented is not None and name not in documented and not name.startswith("__"):
        raise unsupported(f"the attribute `{name}` of a {type(value).__name__}, which is not documented")


def no_attribute(value: object, name: str) -> AttributeError:
    """The exception of Python where the value that `value` stands for has no such attribute."""
    kind = stands_for(value)
    assert kind is not None
    return AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")


def storing(value: Any, name: str) -> Any:
    """`value`, an attribute of which is about to be assigned or deleted: it must be one whose state is compared."""
    run = execution_in_progress()
    if not isinstance(run, SymbolicExecution):
        return value
    if stands_for(value) is not None:
        raise no_attribute(value, name)
    # No snapshot in a loop has the labels of functions.
    labelled = isinstance(value, types.FunctionType | type) and name in LABELS and run.open_loops
    refused.storing(value, name, own=is_watched(value) and not labelled)
    return value


def sym_setattr(value: Any, name: str, part: Any) -> None:
    """`setattr`."""
    setattr(storing(value, name), name, part)


def sym_delattr(value: Any, name: str) -> None:
    """`delattr`."""
    delattr(storing(value, name), name)


def sym_hasattr(value: Any, name: str) -> bool:
    """`hasattr`."""
    if lacks(value, name) or not has_attribute(value, name):
        return False
    if name in OWN_NAMES:
        _refuse_undocumented(value, name)
    return True


def sym_getattr(value: Any, name: str, *default: Any) -> Any:
    """`getattr`."""
    if lacks(value, name):
        if default:
            return default[0]
        raise no_attribute(value, name)
    if name in OWN_NAMES and hasattr(value, name):
        _refuse_undocumented(value, name)
    if name in refused.ATTRIBUTES and (not default or hasattr(value, name)):
        return method(refused.reading(value, name))
    return method(get_attribute(value, name, *default))


def sym_id(value: Any) -> int:
    """`id`: of a symbolic value it would be that of a term, of which equal ones are one object."""
    if stands_for(value) is not None and not isinstance(value, SymList):
        raise unsupported(f"id() of a symbolic {STAND_INS[type(value)].__name__}")
    run = execution_in_progress()
    if isinstance(run, SymbolicExecution) and (isinstance(value, COPIED) or run.is_copy(value)):
        raise unsupported(f"id() of a {type(value).__name__}")
    return id(value)


def sym_dir(*values: Any) -> list[str]:
    """`dir`."""
    if not values:
        raise unsupported("dir() in a kernel")
    return dir(stands_for(values[0]) or values[0])


def assigner(function: Any) -> Callable[..., Any]:
    """`function`, the `__setattr__` or `__delattr__` of a built-in class, or of an object."""

    def assign(*arguments: Any) -> Any:
        storing(*(arguments if owner is function else (owner, *arguments))[:2])
        return function(*arguments)

    owner = getattr(function, "__self__", function)
    return assign
