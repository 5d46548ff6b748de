"""Loading kernel source: instrumented for symbolic runs, as it is for concrete ones.

While a `KernelSpace` is active, an import hook serves the stub packages `nki` and `neuronxcc` and the modules next to
the kernel. Nothing outside changes for good: when the space is left, `sys.modules`, `sys.meta_path` and `sys.path` are
as before, also where the real `nki` is installed, and byte code of kernels is neither read nor written.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from operator import is_
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from nkiverify.foundation.allowed import Allowed
from nkiverify.foundation.errors import CalledOutsideRun, UnsupportedConstruct, UsageError, described
from nkiverify.foundation.kernel_text import kernel_output
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.foundation.source import KERNEL_MARKER, is_exception_of_kernel, register_kernel_module
from nkiverify.foundation.stages import Stage, of_stage
from nkiverify.frontend import hooks
from nkiverify.frontend.builtins import KERNEL_FUNCTIONS, TELLING
from nkiverify.frontend.executed_text import know, text_functions
from nkiverify.frontend.guard import ImportRefused, allowed, guarded_import
from nkiverify.frontend.holders import OpaqueState
from nkiverify.frontend.instrument import Rewriting
from nkiverify.frontend.kernel_files import STUB_PACKAGES, ModuleFiles, module_name, stub_file
from nkiverify.frontend.module_code import execute
from nkiverify.frontend.nodes import HOOKS
from nkiverify.frontend.numeric_modules import as_kernels_see
from nkiverify.frontend.placeholders import (
    NAMES_OF_PYTHON,
    Placeholder,
    PlaceholderModule,
    absent_name,
    get_attribute,
    has_attribute,
    import_module,
    is_callable,
)
from nkiverify.frontend.process_state import (
    Assigned,
    Named,
    ProcessState,
    assign,
    hidden,
    present,
    put_back,
    running_code,
    show,
    taken_back,
)
from nkiverify.frontend.reach import Doubt, doubting
from nkiverify.frontend.seen import note, note_text, noting
from nkiverify.frontend.snapshot import Snapshot
from nkiverify.frontend.source_names import walk
from nkiverify.frontend.trees import is_there, nested_deeply, parse, parse_anew, source, stamp

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:
    # Importing them brings what packages keep files with, a fiftieth of a small check.
    Loader = MetaPathFinder = object
if sys.version_info >= (3, 11):
    from importlib.machinery import NamespaceLoader
else:
    from importlib._bootstrap_external import _NamespaceLoader as NamespaceLoader

#: The package of the legacy API.
_LEGACY = b"neuronxcc"

_stub_modules: dict[str, ModuleType] = {}
#: Imported modules that are neither stubs nor placeholders, and their names by what they begin with.
_foreign: dict[str, ModuleType] = {}
_under: dict[str, set[str]] = {}
_compiled: dict[tuple[str, int, int, Rewriting], CodeType] = {}


class ModuleState:
    """The state of the modules of a space, and of what `more` leads to, at one moment."""

    def __init__(self, space: KernelSpace, more: Iterable[object] = ()) -> None:
        self._space = space
        self._assigned = list(space._assigned)
        self._left = dict(space._left)
        self._doubts = list(space.doubts)
        modules = map(vars, space.modules.values())
        self._contents = Snapshot(None, [*more, *modules, *(one.value for one in self._assigned)])
        self._known = space.modules.keys() | sys.modules.keys()

    @property
    def opaque(self) -> OpaqueState | None:
        """An object in it whose state can be neither compared nor put back, if there is one."""
        return self._contents.opaque

    @property
    def refused(self) -> type | None:
        """A class of the modules that is refused in a launch, if there is one."""
        return self._contents.refused

    @property
    def is_complete(self) -> bool:
        """True if all of it is compared: nothing is opaque, nor held by the process, as a handler of a signal is."""
        return self.opaque is None and not self._left

    def put_back(self) -> None:
        """Make the modules as they were; those imported since are imported again where they are needed. Raises
        `OpaqueState` where something has changed that cannot be put back."""
        self._contents.restore()
        for modules in (self._space.modules, sys.modules):
            for name in [name for name in modules.keys() - self._known if _is_of_space(modules[name])]:
                del modules[name]

    def put_back_all(self) -> None:
        """The same outside the space, whose state in the process is put back too."""
        self.put_back()
        self._space._assigned, self._space._left = list(self._assigned), dict(self._left)
        self._space.doubts[:] = self._doubts


class KernelSpace:
    """Kernel modules loaded together, all rewritten in the same way.

    Each rewriting has a space of its own. A function keeps the built-in functions that it was made with, and what a
    module has imported of a library is another substitute in symbolic runs; and what a proof is compared with is to be
    the kernel's own text, with the libraries' own functions.
    """

    def __init__(self, root: Path, rewriting: Rewriting, base: Path | None = None, *, legacy: bool = False) -> None:
        self.root = root
        self.rewriting = rewriting
        self.modules: dict[str, ModuleType] = {}
        #: Why no kernel of these modules has a verdict.
        self.doubts: list[Doubt] = []
        #: The modules as they were imported, if they can be put back; and whether code of theirs has run since.
        self._imported_as: ModuleState | None = None
        self._used = False
        #: How many runs of their code are in progress.
        self._running = 0
        #: The files the modules were read from, as they were then: time of the last change, and size.
        self._read: dict[Path, tuple[int, int]] = {}
        #: The names that their code has.
        self._named = Named()
        #: What these kernels have assigned to modules that all kernels see: for them alone.
        self._assigned: list[Assigned] = []
        #: What else they have left in the process, the random numbers for example.
        self._left: dict[ProcessState, dict[str, bytes]] = {}
        self._finder = _Finder(self)
        self.files = ModuleFiles(root, base)
        #: The folders that Python imports from, without those that kernel code has added.
        self._path = frozenset(sys.path)
        #: Whether one of the modules has named the package of the legacy API, and whether one was loaded before that.
        self._legacy = legacy
        self._plain = False

    @contextmanager
    def active(self) -> Iterator[None]:
        """Imports mean the stubs and the modules of this space within the block, in which a kernel runs.

        Raises `UnsupportedConstruct` where it cannot be known what importing the modules has made of them.
        """
        if self.doubts:
            raise self.doubts[0].unsupported()
        with self._importing():
            yield

    @contextmanager
    def _importing(self) -> Iterator[None]:
        self._used = True
        self._running += 1
        with running_code(self._named), doubting(self.doubts):
            before = present()
            try:
                put_back({**before, **self._left})
                with self._imported():
                    yield
            finally:
                self._left = put_back(before)
                self._running -= 1

    def has_been_imported(self) -> None:
        """The modules are as they are for whoever imports them."""
        state = ModuleState(self)
        # What is opaque may be waiting to be freed.
        self._imported_as, self._used = state if state.is_complete else None, False

    def as_imported(self) -> bool:
        """Make the modules as they were when they had been imported; False where that cannot be, as something has
        changed that cannot be put back, or a file, or a run of theirs is in progress."""
        if self._running or self._outdated():
            return False
        if self._used:
            if self._imported_as is None:
                return False
            try:
                self._imported_as.put_back_all()
            except OpaqueState:
                return False
            self._used = False
        return True

    @contextmanager
    def _imported(self) -> Iterator[None]:
        mine = {**_stub_modules, **self.modules}
        with hidden(self._shadowed(self._met())):
            sys.modules.update(mine)
            entered = dict(sys.modules)
            sys.meta_path.insert(0, self._finder)
            assign(self._assigned)
            try:
                yield
            finally:
                self._assigned = taken_back()
                sys.meta_path.remove(self._finder)
                changed = _changed_since(entered)
                for name in mine.keys() - changed.keys():
                    sys.modules.pop(name, None)  # what kernel code has taken out is not there
                for name, module in self._shadowed(changed).items():
                    del sys.modules[name]
                    if _is_of_space(module):
                        self.modules[name] = module
                    elif name.partition(".")[0] in STUB_PACKAGES:
                        _stub_modules[name] = module

    def _met(self) -> Iterator[str]:
        """The names of imported modules that may mean something else within the space: of hundreds, several times a
        run, most are what they were before, and no names of this space."""
        yield from _changed_since(_foreign)
        yield from self.modules
        for top in self.files.served:
            yield from _under.get(top, ())

    def _shadowed(self, names: Iterable[str]) -> dict[str, ModuleType]:
        """The imported modules of these names that mean something else within the space."""
        found: dict[str, ModuleType] = {}
        for name, module in [(name, sys.modules[name]) for name in names if name in sys.modules]:
            top = name.partition(".")[0]
            ours = top in STUB_PACKAGES or name in self.modules or isinstance(module, PlaceholderModule)
            if ours or (top in self.files.served and self.files.has(name)):
                found[name] = module
            else:
                _foreign[name] = module
                _under.setdefault(top, set()).add(name)
        return found

    def rewriting_of(self, file: Path) -> Rewriting:
        """How the module of `file` is rewritten: where nothing else is, one that may belong to a kernel of the legacy
        API so that the ranges of its loops are seen, whose bodies are traced once."""
        if self.rewriting is not Rewriting.NONE:
            return self.rewriting
        self._legacy |= _LEGACY in source(file)
        self._plain |= not self._legacy
        return Rewriting.RANGES if self._legacy else Rewriting.NONE

    @property
    def late(self) -> bool:
        """True if modules were loaded as those of the new API before one of them named the legacy one."""
        return self._legacy and self._plain

    def serves(self, name: str) -> bool:
        """True if the top-level `name` is found in a folder that kernel code has added to Python's path: what is there
        is code of kernels too, and of no library."""
        added = [entry for entry in sys.path if entry not in self._path]
        found = PathFinder.find_spec(name) if added and name not in self.files.served else None
        places = [] if found is None else [*(found.submodule_search_locations or ()), *filter(None, (found.origin,))]
        for entry in added:
            if any(Path(place).parent == Path(entry) for place in places):
                note(f"imports {name} from {entry}, which it adds to the path")
                return self.files.serve_from(Path(entry).resolve(), name)
        return False

    def will_read(self, file: Path) -> None:
        """Remember what `file` is now."""
        self._read[file] = stamp(file)

    def _outdated(self) -> bool:
        """True if a file has changed since a module was read from it."""
        return any(not is_there(file) or stamp(file) != before for file, before in self._read.items())

    def load(self, name: str) -> ModuleType:
        """The module of this name, loaded if it is not yet."""
        if name in self.modules:
            return self.modules[name]
        with self._importing():
            return importlib.import_module(name)

    def function_named(self, name: str, module: ModuleType, path_text: str) -> Callable[..., Any]:
        """The function that `name` means in `module`; what is there under this very name is read, all else may run
        code of the module."""
        with nullcontext() if name in vars(module) else self._importing():
            return _function_named(name, module, path_text)


def _is_of_space(module: ModuleType) -> bool:
    """True if a module belongs to the space in which it was imported."""
    return isinstance(module, PlaceholderModule) or getattr(module, KERNEL_MARKER, None) is not None


def _changed_since(before: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """The imported modules that are not what they were `before`; it comes into their order, to be compared at once."""
    names = list(sys.modules)
    if names[: len(before)] == list(before) and all(map(is_, before.values(), sys.modules.values())):
        return {name: sys.modules[name] for name in names[len(before) :]}
    there = {name: before[name] for name in names if name in before}
    before.clear()
    before.update(there)
    return {name: module for name, module in sys.modules.items() if before.get(name) is not module}


class _Finder(MetaPathFinder):
    def __init__(self, space: KernelSpace) -> None:
        self._space = space

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if top in STUB_PACKAGES:
            file = stub_file(fullname)
            if file is None:
                return None
            return _spec(fullname, file, _StubLoader(fullname, str(file)))
        file = self._space.files.source_of(fullname)
        if file is None and path is None and self._space.serves(fullname):
            file = self._space.files.source_of(fullname)
            if file is None and self._space.files.folder_of(fullname) is None:
                # An archive, or native code: nothing that can be rewritten.
                raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        if file is not None:
            return _spec(fullname, file, _KernelLoader(fullname, file, self._space))
        folder = self._space.files.folder_of(fullname)
        if folder is None:
            return None
        # Without a loader, as Python's own finder gives it.
        spec = ModuleSpec(fullname, None, is_package=True)
        loader: Any = NamespaceLoader(fullname, [str(folder)], lambda *_: None)
        spec.submodule_search_locations = loader._path
        return spec


def _spec(name: str, file: Path, loader: Loader) -> ModuleSpec | None:
    locations = [str(file.parent)] if file.name == "__init__.py" else None
    return importlib.util.spec_from_file_location(name, file, loader=loader, submodule_search_locations=locations)


class _StubLoader(SourceFileLoader):
    """Stubs are ours: their byte code is kept as that of any other module."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        vars(module)["__getattr__"] = absent_name(module)
        show(module, parts=True)


