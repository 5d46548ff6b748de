"""Facts about the kernel code that runs, from an exception or the stack."""

from __future__ import annotations

import dis
import errno
import functools
import re
from types import FrameType, TracebackType

from nkiverify.foundation.errors import InternalError, text_of
from nkiverify.foundation.near_names import near_names
from nkiverify.foundation.source import KERNEL_MARKER, Site
from nkiverify.frontend.kernel_files import STUB_PACKAGES

#: Numbers of errors of the system where it has no more of something: room, files, processes.
_EXHAUSTED = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
)

#: Packages that are ours, or stand for NKI.
_OURS = frozenset({"nkiverify", *STUB_PACKAGES})


def raised_in(error: BaseException) -> str:
    """The name of the module whose code raised `error`."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return "" if entry is None else str(entry.tb_frame.f_globals.get("__name__", ""))


def our_entry(error: BaseException) -> TracebackType | None:
    """The entry of the model or a stub that `error` comes from, be it from a library that they call; None where it
    comes from the kernel, whose operators and calls may go through hooks of ours."""
    found: TracebackType | None = None
    entry = error.__traceback__
    while entry is not None:
        name = str(entry.tb_frame.f_globals.get("__name__", ""))
        if KERNEL_MARKER in entry.tb_frame.f_globals:
            found = None
        elif name.startswith("nkiverify.model") or _is_stub(name):
            found = entry
        entry = entry.tb_next
    return found


def raised_by_chance(error: BaseException) -> bool:
    """True if `error` comes from our own code, and no `raise` statement there but an operation that failed raised it:
    code that raises on purpose says what is wrong with what it was given."""
    entry = our_entry(error)
    return entry is not None and not _raises(entry)


def undocumented(error: BaseException) -> tuple[str, str] | None:
    """The attribute of an object of NKI that kernel code has asked for and no document names, and advice; None where
    that is not what `error` is about. NKI may have it all the same, so nothing follows of the kernel."""
    if not isinstance(error, AttributeError) or error.obj is None or error.name is None:
        return None
    kind = error.obj if isinstance(error.obj, type) else type(error.obj)
    if not (kind.__module__.startswith("nkiverify.model") or _is_stub(kind.__module__)):
        return None
    close = near_names(error.name, [name for name in dir(error.obj) if not name.startswith("_")])
    advice = f"did you mean {close[0]}?" if close else "there is no model of it"
    return f"{kind.__name__}.{error.name}, which is not documented", advice


def limit_of_machine(error: BaseException) -> tuple[str, str, Site | None] | None:
    """The limit of this machine, or of the process, that `error` is about, with advice and the line of the kernel; None
    where it is about something else. How much there is, and what is let pass, says nothing about the kernel."""
    entries = kernel_entries(error)
    site = frame_site_of(entries[-1]) if entries else None
    if isinstance(error, MemoryError):
        return "a kernel that needs more memory than there is", "bound the dimensions", site
    if isinstance(error, PermissionError):
        return f"the kernel asks for what it may not: {text_of(error)}", "docs/security.md", site
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return f"the kernel asks for more than there is: {text_of(error)}", "docs/security.md", site
    return None


def raised_by_kernel(error: BaseException) -> bool:
    """True if a `raise` statement of the kernel itself raised `error`."""
    entries = kernel_entries(error)
    last = entries[-1] if entries else None
    return last is not None and last.tb_next is None and _raises(last)


def _raises(entry: TracebackType) -> bool:
    return dis.opname[entry.tb_frame.f_code.co_code[entry.tb_lasti]] == "RAISE_VARARGS"


def frames_of_libraries(error: BaseException) -> list[FrameType]:
    """The frames of a library that has raised `error`, behind the last line of kernel code; none where the library only
    called what raised it."""
    found: list[FrameType] = []
    entry = error.__traceback__
    while entry is not None:
        frame, entry = entry.tb_frame, entry.tb_next
        if KERNEL_MARKER in frame.f_globals:
            found.clear()
        elif str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _OURS:
            found.append(frame)
        elif entry is None:
            return []
    return found


def in_simulator(error: BaseException) -> bool:
    """True if `error` comes from the computing of values, be it from NumPy that it calls: no fault of the kernel."""
    inside = False
    entry = error.__traceback__
    while entry is not None:
        name = str(entry.tb_frame.f_globals.get("__name__", ""))
        if KERNEL_MARKER in entry.tb_frame.f_globals or _is_stub(name):
            inside = False
        elif name.startswith(("nkiverify.analysis.values.", "nkiverify.analysis.ranges.")):
            inside = True
        entry = entry.tb_next
    return inside or isinstance(error, InternalError)


def name_of(error: BaseException) -> str | None:
    """The name that a NameError could not find."""
    if not isinstance(error, NameError):
        return None
    if getattr(error, "name", None):
        return str(error.name)
    found = re.search(r"'([^']+)'", text_of(error))
    return found.group(1) if found else None


def kernel_entries(error: BaseException) -> list[TracebackType]:
    """The entries of the traceback that are in kernel code, outermost first."""
    found: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        if KERNEL_MARKER in entry.tb_frame.f_globals:
            found.append(entry)
        entry = entry.tb_next
    return found


def frame_site_of(entry: TracebackType) -> Site:
    """The line of kernel code that a traceback entry is about."""
    code = entry.tb_frame.f_code
    return Site(code.co_filename, entry.tb_lineno, function=code.co_name)


@functools.cache
def _is_stub(module: str) -> bool:
    return module.partition(".")[0] in STUB_PACKAGES


def stub_of(frame: FrameType | None) -> tuple[str, FrameType | None]:
    """The documented function that kernel code called, by name, and the frame of that kernel code."""
    stub = ""
    while frame is not None:
        if KERNEL_MARKER in frame.f_globals:
            break
        module = str(frame.f_globals.get("__name__", ""))
        if _is_stub(module):
            stub = f"{module}.{frame.f_code.co_name}"
        frame = frame.f_back
    return stub, frame
