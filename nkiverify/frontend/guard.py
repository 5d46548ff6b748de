"""Kernel code reaches no file, network or other program, while it is imported and while it runs.

A kernel whose meaning depends on such a thing cannot be verified from its text, and verifying a file of somebody's is
to change nothing. Python tells an audit hook (PEP 578) of every such operation, by whatever name it is reached; the
hook refuses those that kernel code asks for. What a library does to import itself is not concerned, nor what we do.
While importing, a statement at the top level that asks is passed over, like others that cannot be executed there:
kernels that depend on it are UNKNOWN. While a kernel runs, the run is UNKNOWN; so is what code of it asks for that is
called later, when an object of its is freed for example. It may start no thread, which would be seen by nobody. No
handler in the file may take the refusal for an answer. `docs/security.md` says what this protects from and what not:
Python tells of no `os.stat` and no `os._exit`.

A running kernel may have temporary files: they are in a folder of its own, and gone when it ends. What users allow is
let pass: files and folders to read, the network.
"""

from __future__ import annotations

import _thread
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import nkiverify
from nkiverify.foundation import process
from nkiverify.foundation.allowed import NOTHING, Allowed
from nkiverify.foundation.source import KERNEL_MARKER, READS, is_kernel_code, is_kernel_frame, register_kernel_code
from nkiverify.frontend.process_state import register_name
from nkiverify.frontend.seen import note
from nkiverify.symbolic.execution import execution_in_progress, unsupported

#: The folders of the standard library and of this package, whose code is recognised by its files: what kernels compile
#: has such names as well, but is known by identity.
_LIBRARY, _PACKAGE = f"{Path(os.__file__).parent}{os.sep}", f"{Path(nkiverify.__file__).parent}{os.sep}"
#: Code that reads source files for Python.
_READERS = (f"{_LIBRARY}linecache.py", f"{_LIBRARY}tokenize.py")
#: Layers of ours that call what kernels give them, functions, iterators and methods of their classes: what is asked for
#: below a frame of theirs, the kernel asks for; but for functions that themselves read what a kernel needs to run.
_CALLING = ("nkiverify.foundation.dataclass", "nkiverify.frontend.", "nkiverify.model.", "nkiverify.symbolic.")
_ASKING = frozenset(
    {
        "nkiverify.foundation.dataclass._compiled_init",
        "nkiverify.foundation.dataclass._init",
        "nkiverify.frontend.guard._is_own",
        "nkiverify.frontend.guard.temporary_files",
        "nkiverify.frontend.placeholders._guarded",
        "nkiverify.frontend.trees.source",
        "nkiverify.model.ops.creation._elements",
        "nkiverify.model.stub._stating_function",
    }
)
#: Ask for themselves: for memory of its library, and to be informed of each line that a user goes through.
_SOLVER, _DEBUGGER = (f"-packages{os.sep}z3{os.sep}", "ctypes."), (f"{_LIBRARY}bdb.py", "sys.settrace")
#: Reads what is installed, on which every verdict depends anyway.
_METADATA = f"{_LIBRARY}importlib{os.sep}metadata{os.sep}"
#: Where the import system's own code is.
_IMPORT_SYSTEM = "<frozen importlib"
#: What such code reads on behalf of a kernel, which may ask it for other files too.
_SOURCES = (".py", ".pyc", ".pyi", ".so", ".pyd")

