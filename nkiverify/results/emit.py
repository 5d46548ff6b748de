"""Writing a violation as a pytest test, and one that does not replay as a bundle to report."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nkiverify.engines.embedded import Outcome
from nkiverify.engines.scripts import write_scripts
from nkiverify.foundation.errors import UnsupportedConstruct, described
from nkiverify.foundation.kernel_text import quoted
from nkiverify.foundation.records import Run
from nkiverify.frontend.target import Target
from nkiverify.model.hardware import hardware_named
from nkiverify.results import codec as json_results
from nkiverify.results.file import RecordedViolation
from nkiverify.results.session import Session
from nkiverify.results.written import NotWritable, call_source
from nkiverify.verify.explanation import explain
from nkiverify.verify.options import Options

#: Seconds for finding the claims of a bundle again.
BUNDLE_SECONDS = 30.0


def test_source(recorded: RecordedViolation, target: Target, file: Path, hardware: str | None = None) -> str:
    """A test, to be written to `file`, that fails as long as the kernel breaks the contract for the recorded values.

    It makes the call itself and names the kernel only. A call with objects that have no source code is left to the
    target, which is then named.
    """
    violation = recorded.violation
    generation = hardware or target.hardware
    values = violation.values or {name: value for name, value in violation.witness.items() if isinstance(value, int)}
    stop = [
        f"contract={quoted(violation.contract)},",
        f"file={quoted(violation.file)},",
        f"line={violation.line},",
        f"phase={recorded.phase},",
        f"hardware={quoted(generation)},",
        "root=ROOT,",
    ]
    try:
        imports, statements = call_source(target, values, hardware_named(generation), violation.contract)
    except NotWritable as reason:
        said = f"It takes {reason}, so it names the target, with these values of its dimensions."
        imports, run = ("from nkiverify.project.reproduce import run_target",), ["run_target("]
        run += _indented([f"{quoted(recorded.target)},", f"{values!r},", *stop])
        call = ""
    else:
        said = "The arguments are those of the witness."
        imports = (
            "from nkiverify.project.manifest_targets import Verification",
            *imports,
            "from nkiverify.project.reproduce import run_call",
        )
        run = ["run_call(", *_indented([f"{quoted(target.kernel)},", "call,", *stop])]
        body = "\n".join(_indented(statements))
        call = f'''
def call(v: Verification) -> None:
    """The call of the kernel, and what is expected of its result."""
{body}

'''
    name = re.sub(r"\W+", "_", f"{recorded.target}_{violation.contract}")
    lines = "\n".join(_indented([*run, ")"]))
    return f'''\
"""{_heading(recorded)}

Written by `nkiverify replay --emit-test`. Run it with pytest, where nkiverify is installed: it fails at the line of the
kernel that breaks the contract, and passes when that is mended. {said}
"""

from pathlib import Path

{"".join(f"{line}{chr(10)}" for line in imports)}
#: The folder that the kernel's path is relative to.
ROOT = {_root(target.root, file)}

{call}
def test_{name}() -> None:
    """The kernel keeps {_in_docstring(violation.contract)} for these arguments."""
{lines}
'''


def _heading(recorded: RecordedViolation) -> str:
    violation = recorded.violation
    place = f" at {violation.file}:{violation.line}" if violation.file else ""
    text = (
        f"{recorded.target} breaks {violation.contract}{place}.\n\n"
        f"{violation.statement} {violation.comparison or violation.message}"
    )
    return _in_docstring(text)


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _root(root: Path, file: Path) -> str:
    """The folder as an expression: relative to the test where that is inside, so that both can move together."""
    folder, top = file.resolve().parent, root.resolve()
    if folder.is_relative_to(top):
        return f"Path(__file__).resolve().parents[{len(folder.relative_to(top).parts)}]"
    return f"Path({quoted(str(top))})"


def write_bundle(run: Run, target: Target, session: Session, folder: Path, options: Options) -> Path:
    """All that a report of a witness that does not replay needs, in a folder of its own in `folder`: kernel, harness
    module, the run, the claims as SMT-LIB, and how to see it. Raises `OSError`."""
    bundle = folder / f"{run.target}-phase{run.phase}"
    bundle.mkdir(parents=True, exist_ok=True)
    kernel = target.root / target.kernel.partition("::")[0]
    for source, name in ((kernel, "kernel.py"), (Path(target.file), "harness.py")):
        shutil.copyfile(source, bundle / name)
    document = json_results.document(session)
    runs = document["runs"]
    assert isinstance(runs, list)
    entry = {**document, "runs": [one for one in runs if (one["target"], one["phase"]) == (run.target, run.phase)]}
    json_results.write(json.dumps(entry, indent=2) + "\n", bundle / "results.json")
    text = (
        f"{run.target}, phase {run.phase}: the solver refutes a claim, but the kernel does not break it in plain\n"
        "Python with the values found. One of the two is wrong, and that is a bug of nkiverify.\n\n"
        f"  kernel.py     {target.kernel}\n"
        f"  harness.py    the module of the target, {Path(target.file).name}\n"
        "  results.json  the run, with versions\n"
        f"  claims/       {_claims(target, replace(options, timeout=BUNDLE_SECONDS), run.phase, bundle / 'claims')}\n\n"
        f"Seen again with: nkiverify {run.target} --phase {run.phase} --debug\n"
    )
    (bundle / "README.txt").write_text(text, encoding="utf-8")
    return bundle


def _claims(target: Target, options: Options, phase: int, folder: Path) -> str:
    """Write the refuted claims as SMT-LIB; what there is to say of them."""
    try:
        explained = explain(target, options, phase)
    except (Exception, UnsupportedConstruct) as error:
        return f"not written: {described(error)}"
    refuted = [one.decision for one in explained.decided if one.decision.outcome is Outcome.REFUTED]
    write_scripts(refuted, folder)
    return "the refuted claims as SMT-LIB: a solver says sat where they can fail"
