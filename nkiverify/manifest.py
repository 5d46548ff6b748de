"""The manifest: what a target is, how one is written, and how the modules of `harness/` are loaded.

    @target(
        kernel="kernels/matmul_tiled.py::matmul_tiled",
        family="matmul_tiled",
        kind=Kind.UNBOUNDED,
        expect={1: SUCCESSFUL, 2: SUCCESSFUL},
    )
    def matmul_tiled_all(v: Verification) -> None:
        \"\"\"Every K and M that are multiples of 128, every N that is a multiple of 512.\"\"\"
        K = v.dim("K", multiple_of=128)
        M = v.dim("M", multiple_of=128)
        N = v.dim("N", multiple_of=512)
        out = v.call(v.tensor("lhsT", (K, M), float16), v.tensor("rhs", (K, N), float16))
        v.returns(out, shape=(M, N), dtype=float16)

The function is executed by a symbolic run, in which `dim` gives a symbolic integer, and by concrete runs, in which
it gives an ordinary one: write it so that both work, with `v.assume` for what restricts the domain.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol

from nkiverify import project, resources
from nkiverify.config import DEFAULT_HARDWARE, HARDWARE, MANIFEST_FILE, PHASES
from nkiverify.errors import UsageError
from nkiverify.model.contents import Interval, whole_range
from nkiverify.model.contracts import require
from nkiverify.model.dtypes import DType, int32
from nkiverify.model.launch import Kernel
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.registers import VirtualRegister
from nkiverify.model.returned import tensors_in
from nkiverify.model.tensor import Tensor, argument
from nkiverify.program import DomainDimension
from nkiverify.results import Kind, Verdict
from nkiverify.run import current_run
from nkiverify.settings import Settings
from nkiverify.symbolic import Extent, constant_value, known, maximum, minimum, terms
from nkiverify.symbolic.terms import INT32_MAX

__all__ = ["FAILED", "SUCCESSFUL", "Kind", "Target", "Verification", "load_targets", "target"]

SUCCESSFUL = Verdict.SUCCESSFUL
FAILED = Verdict.FAILED


@dataclass(frozen=True, slots=True)
class Target:
    """One row of the manifest. `expect` holds the expected verdict of each phase that is run by default."""

    name: str
    kernel: str
    family: str
    kind: Kind
    expect: Mapping[int, Verdict]
    flags: str
    tags: tuple[str, ...]
    description: str
    hardware: str
    root: Path
    module: str
    file: str
    line: int
    function: Callable[[Verification], None] = field(repr=False)
    #: Settings that the target makes itself, rather than the repository or the default: "hardware", "unwind".
    own: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Manifest:
    """A manifest being imported: the targets found so far, and what their kernels and settings are relative to."""

    root: Path
    settings: Settings
    folder: Path
    targets: list[Target] = field(default_factory=list)


_loading: _Manifest | None = None


@dataclass(frozen=True, slots=True)
class TargetDescription:
    """What `@target(…)` was given; `hardware` is None where it says nothing. A target function carries it."""

    kernel: str
    family: str
    kind: Kind
    expect: Mapping[int, Verdict]
    flags: str
    tags: tuple[str, ...]
    hardware: str | None

    def of(self, function: Callable[[Verification], None], root: Path, settings: Settings, folder: Path) -> Target:
        """The target that `function`, in a file of `folder`, is in the repository `root` with these settings."""
        path, _, kernel = self.kernel.partition("::")
        bounded = "--unwind" in self.flags
        configured = f"--unwind {settings.unwind}" if settings.unwind is not None and not bounded else ""
        own = {"hardware": self.hardware is not None, "unwind": bounded}
        code = function.__code__
        return Target(
            name=function.__name__,
            kernel=f"{os.path.relpath(folder / path, root)}::{kernel}",
            family=self.family,
            kind=self.kind,
            expect=self.expect,
            flags=" ".join(filter(None, (self.flags, configured))),
            tags=self.tags,
            description=(function.__doc__ or "").strip(),
            hardware=self.hardware or settings.hardware or DEFAULT_HARDWARE,
            root=root,
            module=function.__module__,
            file=code.co_filename,
            line=code.co_firstlineno,
            function=function,
            own=frozenset(name for name, given in own.items() if given),
        )


def target_of(function: object, root: Path, settings: Settings, folder: Path) -> Target | None:
    """The target that `function`, in a file of `folder`, was declared to be, if it was."""
    described = getattr(function, "__nkiverify_target__", None)
    if not isinstance(described, TargetDescription) or not inspect.isfunction(function):
        return None
    return described.of(function, root, settings, folder)


def target(
    *,
    kernel: str,
    family: str,
    kind: Kind,
    expect: Mapping[int, Verdict],
    flags: str = "",
    tags: Sequence[str] = (),
    hardware: str | None = None,
) -> Callable[[Callable[[Verification], None]], Callable[[Verification], None]]:
    """Make the decorated function a target named like it.

    `kernel` is `path/to/file.py::function`, relative to the folder of the manifest; `flags` are ESBMC's; `hardware`
    is the generation to verify for, where the repository's settings say nothing trn2. Raises `UsageError` where a
    value makes no sense.
    """

    def register(function: Callable[[Verification], None]) -> Callable[[Verification], None]:
        code = function.__code__
        place = f"{Path(code.co_filename).name}:{code.co_firstlineno}"
        name = function.__name__
        if "::" not in kernel:
            raise UsageError(f"{place}: target {name}: a kernel is written path/to/file.py::function, not {kernel!r}")
        if not isinstance(kind, Kind):
            raise UsageError(f"{place}: target {name}: kind is a Kind, not {kind!r}")
        unknown = [phase for phase in expect if phase not in PHASES]
        if unknown or not expect:
            raise UsageError(f"{place}: target {name}: expect names a verdict for each phase to run")
        if any(verdict not in (SUCCESSFUL, FAILED) for verdict in expect.values()):
            raise UsageError(f"{place}: target {name}: a target is expected to be SUCCESSFUL or FAILED")
        if hardware is not None and hardware not in HARDWARE:
            raise UsageError(f"{place}: target {name}: no hardware {hardware!r}, only {', '.join(HARDWARE)}")
        described = TargetDescription(kernel, family, kind, dict(expect), flags, tuple(tags), hardware)
        function.__nkiverify_target__ = described  # type: ignore[attr-defined]
        if _loading is not None:
            if any(other.name == name for other in _loading.targets):
                raise UsageError(f"{place}: there is already a target {name}")
            _loading.targets.append(described.of(function, _loading.root, _loading.settings, _loading.folder))
        return function

    return register


class OutsideDomain(Exception):
    """A concrete run was asked for values that the target excludes."""


class Binding(Protocol):
    """Where the values of a target's dimensions come from: symbolic, or one concrete choice."""

    def dimension(self, described: DomainDimension) -> Extent:
        """The value of a dimension."""

    def choose(self, described: DomainDimension) -> int:
        """The value of a dimension with a few values, one path for each in a symbolic run."""

    def assume(self, condition: object) -> None:
        """Restrict the domain."""

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """Take the kernel's asserts at these lines, each with its text, for assumptions."""

    def possible(self) -> bool:
        """Whether the present path may be one of some values."""

    def number(self, value: Extent) -> Extent:
        """An integer as kernel code is to see it, so that its arithmetic with it can be checked."""


