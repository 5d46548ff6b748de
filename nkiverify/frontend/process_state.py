"""State that Python and its libraries keep for the whole process, where kernel code could change it.

No kernel should, and hardly any does. So a part is compared only where code of the kernel modules that are loaded
together has one of the names through which it is changed: that of others does not run next to it. What hardly any
kernel uses is imported only then."""

from __future__ import annotations

import abc
import gc
import opcode
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from itertools import chain
from operator import is_, methodcaller
from types import CodeType, FunctionType, ModuleType
from typing import Any

from nkiverify.foundation import late
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.symbolic.substitution import HEAP_TYPE


@dataclass(frozen=True, slots=True, eq=False)
class ProcessState:
    """One part: the names that code which changes it has, how to read it, as plain data, and how to put it back."""

    description: str
    names: frozenset[str]
    current: Callable[[], Any]
    put_back: Callable[[Any], object]

    def read(self) -> dict[str, bytes]:
        """The present state, as a snapshot holds it."""
        return {"": pickle.dumps(self.current())}

    def write(self, content: dict[str, bytes]) -> None:
        """Put it back."""
        self.put_back(pickle.loads(content[""]))

    def __str__(self) -> str:
        return self.description


@dataclass(slots=True)
class Named:
    """Names that the code of kernel modules has, which are loaded together, and what follows from them."""

    names: set[str] = field(default_factory=set)
    #: Whether there is an instruction that assigns an attribute.
    assigns: bool = False
    #: The parts that this code could change, as they were when the first name of theirs was met.
    met: dict[ProcessState, dict[str, bytes]] = field(default_factory=dict)

    def could_assign(self) -> bool:
        """True if this code could give attributes to objects that others see."""
        return self.assigns or not self.names.isdisjoint(_ASSIGNERS)


#: The names of the code that runs: none, where that of no kernel does.
_running = Named()
#: What parts hold that is no data, by its identity, which is compared.
_objects: dict[int, Any] = {}


@contextmanager
def running_code(named: Named) -> Iterator[None]:
    """No other kernel code runs within the block than that of these names, and what is registered in it; what other
    code has assigned to modules that all kernels see is taken back for so long."""
    global _running
    others = taken_back()
    before, _running = _running, named
    try:
        yield
    finally:
        _running = before
        assign(others)


def register_code(code: CodeType) -> None:
    """Note the names in `code`, before it is executed, and in the functions it makes."""
    pending = [code]
    while pending:
        part = pending.pop()
        _running.names.update(part.co_names)
        _running.assigns |= not _ASSIGNING.isdisjoint(part.co_code[::2])
        for constant in part.co_consts:
            if isinstance(constant, CodeType):
                pending.append(constant)
            elif isinstance(constant, str):
                # It may be the name of an attribute.
                _running.names.add(constant)
    _meet()


def register_name(name: str) -> None:
    """Note that the code that runs is about to use what has this name."""
    _running.names.add(name)
    _meet()


def _meet() -> None:
    """Read the parts whose first name has been noted."""
    met = [state for state in states_in_use() if state not in _running.met]
    if met:
        late.load()  # as NumPy registers classes, and sets filters of warnings
    _running.met.update((state, state.read()) for state in met)


def states_in_use() -> Iterator[ProcessState]:
    """The parts that the code that runs could change."""
    return (state for state in _STATES if not _running.names.isdisjoint(state.names))


def present() -> dict[ProcessState, dict[str, bytes]]:
    """The parts that the code that runs could change, as they are."""
    return {state: state.read() for state in states_in_use()}


def put_back(parts: Mapping[ProcessState, dict[str, bytes]]) -> dict[ProcessState, dict[str, bytes]]:
    """Make the process as it was when these parts were read, those of them that can be put back, and others as when
    they were met; what it held instead."""
    found = {}
    for state, now in present().items():
        before = parts.get(state, _running.met[state])
        if now != before and state.put_back is not _cannot:
            found[state] = now
            state.write(before)
    return found


def _state(description: str, names: str, current: Callable[[], Any], put_back: Callable[[Any], object]) -> ProcessState:
    return ProcessState(description, frozenset(names.split()), current, put_back)


def _put_back_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _put_back_path(before: list[str]) -> None:
    sys.path[:] = before