#: What is refused, by the event that Python tells of.
_FILE, _FOLDER, _PROGRAM, _NETWORK, _MACHINE = "the file", "the folder", "the program", "the network at", "the machine:"
_THREAD = "a thread:"
_REFUSED: dict[str, str] = {
    event: what
    for what, events in {
        _FILE: """
            open fcntl.fcntl fcntl.flock fcntl.ioctl fcntl.lockf os.chflags os.chmod os.chown os.getxattr os.link
            os.listxattr os.lockf os.remove os.removexattr os.rename os.setxattr os.symlink os.truncate os.utime
            shutil.chown shutil.copyfile shutil.copymode shutil.copystat shutil.make_archive shutil.move
            shutil.unpack_archive sqlite3.connect sqlite3.connect/handle tempfile.mkstemp
        """,
        _FOLDER: """
            glob.glob glob.glob/2 os.chdir os.fwalk os.listdir os.mkdir os.rmdir os.scandir os.walk pathlib.Path.glob
            pathlib.Path.rglob shutil.copytree shutil.rmtree tempfile.mkdtemp
        """,
        _PROGRAM: """
            os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.startfile/2 os.system pty.spawn
            subprocess.Popen webbrowser.open
        """,
        _NETWORK: """
            ftplib.connect http.client.connect imaplib.open nntplib.connect poplib.connect smtplib.connect
            telnetlib.Telnet.open urllib.Request
        """,
        _MACHINE: """
            code.__new__ cpython.PyInterpreterState_New marshal.load marshal.loads mmap.__new__ os.kill os.killpg
            os.putenv os.unsetenv resource.prlimit resource.setrlimit
            signal.pthread_kill sys.addaudithook sys.setprofile sys.settrace syslog.openlog syslog.syslog
        """,
        _THREAD: "_thread.start_new_thread _thread.start_joinable_thread",
    }.items()
    for event in events.split()
} | {READS: _FILE}
#: The same for all events of a module.
_REFUSED_MODULES = {"socket": _NETWORK, "ctypes": _MACHINE}
#: Events of nothing that is refused, which we cause ourselves hundreds of thousands of times: by looking for the line
#: of the kernel that states a claim.
_FREQUENT = frozenset({"sys._getframe", "object.__getattr__", "builtins.id"})
#: Modules that make interpreters, which no hook of this one hears of, or write into Python's memory.
_INTERPRETERS = (
    *("_interpreters", "_testcapi", "_testinternalcapi", "_testlimitedcapi", "_xxsubinterpreters"),
    *("concurrent.interpreters", "test.support"),
)
#: Code is executed, or made a function of; a module is imported.
_EXECUTED, _MADE, _IMPORTED = "exec", "function.__new__", "import"
#: A socket that is connected to nothing.
_HARMLESS = "socket.__new__"
#: Assignments to `os.environ`, which Python itself tells of.
_ENVIRONMENT = frozenset({"os.putenv", "os.unsetenv"})
_OF_ENVIRON = tuple(vars(type(os.environ))[name].__code__ for name in ("__setitem__", "__delitem__"))
#: What looks at files or folders and changes nothing, `open` only where its flags say so.
_READING = frozenset(
    {READS, "open", "glob.glob", "glob.glob/2", "os.fwalk", "os.listdir", "os.scandir", "os.walk", "pathlib.Path.glob"}
    | {"pathlib.Path.rglob"}
)
#: Lists the modules of packages, whose names the import system looks for itself.
_LISTER, _LISTING = f"{_LIBRARY}pkgutil.py", frozenset({"os.listdir", "os.scandir"})
_CHANGING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class ImportRefused(BaseException):
    """Kernel code asked for a file, the network or a program while it was imported, at `place`; the text and the advice
    are for the user."""

    def __init__(self, text: str, place: str = "", advice: str = "") -> None:
        super().__init__(text)
        self.place = place
        self.advice = advice


#: What was refused during the imports in progress, without the statements that were passed over for it, innermost last.
_imports: list[list[str]] = []
#: Statements that were passed over in this process: what is to be said of each, by its place.
passed_over: dict[str, str] = {}
#: The folder of the temporary files of the kernel that runs; made when it asks for one.
_scratch = ""
#: What a kernel may do in it.
_OWN = {READS, "open", "os.remove", "tempfile.mkstemp"}
#: What they allow in this process.
_allowed = NOTHING
_installed = False


def allow(allowed: Allowed) -> None:
    """Let kernels of this process ask for it from here on, and for nothing else."""
    global _allowed
    _allowed = allowed


def allowed() -> Allowed:
    """The permissions of kernels of this process."""
    return _allowed


def pass_over(refusal: ImportRefused) -> None:
    """The statement that asked is passed over, and so is what it asked for."""
    _imports[-1].remove(str(refusal))
    passed_over.setdefault(refusal.place, str(refusal))


def refused_in(files: Iterable[str]) -> tuple[str, ...]:
    """The statements of these files that were passed over, as they are reported."""
    known = set(files)
    return tuple(reported for place, reported in passed_over.items() if place.rpartition(":")[0] in known)


def warning(refused: str) -> str:
    """The line about what was `refused` to a module."""
    return f"nkiverify: warning: {refused}, and is not given it"