class Verification:
    """What a target function works with."""

    def __init__(self, binding: Binding, kernel: Callable[..., Any], fixed: Mapping[str, int] | None = None) -> None:
        self._binding = binding
        #: Values that dimensions are assumed to have, by name, and those of them that no dimension has had so far.
        self._fixed = fixed or {}
        self.unknown = set(self._fixed)
        #: The kernel, as the kernel's module defines it.
        self.kernel = kernel
        #: Whether the kernel has been called.
        self.called = False

    def dim(self, name: str, low: int = 1, high: int | None = None, *, multiple_of: int = 1) -> Any:
        """An integer of the domain: `low` to `high` (None: the largest 32-bit integer), in steps of `multiple_of`."""
        if not isinstance(name, str) or not name.isidentifier():
            raise UsageError(f"a dimension has a name like K or seq_len, not {name!r}")
        if not isinstance(low, int) or not (high is None or isinstance(high, int)) or multiple_of < 1:
            raise UsageError(f"dimension {name}: low, high and multiple_of are ordinary integers")
        if (high if high is not None else INT32_MAX) < low:
            raise UsageError(f"dimension {name}: no integer is at least {low} and at most {high}")
        (atom,) = terms.dimension(name).atoms
        assert isinstance(atom, terms.Dimension)
        value = self._binding.dimension(DomainDimension(atom, low, high, multiple_of))
        if name in self._fixed:
            self.unknown.discard(name)
            self._binding.assume(value == self._fixed[name])
        return value

    def choice(self, name: str, options: Sequence[Any]) -> Any:
        """One of a few values; the target is verified for each."""
        if not options:
            raise UsageError(f"choice {name}: there is nothing to choose from")
        (atom,) = terms.dimension(name).atoms
        assert isinstance(atom, terms.Dimension)
        names = tuple(str(option) for option in options)
        return options[self._binding.choose(DomainDimension(atom, 0, len(options) - 1, choices=names))]

    def assume(self, condition: object) -> None:
        """Restrict the domain to the values for which `condition` holds."""
        self._binding.assume(condition)

    def assume_asserts(self, lines: Mapping[tuple[str, int], str]) -> None:
        """Restrict the domain to what the kernel's asserts at these lines check: file and line, with what to report."""
        self._binding.assume_asserts(lines)

    def possible(self) -> bool:
        """Whether what has been assumed and decided so far holds for some values of the dimensions; True if unsure."""
        return self._binding.possible()

    def tensor(
        self,
        name: str,
        shape: Sequence[Extent],
        dtype: DType,
        buffer: MemoryRegion = MemoryRegion.shared_hbm,
        *,
        values: tuple[Extent, Extent] | None = None,
    ) -> Tensor:
        """A tensor argument of the kernel. Its extents are assumed to be 32-bit integers of at least 1.

        `values` are the least and the greatest integer in a tensor of indices, loop bounds or other integers; without
        them it may hold any integer of its dtype. That there is one in between is assumed.
        """
        if not isinstance(dtype, DType):
            raise UsageError(f"tensor {name}: {dtype!r} is not a dtype of nkiverify.model.dtypes")
        if not isinstance(shape, tuple | list) or not shape:
            raise UsageError(f"tensor {name}: a shape is a tuple of at least one integer, not {shape!r}")
        for extent in shape:
            if not _is_integer(extent):
                raise UsageError(f"tensor {name}: {extent!r} is not an integer")
            self._binding.assume(extent >= 1)
            self._binding.assume(extent <= INT32_MAX)
        contents = None if values is None else self._contents(name, dtype, values)
        return argument(name, tuple(self._binding.number(extent) for extent in shape), dtype, buffer, contents)

    def register(self, name: str, low: Extent, high: Extent) -> VirtualRegister:
        """A register that holds an integer from `low` to `high`, for a helper function that takes one."""
        found = self._contents(name, int32, (low, high))
        return VirtualRegister.holding(Interval(*found))

    def _contents(self, name: str, dtype: DType, values: object) -> tuple[Extent, Extent]:
        """The range of the integers in an argument, those of them that its dtype has."""
        whole = whole_range(dtype)
        if whole is None:
            raise UsageError(f"{name}: only integers have a range of values, not {dtype}")
        if not isinstance(values, tuple) or len(values) != 2 or any(not _is_integer(end) for end in values):
            raise UsageError(f"{name}: values are two integers, the least and the greatest, not {values!r}")
        low = values[0] if known(values[0] >= whole.low) else maximum(values[0], whole.low)
        high = values[1] if known(values[1] <= whole.high) else minimum(values[1], whole.high)
        if constant_value(low) is not None and constant_value(high) is not None and low > high:
            raise UsageError(f"{name}: no {dtype} is at least {values[0]} and at most {values[1]}")
        self._binding.assume(low <= high)
        return low, high

    def call(self, *arguments: Any, grid: Any = None, **options: Any) -> Any:
        """Call the kernel, launched on `grid` if one is given."""
        self.called = True
        kernel: Any = self.kernel if grid is None else self.kernel[grid]  # type: ignore[index]
        result = kernel(*arguments, **options)
        if not isinstance(self.kernel, Kernel):
            # A kernel says itself what it returns.
            current_run().returned(tuple(tensors_in(result)))
        return result

    def returns(self, value: object, *, shape: Sequence[Extent], dtype: DType | None = None) -> None:
        """The output contract: `value` is a tensor of this shape and dtype."""
        if not isinstance(value, Tensor):
            require("target.output_shape", False, got=type(value).__name__, expected=tuple(shape))
            return
        same_rank = len(value.shape) == len(shape)
        require("target.output_shape", same_rank, got=value.shape, expected=tuple(shape))
        if same_rank:
            for got, expected in zip(value.shape, shape, strict=True):
                require("target.output_shape", got == expected, got=value.shape, expected=tuple(shape))
        if dtype is not None:
            require("target.output_dtype", value.dtype is dtype, got=value.dtype, expected=dtype)

    def no_spills(self) -> None:
        """Claim, in phase 3, that all tensors live at one time fit SBUF and PSUM, in the order of the program."""
        current_run().no_spills = True

    def claim(self, condition: object, text: str) -> None:
        """Anything else that must hold."""
        require("target.claim", condition, claim=text)


