"""Programs of a launch that store the same values are warned of; those that may store others are at fault."""

from __future__ import annotations

import textwrap

import pytest

from tests.check.kernel_files import Checker, write

KERNEL = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    P, N = x.shape
    me = nl.program_id(0)
    out = nl.ndarray((3, P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.sbuf)
    u = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.memset(u, 1.0)
    for i in range(3):
{body}
    return out
"""
STORE = "nisa.dma_copy(dst=out[i], src=t)"
ALIKE = {
    "a copy": STORE,
    "computed": "nisa.tensor_tensor(dst=u, data1=u, data2=t, op=nl.add)\nnisa.dma_copy(dst=out[i], src=u)",
    "two values in the same order": "nisa.dma_copy(dst=out[i], src=u)\n" + STORE,
    "beside a part of its own": "nisa.dma_copy(dst=out[me], src=t)\nnisa.dma_copy(dst=out[2], src=t)",
    "a private buffer in HBM": (
        "own = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.private_hbm)\n"
        "nisa.dma_copy(dst=own, src=t)\nnisa.dma_copy(dst=u, src=own)\nnisa.dma_copy(dst=out[i], src=u)"
    ),
}
OTHERS = {
    "the program is a factor": (
        "nisa.tensor_scalar(dst=u, data=t, op0=nl.multiply, operand0=1.0 * me)\nnisa.dma_copy(dst=out[i], src=u)"
    ),
    "the program is a place": ("nisa.dma_copy(dst=u[:, 0:1], src=x[:, me : me + 1])\nnisa.dma_copy(dst=out[i], src=u)"),
    "the program is the place of the store": "nisa.dma_copy(dst=out[i, :, me : me + 2], src=t[:, 0:2])\n" + STORE,
    "the program is a condition": ("if me == 0:\n    nisa.memset(t, 0.0)\nnisa.dma_copy(dst=out[i], src=t)"),
    "the program decides how often": (
        "for j in range(me + 1):\n    nisa.tensor_tensor(dst=u, data1=u, data2=t, op=nl.add)\n"
        "nisa.dma_copy(dst=out[i], src=u)"
    ),
    "the program decides the order": (
        "if me == 0:\n    nisa.dma_copy(dst=out[i], src=u)\n    nisa.dma_copy(dst=out[i], src=t)\n"
        "else:\n    nisa.dma_copy(dst=out[i], src=t)\n    nisa.dma_copy(dst=out[i], src=u)"
    ),
    "a number of the program came in by another tile": (
        "nisa.memset(u, 1.0 * me)\nnisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)\n" + STORE
    ),
    "random numbers": "r = nl.ndarray((P, N), dtype=nl.uint32, buffer=nl.sbuf)\nnisa.rng(dst=r)\n"
    "nisa.tensor_tensor(dst=u, data1=t, data2=r, op=nl.add)\nnisa.dma_copy(dst=out[i], src=u)",
    "what programs store is read": (
        "nisa.dma_copy(dst=out[i], src=t)\nnisa.dma_copy(dst=u, src=out[i])\n"
        "nisa.tensor_tensor(dst=u, data1=u, data2=t, op=nl.add)\nnisa.dma_copy(dst=out[i], src=u)"
    ),
    "an argument that is read is stored to": (
        STORE + "\nnisa.tensor_tensor(dst=u, data1=t, data2=t, op=nl.add)\nnisa.dma_copy(dst=x, src=u)"
    ),
}
SHAPES = pytest.mark.parametrize("shape", ["4,32", "P:1..128,N:2..64"], ids=["concrete", "symbolic"])


def verdict(check: Checker, body: str, shape: str, grid: str) -> int:
    """The exit status of phase 4 for a kernel with `body` in its loop."""
    write(check.folder, k=KERNEL.format(body=textwrap.indent(body, "        ")))
    return check("k.py::kernel", "--phase", "4", "--grid", grid, "--arg", f"x=f32[{shape}]")


@SHAPES
@pytest.mark.parametrize("name", ALIKE)
def test_the_same_values_are_warned_of(name: str, shape: str, check: Checker) -> None:
    assert verdict(check, ALIKE[name], shape, "2") == 0, check.out
    assert check.out.count("warning df.programs_same") >= 1
    assert "bounded" not in check.out
    # The other program's store is no dead one.
    assert "df.overwritten" not in check.out or name not in ("a copy", "computed")
    assert verdict(check, ALIKE[name], shape, "1") == (1 if "me" in ALIKE[name] else 0)
    assert "df.programs_same" not in check.out


@SHAPES
@pytest.mark.parametrize("name", OTHERS)
def test_values_that_may_differ_are_a_fault(name: str, shape: str, check: Checker) -> None:
    assert verdict(check, OTHERS[name], shape, "2") == 1, check.out
    assert "df.programs:" in check.out
    assert "replayed in plain Python" in check.out
