"""Constructs that kernel code may not use inside a launch: state of the whole process, and lies to the interpreter.

A symbolic run executes a kernel on many paths, the body of a loop several times, and compares what it left behind. It
does not model what Python keeps for the whole process, nor objects that say of themselves what is not so: code that
reaches such a thing is UNKNOWN at once, with its place. The table says all of it; `docs/language.md` shows it.

While a module is imported, and in a concrete execution, all of it is there: `frontend.process_state` confines it.
Errs on the side of too much: what is refused is refused also where it would do no harm.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site, identity, is_kernel_class, kernel_frame
from nkiverify.symbolic.execution import execution_in_progress, unsupported

#: What to do instead.
_BEFORE = "compute it before the launch, and make it an argument"
_ORDINARY = "use a class of your own, a dataclass or a named tuple"


@dataclass(frozen=True, slots=True)
class Refused:
    """One kind of constructs: `modules` are refused whole, of others the names like `sys.path`; `attributes` are those
    of objects of the classes `owner`, `stored` those that may be read and not assigned."""

    what: str
    reason: str
    advice: str = _BEFORE
    modules: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    owner: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()

    def refuse(self, construct: str, site: Site | None = None) -> BaseException:
        """The exception to raise for one of them."""
        return unsupported(f"{construct} in a launch: {self.reason}", self.advice, site)

    @property
    def members(self) -> str:
        """All that is refused for this reason, as the page lists it."""
        parts = [*sorted(self.modules), *(name.removeprefix("builtins.") for name in sorted(self.names))]
        parts += [f".{name}" for name in sorted(self.attributes)] + [f".{name} =" for name in sorted(self.stored)]
        return ", ".join(f"`{part}`" for part in parts)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Names of modules, functions and attributes.
NAMED = (
    Refused(
        "Signals",
        "a handler runs between any two instructions",
        modules=_words("signal faulthandler"),
    ),
    Refused(
        "Memory",
        "when an object is freed is up to the interpreter, and a symbolic run holds what it compares",
        modules=_words("gc tracemalloc weakref _weakref _weakrefset"),
    ),
    Refused(
        "Threads and contexts",
        "what another thread does between two instructions is not seen",
        modules=_words(
            "threading _thread multiprocessing concurrent asyncio queue sched selectors contextvars _contextvars"
        ),
    ),
    Refused(
        "Interpreters and processes",
        "another interpreter sees no model of NKI",
        modules=_words("_interpreters _xxsubinterpreters atexit"),
    ),
    Refused(
        "Frames, tracebacks and tracing",
        "the frames of a symbolic run are not all the kernel's",
        advice="pass the values that you need",
        modules=_words("traceback bdb pdb trace"),
        names=_words(
            "sys._getframe sys._getframemodulename sys._current_frames sys._current_exceptions sys.exc_info"
            " sys.exception sys.settrace sys.gettrace sys.setprofile sys.getprofile sys.monitoring sys.addaudithook"
            " sys.activate_stack_trampoline"
            " inspect.currentframe inspect.stack inspect.trace inspect.getframeinfo inspect.getouterframes"
            " inspect.getinnerframes inspect.getgeneratorlocals inspect.getclosurevars"
        ),
        owner=_words(
            "builtins.frame builtins.traceback builtins.generator builtins.coroutine builtins.async_generator"
        ),
        attributes=_words(
            "f_back f_builtins f_code f_globals f_lasti f_lineno f_locals f_trace"
            " tb_frame tb_lasti tb_lineno tb_next gi_code gi_frame gi_running gi_yieldfrom cr_frame ag_frame"
        ),
    ),
    Refused(
        "What an exception carries",
        "a symbolic run raises and handles exceptions of its own between those of the kernel",
        advice="look at the class of the exception and its `args`",
        owner=_words("builtins.BaseException"),
        attributes=_words("__traceback__ __context__ __notes__ add_note with_traceback"),
    ),
    Refused(
        "The import system",
        "an `import` statement means the modules of the kernel; what else is imported is not the kernel's text",
        advice="write an `import` statement",
        modules=_words("importlib imp pkgutil runpy zipimport"),
        names=_words("builtins.__import__ sys.modules sys.path sys.meta_path sys.path_hooks sys.path_importer_cache"),
    ),
    Refused(
        "The text of programs, and namespaces",
        "the names of a function are not all the kernel's own, and what a text changes is not seen",
        advice="write the statement itself",
        modules=_words("code codeop"),
        names=_words("builtins.exec builtins.eval builtins.compile builtins.globals builtins.locals builtins.vars"),
        owner=_words("builtins.module builtins.function builtins.type"),
        attributes=_words("__dict__"),
    ),
    Refused(
        "The environment and the working directory",
        "it is that of nkiverify, and all code of the process has it",
        names=_words(
            "os.environ os.environb os.getenv os.getenvb os.putenv os.unsetenv os.chdir os.fchdir os.umask os.getcwd"
            " os.getcwdb"
        ),
    ),
    Refused(
        "Limits of the interpreter",
        "nkiverify's own code needs them as they are",
        names=_words(
            "sys.setrecursionlimit sys.getrecursionlimit sys.setswitchinterval sys.getswitchinterval"
            " sys.set_int_max_str_digits sys.get_int_max_str_digits sys.setdlopenflags"
        ),
    ),
    Refused(
        "The locale",
        "it is state of the whole process",
        modules=_words("locale _locale gettext"),
    ),
    Refused(
        "Filters of warnings",
        "they are state of the whole process",
        advice="call `warnings.warn` alone, or filter before the launch",
        names=_words(
            "warnings.catch_warnings warnings.filters warnings.filterwarnings warnings.simplefilter"
            " warnings.resetwarnings warnings.showwarning warnings.formatwarning"
        ),
    ),
    Refused(
        "Loggers that are set up",
        "they are state of the whole process",
        advice="set loggers up where the module is imported",
        names=_words(
            "logging.addLevelName logging.basicConfig logging.captureWarnings logging.config logging.disable"
            " logging.handlers logging.setLoggerClass logging.setLogRecordFactory"
        ),
        owner=_words("logging.Filterer logging.Manager"),
        attributes=_words(
            "addFilter addHandler disable filters handlers loggerDict manager removeFilter removeHandler"
            " setFormatter setLevel"
        ),
    ),
    Refused(
        "Decimal numbers",
        "their context is state of the whole process",
        advice="use integers or `fractions.Fraction`",
        modules=_words("decimal _decimal _pydecimal"),
    ),
    Refused(
        "Random numbers",
        "their state is that of the whole process, and differs from one path to the next",
        modules=_words("random _random secrets"),
        names=_words("numpy.random"),
    ),
    Refused(
        "How NumPy prints and treats errors",
        "it is state of the whole process",
        names=_words(
            "numpy.errstate numpy.geterr numpy.geterrcall numpy.get_printoptions numpy.printoptions numpy.seterr"
            " numpy.seterrcall numpy.set_printoptions numpy.setbufsize numpy.set_string_function"
        ),
    ),
    Refused(
        "Registers of classes",
        "they are state of the whole process",
        advice="derive from the class",
        names=_words("copyreg.pickle copyreg.constructor"),
        owner=_words("abc.ABCMeta"),
        attributes=_words("register"),
    ),
    Refused(
        "What a function or a class is made of",
        "calls that are in progress, and other kernels, have the same function or class",
        advice="write a function or class for each case",
        owner=_words("builtins.function builtins.cell builtins.type"),
        attributes=_words(
            "__annotations__ __builtins__ __closure__ __code__ __globals__ __kwdefaults__ __subclasses__ cell_contents"
        ),
        stored=_words("__bases__ __class__ __code__ __defaults__ __kwdefaults__ __mro__"),
    ),
    Refused(
        "Which object it is, as a number, whatever the object says of itself",
        "one that is read out of a list made in a loop is a copy each time",
        advice="call `hash`",
        owner=_words("builtins.type builtins.super"),
        attributes=_words("__hash__"),
    ),
)
#: Attributes of what no loop compares.
FOREIGN = Refused(
    "Assigning attributes of modules, classes, functions and loggers of libraries, and of objects written in C",
    "it is not the kernel's own, or its state cannot be seen",
    advice="assign it to an object of a class of your own",
)
#: Lists, dictionaries and sets of libraries.
CONTAINERS = Refused(
    "Lists, dictionaries and sets of libraries",
    "all code of the process has the same one",
    advice="copy it where the module is imported",
)
#: Classes of kernel code.
_LIES = "what it says of itself is not what Python, and nkiverify, take it for"
METACLASS = Refused("Metaclasses of the kernel's own", _LIES, _ORDINARY)
FINALIZER = Refused("Classes with `__del__`", "when it runs is up to the interpreter", "use a `with` statement")
EQUAL = Refused(
    "Classes derived from numbers, texts, tuples or frozen sets with an `__eq__` or `__hash__` of their own",
    _LIES,
    _ORDINARY,
)
POSING = Refused("Classes with a `__class__` of their own", _LIES, _ORDINARY)
DERIVED = Refused("Classes derived from one that is refused", "what is refused of their base is refused of them")

#: Everything, in the order of the page.
TABLE = (*NAMED, FOREIGN, CONTAINERS, METACLASS, FINALIZER, EQUAL, POSING, DERIVED)

_MODULES = {name: one for one in NAMED for name in one.modules}
_NAMES = {name: one for one in NAMED for name in one.names}
_ATTRIBUTES = {
    name: tuple(one for one in NAMED if name in one.attributes) for each in NAMED for name in each.attributes
}
#: Names of attributes that are refused of some objects.
ATTRIBUTES = frozenset(_ATTRIBUTES)
_CONTAINERS = (dict, list, set, deque, bytearray)
_IMMUTABLE = (int, float, complex, str, bytes, tuple, frozenset)
#: Classes that are refused, which kernel code has got while it was imported, by identity; and what they are.
CLASSES: dict[int, tuple[type, str, Refused]] = {}
#: Where classes of kernels are defined that importing their modules has made.
_defined: dict[int, tuple[type, Site]] = {}


def in_launch() -> bool:
    """True if the kernel itself is what the symbolic run in progress executes, not the harness that calls it."""
    run = execution_in_progress()
    return run is not None and run.symbolic and run.states_claims and kernel_frame(2) is not None


# --- what modules of libraries give --------------------------------------------------------------------------------


def given(module: str, name: str, found: Any) -> Any:
    """`found`, as kernel code gets it for `module.name`: what is refused is not given in a launch, and what has been
    taken before refuses to be called there."""
    refused = _refused_name(module, name)
    if refused is None:
        if isinstance(found, _CONTAINERS) and not name.startswith("_") and in_launch():
            raise CONTAINERS.refuse(f"`{module}.{name}`")
        return found
    if in_launch():
        raise refused.refuse(f"`{module}.{name}`")
    if isinstance(found, type):
        # Not what the module itself has from another one.
        if found.__module__.startswith("_") or _refused_name(found.__module__, found.__name__) is not None:
            CLASSES.setdefault(identity(found), (found, f"{module}.{name}", refused))
        return found
    # What stands for built-in functions asks for itself.
    guarded = callable(found) and module != "builtins"
    return _Guarded(found, f"`{module}.{name}`", refused) if guarded else found


def _refused_name(module: str, name: str) -> Refused | None:
    top = module.partition(".")[0]
    within = ".".join(module.split(".")[:2])
    return _MODULES.get(top) or _NAMES.get(within) or _NAMES.get(f"{module}.{name}")


class _Guarded:
    """A function that is refused in a launch; in all else it is that function."""

    def __init__(self, function: Any, name: str, refused: Refused) -> None:
        self._function = function
        self._name = name
        self._refused = refused
        self.__dict__["__module__"] = getattr(function, "__module__", None)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if in_launch():
            raise self._refused.refuse(self._name)
        if self._function in (sys._getframe, inspect.currentframe):
            return sys._getframe(1 + sum(arguments))
        found = self._function(*arguments, **options)
        return found[1:] if self._function is inspect.stack else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __eq__(self, other: object) -> bool:
        return bool(self._function == (other._function if isinstance(other, _Guarded) else other))

    def __hash__(self) -> int:
        return hash(self._function)

    def __repr__(self) -> str:
        return repr(self._function)


def made(value: Any) -> None:
    """A call of kernel code gives `value`: an object of one of `CLASSES` is refused as the class is."""
    _, name, refused = CLASSES[identity(type(value))]
    if in_launch():
        raise refused.refuse(f"`{name}`")


# --- attributes ------------------------------------------------------------------------------------------------------


def reading(value: Any, name: str) -> Any:
    """`value.name`, where the name is one of `ATTRIBUTES`: what is refused is not given in a launch, and what has been
    taken before refuses to be called there."""
    kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in _classes_of(value)}
    refused = next((one for one in _ATTRIBUTES[name] if not one.owner.isdisjoint(kinds)), None)
    if refused is None:
        return getattr(value, name)
    described = f"the attribute `{name}` of a {type(value).__name__}"
    if in_launch():
        raise refused.refuse(described)
    found = getattr(value, name)
    return _Guarded(found, described, refused) if callable(found) else found


def _classes_of(value: Any) -> tuple[type, ...]:
    """The classes whose attributes `value` has: its own, and those of a class, also by `super()`, which it leads to."""
    kind = type(value)
    leads_to = vars(super)["__thisclass__"].__get__(value) if issubclass(kind, super) else value
    own: tuple[type, ...] = leads_to.__mro__ if issubclass(type(leads_to), type) else ()
    return (*kind.__mro__, *own)


def storing(value: Any, name: str, *, own: bool) -> None:
    """The attribute `name` of `value` is about to be assigned or deleted; `own` if that is an object of the kernel."""
    refused = next((one for one in NAMED if name in one.stored), None if own else FOREIGN)
    if refused is not None:
        raise refused.refuse(f"assigning the attribute `{name}` of a {type(value).__name__}")


def calls(name: str) -> None:
    """Kernel code calls the built-in function of this name."""
    if in_launch():
        raise _NAMES[f"builtins.{name}"].refuse(f"`{name}()`")


# --- classes of kernels -----------------------------------------------------------------------------------------------


def define(body: Callable[..., Any], name: str, *bases: Any, **options: Any) -> Any:
    """The class that a `class` statement of kernel code makes: `__build_class__`."""
    cls = builtins.__build_class__(body, name, *bases, **options)
    if isinstance(cls, type) and isinstance(body, types.FunctionType):
        site = Site(body.__code__.co_filename, body.__code__.co_firstlineno, function=name)
        if in_launch():
            refuse_class(cls, site)
        else:
            _defined[identity(cls)] = (cls, site)
    return cls


def refuse_class(cls: type, site: Site | None = None) -> None:
    """Raise where a class of kernel code, defined at `site` if not while its module was imported, is refused."""
    refused = class_refused(cls)
    if refused is not None:
        known = _defined.get(identity(cls))
        site = site or (known[1] if known is not None else _site_of(cls))
        raise refused.refuse(f"the class `{cls.__name__}`", site)


def class_refused(cls: type) -> Refused | None:
    """The reason why a class is refused, if it is one of kernel code and is."""
    if not is_kernel_class(cls):
        return None
    own = vars(cls)
    if is_kernel_class(type(cls)) or issubclass(cls, type):
        return METACLASS
    if "__del__" in own:
        return FINALIZER
    if "__class__" in own:
        return POSING
    if not own.keys().isdisjoint({"__eq__", "__hash__"}) and issubclass(cls, _IMMUTABLE):
        return EQUAL
    return DERIVED if any(identity(base) in CLASSES for base in cls.__mro__) else None


def _site_of(cls: type) -> Site | None:
    codes = (one.__code__ for one in vars(cls).values() if isinstance(one, types.FunctionType))
    return next((Site(code.co_filename, code.co_firstlineno) for code in codes), None)
