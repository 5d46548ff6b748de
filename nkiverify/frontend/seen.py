"""Seeing what code of kernels and of harness modules reads besides its modules and its arguments, as it happens.

A verdict that rests on a clock, the environment, random numbers, identities, addresses in texts or files is remembered
by nobody. Such code has its own built-ins and its own `__import__`: modules of the standard library and NumPy are shown
by substitutes that note what is taken from them, unless it gives the same to the same arguments. What nobody could see
counts as read: a module of any other package, and one that no `import` statement names. The audit hook tells of files
that are allowed.
"""

from __future__ import annotations

import ast
import builtins
import dis
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, TypeGuard

from nkiverify.foundation.source import KERNEL_MARKER
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.process_state import show, show_library
from nkiverify.frontend.refused import calls, given
from nkiverify.frontend.source_names import walk

#: The name that marks a module of a harness, as `KERNEL_MARKER` one of kernels; its value is the file.
HARNESS_MARKER = "__nkiverify_harness__"

#: Modules of which everything gives the same to the same arguments, but for modules that they import themselves.
_PURE = frozenset(
    (
        "__future__", "_collections_abc", "abc", "bisect", "cmath", "collections", "collections.abc", "contextlib",
        "copy", "dataclasses", "decimal", "enum", "fractions", "functools", "heapq", "inspect", "itertools", "logging",
        "math", "ml_dtypes", "numbers", "numpy", "operator", "re", "string", "textwrap", "types", "typing", "warnings",
    )
)  # fmt: skip
#: Names of others of which that is so; what is said of Python and the machine is part of every digest.
_HARMLESS: dict[str, frozenset[str]] = {
    "os": frozenset({"PathLike", "fspath", "linesep", "name", "path", "sep"}),
    "posixpath": frozenset({"basename", "commonprefix", "dirname", "join", "normpath", "sep", "split", "splitext"}),
    "sys": frozenset({"byteorder", "float_info", "implementation", "maxsize", "platform", "version", "version_info"}),
    "pathlib": frozenset({"PurePath", "PurePosixPath"}),
}
#: What NumPy reads from elsewhere.
_READERS: dict[str, frozenset[str]] = {
    "numpy": frozenset(
        (
            "DataSource", "_core", "compat", "core", "ctypeslib", "datetime64", "distutils", "f2py", "fromfile",
            "fromregex", "genfromtxt", "lib", "load", "loadtxt", "ma", "memmap", "random", "rec", "testing",
        )
    ),
    "inspect": frozenset({"currentframe", "stack", "getsource", "getsourcelines", "getsourcefile", "getfile"}),
    "logging": frozenset({"Formatter", "LogRecord", "makeLogRecord"}),
}  # fmt: skip
#: Packages of which nothing is noted: they are ours, or part of every digest.
_OURS = frozenset({"nkiverify", *STUB_PACKAGES})

#: By file, the first that its code has read in this process; and the files of the modules that it has imported.
_read: dict[str, str] = {}
_imported: dict[str, set[str]] = {}
#: The substitutes, by the name of their module.
_substitutes: dict[str, Substitute] = {}


