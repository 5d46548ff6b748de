"""Observations of a concrete run at the moment a contract breaks: calls, loops and tensors, from the frames of kernel
code."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import FrameType, TracebackType

from nkiverify.foundation.budget import ReportingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.records import LoopValue
from nkiverify.foundation.source import Site, frame_site, is_kernel_frame
from nkiverify.frontend.concrete import BrokenContract, ConcreteExecution, Observer
from nkiverify.frontend.source_names import walk
from nkiverify.frontend.tracebacks import kernel_entries
from nkiverify.model.tensor import Tensor


@dataclass(frozen=True, slots=True)
class SeenTensor:
    """A tensor that kernel code calls `name`; `argument` is the argument it is the whole of, empty for others."""

    name: str
    argument: str
    shape: tuple[str, ...]
    dtype: str
    buffer: str

    def described(self, labels: Mapping[str, Sequence[str]]) -> str:
        """`lhsT bfloat16[K=200, M=128] shared_hbm`, with the `labels` of the extents of arguments, if it is one."""
        names = labels.get(self.argument, ())
        if len(names) != len(self.shape):
            names = [""] * len(self.shape)
        extents = [f"{name}={extent}" if name else extent for name, extent in zip(names, self.shape, strict=True)]
        return f"{self.name} {self.dtype}[{', '.join(extents)}] {self.buffer}"


@dataclass(frozen=True, slots=True)
class Observation:
    """The circumstances of one broken contract. `place` is where it broke, `calls` led there, outermost first."""

    place: Site
    calls: tuple[Site, ...]
    loops: tuple[LoopValue, ...]
    tensors: tuple[SeenTensor, ...]


#: A contract and the line it breaks at.
Key = tuple[str, str, int]


def key_of(contract: str, site: Site | None) -> Key:
    """The identity of one contract at one line."""
    return (contract, site.file, site.line) if site is not None else (contract, "", 0)


class BreakObserver(Observer):
    """Keeps what can be seen where each contract first breaks at each line."""

    def __init__(self) -> None:
        self.observations: dict[Key, Observation] = {}

    def broken(self, run: ConcreteExecution, found: BrokenContract) -> None:
        """Keep what can be seen from here."""
        key = key_of(found.contract.id, found.site)
        if key not in self.observations:
            seen = seen_from(sys._getframe(1))
            if seen is not None:
                self.observations[key] = seen

    def catches_up(self, run: ConcreteExecution) -> bool:
        """Take what another observer of this kind has kept; there is nothing to keep where nothing is broken."""
        for other in run.observers:
            if isinstance(other, BreakObserver):
                self.observations = dict(other.observations)
                return True
        return not (run.broken or run.tolerated)


def seen_from(frame: FrameType) -> Observation | None:
    """Observations in the kernel's frames from `frame` outwards; None where there are none."""
    frames = [each for each in _outwards(frame) if is_kernel_frame(each)]
    frames.reverse()
    return observed([(each, frame_site(each)) for each in frames]) if frames else None


def loops_from(frame: FrameType) -> tuple[LoopValue, ...]:
    """The loops of the kernel's frames from `frame` outwards, outermost first."""
    frames = [each for each in _outwards(frame) if is_kernel_frame(each)]
    return tuple(loop for each in reversed(frames) for loop in _loops(each, frame_site(each)))


def observed_in(error: BaseException) -> Observation | None:
    """Observations in the kernel's frames of the traceback of `error`."""
    entries = kernel_entries(error)
    return observed([(entry.tb_frame, entry_site(entry)) for entry in entries]) if entries else None


