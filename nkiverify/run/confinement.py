"""Taking from this process what no kernel needs: a second line behind the audit hook, drawn by the system itself.

Python tells its hook of most that a kernel can ask for, and not of all: named pipes, databases that C code opens. Where
Linux has Landlock, a process that runs kernels writes only below the folders that it has to, and sends no signals to
others; where it has seccomp, it opens no sockets, starts no processes unless it has a second engine to ask, and cannot
change the clock or look into other processes. Its memory, its processor time and the size of its files have limits of
the system, getrlimit(2), besides those that whoever started it watches. All of this lasts until the process ends, and
holds for the processes that it starts. What the system does not offer is left out: `nkiverify doctor` says what there
is.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import resource
import shutil
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nkiverify
from nkiverify.foundation import resources
from nkiverify.foundation.allowed import Allowed
from nkiverify.foundation.dataclass import dataclass
from nkiverify.run.resident_memory import MEBIBYTE, data_bytes, default_limit

#: Files that may be written whatever the folders are.
_DEVICES = ("/dev/null", "/dev/full", "/dev/stdout", "/dev/stderr")
#: Bytes that a file may have which the process writes.
_FILE_BYTES = 4 << 30
#: The greatest number that a limit can be.
_GREATEST = (1 << 63) - 1
#: The greatest limit of processor time: no process lives as long.
_LONGEST_SECONDS = 1 << 32
#: Bytes that it may ask for and never use, besides those that it may hold and those it has from whoever forked it: a
#: process that has lived long has asked for much.
_UNUSED_BYTES = 1 << 30

# Numbers of system calls that came after the tables of architectures were made one: the same everywhere.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_GET_SECCOMP, _SET_SECCOMP, _SECCOMP_FILTER, _NO_NEW_PRIVILEGES = 21, 22, 2, 38

#: Rights of Landlock that change something, by the version that brought them: landlock(7).
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_CHANGES = (
    (1, _WRITE_FILE | sum(1 << right for right in range(4, 13))),
    (2, 1 << 13),
    (3, _TRUNCATE),
)
#: Since version 6: no sockets of others by name, no signals to others.
_SCOPES = (6, 0b11)

#: The answers of a filter: let pass, EPERM, and ENOSYS, for which the C library takes another call.
_ALLOW, _REFUSE, _LACK = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
#: Arguments of `socket` and `clone` that are let pass: a socket within the machine, a thread.
_UNIX, _THREAD = 1, 0x00010000
#: Calls that came later, the same everywhere: fchmodat2, setxattrat, removexattrat, file_setattr.
_LATER = (452, 463, 466, 469)
#: The call that came to do what `clone` does; its arguments are where no filter can look.
_CLONE3 = 435


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of system calls on an architecture: of `socket`, of `clone`, of others that start processes, of those
    that are refused in any case, and of `prlimit64`, which is for the process itself only."""

    audit: int
    socket: int
    clone: int
    starting: tuple[int, ...]
    refused: tuple[int, ...]
    limits: int


#: Starting processes: fork, vfork, execve, execveat.
#: Refused: ptrace, process_vm_readv and _writev, io_uring_setup, mount, umount2, chroot, pivot_root, unshare, setns,
#: bpf, perf_event_open, settimeofday, clock_settime, adjtimex, clock_adjtime, reboot, sethostname, keyctl, init_module;
#: of files, which Landlock does not keep these from: chmod, fchmod, fchmodat, chown, fchown, lchown, fchownat, utime,
#: utimes, futimesat, utimensat, setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr; of processes:
#: setpriority, ioprio_set, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr.
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        41,
        56,
        (57, 58, 59, 322),
        (
            *(101, 310, 311, 425, 165, 166, 161, 155, 272, 308, 321, 298, 164, 227, 159, 305, 169, 170, 250, 175),
            *(90, 91, 268, 92, 93, 94, 260, 132, 235, 261, 280, 188, 189, 190, 197, 198, 199),
            *(141, 251, 142, 144, 203, 314),
        ),
        302,
    ),
    "aarch64": _Machine(
        0xC00000B7,
        198,
        220,
        (221, 281),
        (
            *(117, 270, 271, 425, 40, 39, 51, 41, 97, 268, 280, 241, 170, 112, 171, 266, 142, 161, 219, 105),
            *(52, 53, 55, 54, 88, 5, 6, 7, 14, 15, 16),
            *(140, 30, 118, 119, 122, 274),
        ),
        261,
    ),
}


def landlock_version() -> int:
    """The version of Landlock that the system has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, 0, _VERSION)))


def has_seccomp() -> bool:
    """True if the system has seccomp, and we know its calls on this machine."""
    return sys.platform == "linux" and os.uname().machine in _MACHINES and _libc().prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of a process that runs kernels: the folders that it may write to next to that of temporary files,
    whether it has the network, whether it starts programs (a second engine), and the bytes of memory that it may
    hold."""

    writable: tuple[Path, ...] = ()
    network: bool = False
    programs: bool = False
    memory: int | None = None

    @staticmethod
    def of(
        allowed: Allowed, written: Iterable[Path | None] = (), *, programs: bool = False, memory: int | None = None
    ) -> Confinement:
        """That of the only process that runs kernels which are `allowed` this; `memory` in MiB, by default nine tenths
        of the machine's."""
        limit = memory * MEBIBYTE if memory is not None else default_limit(1)
        return Confinement(tuple(path for path in written if path is not None), allowed.network, programs, limit)

    def begin(self, temporary: Path | None) -> None:
        """From here on this process has no more than that, as far as the system offers it, and its temporary files in
        the folder `temporary`, if there is one. There is no way back."""
        if sys.platform != "linux":
            return
        _keep_byte_code()
        if temporary is not None:
            tempfile.tempdir = os.environ["TMPDIR"] = str(temporary)
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_FSIZE, _FILE_BYTES)
        if self.memory is not None:
            _lower(resource.RLIMIT_DATA, data_bytes() + self.memory + _UNUSED_BYTES)
        _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        with contextlib.suppress(OSError):
            _landlock([*self.writable, *([temporary] if temporary is not None else [])])
        if has_seccomp():
            _filter(_MACHINES[os.uname().machine], self.network, self.programs)