class _KernelLoader(SourceFileLoader):
    """Python's own loader, whose modules are rewritten; what it is asked to read, its caller reads: the refusal of
    `open` is for that too."""

    def __init__(self, fullname: str, file: Path, space: KernelSpace) -> None:
        super().__init__(fullname, str(file))
        self._file = file
        self._space = space
        self._rewriting = space.rewriting

    def get_data(self, path: Any) -> bytes:
        """The bytes of a file."""
        return Path(path).read_bytes()

    def set_data(self, path: Any, data: Any, *, _mode: int = 0) -> None:
        """Nothing: byte code of kernels is not written."""

    def exec_module(self, module: ModuleType) -> None:
        namespace = module.__dict__
        self._rewriting = self._space.rewriting_of(self._file)
        namespace[KERNEL_MARKER] = str(self._file)
        register_kernel_module(module.__name__)
        asking = {"callable": is_callable, "hasattr": has_attribute, "getattr": get_attribute}
        functions: dict[str, Callable[..., Any]] = {}
        importing: Callable[..., Any] = import_module
        if self._rewriting in (Rewriting.ARITHMETIC, Rewriting.FULL):
            functions = KERNEL_FUNCTIONS if self._rewriting is Rewriting.FULL else TELLING
            importing = _import_substituted
        texts = text_functions(self._rewriting, self._file)
        own = {**asking, **functions, **noting(functions), **texts, "__import__": importing}
        # Not in the namespace itself, which the module may look at.
        like_python = self._space.files.like_python - {self._file.stem}
        namespace["__builtins__"] = {**vars(builtins), **own, HOOKS: hooks, NAMES_OF_PYTHON: like_python}
        self._space.will_read(self._file)
        code = _compile(self._file, self._rewriting)
        know(code)
        execute(code, self._file, namespace, self._compile_rest)

    def _compile_rest(self, rest: ast.Module, flags: int) -> CodeType:
        tree = self._rewriting.apply(rest, self._file)
        code: CodeType = compile(tree, str(self._file), "exec", flags, dont_inherit=True)
        know(code)
        return code


