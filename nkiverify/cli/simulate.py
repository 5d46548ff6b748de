"""`nkiverify simulate FILE::kernel`: run a kernel on numbers."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkiverify.cli.allowing import add_limits, allowed_by, isolated
from nkiverify.cli.command_arguments import made_folder, positive_number
from nkiverify.foundation.errors import UsageError
from nkiverify.run.supervisor import Stopped
from nkiverify.verify.options import HARDWARE

if TYPE_CHECKING:
    from nkiverify.products.simulate.simulation import Reference, Simulated

DESCRIPTION = """\
Run a kernel on numbers, with ordinary Python and NumPy. Contracts are checked
on the way; results that depend on elements nothing has written are reported,
with the line that reads them. Tests written for the simulator of the Neuron
SDK run as they are:

  nkiverify simulate --exec pytest test_kernels.py"""

EPILOG = """\
arguments of the kernel, written as for `nkiverify check`, and two ways more:
  --arg x='bf16[256,512]'     random: floats between -1 and 1, any integers
  --arg x='i32[8] in 0..9'    random integers, or floats, of a range
  --arg x=data.npy            the array in a file of NumPy
  --arg x='bf16:data.npy'     the same, converted
--reference MODULE:FUNCTION is called with the same arrays, and the kernel's
other arguments by name; it returns what the kernel is to return, as arrays.

exit status:
  0  the kernel ran, and agrees with the reference if there is one
  1  a contract is broken, the kernel raises, a result is undefined or differs
  2  what was typed cannot be used    3  something has no values here
  4  an error of nkiverify"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    add = parser.add_argument
    add("kernel", metavar="FILE::KERNEL", nargs="?", help="a Python file, and a kernel in it")
    add("--arg", action="append", default=[], metavar="NAME=VALUE", help="what a parameter is given, see below")
    add("--grid", metavar="N", help="the launch grid, for example 2 or '2,4'")
    add("--target", choices=HARDWARE, default="trn2", help="the hardware generation (default: %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="chooses the random arrays (default: %(default)s)")
    add("--reference", metavar="MODULE:FUNCTION", help="what the kernel is to compute")
    add(
        "--tolerance",
        type=positive_number,
        metavar="X",
        help="relative to the greatest magnitude (default: 4 roundings of the coarsest dtype, 128 of float32)",
    )
    add("--save", type=Path, metavar="DIR", help="write each result to DIR/NAME.npy")
    add("--trace", type=Path, metavar="FILE", help="write every operation to FILE, one JSON object a line")
    add("--break", dest="stop", metavar="FILE:LINE", help="stop in the debugger there; `p tile` prints its elements")
    add_limits(parser)
    add("--debug", action="store_true", help="show tracebacks of internal errors")
    add(
        "--exec",
        dest="command",
        nargs=argparse.REMAINDER,
        metavar="COMMAND",
        help="run a command, in whose Python programs `nki` and `neuronxcc.nki` are the simulator; its exit status",
    )


def execute(arguments: argparse.Namespace) -> int:
    """Simulate what the arguments ask for; the exit status."""
    if arguments.command is not None:
        if arguments.kernel is not None:
            raise UsageError("simulate takes FILE::KERNEL, or --exec with a command, not both")
        return executed(arguments.command)
    if arguments.kernel is None:
        raise UsageError("simulate takes FILE::KERNEL, or --exec with a command")
    return _simulate(arguments)


def executed(command: Sequence[str]) -> int:
    """Run a command with the stubs on the path of its Python programs; its exit status. Raises `UsageError`.

    `python` and `pytest` are those that this program runs with: others may not have what the stubs need.
    """
    from nkiverify.foundation import resources

    if not command:
        raise UsageError("--exec takes a command: --exec pytest test_kernels.py")
    name, *rest = command
    ours = {"python": [sys.executable], "python3": [sys.executable], "pytest": [sys.executable, "-m", "pytest"]}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*resources.import_paths(), *_python_path()])}
    try:
        return subprocess.run([*ours.get(name, [name]), *rest], env=environment, check=False).returncode
    except OSError as error:
        raise UsageError(f"--exec: {name} cannot be run: {error.strerror or error}") from None


def _python_path() -> list[str]:
    given = os.environ.get("PYTHONPATH", "")
    return given.split(os.pathsep) if given else []


def _simulate(arguments: argparse.Namespace) -> int:
    from nkiverify.products.simulate.simulation import reference_function, stop_at
    from nkiverify.project.discovery import the_kernel
    from nkiverify.report.style import Style

    arguments.kernel = the_kernel(arguments.kernel)
    allowed = allowed_by(arguments.allow)
    reference = None if arguments.reference is None else reference_function(arguments.reference)
    traced = None if arguments.trace is None else arguments.trace.parent
    written = (made_folder(arguments.save, "--save"), traced)
    stop = None if arguments.stop is None else stop_at(arguments.stop)
    work = lambda: _simulated(arguments, reference, stop)  # noqa: E731
    found = isolated(arguments.kernel, work, arguments, allowed, *written, debugger=stop is not None)
    if isinstance(found, Stopped):
        return found.status
    print(found.text(arguments.kernel, Path.cwd(), Style.of(sys.stdout)))
    return found.status


def _simulated(arguments: argparse.Namespace, reference: Reference | None, stop: tuple[str, int] | None) -> Simulated:
    from nkiverify.model.hardware import hardware_named
    from nkiverify.products.simulate.drawn_inputs import described
    from nkiverify.products.simulate.simulation import Simulation
    from nkiverify.project.request import request

    base = Path.cwd()
    texts, arrays = described(arguments.arg)
    asked = request(arguments.kernel, base, texts, [], arguments.grid)
    free = [name for name, values in asked.domain.ranges.items() if values is None or values.low != values.high]
    if free:
        raise UsageError(f"give {', '.join(free)} a value: a simulation is of one shape")
    session = Simulation(
        asked,
        hardware_named(arguments.target),
        arguments.seed,
        arrays,
        trace=arguments.trace,
        stop=stop,
    )
    outcome = session.run(reference, arguments.tolerance)
    if arguments.save is not None:
        session.save(arguments.save)
    return outcome
