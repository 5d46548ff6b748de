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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError, described
from nkiverify.foundation.near_names import did_you_mean
from nkiverify.foundation.records import Kind, Verdict
from nkiverify.frontend.target import Target, Verification
from nkiverify.model.policy import ACCEPT_BOUNDED
from nkiverify.project import repository as project
from nkiverify.project.harness_modules import HarnessSource, attached
from nkiverify.project.settings import Settings
from nkiverify.verify.options import DEFAULT_HARDWARE, DEFAULT_PHASES, HARDWARE, MANIFEST_FILE, PHASES

SUCCESSFUL = Verdict.SUCCESSFUL
FAILED = Verdict.FAILED


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
    """The arguments of `@target(…)`; `hardware` is None where it says nothing. A target function carries it."""

    kernel: str
    family: str
    kind: Kind
    expect: Mapping[int, Verdict]
    flags: str
    tags: tuple[str, ...]
    hardware: str | None
    accept: tuple[str, ...] = ()

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
            accept=self.accept,
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
    accept: Sequence[str] = (),
) -> Callable[[Callable[[Verification], None]], Callable[[Verification], None]]:
    """Make the decorated function a target named like it.

    `kernel` is `path/to/file.py::function`, relative to the folder of the manifest; `flags` are the second engine's;
    `hardware` is the generation to verify for, where the repository's settings say nothing trn2; `accept=["bounded"]`
    takes a SUCCESSFUL up to a bound for one. Raises `UsageError` where a value makes no sense.
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
        if isinstance(accept, str) or any(name != ACCEPT_BOUNDED for name in accept):
            raise UsageError(f"{place}: target {name}: accept is a list of {ACCEPT_BOUNDED}, not {accept!r}")
        described = TargetDescription(kernel, family, kind, dict(expect), flags, tuple(tags), hardware, tuple(accept))
        function.__nkiverify_target__ = described  # type: ignore[attr-defined]
        if _loading is not None:
            if any(other.name == name for other in _loading.targets):
                raise UsageError(f"{place}: there is already a target {name}")
            _loading.targets.append(described.of(function, _loading.root, _loading.settings, _loading.folder))
        return function

    return register


@dataclass(frozen=True, slots=True)
class Family:
    """Targets of one family, whose kernels are in one file: called, it is `target` with what they share.

    MATMUL = Family("matmul", "kernels/matmul.py")

    @MATMUL(Kind.CONCRETE)                          the kernel `matmul`, SUCCESSFUL in every phase
    @MATMUL(Kind.CONTROL, "matmul_buggy", fails=1)  the kernel `matmul_buggy`, FAILED in phase 1
    """

    name: str
    file: str

    def __call__(
        self,
        kind: Kind,
        kernel: str = "",
        *,
        holds: int | Sequence[int] | None = None,
        fails: int | Sequence[int] = (),
        flags: str = "",
        tags: Sequence[str] = (),
        hardware: str | None = None,
        accept: Sequence[str] = (),
    ) -> Callable[[Callable[[Verification], None]], Callable[[Verification], None]]:
        """Make the decorated function a target of the family.

        It is run in the phases that it `holds` in and those it `fails` in: in all phases where none is named.
        """
        failing = _phases(fails)
        holding = _phases(holds) if holds is not None else () if failing else DEFAULT_PHASES
        return target(
            kernel=f"{self.file}::{kernel or self.name}",
            family=self.name,
            kind=kind,
            expect={**dict.fromkeys(holding, SUCCESSFUL), **dict.fromkeys(failing, FAILED)},
            flags=flags,
            tags=tags,
            hardware=hardware,
            accept=accept,
        )


def _phases(named: int | Sequence[int]) -> tuple[int, ...]:
    return (named,) if isinstance(named, int) else tuple(named)


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
            # Kernels of the harness are next to its folder, those of other manifests are next to the manifest.
            folder = top if file.parent == top / "harness" else file.parent
            _loading = _Manifest(top, settings, folder, targets)
            _import(file, top)
    finally:
        _loading = None
    return targets


def check_kernels(targets: Sequence[Target]) -> None:
    """Raise `UsageError` for the first target whose kernel file is not there, is no Python, or has no such function."""
    from nkiverify.frontend.trees import parse

    names: dict[Path, set[str]] = {}
    for target in targets:
        path_text, _, name = target.kernel.partition("::")
        path = target.root / path_text
        if not path.is_file():
            raise UsageError(f"target {target.name}: no kernel file {path_text}")
        if path not in names:
            names[path] = _names_bound(parse(path))
        if name not in names[path]:
            hint = did_you_mean(name, names[path])
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
    spec = importlib.util.spec_from_file_location(name, file, loader=HarnessSource(name, str(file)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        with attached(file.parent):
            spec.loader.exec_module(module)
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit as well: nothing would be verified, and nothing said
        if isinstance(error, SystemExit) and type(error) is not SystemExit:
            raise  # this process is asked to end
        line = _line_in(file, error)
        raise UsageError(f"{file.relative_to(root)}{line}: {described(error)}") from error


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
