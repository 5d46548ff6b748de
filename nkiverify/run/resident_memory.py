"""The memory and the processor time of processes, and how much memory of the machine a worker may hold."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MEBIBYTE = 1 << 20

#: Part of the machine's memory that the workers share: the rest is for everything else.
_SHARE = 0.9
#: A worker may hold this much wherever it runs: loading the solver takes a tenth of it.
_LEAST = 1024 * MEBIBYTE


def resident_bytes(pid: int | None) -> int | None:
    """The memory that the process has now; None where it has ended, or the system does not say."""
    return _pages(pid, 1)


def data_bytes() -> int:
    """The data of this process as RLIMIT_DATA counts it, with what it asked for and never used, and what it has from
    the process that forked it; 0 where the system does not say."""
    return _pages("self", 5) or 0


def _pages(pid: int | str | None, field: int) -> int | None:
    """A field of proc_pid_statm(5), in bytes."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[field])
    except (OSError, IndexError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid: int | None) -> float:
    """The processor time that the process has used; 0 where it has ended, or the system does not say."""
    try:
        # What stands in brackets is its name, which may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


def default_limit(processes: int) -> int | None:
    """Bytes that each of this many workers may hold: an equal share of the memory of the machine, or of the
    container."""
    try:
        available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        available = min(available, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return max(_LEAST, int(available * _SHARE) // processes)