def note(what: str, frame: FrameType | None = None) -> None:
    """The kernel or harness code that calls us, by way of whatever, reads `what`."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        file = _file_of(frame.f_globals)
        if file:
            _read.setdefault(file, f"{Path(file).name}:{frame.f_lineno} {what}")
            return
        frame = frame.f_back


def read_by(files: Iterable[str]) -> str:
    """The first that code of these files, or of modules that it imports, has read in this process; empty if nothing."""
    return next((_read[file] for file in imported_from(files) if file in _read), "")


def imported_from(files: Iterable[str]) -> list[str]:
    """These files, and those of the modules that their code has imported in this process, directly or not."""
    pending, known = list(files), dict[str, None]()
    while pending:
        file = pending.pop()
        if file not in known:
            known[file] = None
            pending.extend(sorted(_imported.get(file, ())))
    return list(known)


def _file_of(namespace: Mapping[str, Any]) -> str:
    """The file of the kernel or harness module whose globals these are; empty for any other."""
    return str(namespace.get(KERNEL_MARKER) or namespace.get(HARNESS_MARKER) or "")


# --- addresses --------------------------------------------------------------------------------------------------------

#: What stands before the address in the text that Python makes of an object.
_ADDRESS = " at 0x"
#: Functions and methods that make text of anything; and attributes that are a number from an address, or lead to one.
TEXTS = frozenset({"ascii", "format", "repr", "str"})
TEXT_METHODS = frozenset({"__format__", "__repr__", "__str__", "format", "format_map", "join"})
_ADDRESSES = frozenset({"__array_interface__", "__array_struct__", "__hash__", "ctypes"})


def shown(text: Any) -> Any:
    """`text`, the result of what makes text of objects; noted if the address of one is in it, which differs between
    processes."""
    if isinstance(text, str) and _ADDRESS in text:
        note("makes text of an object, with its address", sys._getframe(1))
    return text


def _takes_address(node: ast.AST) -> TypeGuard[ast.expr]:
    """True if an expression asks for what may be made of an address, or has C code make texts that nobody is shown:
    `sorted(found, key=str)`, `map(str, found)`."""
    if isinstance(node, ast.Attribute):
        return node.attr in _ADDRESSES and isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    keys = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
    mapped = node.args[:1] if getattr(node.func, "id", "") == "map" else []
    return any(isinstance(one, ast.Name) and one.id in TEXTS for one in (*keys, *mapped))


# --- sets -------------------------------------------------------------------------------------------------------------

#: The built-in types, and the functions of sets that their order does not matter to.
_SETS, _WITHOUT_ORDER = frozenset({"set", "frozenset"}), frozenset({"isinstance", "issubclass", "len", "sorted"})


def note_text(nodes: Sequence[ast.AST], file: str) -> None:
    """Note the first set that the text of a module makes, unless it is only asked what is in it: the order of texts,
    and of what is distinguished by its address, differs between processes; and where it asks for an address. Errs on
    the side of too many. `nodes` are all of the module's."""
    # Of the many nodes few are of these classes, which is asked first.
    sets = [node for node in nodes if type(node) in _MAY_BE_SETS and _is_set(node)]
    addresses = [node for node in nodes if type(node) in _MAY_TAKE_ADDRESSES and _takes_address(node)]
    if not sets and not addresses:
        return
    harmless = _harmless(nodes)
    found = [(node.lineno, "makes a set, whose order may differ") for node in sets if node not in harmless]
    found += [(node.lineno, "uses what may be made of an address") for node in addresses if node not in harmless]
    if found:
        line, what = min(found)
        _read.setdefault(file, f"{Path(file).name}:{line} {what}")


