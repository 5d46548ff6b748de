"""The files of `reports/sample`, one of each format. `python -m tests.report.sample_files` writes them anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from nkiverify.foundation import resources
from nkiverify.foundation.records import Kind, LoopValue, Verdict
from nkiverify.foundation.source import Site
from nkiverify.model.contracts import all_contracts
from nkiverify.report import junit, markdown, sarif
from nkiverify.report.annotations import text as annotated
from nkiverify.results import codec as json_results
from tests.report.samples import COUNT_VIOLATION, UNUSED_WARNING, refuted, run, session

FOLDER = resources.root() / "reports" / "sample"


def contents() -> Mapping[str, str]:
    """The text of each file: of a run with a control that fails as expected, a failure, a bound and an UNKNOWN."""
    kernel = "/checkout/kernels/matmul_tiled.py"
    violation = replace(
        COUNT_VIOLATION,
        calls=(Site(kernel, 27, function="matmul_tiled_buggy"),),
        loops=(LoopValue(kernel, 40, "m = 0", "_matmul_tiled"),),
    )
    division = replace(
        COUNT_VIOLATION,
        contract="host.division_by_zero",
        statement="The divisor of a host division must not be zero.",
        source="Python language reference",
        file="/checkout/kernels/avgpool.py",
        line=12,
        column=4,
        end_line=12,
        end_column=18,
        message="divisor = size = 0",
        witness={"size": 0},
        stub="",
    )
    sample = session(
        run(),
        run(phase=2, claims=4, closed_by={"folding": 4}),
        run(phase=4, claims=9, closed_by={"sets": 9}, warnings=(UNUSED_WARNING,)),
        refuted(violations=(violation,)),
        refuted(
            target="avgpool_all",
            kernel="kernels/avgpool.py::avgpool",
            family="avgpool",
            kind=Kind.UNBOUNDED,
            phase=2,
            expected=Verdict.SUCCESSFUL,
            violations=(division,),
        ),
        run(
            target="scan_all",
            kernel="kernels/scan.py::scan",
            family="scan",
            verdict=Verdict.UNKNOWN,
            qualifier="a range with the symbolic step n",
            reason="a range with the symbolic step n",
            place=Site("/checkout/kernels/scan.py", 9),
        ),
    )
    contracts = {contract.id: contract for contract in all_contracts()}
    return {
        "results.json": json_results.text(sample),
        "results.sarif": sarif.text(sample, contracts),
        "junit.xml": junit.text(sample),
        "summary.md": markdown.text(sample),
        "annotations.txt": annotated(sample),
    }


def write(folder: Path = FOLDER) -> None:
    """Write every file."""
    for name, text in contents().items():
        json_results.write(text, folder / name)


if __name__ == "__main__":
    write()
