"""Placeholders for what a kernel file imports and nobody installed here: torch, jax, parts of NKI without a model.

Importing one, naming its attributes, decorating or subclassing with it is fine: kernel files do so for code that no
kernel calls. Using one while a kernel runs is unsupported, and so is asking one for a truth value at any time.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

from nkiverify.foundation.near_names import near_names
from nkiverify.foundation.source import frame_site, identity, instruction_of, is_kernel_frame
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.reach import Absent, doubt, handed_over, is_bound, is_decorated
from nkiverify.frontend.seen import imported
from nkiverify.model.names import REMOVED, framework_jit
from nkiverify.symbolic.execution import execution_in_progress, unsupported

#: Modules that look at every object there is, and ask nothing of it.
_ONLOOKERS = (
    *("nkiverify.frontend", "nkiverify.project", "nkiverify.cli"),
    *("inspect", "typing", "dataclasses", "functools"),
)

#: The name by which frameworks (torch_neuronx) give the decorator of the legacy API.
LEGACY_JIT = "nki_jit"

#: Instructions that make tables and sets.
_DISPLAYS = frozenset({"BUILD_CONST_KEY_MAP", "BUILD_MAP", "BUILD_SET", "MAP_ADD", "SET_ADD", "STORE_SUBSCR"})
#: What an import statement may be guarded by.
_GUARDS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class _Base:
    """The base of a class that derives from a placeholder."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise unsupported(f"{type(self).__name__}, a class that derives from something that is not installed")


class Placeholder(Absent):
    """Stands for something that could not be imported or computed.

    `__nki_path__` is its dotted name, `__nki_reason__` why it is not there, if not because it is not installed.
    `__nki_kept__` are the functions that it may have been made of, by a decorator, and may call.
    """

    def __init__(self, path: str, reason: str = "", kept: tuple[object, ...] = ()) -> None:
        object.__setattr__(self, "__nki_path__", path)
        object.__setattr__(self, "__nki_reason__", reason)
        object.__setattr__(self, "__nki_kept__", kept)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # The model asks with isinstance() what it was given; it must not conclude that it is nothing it knows.
        frame = sys._getframe(1)
        if is_kernel_frame(frame) or (execution_in_progress() is not None and not _only_looks(frame.f_globals)):
            raise _used(self)
        return Placeholder

    def __getattr__(self, name: str) -> Any:
        path, reason = _facts(self)
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"{path}.{name}")
        if execution_in_progress() is not None:
            raise _missing(f"{path}.{name}", reason)
        return Placeholder(f"{path}.{name}", reason, _kept(self))

    def __setattr__(self, name: str, value: object) -> None:
        _hand_over(self, (value,))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        _hand_over(self, values)
        path, reason = _facts(self)
        return Placeholder(f"{path}(…)", reason, (*_kept(self, *values), *filter(is_decorated, values)))

    def __getitem__(self, key: object) -> Any:
        _hand_over(self, (key,))
        return self

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (_Base,)

    def __or__(self, other: object) -> Any:
        return self if execution_in_progress() is None else _refuse(self)

    __ror__ = __or__

    def __repr__(self) -> str:
        path, reason = _facts(self)
        return f"<{path}, which {reason or 'is not installed'}>"


def _refuse(value: Placeholder, *_: object, **__: object) -> NoReturn:
    raise _used(value)


def _hand_over(value: Placeholder, given: tuple[object, ...]) -> None:
    """The placeholder is given values, which what it stands for may change, call, or have been made to call."""
    if execution_in_progress() is not None:
        raise _used(value)
    path, reason = _facts(value)
    why = f"{path}, which {reason or 'is not installed'}"
    others = [one for one in given if not is_decorated(one)]
    kept = [*_kept(value), *(one for one in _kept(*given) if is_bound(one))]
    handed_over((*others, *kept), why, lambda name: Placeholder(name, f"may have been changed by {why}"))


def _kept(*values: object) -> tuple[object, ...]:
    """The functions that placeholders among these values may have been made of."""
    absent = (value for value in values if type(value) is Placeholder)
    return tuple(one for value in absent for one in object.__getattribute__(value, "__nki_kept__"))