def _loggers() -> dict[str, tuple[int, bool, bool, int]]:
    import logging

    known = [(name, entry) for name, entry in logging.root.manager.loggerDict.items() if hasattr(entry, "level")]
    return {
        name: (entry.level, entry.disabled, entry.propagate, len(entry.handlers))  # type: ignore[union-attr]
        for name, entry in [("", logging.root), *known]
    } | {"/disabled": (logging.root.manager.disable, False, False, 0)}


def _put_back_loggers(before: dict[str, tuple[int, bool, bool, int]]) -> None:
    import logging

    logging.disable(before.pop("/disabled")[0])
    for name, (level, disabled, propagate, handlers) in before.items():
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.disabled, logger.propagate = disabled, propagate
        del logger.handlers[handlers:]


def _decimal_context() -> dict[str, Any]:
    import decimal

    context = decimal.getcontext()
    flags = sorted(signal.__name__ for signal, raised in context.flags.items() if raised)
    return {"context": context.copy(), "flags": flags}


def _put_back_decimal_context(before: dict[str, Any]) -> None:
    import decimal

    decimal.setcontext(before["context"])


def _random_numbers() -> object:
    import random

    return random.getstate()


def _put_back_random_numbers(before: Any) -> None:
    import random

    random.setstate(before)


def _noted(found: Iterable[Any]) -> list[int]:
    """The identities of objects, which are kept so that they can be put back."""
    listed = list(found)
    _objects.update((id(one), one) for one in listed)
    return list(map(id, listed))


def _collection() -> object:
    return gc.isenabled(), gc.get_threshold(), _noted(gc.callbacks)


def _put_back_collection(before: Any) -> None:
    enabled, threshold, callbacks = before
    gc.callbacks[:] = map(_objects.__getitem__, callbacks)
    gc.set_threshold(*threshold)
    (gc.enable if enabled else gc.disable)()


def _put_back_filters(before: list[int]) -> None:
    warnings.filters[:] = map(_objects.__getitem__, before)  # type: ignore[index]
    with warnings.catch_warnings():  # which has modules forget what they have warned of
        pass


def _printing() -> dict[str, Any]:
    return {name: part if type(part) in _DATA else _noted([part]) for name, part in np.get_printoptions().items()}


_DATA = (bool, int, str, type(None))


def _put_back_printing(before: dict[str, Any]) -> None:
    parts = {name: _objects[part[0]] if isinstance(part, list) else part for name, part in before.items()}
    np.set_printoptions(**parts)


_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


def _signals() -> object:
    numbers = sorted(map(int, signal.valid_signals()))
    blocked = sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    running = [timer for timer in _TIMERS if signal.getitimer(timer)[0]]
    return list(zip(numbers, _noted(map(signal.getsignal, numbers)), strict=True)), blocked, running


def _put_back_signals(before: Any) -> None:
    handlers, blocked, running = before
    for timer in _TIMERS:
        if timer not in running:
            signal.setitimer(timer, 0)
    for number, handler in handlers:
        if signal.getsignal(number) is not _objects[handler]:
            signal.signal(number, _objects[handler])
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


#: Modules that the import system has put into `sys.modules`, but our own, which come and go while kernels are loaded.
_imported: dict[str, ModuleType] = {}
#: Modules that are out of `sys.modules` while a kernel has its own of the same names, space within space: they are
#: neither gone nor put back.
_hidden: list[Mapping[str, ModuleType]] = []


