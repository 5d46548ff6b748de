"""Writing a violation as a pytest test, and one that does not replay as a bundle to report."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from nkiverify.manifest import Target
from nkiverify.report import json_results
from nkiverify.results import Run
from nkiverify.session import Session
from nkiverify.witness.recorded import Recorded


def test_source(recorded: Recorded, root: Path) -> str:
    """A test file that fails as long as the kernel breaks the contract for the recorded values."""
    violation = recorded.violation
    place = f" at {violation.file}:{violation.line}" if violation.file else ""
    values = violation.values or {name: value for name, value in violation.witness.items() if isinstance(value, int)}
    name = re.sub(r"\W+", "_", f"{recorded.target}_{violation.contract}")
    return f'''\
"""{recorded.target} breaks {violation.contract}{place}.

{violation.statement} {violation.comparison or violation.message}

Written by `nkiverify replay --emit-test`. Run it with pytest, where nkiverify is installed: it fails at the line of the
kernel that breaks the contract, and passes when that is mended.
"""

from pathlib import Path

from nkiverify.witness.reproduce import run_target

#: The folder that holds harness/ and kernels/.
ROOT = Path({str(root)!r})


def test_{name}() -> None:
    """The kernel keeps {violation.contract} for these values."""
    run_target(
        {recorded.target!r},
        {values!r},
        contract={violation.contract!r},
        file={violation.file!r},
        line={violation.line},
        phase={recorded.phase},
        root=ROOT,
    )
'''


def write_bundle(run: Run, target: Target, session: Session, folder: Path) -> Path:
    """All that a report of a witness that does not replay needs, in a folder of its own in `folder`: kernel, harness
    module, the run, and how to see it. Raises `OSError`."""
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
        "  results.json  the run, with versions\n\n"
        f"Seen again with: nkiverify {run.target} --phase {run.phase} --debug\n"
        f"SMT-LIB of the claims: nkiverify show {run.target} --phase {run.phase} --smt DIR\n"
    )
    (bundle / "README.txt").write_text(text, encoding="utf-8")
    return bundle
