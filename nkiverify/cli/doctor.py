"""`nkiverify doctor`: the engines and solvers there are, and whether they answer rightly."""

from __future__ import annotations

import argparse
import platform

from nkiverify import __version__
from nkiverify.engines.table import SECOND

DESCRIPTION = f"""\
Show what confines kernels here, every engine and solver, its version and where
it was found, and try {SECOND.title} on a set of small programs whose verdicts are known.
Exit status 0 if all that is there can be used, 4 otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: none."""
    parser.description = DESCRIPTION


def execute(arguments: argparse.Namespace) -> int:
    """Print what there is; the exit status."""
    import z3

    from nkiverify.results.session import ExitStatus
    from nkiverify.verify.plugged import second_engine

    print(f"nkiverify {__version__}, Python {platform.python_version()}, {platform.platform()}")
    print(f"kernels are confined by: {', '.join(_confining())}")
    print(f"embedded: Z3 {z3.get_version_string()}")
    return ExitStatus.AS_EXPECTED if second_engine().examined() else ExitStatus.INTERNAL_ERROR


def _confining() -> list[str]:
    """The barrier that keeps kernels from files, the network and the rest of the machine here."""
    from nkiverify.run.confinement import has_seccomp, landlock_version

    version = landlock_version()
    landlock = f"Landlock (version {version})" if version else "no Landlock"
    return ["audit hooks of Python", landlock, "seccomp" if has_seccomp() else "no seccomp"]