#: What kernels know the class as.
_KernelLoader.__name__ = _KernelLoader.__qualname__ = SourceFileLoader.__name__
_KernelLoader.__module__ = SourceFileLoader.__module__


def _import_substituted(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    found = import_module(name, globals, locals, fromlist, level, importer=sys._getframe(1))
    return as_kernels_see(found)


def _compile(file: Path, rewriting: Rewriting) -> CodeType:
    text = (str(file), *stamp(file))
    key = (*text, rewriting)
    code = _compiled.get(key)
    if code is None:
        tree = parse(file) if rewriting is Rewriting.NONE else parse_anew(file)
        nodes = list(walk(tree))
        if not any((*text, one) in _compiled for one in Rewriting):
            note_text(nodes, str(file))
        try:
            with nested_deeply():
                code = compile(rewriting.apply(tree, file, nodes=nodes), str(file), "exec", dont_inherit=True)
        except RecursionError:
            construct = f"expressions or branches nested as deeply as in {file.name}"
            raise UnsupportedConstruct(
                construct, "write long chains of `elif` or operators as a loop or a table"
            ) from None
        except SyntaxError as error:
            # A loop becomes two blocks, and CPython allows twenty within one another.
            compile(parse_anew(file), str(file), "exec", dont_inherit=True)
            place = f"{file.name}:{error.lineno}"
            construct = f"so many loops within one another, at {place}"
            raise UnsupportedConstruct(construct, "put some into a helper function") from None
        _compiled[key] = code
    return code


#: The spaces of kernel files, each with the name that the file's module has in it.
_spaces: dict[tuple[Path, Path, Allowed, Rewriting], tuple[KernelSpace, str]] = {}


def load_kernel(
    reference: str, base: Path, rewriting: Rewriting = Rewriting.NONE
) -> tuple[Callable[..., Any], KernelSpace]:
    """The function `name` of `path::name`, with the space it lives in. Relative paths are relative to `base`.

    Modules are imported once in a process for each rewriting, and are as they were then each time; where they cannot
    be, they are imported again. Raises `UsageError` where there is no such file or function, or where importing it
    raises.
    """
    path_text, separator, name = reference.partition("::")
    if not separator or not name:
        raise UsageError(f"a kernel is written path/to/file.py::function, not {reference!r}")
    module, space = load_module(path_text, base, rewriting)
    return space.function_named(name, module, path_text), space


@of_stage(Stage.LOADING)
def load_module(path_text: str, base: Path, rewriting: Rewriting = Rewriting.NONE) -> tuple[ModuleType, KernelSpace]:
    """The module of a kernel file, with the space it lives in; see `load_kernel`."""
    file = (base / path_text).resolve()
    if not is_there(file):
        raise UsageError(f"no kernel file {path_text}")
    # Not by folder: what one file leaves in modules that others import as well is its own.
    key = (file, base.resolve(), allowed(), rewriting)
    if key in _spaces:
        known, dotted = _spaces[key]
        if known.as_imported() and dotted in known.modules:
            return known.modules[dotted], known
    root, dotted = module_name(file)
    space = KernelSpace(root, rewriting, key[1])
    space.files.serve(dotted, file)
    try:
        with guarded_import(), kernel_output():
            module = space.load(dotted)
            if space.late:
                space = KernelSpace(root, rewriting, key[1], legacy=True)
                space.files.serve(dotted, file)
                module = space.load(dotted)
    except UsageError:
        raise
    except ImportRefused as refused:
        raise UsageError(str(refused)) from None
    except BaseException as error:
        if not isinstance(error, Exception | SystemExit) and not is_exception_of_kernel(error):
            raise
        place = _place_of(error) or path_text
        raise UsageError(f"{place}: importing {path_text} raises {described(error)}") from error
    space.has_been_imported()
    _spaces[key] = (space, dotted)
    return module, space


def _place_of(error: BaseException) -> str:
    """The line of kernel code that raised `error`."""
    place = ""
    entry = error.__traceback__
    while entry is not None:
        if KERNEL_MARKER in entry.tb_frame.f_globals:
            place = f"{entry.tb_frame.f_code.co_filename}:{entry.tb_lineno}"
        entry = entry.tb_next
    return place


def _function_named(name: str, module: ModuleType, path_text: str) -> Callable[..., Any]:
    """The function that `name` means in `module`: `kernel`, `Class.method`, or what `make_kernel(128)` returns."""
    dotted, bracket, _ = name.partition("(")
    found: Any = module
    for part in dotted.split("."):
        found = getattr(found, part, None)
    if bracket and callable(found) and type(found) is not Placeholder:
        found = _made(found, name, path_text)
    if type(found) is Placeholder:
        raise UsageError(f"{name} in {path_text} is made by {found!r}")
    if found is None:
        raise UsageError(f"no function {name} in {path_text}{_close(name, module)}")
    if isinstance(found, type | ModuleType) or not (callable(found) or hasattr(type(found), "__getitem__")):
        raise UsageError(f"{name} in {path_text} is not a function")
    return found  # type: ignore[no-any-return]


class MadeInRun:
    """The result of a factory that calls functions of NKI: it is called again in each run, for that run's kernel."""

    def __init__(self, make: Callable[[], Any], given: Sequence[Any] = ()) -> None:
        self._make = make
        #: What the factory is given, its defaults included.
        self.given = given

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._make()(*args, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._make()[grid](*args, **kwargs)


class MadeOfDimensions(MadeInRun):
    """The result of a factory that is given dimensions of the arguments: `make_kernel(M, N // 2, fast=True)`."""

    def __init__(self, factory: Callable[..., Any], call: ast.Call) -> None:
        self._factory = factory
        self._call = call
        #: The dimensions that it is given.
        self.names = sorted(
            {node.id for part in _parts_of(call) for node in ast.walk(part) if isinstance(node, ast.Name)}
        )
        super().__init__(self._unbound)

    def _unbound(self) -> Any:
        raise UsageError(f"{', '.join(self.names)}: no arguments have these dimensions")

    def bound(self, value: Callable[[ast.expr], Any]) -> MadeInRun:
        """The kernel for the values of its dimensions, of which `value` computes what is no literal."""

        def argument(node: ast.expr) -> Any:
            try:
                return ast.literal_eval(node)
            except ValueError:
                return value(node)

        positional = [argument(node) for node in self._call.args]
        options = {keyword.arg: argument(keyword.value) for keyword in self._call.keywords if keyword.arg is not None}
        # The dimensions are others in each run: nothing is held.
        return MadeInRun(lambda: self._factory(*positional, **options))


def _parts_of(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _made(factory: Callable[..., Any], name: str, path_text: str) -> Any:
    """The result of calling `factory` as `name` says; arguments are literals, or made of dimensions."""
    try:
        call = ast.parse(name, mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError(name)
        nodes = [node for part in _parts_of(call) for node in ast.walk(part)]
        if any(isinstance(node, ast.Name) for node in nodes) and not any(isinstance(node, ast.Call) for node in nodes):
            return MadeOfDimensions(factory, call)
        positional = [ast.literal_eval(argument) for argument in call.args]
        options = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg is not None}
    except (SyntaxError, ValueError):
        advice = "make_kernel(128, fast=True), or make_kernel(M) with a dimension of its arguments"
        raise UsageError(f"a kernel made by a function is written {advice}, not {name}") from None
    try:
        return factory(*positional, **options)
    except CalledOutsideRun:
        bound = inspect.signature(factory).bind(*positional, **options)
        bound.apply_defaults()
        return MadeInRun(lambda: factory(*positional, **options), tuple(bound.arguments.values()))
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{name} in {path_text} raises {described(error)}") from error


def _close(name: str, module: ModuleType) -> str:
    return did_you_mean(name, [key for key, value in vars(module).items() if callable(value)])