def entry_site(entry: TracebackType) -> Site:
    """The span of source that a traceback entry is about; the line alone before Python 3.11."""
    code = entry.tb_frame.f_code
    line, end_line, column, end_column = entry.tb_lineno, -1, -1, -1
    if sys.version_info >= (3, 11) and entry.tb_lasti >= 0:
        positions = list(code.co_positions())[entry.tb_lasti // 2]
        if positions[0] == line and None not in positions:
            _, end_line, column, end_column = (number if number is not None else -1 for number in positions)
    return Site(code.co_filename, line, column, end_line, end_column, code.co_name)


def observed(frames: Sequence[tuple[FrameType, Site]]) -> Observation:
    """Observations in the kernel's frames, the innermost being the last."""
    frame, site = frames[-1]
    return Observation(
        place=site,
        # A comprehension is a frame of its own before Python 3.12, but no call.
        calls=tuple(site for (_, site), (called, _) in pairwise(frames) if not called.f_code.co_name.startswith("<")),
        loops=tuple(loop for each, at in frames for loop in _loops(each, at)),
        tensors=tuple(_tensors(frame, site))[: ReportingBudget.TENSORS_OF_A_PLACE],
    )


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The syntax of a kernel file: its `for` statements, its functions, and the names it uses."""

    loops: tuple[ast.For, ...] = ()
    functions: tuple[ast.FunctionDef | ast.Lambda, ...] = ()
    names: tuple[ast.Name, ...] = ()


def _syntax(file: str) -> _Syntax:
    """The syntax of a kernel file; nothing where it cannot be read any more."""
    linecache.checkcache(file)
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> _Syntax:
    try:
        nodes = list(walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return _Syntax()
    loops = tuple(node for node in nodes if isinstance(node, ast.For))
    functions = tuple(node for node in nodes if isinstance(node, ast.FunctionDef | ast.Lambda))
    return _Syntax(loops, functions, tuple(node for node in nodes if isinstance(node, ast.Name)))


def _loops(frame: FrameType, site: Site) -> Iterator[LoopValue]:
    """The `for` statements around `site` in the function of `frame`, outermost first."""
    code = frame.f_code
    syntax = _syntax(site.file)
    for node in syntax.loops:
        inside = code.co_firstlineno <= node.lineno and _within(node, site.line)
        if inside and not _in_inner_function(syntax.functions, node, site.line, code.co_firstlineno):
            names = [part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)]
            values = [f"{name} = {frame.f_locals[name]}" for name in names if _is_number(frame.f_locals.get(name))]
            if values:
                yield LoopValue(site.file, node.lineno, ", ".join(values), site.function)


def _within(node: ast.For, line: int) -> bool:
    return node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)


def _in_inner_function(
    functions: Sequence[ast.FunctionDef | ast.Lambda], loop: ast.For, line: int, first_line: int
) -> bool:
    """True if `line` is in a function defined inside `loop`: its frame is another one than the loop's."""
    return any(
        loop.lineno <= node.lineno <= line <= (node.end_lineno or 0) <= (loop.end_lineno or 0)
        and first_line < node.lineno
        for node in functions
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | str) and len(str(value)) <= 40


def _tensors(frame: FrameType, site: Site) -> Iterator[SeenTensor]:
    """The tensors that the span of `site` names, else those of the whole line."""
    last = site.end_line if site.end_line > 0 else site.line
    seen: set[str] = set()
    for node in _syntax(site.file).names:
        if not site.line <= node.lineno <= last or node.id in seen:
            continue
        outside = (node.lineno == site.line and node.col_offset < site.column) or (
            site.end_column > 0 and node.lineno == last and node.col_offset >= site.end_column
        )
        value = frame.f_locals.get(node.id)
        if not outside and isinstance(value, Tensor):
            seen.add(node.id)
            yield _seen(node.id, value)


def _seen(name: str, tensor: Tensor) -> SeenTensor:
    storage = tensor.storage
    whole = isinstance(storage.identity, tuple) and tuple(tensor.shape) == tuple(storage.shape)
    argument = storage.name if whole else ""
    return SeenTensor(name, argument, tuple(map(str, tensor.shape)), str(tensor.dtype), str(storage.buffer))
