"""`nkiverify doctor`: the engines and solvers there are, and whether they answer rightly."""

from __future__ import annotations

import argparse
import platform
from typing import TYPE_CHECKING

from nkiverify import __version__

if TYPE_CHECKING:
    from nkiverify.engines.esbmc.locate import Installation
    from nkiverify.engines.esbmc.lowering import Language
    from nkiverify.results.session import ExitStatus


DESCRIPTION = """\
Show what confines kernels here, every engine and solver, its version and where
it was found, and try ESBMC on a set of small programs whose verdicts are known.
Exit status 0 if all that is there can be used, 4 otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: none."""
    parser.description = DESCRIPTION


def execute(arguments: argparse.Namespace) -> int:
    """Print what there is; the exit status."""
    import z3

    from nkiverify.engines.esbmc import locate
    from nkiverify.engines.esbmc.lowering import Language
    from nkiverify.results.session import ExitStatus, worst

    print(f"nkiverify {__version__}, Python {platform.python_version()}, {platform.platform()}")
    print(f"kernels are confined by: {', '.join(_confining())}")
    print(f"embedded: Z3 {z3.get_version_string()}")
    try:
        installed = list(locate.every())
    except locate.Unusable as reason:
        print(f"esbmc: cannot be used: {reason}")
        return ExitStatus.INTERNAL_ERROR
    if not installed:
        wheels = " and ".join(wheel.distribution for wheel in locate.WHEELS)
        print(f"esbmc: none ($ESBMC, PATH and the wheels {wheels} were tried); the embedded engine works without")
        return ExitStatus.AS_EXPECTED
    for place, found in enumerate(installed):
        solvers = ", ".join(called for _, called in found.solvers) or "its default"
        asked = "" if place else ", the one that is asked: the first of $ESBMC, PATH and the wheels"
        print(f"{found.name}: {found.path} (from {found.whence}){asked}")
        print(f"  front ends {' and '.join(found.front_ends)}; solvers {solvers}")
    found = installed[0]
    languages = (Language.C, Language.PYTHON) if found.has_python else (Language.C,)
    return worst(_tried(found, language) for language in languages)


def _confining() -> list[str]:
    """The barrier that keeps kernels from files, the network and the rest of the machine here."""
    from nkiverify.run.confinement import has_seccomp, landlock_version

    version = landlock_version()
    landlock = f"Landlock (version {version})" if version else "no Landlock"
    return ["audit hooks of Python", landlock, "seccomp" if has_seccomp() else "no seccomp"]


def _tried(found: Installation, language: Language) -> ExitStatus:
    """Try the ESBMC on what is known, and print how it did; the exit status."""
    from nkiverify.engines.esbmc import canary
    from nkiverify.results.session import ExitStatus

    title = f"  canary set of {found.name}, lowered to {language.value}"
    trial = canary.check(found, language)
    if trial.unfinished:
        print(f"{title}: could not be tried: {trial.unfinished}")
    elif trial.wrong:
        print(f"{title}: refused, it gets these wrong:")
        for case in trial.wrong:
            print(f"    {case.case}: expected {case.expected}, found {case.found}")
    else:
        print(f"{title}: every verdict is right")
        return ExitStatus.AS_EXPECTED
    return ExitStatus.INTERNAL_ERROR
