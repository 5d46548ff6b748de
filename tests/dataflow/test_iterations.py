"""What one iteration finds of what those before it did, and what the program finds of what all of them did.

Each line of `_Walk._pass` and `_Walk._after` that carries knowledge has a kernel here that fails without it: knowledge
that is passed on lets a right kernel be proved, knowledge that is taken back keeps a wrong one from being.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16
from tests.dataflow.subject import Subject, contracts, faults

KERNEL = """
@nki.jit
def kernel(a, n):
    out = nl.ndarray((n, n, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    junk = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    zero = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    left = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
    right = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.sbuf)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(zero, value=0.0)
    nisa.dma_copy(dst=left, src=a)
    nisa.dma_copy(dst=right, src=a[:, 0:64])
BODY
    return RESULT
"""

#: What an iteration finds. A body, what is returned, and the contract that is broken; none if it is right.
EARLIER = {
    "defined: what the iteration before has written": (
        """
        for i in range(n):
            for j in range(n):
                if i + j > 0:
                    nisa.dma_copy(dst=out[i, j], src=tile)
                else:
                    nisa.dma_copy(dst=out[i, j], src=zero)
                nisa.memset(tile, value=0.0)
        """,
        "out",
        "",
    ),
    "spoiled: what the iteration before has undefined": (
        """
        nisa.memset(tile, value=0.0)
        nisa.dma_copy(dst=last, src=zero)
        for i in range(n):
            nisa.dma_copy(dst=last, src=tile)
            nisa.tensor_copy(dst=tile, src=junk)
        """,
        "last",
        "df.read_unwritten",
    ),
    "products: what the iteration before has multiplied": (
        """
        for i in range(n):
            nisa.nc_matmul(total, left, right, accumulate=i > 0)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "",
    ),
    "filled: what the iteration before has put in the place of a sum": (
        """
        nisa.nc_matmul(total, left, right, accumulate=False)
        for i in range(n):
            nisa.nc_matmul(total, left, right, accumulate=True)
            nisa.tensor_copy(dst=tile, src=total)
            nisa.dma_copy(dst=last, src=tile)
            nisa.memset(total, value=0.0)
        """,
        "last",
        "df.accumulate_other",
    ),
    "read out: the sum that the iteration before has read": (
        """
        for i in range(n):
            nisa.nc_matmul(total, left, right)
            nisa.tensor_copy(dst=tile, src=total)
            nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "df.accumulate_stale",
    ),
}

#: What the program finds after a loop.
AFTERWARDS = {
    "defined: what the iterations have written": (
        """
        for i in range(n):
            nisa.memset(tile, value=0.0)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "",
    ),
    "defined: what an inner loop has written, in the next iteration of the outer one": (
        """
        for i in range(n):
            for j in range(n):
                if i > 0:
                    nisa.dma_copy(dst=out[i, j], src=tile)
                else:
                    nisa.dma_copy(dst=out[i, j], src=zero)
            for j in range(n):
                nisa.memset(tile, value=0.0)
        """,
        "out",
        "",
    ),
    "spoiled: what the iterations have undefined": (
        """
        nisa.memset(tile, value=0.0)
        for i in range(n):
            nisa.tensor_copy(dst=tile, src=junk)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "df.read_unwritten",
    ),
    "spoiled: what an inner loop has undefined, in the next iteration of the outer one": (
        """
        nisa.memset(tile, value=0.0)
        for i in range(n):
            nisa.dma_copy(dst=last, src=tile)
            for j in range(n):
                nisa.tensor_copy(dst=tile, src=junk)
        """,
        "last",
        "df.read_unwritten",
    ),
    "products: what the iterations have multiplied": (
        """
        for i in range(n):
            nisa.nc_matmul(total, left, right, accumulate=False)
        nisa.nc_matmul(total, left, right, accumulate=True)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "",
    ),
    "products: what an inner loop has multiplied, in the next iteration of the outer one": (
        """
        for i in range(n):
            for j in range(n):
                nisa.nc_matmul(total, left, right, accumulate=i + j > 0)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "",
    ),
    "filled: what the iterations have put in the place of a sum": (
        """
        nisa.nc_matmul(total, left, right, accumulate=False)
        for i in range(n):
            nisa.memset(total, value=0.0)
        nisa.nc_matmul(total, left, right, accumulate=True)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "df.accumulate_other",
    ),
    "filled: what an inner loop has put in the place of a sum, in the next iteration of the outer one": (
        """
        nisa.nc_matmul(total, left, right, accumulate=False)
        for i in range(n):
            nisa.nc_matmul(total, left, right, accumulate=True)
            nisa.tensor_copy(dst=tile, src=total)
            nisa.dma_copy(dst=last, src=tile)
            for j in range(n):
                nisa.memset(total, value=0.0)
        """,
        "last",
        "df.accumulate_other",
    ),
    "read out: the sum that the iterations have read": (
        """
        nisa.nc_matmul(total, left, right)
        for i in range(n):
            nisa.tensor_copy(dst=tile, src=total)
        nisa.nc_matmul(total, left, right)
        nisa.tensor_copy(dst=tile, src=total)
        nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "df.accumulate_stale",
    ),
    "read out: the sum that an inner loop has read, in the next iteration of the outer one": (
        """
        for i in range(n):
            nisa.nc_matmul(total, left, right)
            for j in range(n):
                nisa.tensor_copy(dst=tile, src=total)
                nisa.dma_copy(dst=last, src=tile)
        """,
        "last",
        "df.accumulate_stale",
    ),
}


def domain(v: Verification) -> None:
    v.call(v.tensor("a", (128, 128), bfloat16), v.dim("n", 1, 1000))


@pytest.mark.parametrize("case", EARLIER | AFTERWARDS)
def test_what_iterations_find_and_leave(case: str, tmp_path: Path) -> None:
    body, result, broken = (EARLIER | AFTERWARDS)[case]
    kernel = KERNEL.replace("BODY", indent(dedent(body), "    ")).replace("RESULT", result)
    subject = Subject.of(tmp_path, kernel, domain)
    still_open = {one.contract for one in subject.proof().open}
    found = faults(subject.trial(n=3))
    if not broken:
        assert (still_open, found) == (set(), set())
        return
    assert found == {broken}
    assert still_open and still_open <= {broken, "df.output_written"}
    run = subject.verdict()
    assert (run.verdict, contracts(run)) == (Verdict.FAILED, {broken})
