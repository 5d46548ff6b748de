"""Places in a kernel's source, and finding the one that is executing."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType
from typing import Annotated

from nkiverify.foundation.dataclass import dataclass

#: A module whose globals hold this name was loaded as kernel code; everything else is ours or a library's.
KERNEL_MARKER = "__nki_kernel__"

#: The audit event of a file that the model reads because kernel code names it.
READS = "nkiverify.read"

#: The number of an object, different for any two that are there at the same time, as `id` is; its class has no say in
#: it. Python tells audit hooks of each call of `id`: with that of `frontend/guard.py`, it takes ten times as long as
#: the call itself, and runs ask for millions. Of calls of this function nobody is informed.
identity: Callable[[object], int] = object.__hash__

#: The name of a source file, and a text that may name some: what is written for readers has them relative to a root.
FileName = Annotated[str, "a file"]
Prose = Annotated[str, "a text with files in it"]

#: The flags of code whose frames wait between two values.
GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A span of source text. Lines count from 1, columns (in characters) from 0; -1 where unknown."""

    file: FileName
    line: int
    column: int = -1
    end_line: int = -1
    end_column: int = -1
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


#: Code objects of kernels, with those in them, by identity: their names, and those of files, say what kernels like.
_kernel_code: dict[int, CodeType] = {}


def register_kernel_code(code: CodeType) -> dict[int, CodeType]:
    """Count a code object, and those in it, as code of kernels; all of them, by identity."""
    found, pending = dict[int, CodeType](), [code]
    while pending:
        part = pending.pop()
        found[identity(part)] = part
        pending.extend(constant for constant in part.co_consts if isinstance(constant, CodeType))
    _kernel_code.update(found)
    return found


def is_kernel_code(code: CodeType) -> bool:
    """True if a code object has been registered as one of kernels."""
    return identity(code) in _kernel_code


def is_kernel_frame(frame: FrameType) -> bool:
    """True if `frame` executes code of a module loaded as kernel source."""
    return KERNEL_MARKER in frame.f_globals


_Position = tuple[int | None, int | None, int | None, int | None]


class _Spans:
    """The spans of a code object, and the sites made of them. Python tells the spans of all instructions one after the
    other: what is executed in order is found on the way, and all are kept once an earlier one is asked for."""

    __slots__ = ("_all", "_coming", "_next", "code", "instructions", "sites")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.sites: dict[int, Site] = {}
        self.instructions: dict[int, int] = {}
        self._next = 0
        self._coming = _positions(code)
        self._all: tuple[_Position, ...] = ()

    def of(self, instruction: int) -> _Position | None:
        """The span of the instruction with this number, if Python tells of any."""
        if self._coming is None:
            return None
        if not self._all and instruction < self._next:
            self._all = tuple(_positions(self.code) or ())
        if self._all:
            return self._all[instruction]
        found = next(islice(self._coming, instruction - self._next, None))
        self._next = instruction + 1
        return found


def _positions(code: CodeType) -> Iterator[_Position] | None:
    """The spans of all instructions, in order; None before Python 3.11, which has none."""
    if sys.version_info >= (3, 11):
        return code.co_positions()
    return None


#: The opcode of what lies behind an instruction for the interpreter's own use; no instruction before Python 3.11.
_CACHE = 0

#: By identity: Python goes through all of a code object to hash it, and those of two files may be equal.
_spans: dict[int, _Spans] = {}


def _spans_of(code: CodeType) -> _Spans:
    spans = _spans.get(identity(code))
    if spans is None:
        spans = _spans[identity(code)] = _Spans(code)
    return spans


def instruction_of(frame: FrameType) -> tuple[int, int]:
    """The instruction that `frame` is executing now: what identifies it in this process.

    CPython says that it is at the instruction or, once that has been specialised as it was executed often enough, in
    the cache behind it.
    """
    code, at = frame.f_code, frame.f_lasti
    known = _spans_of(code).instructions
    found = known.get(at)
    if found is None:
        found = at
        while found > 0 and code.co_code[found] == _CACHE:
            found -= 2
        known[at] = found
    return identity(code), found