def _harmless(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Those that are only asked what is in them, or say of what type something is."""
    harmless: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "join":
            harmless.update(node.args)
        if isinstance(node, ast.Compare):
            asked = (right for way, right in zip(node.ops, node.comparators, strict=True) if type(way) in _MEMBERSHIP)
            harmless.update(asked)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _WITHOUT_ORDER and not node.keywords:
            harmless.update(part for one in node.args for part in (one, *ast.iter_child_nodes(one)))
        annotation = getattr(node, _ANNOTATIONS[type(node)]) if type(node) in _ANNOTATIONS else None
        if annotation is not None:
            harmless.update(walk(annotation))
    return harmless


_MEMBERSHIP = (ast.In, ast.NotIn)
_MAY_BE_SETS = frozenset({ast.Name, ast.Set, ast.BinOp, ast.SetComp})
_MAY_TAKE_ADDRESSES = frozenset({ast.Attribute, ast.Call})
#: What has an annotation, and in which attribute.
_ANNOTATIONS: Mapping[type[ast.AST], str] = {
    ast.arg: "annotation",
    ast.AnnAssign: "annotation",
    ast.FunctionDef: "returns",
    ast.AsyncFunctionDef: "returns",
}
#: Operators that make a set of the keys of dictionaries.
_OF_KEYS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)


def _is_set(node: ast.AST) -> TypeGuard[ast.expr]:
    """True if an expression is a set, of anything but numbers, or names the type."""
    if isinstance(node, ast.Name):
        return node.id in _SETS
    if isinstance(node, ast.Set):
        return not all(isinstance(one, ast.Constant) and type(one.value) in (bool, int, float) for one in node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OF_KEYS):
        functions = (side.func for side in (node.left, node.right) if isinstance(side, ast.Call))
        return any(isinstance(one, ast.Attribute) and one.attr in ("keys", "items") for one in functions)
    return isinstance(node, ast.SetComp)


# --- modules ----------------------------------------------------------------------------------------------------------


class Substitute(ModuleType):
    """A module as kernels and harness modules see it: with some of its functions replaced, and what they take from it
    noted."""

    def __init__(self, module: ModuleType, functions: Mapping[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(functions)
        # No list: kernels cannot change it, and its names nothing assigns.
        self.__dict__["__all__"] = tuple(name for name in dir(module) if not name.startswith("_"))
        self.__dict__["__wrapped__"] = module
        show(self)
        show_library(module)

    def __getattr__(self, name: str) -> Any:
        module: ModuleType = self.__dict__["__wrapped__"]
        found = getattr(module, name)
        if not (name.startswith("__") and name.endswith("__")) and _reads(module.__name__, name, found):
            note(f"uses {module.__name__}.{name}", sys._getframe(1))
        found = given(module.__name__, name, found)
        return as_seen(found) if isinstance(found, ModuleType) else found

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["__wrapped__"])


#: What kernels, and messages, know the class as.
Substitute.__name__ = ModuleType.__name__


def library_module(module: ModuleType) -> ModuleType:
    """The module that a substitute shows; any other is itself."""
    found: ModuleType = vars(module)["__wrapped__"] if isinstance(module, Substitute) else module
    return found


def _reads(module: str, name: str, found: object) -> bool:
    if isinstance(found, ModuleType) and name not in _READERS.get(module, ()):
        return False  # what is taken from that one will be noted
    top, _, rest = module.partition(".")
    if top == "numpy":
        return name in _READERS[top] if not rest else rest.partition(".")[0] in _READERS[top]
    if module in _PURE:
        return name in _READERS.get(module, ())
    return name not in _HARMLESS.get(module, ())


def as_seen(module: ModuleType) -> ModuleType:
    """`module`, or what shows it to kernels."""
    name = module.__name__
    if type(module) is not ModuleType or not _is_shown(name):
        return module
    if name not in _substitutes:
        _substitutes[name] = Substitute(module, {})
    return _substitutes[name]


def _is_shown(name: str) -> bool:
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in _PURE


def imported(
    module: Any,
    name: str,
    namespace: Mapping[str, Any] | None,
    fromlist: Sequence[str] | None,
    level: int,
    importer: FrameType,
) -> Any:
    """`module`, which the code of a kernel or harness module gets for an import, as it sees it; what is imported is
    noted."""
    names = namespace if namespace is not None else importer.f_globals
    file = _file_of(names)
    if not file:
        return module
    if not _is_statement(importer, file):
        calls("__import__")
    for dotted in _names(name, names, fromlist, level):
        loaded = sys.modules.get(dotted)
        if loaded is None:
            continue
        of_user = _file_of(vars(loaded))
        is_folder = getattr(loaded, "__file__", None) is None
        if of_user:
            _imported.setdefault(file, set()).add(of_user)
            if not _is_statement(importer, file):
                note(f"imports {dotted} by a name that is computed", importer)
        elif type(loaded) is ModuleType and not is_folder and not _is_shown(dotted) and not _is_ours(dotted):
            note(f"imports {dotted}, which may read more than its arguments", importer)
    return as_seen(module) if isinstance(module, ModuleType) else module


def _is_ours(dotted: str) -> bool:
    return dotted.partition(".")[0] in _OURS


def _names(name: str, namespace: Mapping[str, Any], fromlist: Sequence[str] | None, level: int) -> Iterator[str]:
    """Every module that an import may mean: the packages around it, and names that may be modules in it."""
    package = str(namespace.get("__package__") or "")
    dotted = importlib.util.resolve_name("." * level + name, package) if level else name
    parts = dotted.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    yield from (f"{dotted}.{one}" for one in fromlist or () if isinstance(one, str) and one != "*")


def _is_statement(importer: FrameType, file: str) -> bool:
    """True if the frame executes an import statement in the text of the file, which whoever reads it finds."""
    code = importer.f_code
    return code.co_filename == file and dis.opname[code.co_code[importer.f_lasti]] == "IMPORT_NAME"


# --- built-in functions -----------------------------------------------------------------------------------------------


def noting(functions: Mapping[str, Any], *more: str) -> dict[str, Callable[..., Any]]:
    """Of these built-in functions, or of Python's, those that note being called: what they give differs between
    processes. `more` are names of others."""
    return {name: _noting(name, functions.get(name) or vars(builtins)[name]) for name in ("hash", "id", "input", *more)}


def _noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*arguments: Any, **options: Any) -> Any:
        if name != "hash" or not arguments or type(arguments[0]) not in (int, bool, float):
            note(f"uses {name}()", sys._getframe(1))
        return function(*arguments, **options)

    called.__name__ = called.__qualname__ = name
    return called
