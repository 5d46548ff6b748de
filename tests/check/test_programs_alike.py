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
    "selected by a pattern": (
        "nisa.affine_select(dst=u, pattern=[[1, N]], channel_multiplier=-1, cmp_op=nl.equal, on_true_tile=t,"
        " on_false_value=0.0)\nnisa.dma_copy(dst=out[i], src=u)"
    ),
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
    "read back, and then another value": (STORE + "\nnisa.dma_copy(dst=u, src=out[i])\nnisa.memset(t, 0.0)\n" + STORE),
    "another value in the first part, then read back": (
        "nisa.memset(u, 0.0)\nnisa.dma_copy(dst=out[i], src=u)\n" + STORE + "\nnisa.dma_copy(dst=u, src=out[i])"
    ),
    "one reads before the other has stored it again": (
        STORE + "\nif me == 0:\n    nisa.dma_copy(dst=u, src=out[i])\nnisa.memset(t, 0.0)\n" + STORE
    ),
    "read of what only the other has stored": "if me == 0:\n    "
    + STORE
    + "\nif me == 1:\n    nisa.dma_copy(dst=u, src=out[i])",
    "the program is in a pattern": (
        "p = [[1, N]]\np[0][0] = me\nnisa.affine_select(dst=u, pattern=p, channel_multiplier=-1, cmp_op=nl.equal,"
        " on_true_tile=t, on_false_value=0.0)\np[0][0] = 1\nnisa.dma_copy(dst=out[i], src=u)"
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


def test_what_is_stored_alike_may_be_read_back(check: Checker) -> None:
    body = STORE + "\nnisa.dma_copy(dst=u[0:1, me : me + 1], src=out[i, 0:1, me : me + 1])"
    assert verdict(check, body, "4,32", "2") == 0, check.out
    assert check.out.count("warning df.programs_same") == 1


@SHAPES
@pytest.mark.parametrize("name", OTHERS)
def test_values_that_may_differ_are_a_fault(name: str, shape: str, check: Checker) -> None:
    assert verdict(check, OTHERS[name], shape, "2") == 1, check.out
    assert "df.programs:" in check.out
    assert "reproduced by running the kernel" in " ".join(check.out.split())


#: Each program has a half of the sum; `own` and `theirs` are what it sends and gets.
EXCHANGE = """
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, y):
    me = nl.program_id(0)
    out = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    own = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.sbuf)
    theirs = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=own, src=x[:, nl.ds(32 * me, 32)])
    if me == 0:
        nisa.tensor_scalar(dst=own, data=own, op0=nl.multiply, operand0=2.0)
    {exchange}
{body}
    return out
"""
SEND = "nisa.sendrecv(src=own, dst=theirs, send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)"
SUM = "nisa.tensor_tensor(dst=own, data1=own, data2=theirs, op=nl.add)\n"
BOTH = "nisa.dma_copy(dst=out, src=own)"
HALVES = (
    "both = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    "mine, other = nl.ds(32 * me, 32), nl.ds(32 - 32 * me, 32)\n"
    "nisa.tensor_copy(both[:, mine], own)\n"
    "nisa.sendrecv(src=both[:, mine], dst=both[:, other], send_to_rank=1 - me, recv_from_rank=1 - me, pipe_id=0)\n"
)
SAME_SUMS = {
    "the sum": (SEND, SUM + BOTH),
    "the other way round": (SEND, SUM.replace("data1=own, data2=theirs", "data1=theirs, data2=own") + BOTH),
    "in a tile of its own": (
        SEND,
        "sums = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.sbuf)\n"
        + (SUM + BOTH).replace("=own\n", "=sums\n").replace("dst=own", "dst=sums").replace("src=own", "src=sums"),
    ),
    "the greatest, and more": (
        SEND,
        SUM.replace("nl.add", "nl.maximum")
        + "nisa.tensor_scalar(dst=own, data=own, op0=nl.add, operand0=1.0)\n"
        + BOTH,
    ),
    "both halves": (
        HALVES,
        "nisa.tensor_tensor(dst=own, data1=both[:, 0:32], data2=both[:, 32:64], op=nl.subtract)\n" + BOTH,
    ),
    "both halves as a whole": (
        HALVES,
        "two = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)\nnisa.activation(dst=two, op=nl.exp, data=both)\n"
        "nisa.dma_copy(dst=out, src=two[:, 16:48])",
    ),
    "two exchanges": (
        SEND,
        SUM.replace("dst=own", "dst=theirs")
        + SEND.replace("src=own, dst=theirs", "src=theirs, dst=own")
        + "\n"
        + SUM
        + BOTH,
    ),
}
OTHER_SUMS = {
    "a difference": (SEND, SUM.replace("nl.add", "nl.subtract") + BOTH),
    "only what came": (SEND, BOTH.replace("own", "theirs")),
    "changed after it was sent": (
        SEND,
        "nisa.tensor_scalar(dst=own, data=own, op0=nl.add, operand0=1.0)\n" + SUM + BOTH,
    ),
    "changed by one program": (
        SEND,
        "if me == 1:\n    nisa.tensor_scalar(dst=own, data=own, op0=nl.multiply, operand0=2.0)\n" + SUM + BOTH,
    ),
    "changed in part": (SEND, "nisa.memset(own[:, 0:1], 0.0)\n" + SUM + BOTH),
    "a sum of a part": (
        SEND,
        "nisa.tensor_tensor(dst=own[:, 0:31], data1=own[:, 0:31], data2=theirs[:, 0:31], op=nl.add)\n" + BOTH,
    ),
    "another part of what came": (
        SEND,
        "nisa.tensor_tensor(dst=own[:, 0:16], data1=own[:, 0:16], data2=theirs[:, 16:32], op=nl.add)\n"
        "nisa.dma_copy(dst=out[:, 0:16], src=own[:, 0:16])\nnisa.dma_copy(dst=out[:, 16:32], src=y)",
    ),
    "sent to itself": (
        SEND.replace("send_to_rank=1 - me, recv_from_rank=1 - me", "send_to_rank=me, recv_from_rank=me"),
        SUM + BOTH,
    ),
    "in another order": (
        "more = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.sbuf)\nnisa.dma_copy(dst=more, src=x[:, 0:32])\n" + SEND,
        SUM + "nisa.tensor_tensor(dst=own, data1=own, data2=theirs, op=nl.add)\n" + BOTH,
    ),
    "the halves lie apart": (
        HALVES.replace("dst=both[:, other]", "dst=both[:, nl.ds(31 - 31 * me, 32)]"),
        "nisa.tensor_tensor(dst=own, data1=both[:, 0:32], data2=both[:, 32:64], op=nl.add)\n" + BOTH,
    ),
}


def exchanged(check: Checker, exchange: str, body: str) -> int:
    """The exit status of phase 4 for programs that exchange something."""
    text = EXCHANGE.format(exchange=textwrap.indent(exchange, "    ").strip(), body=textwrap.indent(body, "    "))
    write(check.folder, k=text)
    return check("k.py::kernel", "--phase", "4", "--grid", "2", "--arg", "x=f32[64,64]", "--arg", "y=f32[64,16]")


@pytest.mark.parametrize("name", SAME_SUMS)
def test_what_programs_make_of_both_their_values_is_the_same(name: str, check: Checker) -> None:
    assert exchanged(check, *SAME_SUMS[name]) == 0, check.out
    assert "warning df.programs_same" in check.out


@pytest.mark.parametrize("name", OTHER_SUMS)
def test_what_they_make_otherwise_is_a_fault(name: str, check: Checker) -> None:
    assert exchanged(check, *OTHER_SUMS[name]) == 1, check.out
    assert "df.programs:" in check.out


def test_a_shape_at_which_no_core_executes_anything_tells_nothing_of_their_ways(check: Checker) -> None:
    kernel = """
        import nki
        import nki.isa as nisa
        import nki.language as nl


        @nki.jit
        def copy(x, n):
            if n == 0:
                return x
            out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
            tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x)
            nisa.core_barrier(tile, (0, 1))
            nisa.dma_copy(dst=out, src=tile)
            return out
    """
    write(check.folder, k=kernel)
    given = ("--arg", "x=bf16[128,64]", "--arg", "n=n:0..4", "--grid", "2", "--phase", "4")
    assert check("k.py::copy", *given) == 0, check.out
