"""`nkiverify init PATH`: begin a manifest in one's own repository."""

from __future__ import annotations

import argparse
import ast
import os
import re
from pathlib import Path

from nkiverify.engines.table import EMBEDDED, SECOND
from nkiverify.foundation.errors import UsageError
from nkiverify.verify.options import MANIFEST_FILE

DESCRIPTION = """\
Begin to verify the kernels of a repository: write a target for each kernel that
is named to nkiverify_targets.py here, with the arguments that are inferred and
what its asserts say, to be changed, and a section [tool.nkiverify] with the
settings to pyproject.toml. What is there stays.
`nkiverify run` finds every nkiverify_targets.py of the repository it is run in."""

_HEAD = '''\
"""What is verified of the kernels of this repository: each function is a target.

Run them all with `nkiverify run`, one with `nkiverify run NAME`. Kernels are named relative to this file. In a target

  v.dim("N", low=1, high=8192, multiple_of=512)   is every such integer at once, so a verdict holds for all of them
  v.assume(M <= N)                                restricts them
  v.choice("dtype", (bfloat16, float32))          is each of these
  v.tensor("x", (M, N), bfloat16, values=(0, 7))  may tell its numbers, and by buffer= a memory on chip
  out = v.call(…); v.returns(out, shape=(M, N), dtype=bfloat16)

The verdicts that are expected are those of the phases: 1 shapes and bounds, 2 host arithmetic, 3 memory, 4 dataflow.
`nkiverify check FILE::KERNEL --manifest-entry` prints a target for the largest domain on which all of them are proved.
"""

from nkiverify.frontend.target import Verification
from nkiverify.project.manifest_targets import SUCCESSFUL, Kind, target
'''

#: Names that every target needs.
_NEEDED = {
    "Verification": "nkiverify.frontend.target",
    "SUCCESSFUL": "nkiverify.project.manifest_targets",
    "Kind": "nkiverify.project.manifest_targets",
    "target": "nkiverify.project.manifest_targets",
}

_SETTINGS = f"""\
[tool.nkiverify]
# Settings of `nkiverify run` and `nkiverify check`; a target and the command line come before them. `nkiverify run
# --show-config` says what each is and where it comes from.
# manifests = ["nkiverify_targets.py"]  # files or globs; default: every nkiverify_targets.py of the repository
# reports = "nkiverify-reports"         # the folder for results
# hardware = "trn2"                     # trn1, trn2 or trn3
# phases = [1, 2, 3, 4]                 # of `check`, all by default; targets name their own
# unwind = 8                            # bound of loops that cannot be summarised
# timeout = 55                          # seconds for all phases of a target
# jobs = 4                              # targets at the same time; default: one per core
# engine = "auto"                       # of `run`; {EMBEDDED} as for `check`, {SECOND.name}, both
# nki = "0.6"                           # the version of NKI to verify for
# strict = false                        # true: contested contracts are FAILED and no warning
# accept = ["bounded", "tested"]        # verdicts up to a bound, answers at some shapes have exit status 0, not 3
# page = true                           # false: `run` does not write the page of its results
# strict-language = false               # true: what the NKI compiler would not take is FAILED
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument(
        "paths",
        metavar="PATH[::KERNEL]",
        nargs="+",
        help="a Python file, a function in it, or a folder: a target for each of their kernels that has none",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="GLOB", help="leave out these files or folders of a folder"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Write the targets and the settings; the exit status. Raises `UsageError` where there is no such kernel, or one
    that is named by itself has a target."""
    from nkiverify.products.derive.proposals import begun as begun_target
    from nkiverify.products.derive.proposals import target_name
    from nkiverify.project import settings
    from nkiverify.project.discovery import references_of

    references = references_of(arguments.paths, arguments.exclude)
    if not references:
        raise UsageError(f"there are no kernels in {', '.join(arguments.paths)}: no function uses NKI")
    toml = Path("pyproject.toml")
    begun = toml.is_file() and settings.read(toml) is not None
    manifest = Path(MANIFEST_FILE)
    text = manifest.read_text(encoding="utf-8") if manifest.exists() else _HEAD
    reported = []
    for reference in references:
        if reference in arguments.paths:
            _known(reference)
        name = reference.partition("::")[2]
        known = _target_of(text, reference)
        if known:
            if reference in arguments.paths:
                raise UsageError(f"{MANIFEST_FILE} has a target {known} already")
            reported.append(
                f"{MANIFEST_FILE} has a target {known} already: left as it is, and none made for {reference}"
            )
            continue
        made = _free_name(text, target_name(reference, "all"), reference)
        derived = _derived(reference, made)
        text = _with_target(text, derived or begun_target(reference, Path.cwd(), made))
        reported.append(
            f"{MANIFEST_FILE} has a target {made}: "
            + (
                f"the shapes for which {name} is legal, proved"
                if derived
                else f"change it to the shapes and arguments of {name} (nkiverify check {reference} says why)"
            )
        )
    _write(manifest, text)
    print("\n".join(reported))
    if not begun:
        before = toml.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if toml.is_file() else ""
        _write(toml, before + _SETTINGS)
        print(f"{toml} has a section [{settings.SECTION}], with every setting as a comment")
    return 0


