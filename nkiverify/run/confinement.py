"""Taking from this process what no kernel needs: a second line behind the audit hook, drawn by the system itself.

Python tells its hook of most that a kernel can ask for, and not of all: named pipes, databases that C code opens. Where
Linux has Landlock, a process that runs kernels writes only below the folders that it has to, and sends no signals to
others; where it has seccomp, it opens no sockets, and cannot change the clock or look into other processes. Both last
until the process ends, and hold for the processes that it starts. What the system does not offer is left out:
`nkiverify doctor` says what there is.
"""

from __future__ import annotations

import compileall
import contextlib
import ctypes
import importlib
import os
import platform
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nkiverify.foundation import resources

#: Files that may be written whatever the folders are.
_DEVICES = ("/dev/null", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr")

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

_ALLOW, _REFUSE, _UNIX = 0x7FFF0000, 0x00050000 | 1, 1


@dataclass(frozen=True, slots=True)
class _Machine:
    """The numbers of system calls on an architecture: of `socket`, and of those that are refused."""

    audit: int
    socket: int
    refused: tuple[int, ...]


#: Refused: ptrace, process_vm_readv and _writev, io_uring_setup, mount, umount2, chroot, pivot_root, unshare, setns,
#: bpf, perf_event_open, settimeofday, clock_settime, adjtimex, clock_adjtime, reboot, sethostname, keyctl, init_module.
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        41,
        (101, 310, 311, 425, 165, 166, 161, 155, 272, 308, 321, 298, 164, 227, 159, 305, 169, 170, 250, 175),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        198,
        (117, 270, 271, 425, 40, 39, 51, 41, 97, 268, 280, 241, 170, 112, 171, 266, 142, 161, 219, 105),
    ),
}


def landlock_version() -> int:
    """The version of Landlock that the system has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, 0, _VERSION)))


def has_seccomp() -> bool:
    """True if the system has seccomp, and we know its calls on this machine."""
    return sys.platform == "linux" and platform.machine() in _MACHINES and _libc().prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of a process that runs kernels: the folders that it may write to beside that of temporary files,
    and whether it has the network."""

    writable: tuple[Path, ...] = ()
    network: bool = False

    def begin(self) -> None:
        """From here on this process has no more than that, as far as the system offers it. There is no way back."""
        if sys.platform != "linux":
            return
        _keep_byte_code()
        _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        with contextlib.suppress(OSError):
            _landlock([*self.writable, Path(tempfile.gettempdir())])
        if has_seccomp():
            _filter(_MACHINES[platform.machine()], self.network)


def _keep_byte_code() -> None:
    """Import what verifying takes, and compile the stubs, while Python can still keep the byte code of a checkout."""
    importlib.import_module("nkiverify.verify.verifier")
    stubs = resources.root() / "stubs"
    if not sys.dont_write_bytecode and os.access(stubs, os.W_OK):
        compileall.compile_dir(stubs, quiet=2)


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


def _filter(machine: _Machine, network: bool) -> None:
    """Refuse system calls, as `EPERM`: a program of the filter's language, bpf(4), run at each call."""
    steps = list(_program(machine, network))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    _libc().prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.create_string_buffer(program), 0, 0)


def _program(machine: _Machine, network: bool) -> Iterator[tuple[int, int, int, int]]:
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06
    # The data of a call: its number, the architecture, the instruction, then the arguments.
    yield load, 0, 0, 4
    yield equal, 1, 0, machine.audit
    yield end, 0, 0, _REFUSE
    yield load, 0, 0, 0
    # The numbers of another table of calls, on x86-64.
    yield at_least, 0, 1, 0x40000000
    yield end, 0, 0, _REFUSE
    for number in machine.refused:
        yield equal, 0, 1, number
        yield end, 0, 0, _REFUSE
    if not network:
        yield equal, 0, 3, machine.socket
        yield load, 0, 0, 16
        yield equal, 1, 0, _UNIX
        yield end, 0, 0, _REFUSE
    yield end, 0, 0, _ALLOW