@contextmanager
def hidden(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Within the block, `modules` are not in `sys.modules`."""
    for name in modules:
        del sys.modules[name]
    _hidden.append(modules)
    try:
        yield
    finally:
        sys.modules.update(_hidden.pop())


def _import_system() -> object:
    """Finders, hooks, and what is in `sys.modules` otherwise than by importing it: 0 where what was imported is gone.

    An import is none: our own code imports as late as it can, also while a kernel is in a loop.
    """
    others = {}
    for name, module in sys.modules.items():
        if _imported.get(name, _NONE) is module or _is_of_kernels(name, module):
            continue
        if name not in _imported and _is_imported(name, module):
            _imported[name] = module
        else:
            others[name] = module
    finders = [finder for finder in sys.meta_path if not _is_ours(finder)]
    gone = dict.fromkeys(sorted(_imported.keys() - sys.modules.keys() - set().union(*_hidden)), 0)
    return _noted(finders), _noted(sys.path_hooks), {**dict(zip(others, _noted(others.values()), strict=True)), **gone}


def _put_back_import_system(before: Any) -> None:
    finders, hooks, others = before
    sys.meta_path[:] = [*filter(_is_ours, sys.meta_path), *map(_objects.__getitem__, finders)]
    sys.path_hooks[:] = map(_objects.__getitem__, hooks)
    for name in [name for name, module in sys.modules.items() if name not in others and _is_made(name, module)]:
        del sys.modules[name]
    out = set().union(*_hidden)
    sys.modules.update({name: module for name, module in _imported.items() if name not in out})
    for name, module in others.items():
        if module:
            sys.modules[name] = _objects[module]
        else:
            sys.modules.pop(name, None)


def _is_made(name: str, module: object) -> bool:
    """True of what kernel code has put into `sys.modules`: the import system has not, nor do we."""
    return not (_is_of_kernels(name, module) or _is_imported(name, module) or _imported.get(name, _NONE) is module)


def _is_imported(name: str, module: object) -> bool:
    spec = getattr(module, "__spec__", None) if type(module) is ModuleType else None
    return spec is not None and spec.name == name and not getattr(spec, "_initializing", False)


def _is_ours(finder: object) -> bool:
    return type(finder).__module__.startswith("nkiverify.")


def _is_of_kernels(name: str, module: object) -> bool:
    ours = type(module) is not ModuleType and type(module).__module__.startswith("nkiverify.")
    return ours or name.partition(".")[0] in STUB_PACKAGES or KERNEL_MARKER in getattr(module, "__dict__", ())


def _locale() -> str:
    import locale

    return locale.setlocale(locale.LC_ALL)


def _put_back_locale(before: str) -> None:
    import locale

    locale.setlocale(locale.LC_ALL, before)


def _digits() -> int:
    return sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else 0


def _put_back_digits(before: int) -> None:
    sys.set_int_max_str_digits(before)


def _cannot(before: object) -> None:
    """Leave it: the run ends in UNKNOWN."""
    raise AttributeError("cannot be put back")


_STATES = (
    _state("the environment", "environ environb putenv unsetenv", lambda: dict(os.environ), _put_back_environment),
    _state("the working directory", "chdir fchdir", os.getcwd, os.chdir),
    _state("the recursion limit", "setrecursionlimit", sys.getrecursionlimit, sys.setrecursionlimit),
    _state("the digits of a number as text", "set_int_max_str_digits", _digits, _put_back_digits),
    _state("the interval of threads", "setswitchinterval", sys.getswitchinterval, sys.setswitchinterval),
    _state("the import path", "path", lambda: list(sys.path), _put_back_path),
    _state("the import system", "meta_path path_hooks modules", _import_system, _put_back_import_system),
    _state("the garbage collector", "gc", _collection, _put_back_collection),
    _state("the signals", "signal setitimer alarm pthread_sigmask", _signals, _put_back_signals),
    _state("the locale", "setlocale", _locale, _put_back_locale),
    _state(
        "the filters of warnings",
        "filters simplefilter filterwarnings resetwarnings catch_warnings",
        lambda: _noted(warnings.filters),
        _put_back_filters,
    ),
    _state("the registered classes", "register", abc.get_cache_token, _cannot),
    _state("the loggers", "setLevel addHandler removeHandler disable basicConfig", _loggers, _put_back_loggers),
    _state(
        "the context of decimal numbers",
        "decimal getcontext setcontext localcontext Decimal",
        _decimal_context,
        _put_back_decimal_context,
    ),
    _state("the random numbers of Python", "random", _random_numbers, _put_back_random_numbers),
    _state(
        "the random numbers of NumPy",
        "random",
        lambda: np.random.get_state(),  # as late as this: NumPy loads the module when it is asked for
        lambda before: np.random.set_state(before),
    ),
    _state("how NumPy prints", "set_printoptions printoptions", _printing, _put_back_printing),
    _state(
        "how NumPy treats errors", "seterr errstate seterrcall", lambda: np.geterr(), lambda before: np.seterr(**before)
    ),
)


# --- attributes of what all kernels are shown -------------------------------------------------------------------------

#: Instructions that assign attributes, and names of what else does.
_ASSIGNING = frozenset(opcode.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR"))
_ASSIGNERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__", "__dict__", "vars"})
_NONE: Any = object()
#: The flags of a class that attributes can be assigned to: made at run time, and not immutable.
_CHANGEABLE = HEAP_TYPE | 1 << 8

#: Attributes that owners have of themselves, by the identity of the owner.
_Attributes = dict[int, tuple[Any, dict[str, Any]]]
#: Modules of ours that kernels of several files are shown; and what is in those of NKI, and the classes and functions
#: in those of libraries.
_shown: _Attributes = {}
_inside: _Attributes = {}
#: Of each of the two, once it is compared: the owners; the names of the attributes that each has of itself; and the
#: values of all, one owner's behind the other's.
_together: dict[int, tuple[list[Any], list[tuple[str, ...]], list[Any]]] = {}
_VALUES = methodcaller("values")


def _note(noted: _Attributes, owner: Any) -> None:
    """The attributes of an owner are these from now on."""
    noted[id(owner)] = (owner, dict(vars(owner)))
    _together.pop(id(noted), None)


def _changed(noted: _Attributes) -> list[tuple[Any, dict[str, Any]]]:
    """Those whose attributes are others than they were, or in another order: several times a run, and hardly ever any,
    so all are compared at once."""
    if id(noted) not in _together:
        parts = noted.values()
        values = [value for _, own in parts for value in own.values()]
        _together[id(noted)] = ([owner for owner, _ in parts], [tuple(own) for _, own in parts], values)
    owners, names, before = _together[id(noted)]
    now = list(map(vars, owners))
    if list(map(tuple, now)) == names and all(map(is_, chain.from_iterable(map(_VALUES, now)), before)):
        return []
    return [one for one in noted.values() if _differs(*one)]


def _differs(owner: Any, own: dict[str, Any]) -> bool:
    now = vars(owner)
    return list(now) != list(own) or not all(map(is_, now.values(), own.values()))


@dataclass(frozen=True, slots=True)
class Assigned:
    """An attribute that kernel code has assigned to something other kernels see too; `value` is missing if deleted."""

    owner: Any
    name: str
    value: Any

    def assign(self) -> None:
        """Give it that value."""
        if self.value is _NONE:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, self.value)


def show(module: ModuleType, *, parts: bool = False) -> None:
    """Record a module before kernel code sees it; `parts`: the functions, classes and objects in it as well."""
    if id(module) not in _shown:
        _note(_shown, module)
    public = [value for name, value in vars(module).items() if parts and not name.startswith("_")]
    for value in public:
        for part in (value,) if isinstance(value, FunctionType | type) else (value, type(value)):
            if hasattr(part, "__dict__") and not isinstance(part, ModuleType) and id(part) not in _inside:
                _note(_inside, part)


def show_library(module: ModuleType) -> None:
    """Record the functions and classes of a library, and the methods of these, before kernel code sees them."""
    public = [value for name, value in vars(module).items() if not name.startswith("_")]
    classes = [value for value in public if isinstance(value, type) and value.__flags__ & _CHANGEABLE == HEAP_TYPE]
    methods = [value for one in classes for value in vars(one).values()]
    for part in [*classes, *(value for value in (*public, *methods) if type(value) is FunctionType)]:
        if id(part) not in _inside:
            _note(_inside, part)


def is_shown(module: ModuleType) -> bool:
    """True of a module that has been recorded so."""
    return id(module) in _shown


def taken_back() -> list[Assigned]:
    """The attributes assigned to shown modules and their parts, which are put back: other kernels must not see them."""
    found: list[Assigned] = []
    for noted in (_shown, _inside) if _running.could_assign() else (_shown,):
        for owner, own in _changed(noted):
            now = vars(owner)
            for name in [*now, *(name for name in own if name not in now)]:
                value, before = now.get(name, _NONE), own.get(name, _NONE)
                if value is before:
                    continue
                if type(value) is ModuleType and value.__name__ == f"{getattr(owner, '__name__', '')}.{name}":
                    own[name] = value  # the import system put it there
                    continue
                found.append(Assigned(owner, name, value))
                Assigned(owner, name, before).assign()
            if now.keys() == own.keys() and all(now[name] is value for name, value in own.items()):
                _note(noted, owner)  # perhaps in another order
    return found


def assign(parts: Iterable[Assigned]) -> None:
    """Assign what was taken back."""
    for one in parts:
        one.assign()