def install() -> None:
    """Have Python tell of what kernel code does, from here on to the end of this process: a hook cannot be removed."""
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        if sys.version_info < (3, 12):
            # Later versions tell of threads themselves.
            vars(threading)["_start_new_thread"] = vars(_thread)["start_new_thread"] = _started
        _installed = True


def _started(
    function: Callable[..., object],
    arguments: tuple[Any, ...],
    *rest: Any,
    start: Callable[..., int] = _thread.start_new_thread,
) -> int:
    """Start a thread as `_thread` does, and tell of it."""
    sys.audit("_thread.start_new_thread", function, arguments, *rest)
    return start(function, arguments, *rest)


@contextmanager
def guarded_import() -> Iterator[None]:
    """Refuse within the block what kernel code asks for, and raise `ImportRefused` where it has."""
    install()
    refused: list[str] = []
    _imports.append(refused)
    try:
        yield
        if refused:
            raise ImportRefused(refused[0])
    finally:
        _imports.pop()


@contextmanager
def temporary_files() -> Iterator[None]:
    """Within the block a kernel may have temporary files."""
    global _scratch
    try:
        place = Path(tempfile.gettempdir())
    except FileNotFoundError:  # there is no room in any: a kernel that asks for a file is informed
        place = Path(os.devnull)
    # Now that it is found: Python looks for it by writing a file.
    outer, before = _scratch, tempfile.tempdir
    _scratch = tempfile.tempdir = str(place / f"nkiverify-{os.urandom(8).hex()}")
    try:
        yield
    finally:
        if Path(_scratch).is_dir():
            shutil.rmtree(_scratch, ignore_errors=True)
        _scratch, tempfile.tempdir = outer, before


def _is_own(event: str, subject: str) -> bool:
    """True if this is about a temporary file of the kernel."""
    if not _scratch or event not in _OWN:
        return False
    folder = Path(_scratch)
    if event == "tempfile.mkstemp" and _is_below(subject, _scratch):
        folder.mkdir(0o700, exist_ok=True)
    return _is_below(subject, _scratch)


def _is_below(path: str, folder: str) -> bool:
    folder = os.path.realpath(folder)
    return os.path.realpath(path).startswith(folder + os.sep) or os.path.realpath(path) == folder


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _FREQUENT:
        return
    what = _REFUSED.get(event) or _REFUSED_MODULES.get(event.partition(".")[0]) or _refused(event, arguments)
    if what is None or event == _HARMLESS:
        return
    run = execution_in_progress()
    if _imports and run is None and event in _ENVIRONMENT and _is_one_of(sys._getframe(1).f_code, _OF_ENVIRON):
        # What a module sets while it is imported is there for its kernels alone.
        register_name("environ")
        return
    # Code of kernels may run later as well, as `__del__` does.
    watched = run.isolated if run is not None else process.for_kernels
    if not (watched or _imports):
        return
    subject = _subject(event, arguments)
    frame = _asking(sys._getframe(1), event, subject)
    if frame is None or _is_own(event, subject):
        return
    if event == _EXECUTED and not sys._getframe(1).f_code.co_filename.startswith(_IMPORT_SYSTEM):
        # Compiled by a library for the kernel.
        register_kernel_code(arguments[0])
        return
    if run is None and event in _LISTING and _is_package_listed(sys._getframe(1), subject):
        return
    if _passes(what, event, arguments, subject):
        note(f"asks for {what} {subject!r}", frame)
        return
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    asked, advice = f"{what} {subject!r}", _way_to_allow(what, event, arguments, subject)
    if event == _EXECUTED:
        asked, advice = f"a loader to execute {arguments[0].co_filename!r}", "import it by its name"
    if run is not None or not _imports:
        allowable = " or allow it" if what in (_FILE, _FOLDER, _NETWORK) else ""
        elsewhere = f"make it an argument{allowable}: docs/security.md"
        raise unsupported(f"the kernel asks for {asked}", advice if event == _EXECUTED else elsewhere)
    _imports[-1].append(f"{place}: importing it asks for {asked}")
    raise ImportRefused(_imports[-1][-1], place, advice)