def _is_integer(value: object) -> bool:
    return isinstance(value, terms.Term) or constant_value(value) is not None


def load_targets(root: Path | None = None, files: Sequence[Path] | None = None) -> list[Target]:
    """All targets of `root`: those of its manifests, or else of the modules in `root/harness`; or those in `files`.

    They are in the order of the files' names and of their lines. Raises `UsageError`, naming the module, where one
    cannot be imported.
    """
    global _loading
    top = root if root is not None else resources.root()
    settings = project.settings_for(top)
    found = list(files) if files is not None else [] if top == resources.root() else project.manifests_in(top, settings)
    if files is None and not found:
        if not (top / "harness").is_dir():
            raise UsageError(f"there is no {MANIFEST_FILE} in {top}")
        found = [file for file in sorted((top / "harness").glob("*.py")) if not file.name.startswith("_")]
    targets: list[Target] = []
    try:
        for file in found:
            # Kernels of the harness are beside its folder, those of other manifests are beside the manifest.
            folder = top if file.parent == top / "harness" else file.parent
            _loading = _Manifest(top, settings, folder, targets)
            _import(file, top)
    finally:
        _loading = None
    return targets


def check_kernels(targets: Sequence[Target]) -> None:
    """Raise `UsageError` for the first target whose kernel file is not there, is no Python, or has no such function."""
    from nkiverify.frontend.loader import parse

    names: dict[Path, set[str]] = {}
    for target in targets:
        path_text, _, name = target.kernel.partition("::")
        path = target.root / path_text
        if not path.is_file():
            raise UsageError(f"target {target.name}: no kernel file {path_text}")
        if path not in names:
            names[path] = _names_bound(parse(path))
        if name not in names[path]:
            close = get_close_matches(name, sorted(names[path]), 3)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise UsageError(f"target {target.name}: no function {name} in {path_text}{hint}")


def _names_bound(tree: ast.Module) -> set[str]:
    """Names that a module may bind at its top level, as far as its text shows."""
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    others = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }
    return functions | others | imported


def _import(file: Path, root: Path) -> None:
    name = f"nkiverify_harness_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except UsageError:
        raise
    except Exception as error:
        line = _line_in(file, error)
        raise UsageError(f"{file.relative_to(root)}{line}: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = written
        sys.path.remove(str(file.parent))


def _line_in(file: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f":{error.lineno}"
    line = ""
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code.co_filename == str(file):
            line = f":{entry.tb_lineno}"
        entry = entry.tb_next
    return line
