"""Programs that behave like an ESBMC gone wrong, to be survived."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from nkiverify.engines.esbmc.locate import Installation, Origin, Solver

#: What a build prints that verified its input, and one that did not.
SUCCESSFUL = "print('ESBMC version 6.7.0 64-bit x86_64 linux')\nprint('VERIFICATION SUCCESSFUL')\n"
FAILED = """
print('''ESBMC version 6.7.0 64-bit x86_64 linux
Counterexample:

State 1 file a.c line 3 function main thread 0
----------------------------------------------------
  n = 1 (00000001)

State 2 file a.c line 4 function main thread 0
----------------------------------------------------
Violated property:
  file a.c line 4 function main
  claim 1
  (_Bool)(n <= 0)

VERIFICATION FAILED''')
raise SystemExit(1)
"""


def script(path: Path, code: str) -> Path:
    """An executable Python program. It can use `sys`, `os`, `time`, `signal` and `subprocess`."""
    # Those that it names: the canary set starts it a few hundred times.
    used = ["sys", *(name for name in ("os", "signal", "subprocess", "time") if f"{name}." in code)]
    head = f"#!{sys.executable} -IS\nimport {', '.join(used)}\n"
    path.write_text(head + code)
    path.chmod(stat.S_IRWXU)
    return path


def build(path: Path, code: str, version: str = "6.7.0", options: str = "--unwind --z3 --ir") -> Path:
    """An executable that names `version` and lists `options` like an ESBMC, and runs `code` for anything else."""
    answers = f"""
if sys.argv[1:] == ["--version"]:
    print("ESBMC version {version} 64-bit x86_64 linux")
    raise SystemExit
if sys.argv[1:] == ["--help"]:
    print("{options}")
    raise SystemExit
if "probe.c" in sys.argv:
    print("Solving with solver", sys.argv[-1].strip("-"), "1.0")
    raise SystemExit(1)
"""
    return script(path, answers + code)


def installation(path: Path, version: tuple[int, int, int] = (6, 7, 0), options: str = "unwind z3 ir") -> Installation:
    """The build at `path`, as if it had been asked what it can do."""
    solvers = tuple((solver, f"{solver.value} 1.0") for solver in Solver if solver.value in options.split())
    return Installation(path, Origin.VARIABLE, version, frozenset(options.split()), solvers)
