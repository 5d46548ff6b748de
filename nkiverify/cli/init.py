"""`nkiverify init FILE::KERNEL`: begin a manifest in one's own repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from nkiverify.foundation.errors import UsageError
from nkiverify.verify.options import MANIFEST_FILE

DESCRIPTION = """\
Begin to verify the kernels of a repository: write nkiverify_targets.py here,
with a first target for one kernel, to be changed, and a section
[tool.nkiverify] with the settings to pyproject.toml. What is there stays.
`nkiverify run` finds every nkiverify_targets.py of the repository it is run in."""

_TEXT = '''\
"""What is verified of the kernels of this repository: each function is a target.

Run them all with `nkiverify run`, one with `nkiverify run {target}`. Kernels are named relative to this file.
"""

from nkiverify.frontend.target import Verification
from nkiverify.project.manifest import SUCCESSFUL, Kind, target
from nkiverify.model.dtypes import bfloat16


@target(
    kernel="{kernel}",
    family="{family}",
    kind=Kind.UNBOUNDED,
    # The verdict expected in each phase: 1 shapes and bounds, 2 host arithmetic, 3 memory, 4 dataflow.
    expect={{1: SUCCESSFUL, 2: SUCCESSFUL, 3: SUCCESSFUL, 4: SUCCESSFUL}},
)
def {target}(v: Verification) -> None:
    """Every legal shape."""
    # Each stands for all its values at once, so a verdict holds for all of them.
    M = v.dim("M", multiple_of=128)
    # A dimension along which tiles grow needs a bound to fit on the chip (phase 3).
    N = v.dim("N", high=8192, multiple_of=512)
    # Also: v.assume(M <= N), v.choice("dtype", (bfloat16, float32)), tensors on chip by buffer=, and the numbers in a
    # tensor of indices by values=(0, M - 1).
    v.call({arguments})
    # What must hold of the result: out = v.call(...); v.returns(out, shape=(M, N), dtype=bfloat16)
'''

_SETTINGS = """\
[tool.nkiverify]
# Settings of `nkiverify run` and `nkiverify check`; a target and the command line come before them. `nkiverify run
# --show-config` says what each is and where it comes from.
# manifests = ["nkiverify_targets.py"]  # files or globs; default: every nkiverify_targets.py of the repository
# reports = "nkiverify-reports"         # the folder for results
# hardware = "trn2"                     # trn1, trn2 or trn3
# phases = [1, 2, 3, 4]                 # of `check`, all by default; targets name their own
# unwind = 8                            # bound of loops that cannot be summarised
# timeout = 60                          # seconds for all phases of a target
# jobs = 4                              # targets at the same time; default: one per core
# engine = "auto"                       # of `run`; or "embedded" as for `check`, "esbmc", "both"
# nki = "0.6"                           # the version of NKI to verify for
# strict = false                        # true: contested contracts are FAILED and no warning
# page = true                           # false: `run` does not write the page of its results
# strict-language = false               # true: what the NKI compiler would not take is FAILED
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("kernel", metavar="FILE::KERNEL", help="the kernel of the first target")


def execute(arguments: argparse.Namespace) -> int:
    """Write the manifest and the settings; the exit status. Raises `UsageError` where there is a manifest, or no such
    kernel."""
    from nkiverify.frontend.domain.excerpt import did_you_mean
    from nkiverify.project import settings
    from nkiverify.project.discovery import kernels_in

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
    toml = Path("pyproject.toml")
    begun = toml.is_file() and settings.read(toml) is not None
    tensors = (f'v.tensor("{parameter}", (M, N), bfloat16)' for parameter in known[name].required)
    family = name.rpartition(".")[2]
    text = _TEXT.format(kernel=arguments.kernel, family=family, target=f"{family}_all", arguments=", ".join(tensors))
    _write(Path(MANIFEST_FILE), text)
    print(f"{MANIFEST_FILE} is written: change its target, {family}_all, to the shapes and arguments of {name}")
    if not begun:
        before = toml.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if toml.is_file() else ""
        _write(toml, before + _SETTINGS)
        print(f"{toml} has a section [{settings.SECTION}], with every setting as a comment")
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
