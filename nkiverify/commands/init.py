"""`nkiverify init FILE::KERNEL`: begin a manifest in one's own repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from nkiverify.config import MANIFEST_FILE
from nkiverify.errors import UsageError

DESCRIPTION = """\
Begin to verify the kernels of a repository: write nkiverify_targets.py here, with
a first target for one kernel, to be changed. A file that is there stays as it is.
`nkiverify` finds the targets of nkiverify_targets.py in the folder it is run in."""

_TEXT = '''\
"""What is verified of the kernels of this repository: each function is a target.

Run them all with `nkiverify`, one with `nkiverify {target}`.
"""

from nkiverify.manifest import SUCCESSFUL, Kind, Verification, target
from nkiverify.model.dtypes import bfloat16


@target(
    kernel="{kernel}",
    family="{family}",
    kind=Kind.UNBOUNDED,
    # The verdict expected in each phase: 1 shapes and bounds, 2 host arithmetic.
    expect={{1: SUCCESSFUL, 2: SUCCESSFUL}},
)
def {target}(v: Verification) -> None:
    """Every legal shape."""
    # Each stands for all its values at once, so a verdict holds for all of them.
    M = v.dim("M", multiple_of=128)
    N = v.dim("N", multiple_of=512)
    # Also: v.assume(M <= N), v.choice("dtype", (bfloat16, float32)), tensors on chip by buffer=.
    v.call({arguments})
    # What must hold of the result: out = v.call(...); v.returns(out, shape=(M, N), dtype=bfloat16)
'''


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("kernel", metavar="FILE::KERNEL", help="the kernel of the first target")


def execute(arguments: argparse.Namespace) -> int:
    """Write the manifest; the exit status. Raises `UsageError` where there is one, or no such kernel."""
    from nkiverify.check.discovery import kernels_in
    from nkiverify.check.excerpt import did_you_mean

    path, separator, name = arguments.kernel.partition("::")
    if not separator or not name:
        raise UsageError(f"a kernel is written path/to/file.py::function, not {arguments.kernel!r}")
    if not Path(path).is_file():
        raise UsageError(f"no file {path}")
    known = {found.name: found for found in kernels_in(Path(path).resolve())}
    if name not in known:
        raise UsageError(f"no kernel {name} in {path}{did_you_mean(name, known)}")
    if Path(MANIFEST_FILE).exists():
        raise UsageError(f"there is {MANIFEST_FILE} already")
    tensors = (f'v.tensor("{parameter}", (M, N), bfloat16)' for parameter in known[name].required)
    family = name.rpartition(".")[2]
    text = _TEXT.format(kernel=arguments.kernel, family=family, target=f"{family}_all", arguments=", ".join(tensors))
    Path(MANIFEST_FILE).write_text(text, encoding="utf-8")
    print(f"{MANIFEST_FILE} is written: change its target, {family}_all, to the shapes and arguments of {name}")
    return 0