def _derived(reference: str, name: str) -> str:
    """The target of this `name` for the domain that `check` derives for a kernel; empty where it proves none."""
    from nkiverify.cli.check import confinement_of
    from nkiverify.cli.check_answers import CheckRequest, answer_apart
    from nkiverify.products.derive.proposals import manifest_entry
    from nkiverify.verify.options import Options

    options = Options(root=Path.cwd(), unhurried=True)
    seconds = options.hard_deadline, options.processor_deadline
    try:
        answer, _, ending = answer_apart(
            reference, CheckRequest((reference,), seconds), options, confinement_of(options), {}
        )
    except UsageError:
        # Something of its arguments has to be said first.
        return ""
    return "" if ending else manifest_entry(answer, name)


def _known(reference: str) -> None:
    """Raises `UsageError` where a file has no such kernel."""
    from nkiverify.foundation.near_names import did_you_mean
    from nkiverify.project.discovery import kernels_in

    path, _, name = reference.partition("::")
    known = {found.name for found in kernels_in(Path(path).resolve())}
    if name not in known:
        raise UsageError(f"no kernel {name} in {path}{did_you_mean(name, known)}")


def _target_of(manifest: str, reference: str) -> str:
    """The name of the first target of a kernel; empty where it has none."""
    path, _, kernel = reference.partition("::")
    wanted = f"{os.path.normpath(path)}::{kernel}"
    for function in _functions(manifest):
        given = (one for made in function.decorator_list if isinstance(made, ast.Call) for one in made.keywords)
        for one in given:
            if one.arg == "kernel" and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                file, _, name = one.value.value.partition("::")
                if f"{os.path.normpath(file)}::{name}" == wanted:
                    return function.name
    return ""


def _free_name(manifest: str, usual: str, reference: str) -> str:
    """A name for the target of a kernel: the `usual` one, or with its file before it where a kernel of another file has
    that name."""
    functions = {one.name for one in _functions(manifest)}
    taken = {*functions, *(re.sub(r"_\d+$", "", one) for one in functions)}
    parts = [re.sub(r"\W+", "_", part) for part in Path(reference.partition("::")[0]).with_suffix("").parts]
    names = ["_".join([*parts[-number:], usual]) if number else usual for number in range(len(parts) + 1)]
    return next((name for name in names if name not in taken and name.isidentifier()), names[-1])


def _functions(manifest: str) -> list[ast.FunctionDef]:
    return [node for node in _parsed(manifest).body if isinstance(node, ast.FunctionDef)]


def _parsed(manifest: str) -> ast.Module:
    try:
        return ast.parse(manifest)
    except SyntaxError as error:
        raise UsageError(f"{MANIFEST_FILE} is no valid Python: line {error.lineno}") from None


def _with_target(before: str, text: str) -> str:
    """A manifest with one more target, and with what that needs to be imported."""
    from nkiverify.products.derive.proposals import dtypes_in

    tree = _parsed(before)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {alias.asname or alias.name for node in imports for alias in node.names}
    needed = [f"from {module} import {word}" for word, module in _NEEDED.items() if word not in known]
    dtypes = [word for word in dtypes_in(text) if word not in known]
    if dtypes:
        needed.append(f"from nkiverify.model.dtypes import {', '.join(dtypes)}")
    lines = before.rstrip("\n").splitlines()
    at = max((node.end_lineno or 0 for node in imports), default=0)
    return "\n".join([*lines[:at], *needed, *lines[at:], "", "", text])


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