def frame_site(frame: FrameType) -> Site:
    """The span that `frame` is executing now; the line alone before Python 3.11, which has no columns."""
    code = frame.f_code
    spans = _spans_of(code)
    site = spans.sites.get(frame.f_lasti)
    if site is None:
        line, end_line, column, end_column = -1, -1, -1, -1
        found = spans.of(frame.f_lasti // 2)
        if found is not None and found[0] is not None:
            line = found[0]
            end_line = found[1] if found[1] is not None else -1
            column = found[2] if found[2] is not None else -1
            end_column = found[3] if found[3] is not None else -1
        if line < 0:  # asked last: Python finds it by going through all lines before it
            line = frame.f_lineno
        site = Site(code.co_filename, line, column, end_line, end_column, code.co_name)
        spans.sites[frame.f_lasti] = site
    return site


def kernel_site(depth: int = 1) -> Site | None:
    """The span of kernel code that called us: the nearest kernel frame, `depth` frames up or further."""
    frame = kernel_frame(depth + 1)
    return None if frame is None else frame_site(frame)


def kernel_frame(depth: int = 1) -> FrameType | None:
    """The nearest frame of kernel code, `depth` frames up or further."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and KERNEL_MARKER not in frame.f_globals:
        frame = frame.f_back
    return frame


def module_lines() -> list[tuple[str, int]]:
    """The files and lines at the top level of kernel modules that are being executed, innermost first."""
    found: list[tuple[str, int]] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if KERNEL_MARKER in frame.f_globals and frame.f_code.co_name == "<module>":
            found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def begins_statement() -> bool:
    """True if the nearest kernel frame begins a `for` statement, not of a generator: nobody else gets at the iterator,
    and at what comes of it."""
    frame = kernel_frame()
    if frame is None or frame.f_code.co_flags & GENERATORS:
        return False
    found = [one for one in dis.get_instructions(frame.f_code) if one.opname not in ("EXTENDED_ARG", "CACHE")]
    # A call that is being executed may be at what is cached behind it.
    executed = sum(one.offset <= frame.f_lasti for one in found)
    return [one.opname for one in found[executed - 1 : executed + 1]] == ["GET_ITER", "FOR_ITER"]


def kernel_sites() -> tuple[Site | None, tuple[Site, ...]]:
    """The span of kernel code that called us, and those of the kernel's calls that led there, outermost first."""
    found: list[Site] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if KERNEL_MARKER in frame.f_globals:
            found.append(frame_site(frame))
        frame = frame.f_back
    return found[0] if found else None, tuple(found[:0:-1])


def characters(text: str, column: int) -> int:
    """A column in bytes, which is what Python counts, as a column in characters."""
    return len(text.encode("utf-8")[:column].decode("utf-8", errors="ignore"))


#: Whether a class is defined in kernel code, for the classes met; by identity, as a metaclass of the kernel's may say
#: what a class equals.
_kernel_classes: dict[int, tuple[type, bool]] = {}


def is_kernel_class(cls: type) -> bool:
    """True if a class is defined in kernel code."""
    known = _kernel_classes.get(identity(cls))
    if known is None:
        found = cls.__module__ in _kernel_modules or any(
            isinstance(member, types.FunctionType) and KERNEL_MARKER in member.__globals__
            for member in vars(cls).values()
        )
        known = _kernel_classes[identity(cls)] = cls, found
    return known[1]


#: Names of the modules loaded as kernel code, which classes without methods are recognised by.
_kernel_modules: set[str] = set()


def register_kernel_module(name: str) -> None:
    """Make classes of the module of this name part of the state that is watched."""
    _kernel_modules.add(name)


def is_raised_by_kernel(error: BaseException) -> bool:
    """True if a `raise` statement of a kernel raised it: Ctrl-C comes between any two instructions, and to none."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_lasti < 0 or not is_kernel_frame(last.tb_frame):
        return False
    return dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def is_exception_of_kernel(error: BaseException) -> bool:
    """True if `error` is no `Exception`, and no signal of ours or of Python's that has to go on as it is."""
    if isinstance(error, KeyboardInterrupt):
        return is_raised_by_kernel(error)
    if isinstance(error, Exception | SystemExit):
        return False
    kind = type(error)
    # Python raises none of its own classes that are left.
    return kind.__module__ in ("builtins", *_kernel_modules)


def assigned_name(site: Site | None) -> str:
    """The name that the statement at `site` gives the tensor that it allocates; empty where it gives it no name."""
    if site is None:
        return ""
    # The file may have changed since another run of this process.
    linecache.checkcache(site.file)
    for node in _assignments("".join(linecache.getlines(site.file))):
        if node.lineno <= site.line <= (node.end_lineno or 0):
            target = node.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


@lru_cache(maxsize=16)
def _assignments(text: str) -> tuple[ast.Assign, ...]:
    """The assignments in a text; none in one that is not Python."""
    try:
        return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assign))
    except (SyntaxError, ValueError):
        return ()