def _is_imported(frame: FrameType | None) -> bool:
    """True if a loader executes a module that has been imported: not where kernel code asks the loader itself to."""
    while frame is not None and not is_kernel_frame(frame):
        if frame.f_code.co_name == "_find_and_load" and frame.f_code.co_filename.startswith(_IMPORT_SYSTEM):
            return True
        frame = frame.f_back
    return False


def _is_package_listed(frame: FrameType, folder: str) -> bool:
    """True if Python's `pkgutil` looks for the modules of a package of kernels that is imported, or for what makes a
    folder in it a package."""
    if frame.f_code.co_filename != _LISTER:
        return False
    packages = [module for module in list(sys.modules.values()) if KERNEL_MARKER in getattr(module, "__dict__", ())]
    places = (place for one in packages for place in vars(one).get("__path__", ()))
    listed = os.path.realpath(folder)
    return not {listed, str(Path(listed).parent)}.isdisjoint(map(os.path.realpath, places))


def _refused(event: str, arguments: tuple[Any, ...]) -> str | None:
    """The subject of the event, where that follows from its arguments."""
    if event == _IMPORTED:
        return _MACHINE if arguments[0].startswith(_INTERPRETERS) else None
    return _MACHINE if event in (_EXECUTED, _MADE) and not is_kernel_code(arguments[0]) else None


def _is_one_of(code: CodeType, known: tuple[CodeType, ...]) -> bool:
    """True if code is one of these objects: kernels can make others that are equal."""
    return any(code is one for one in known)


def _way_to_allow(what: str, event: str, arguments: tuple[object, ...], subject: str) -> str:
    """The option by which users allow it; empty where they cannot."""
    if what == _NETWORK:
        return "allow it: --allow network"
    reads = event in _READING and not _changes(event, arguments)
    return f"allow it: --allow read:{subject}" if reads else ""


def _passes(what: str, event: str, arguments: tuple[object, ...], subject: str) -> bool:
    """True if users allow it."""
    if what == _NETWORK:
        return _allowed.network
    if event not in _READING or _changes(event, arguments):
        return False
    return any(_is_below(subject, path) for path in _allowed.reads)


def _changes(event: str, arguments: tuple[object, ...]) -> bool:
    """True if a file is opened to be written."""
    return event == "open" and (not isinstance(arguments[2], int) or bool(arguments[2] & _CHANGING))


def _subject(event: str, arguments: tuple[object, ...]) -> str:
    """The file that is asked for, as far as the event names it."""
    if event == "open" and isinstance(arguments[0], int):
        return f"/dev/fd/{arguments[0]}"
    named = [part for part in arguments if isinstance(part, str | bytes | os.PathLike | tuple) and part]
    if not named or _REFUSED.get(event) in (_MACHINE, _THREAD):
        return event
    first = named[0]
    return ":".join(map(str, first[:2])) if isinstance(first, tuple) else os.fsdecode(first)


def _asking(frame: FrameType | None, event: str, subject: str) -> FrameType | None:
    """The kernel code that this comes from; None where it is a library being imported, or nobody of the kernel."""
    reads_source = event in ("os.listdir", "os.scandir") or subject.endswith(_SOURCES)
    while frame is not None:
        if is_kernel_frame(frame) or is_kernel_code(frame.f_code):
            return _with_place(frame)
        file = frame.f_code.co_filename
        if (
            (file.startswith(_PACKAGE) and event != READS and _asks(file, frame.f_code))
            or any(part in file and event.startswith(asked) for part, asked in (_SOLVER, _DEBUGGER))
            or (file.startswith(_IMPORT_SYSTEM) and (_is_imported(frame) if event == _EXECUTED else event != _IMPORTED))
            or file.startswith(_METADATA)
        ):
            return None
        if file in _READERS and reads_source:
            return None
        frame = frame.f_back
    return None


def _with_place(frame: FrameType) -> FrameType:
    """The frame, or that of a module's own text from which its code, of another text, was called."""
    found: FrameType | None = frame
    while found is not None and not is_kernel_frame(found):
        found = found.f_back
    return found or frame


def _asks(file: str, code: CodeType) -> bool:
    """True if a function in a file of ours asks for itself, and not for what it calls."""
    name = "nkiverify." + file.removeprefix(_PACKAGE).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
    return not name.startswith(_CALLING) or f"{name}.{code.co_name}" in _ASKING