def temporary_folder() -> Path | None:
    """A new folder for the temporary files of a process that will be confined, which whoever starts it removes; None
    where no file can be written in any, on a full disk."""
    try:
        return Path(tempfile.mkdtemp(prefix="nkiverify-"))
    except OSError:
        return None


def remove(temporary: Path | None) -> None:
    """Remove the folder of temporary files of a process that has ended, whatever is in it."""
    if temporary is not None:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Within the block this process uses no more processor time than this many seconds of all processors have: the
    system ends it where nobody else has, as whoever watches its clock is gone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if seconds == float("inf"):
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(min(used.ru_utime + used.ru_stime + seconds * (os.cpu_count() or 1), _LONGEST_SECONDS)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (min(_finite(soft, hard, end)), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _lower(kind: int, most: int) -> None:
    """Set a limit of the process to `most`, for good, unless it is lower."""
    least = min(_finite(*resource.getrlimit(kind), most, _GREATEST))
    resource.setrlimit(kind, (least, least))


def _finite(*limits: int) -> list[int]:
    return [limit for limit in limits if limit != resource.RLIM_INFINITY]


def _keep_byte_code() -> None:
    """Import what verifying takes, and compile the package and the stubs where a module never was, while Python can
    still keep the byte code of a checkout: what is imported later would be compiled again each time."""
    importlib.import_module("nkiverify.verify.verifier")
    for folder in (Path(nkiverify.__file__).parent, resources.root() / "stubs"):
        if not sys.dont_write_bytecode and os.access(folder, os.W_OK) and lacks_byte_code(folder):
            import compileall  # as late as this: once for an installation

            compileall.compile_dir(folder, quiet=2)


def lacks_byte_code(folder: Path) -> bool:
    """True if there is a module in the folder, or below it, that was never compiled by this Python."""
    pending = [str(folder)]
    while pending:
        place, wanted = pending.pop(), set[str]()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    wanted.add(f"{entry.name[:-3]}.{sys.implementation.cache_tag}.pyc")
                elif entry.name != "__pycache__" and entry.is_dir():
                    pending.append(entry.path)
        with contextlib.suppress(OSError):
            wanted -= {path.name for path in Path(place, "__pycache__").iterdir()}
        if wanted:
            return True
    return False


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _landlock(folders: Iterable[Path]) -> None:
    version = landlock_version()
    if not version:
        return
    changes = sum(rights for since, rights in _CHANGES if version >= since)
    scopes = _SCOPES[1] if version >= _SCOPES[0] else 0
    attributes = struct.pack("=QQQ", changes, 0, scopes)[: 24 if scopes else 8]
    ruleset = _libc().syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return
    try:
        for path in [*folders, *map(Path, _DEVICES)]:
            rights = changes if path.is_dir() else changes & (_WRITE_FILE | _TRUNCATE)
            with contextlib.suppress(OSError):
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
                _libc().syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
                os.close(place)
        _libc().syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _filter(machine: _Machine, network: bool, programs: bool) -> None:
    """Refuse system calls, as `EPERM`: a program of the filter's language, bpf(4), run at each call."""
    steps = list(_program(machine, network, programs))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    _libc().prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.create_string_buffer(program), 0, 0)


_Step = tuple[int, int, int, int]
_LOAD, _EQUAL, _HAS_BIT, _AT_LEAST, _END = 0x20, 0x15, 0x45, 0x35, 0x06


def _program(machine: _Machine, network: bool, programs: bool) -> Iterator[_Step]:
    # The data of a call: its number, the architecture, the instruction, then the arguments.
    yield _LOAD, 0, 0, 4
    yield _EQUAL, 1, 0, machine.audit
    yield _END, 0, 0, _REFUSE
    yield _LOAD, 0, 0, 0
    # The numbers of another table of calls, on x86-64.
    yield _AT_LEAST, 0, 1, 0x40000000
    yield _END, 0, 0, _REFUSE
    for number in (*machine.refused, *_LATER, *(() if programs else machine.starting)):
        yield _EQUAL, 0, 1, number
        yield _END, 0, 0, _REFUSE
    yield from _only(machine.limits, _EQUAL, 0)
    if not network:
        yield from _only(machine.socket, _EQUAL, _UNIX)
    if not programs:
        yield _EQUAL, 0, 1, _CLONE3
        yield _END, 0, 0, _LACK
        yield from _only(machine.clone, _HAS_BIT, _THREAD)
    yield _END, 0, 0, _ALLOW


def _only(number: int, test: int, value: int) -> Iterator[_Step]:
    """Let the call of this number pass where its first argument passes the test."""
    yield _EQUAL, 0, 4, number
    yield _LOAD, 0, 0, 16
    yield test, 0, 1, value
    yield _END, 0, 0, _ALLOW
    yield _END, 0, 0, _REFUSE