def _compare(value: Placeholder, other: object) -> Any:
    """`typing` compares what an annotation is made of: by identity, as classes are."""
    if _only_looks(sys._getframe(1).f_globals):
        return NotImplemented
    raise _used(value)


for _name in (
    "bool", "len", "iter", "next", "contains", "int", "index", "float", "str", "format", "enter", "exit",
    "instancecheck", "subclasscheck", "lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul", "rmul",
    "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow", "and", "neg", "matmul",
):  # fmt: skip
    setattr(Placeholder, f"__{_name}__", _refuse)
for _name in ("eq", "ne"):
    setattr(Placeholder, f"__{_name}__", _compare)


def _hash(value: Placeholder) -> int:
    """Tables and sets are made of placeholders, and typing remembers them; nothing is looked up by one."""
    frame = sys._getframe(1)
    if is_kernel_frame(frame) and dis.opname[frame.f_code.co_code[instruction_of(frame)[1]]] not in _DISPLAYS:
        raise _used(value)
    return identity(value)


Placeholder.__hash__ = _hash  # type: ignore[assignment,method-assign]


class PlaceholderModule(ModuleType, Absent):
    """Stands for a module that is not installed, or is a part of NKI without a model."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__") and not isinstance(value, ModuleType):
            _hand_over(Placeholder(f"{self.__name__}.{name}"), (value,))
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if name == LEGACY_JIT:
            return framework_jit
        if execution_in_progress() is not None:
            raise _missing(f"{self.__name__}.{name}")
        return Placeholder(f"{self.__name__}.{name}")


def absent_name(module: ModuleType) -> Callable[[str], Any]:
    """`__getattr__` of a module of the stubs: a name that is not documented there.

    It may be there all the same: files name such things, in annotations and tables that no kernel uses.
    """
    refuse = vars(module).get("__getattr__")

    def absent(name: str) -> Any:
        if refuse is not None and name in REMOVED:
            refuse(name)
        if name.startswith("_"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        if execution_in_progress() is not None:
            close = near_names(name, module.__all__)
            advice = f"did you mean {close[0]}?" if close else "there is no model of it"
            raise unsupported(f"{module.__name__}.{name}, which is not documented", advice)
        return Placeholder(f"{module.__name__}.{name}")

    return absent


def refuse_absent(value: object) -> None:
    """Raise where kernel code asks what a value is that is not there."""
    if type(value) is Placeholder:
        raise _used(value)
    if type(value) is PlaceholderModule:
        raise _missing(value.__name__)


def is_callable(value: Any) -> bool:
    """`callable`."""
    refuse_absent(value)
    return callable(value)


def has_attribute(value: Any, name: str) -> bool:
    """`hasattr`: what a module of NKI does not document it does not have."""
    refuse_absent(value)
    return not _is_absent(value, name) and hasattr(value, name)


def get_attribute(value: Any, name: str, *default: Any) -> Any:
    """`getattr`: of a name that a module of NKI does not document, the default."""
    return default[0] if default and _is_absent(value, name) else getattr(value, name, *default)


def _is_absent(value: Any, name: str) -> bool:
    return type(value) is ModuleType and _of_nki(value) and isinstance(name, str) and name not in vars(value)


def _of_nki(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] in STUB_PACKAGES


def _facts(value: Placeholder) -> tuple[str, str]:
    """The dotted name, and why it is not there."""
    path: str = object.__getattribute__(value, "__nki_path__")
    reason: str = object.__getattribute__(value, "__nki_reason__")
    return path, reason


def _used(value: Placeholder) -> BaseException:
    return _missing(*_facts(value))


def _missing(path: str, reason: str = "") -> BaseException:
    if reason:
        return unsupported(f"{path}, which {reason}", "keep it out of the kernel")
    top = path.partition(".")[0].partition("(")[0]
    if top in STUB_PACKAGES:
        return unsupported(path, "there is no model of it")
    return unsupported(f"{path}: {top} is not installed", "install it, or keep it out of the kernel")


def _only_looks(namespace: Mapping[str, Any]) -> bool:
    return str(namespace.get("__name__", "")).startswith(_ONLOOKERS)


# --- importing --------------------------------------------------------------------------------------------------------

#: The built-in name, which no program has, for the modules next to those of a kernel that have names of Python's.
NAMES_OF_PYTHON = "@names of Python"


def import_module(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
    *,
    importer: FrameType | None = None,
) -> Any:
    """`__import__` of kernel modules: what cannot be found becomes a placeholder.

    `importer` is the frame of the import statement, if not the caller's.

    An import that the kernel file guards with `except ImportError` raises as Python does: the file says what is to
    happen without the module.
    """
    frame = importer or sys._getframe(1)
    if level == 0:
        _doubt_which(name.partition(".")[0], frame)
    try:
        module = builtins.__import__(name, globals, locals, fromlist or (), level)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if level or not f"{name}.".startswith(f"{missing}.") or _guarded(frame.f_code.co_filename, frame.f_lineno):
            raise
        module = _placeholders(name, missing, fromlist)
    if isinstance(module, PlaceholderModule):
        if "*" in (fromlist or ()):
            # It may bind any name, also one that the module has, or a built-in one.
            top = name.partition(".")[0]
            advice = "name what is imported" if top in STUB_PACKAGES else f"install {top}, or name what is imported"
            doubt(f"every name of {name}, which is not there, imported by *", advice, frame_site(frame))
        return module
    module = imported(module, name, globals, fromlist, level, frame)
    if level == 0 and fromlist and name.partition(".")[0] in STUB_PACKAGES:
        public = getattr(module, "__all__", None)
        absent = [
            part
            for part in fromlist
            if part != "*"
            and (not has_attribute(module, part) or (public is not None and part in _hidden(module, public)))
        ]
        if absent and not _guarded(frame.f_code.co_filename, frame.f_lineno):
            return _with_placeholders(module, absent)
    return module


def _doubt_which(top: str, frame: FrameType) -> None:
    """Note a doubt where a file next to that of the import statement has the name of a module of Python's: which of the
    two is meant is up to who starts Python, and to what is imported already."""
    if top in frame.f_builtins.get(NAMES_OF_PYTHON, ()):
        what = f"whether `import {top}` means the {top} next to it or Python's own"
        doubt(what, "give the file another name", frame_site(frame))


def _hidden(module: ModuleType, public: Sequence[str]) -> set[str]:
    """The imports that a module of the stubs needs for itself."""
    return {name for name, value in vars(module).items() if name not in public and not isinstance(value, ModuleType)}


def _placeholders(name: str, missing: str, fromlist: Sequence[str] | None) -> ModuleType:
    """Put placeholders for `missing` and the modules below it on the way to `name`; what the import gives."""
    parts = name.split(".")
    for depth in range(missing.count(".") + 1, len(parts) + 1):
        dotted = ".".join(parts[:depth])
        module = sys.modules.setdefault(dotted, PlaceholderModule(dotted))
        parent = sys.modules.get(".".join(parts[: depth - 1]))
        if parent is not None:
            setattr(parent, parts[depth - 1], module)
    return sys.modules[name if fromlist else parts[0]]


def _with_placeholders(module: ModuleType, absent: Sequence[str]) -> ModuleType:
    """`module` with placeholders for names it does not have, for one import statement."""
    extended = ModuleType(module.__name__)
    extended.__dict__.update(vars(module))
    for name in absent:
        setattr(extended, name, Placeholder(f"{module.__name__}.{name}"))
    return extended


_guards: dict[str, tuple[range, ...]] = {}


def _guarded(file: str, line: int) -> bool:
    """True if line `line` of `file` is in the body of a `try` that handles ImportError."""
    if file not in _guards:
        try:
            tree = ast.parse(Path(file).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return False
        _guards[file] = tuple(_guarded_lines(tree))
    return any(line in lines for lines in _guards[file])


def _guarded_lines(tree: ast.Module) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(_handles_import(handler) for handler in node.handlers):
            last = node.body[-1]
            yield range(node.body[0].lineno, (last.end_lineno or last.lineno) + 1)


def _handles_import(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(part, ast.Name) and part.id in _GUARDS for part in ast.walk(handler.type))
