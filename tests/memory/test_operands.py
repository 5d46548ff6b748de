"""The largest tiles whose operands fit, for ranges of a symbolic number of partitions, as concrete runs say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nkiverify.foundation.records import Verdict
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.loader import load_kernel
from nkiverify.manifest import Verification
from nkiverify.model.hardware import hardware_named
from nkiverify.symbolic.execution import running
from tests.memory.kernels import PHASES, target_of
from tests.soundness.trap import verdict

#: Kernels of `S` partitions and `D` columns, each with ranges of S: the corners of whole quarters, and across them.
KERNELS = {
    "three of one size": (
        """
        def kernel(S, D):
            a, b, c = tile(D, S), tile(D, S), tile(D, S)
            nisa.memset(a, 0)
            nisa.memset(b, 0)
            nisa.tensor_tensor(c, a, b, nl.add)
        """,
        ((1, 32), (33, 64), (1, 65), (32, 33), (64, 64), (128, 128), (1, 128)),
    ),
    "a result of half the bytes": (
        """
        def kernel(S, D):
            a = tile(D, S)
            b = nl.ndarray((S, D), nl.bfloat16, nl.sbuf)
            nisa.memset(a, 0)
            nisa.tensor_copy(b, a)
        """,
        ((1, 64), (60, 70), (96, 97), (65, 65)),
    ),
    "rows that are left": (
        """
        def kernel(S, D):
            for i in range((S + 127) // 128):
                n = min(128, S - 128 * i)
                a, b, c = tile(D, n), tile(D, n), tile(D, n)
                nisa.memset(a, 0)
                nisa.memset(b, 0)
                nisa.tensor_tensor(c, a, b, nl.add)
        """,
        ((1, 32), (40, 60), (129, 160), (1, 1000)),
    ),
    "a column beside it": (
        """
        def kernel(S, D):
            a, b, c = tile(D, S), tile(D, S), tile(1, S)
            nisa.memset(a, 0)
            nisa.memset(c, 0)
            nisa.tensor_scalar(b, a, nl.multiply, c)
        """,
        ((1, 20), (33, 40), (50, 128)),
    ),
    "part of a whole tile": (
        """
        def kernel(S, D):
            a, b = tile(D), tile(D, S)
            nisa.memset(a, 0)
            nisa.tensor_copy(b, a[0:S, :])
        """,
        ((1, 32), (33, 64), (1, 128)),
    ),
    "one tile twice": (
        """
        def kernel(S, D):
            a, b = tile(D, S), tile(D, S)
            nisa.memset(a, 0)
            nisa.tensor_tensor(b, a, a, nl.add)
        """,
        ((1, 64), (63, 65), (128, 128)),
    ),
    "half the rows": (
        """
        def kernel(S, D):
            h = S // 2 + 1
            a, b, c = tile(D, h), tile(D, h), tile(D, h)
            nisa.memset(a, 0)
            nisa.memset(b, 0)
            nisa.tensor_tensor(c, a, b, nl.add)
        """,
        ((1, 61), (62, 63), (1, 126), (127, 200)),
    ),
    "in PSUM": (
        """
        def kernel(S, D):
            a, b, c = tile(D, S, nl.psum), tile(D, S, nl.psum), tile(D, S, nl.psum)
            nisa.memset(a, 0, engine=nisa.vector_engine)
            nisa.memset(b, 0, engine=nisa.vector_engine)
            nisa.tensor_tensor(c, a, b, nl.add)
        """,
        ((1, 32), (33, 64), (65, 128)),
    ),
    "from PSUM to SBUF": (
        """
        def kernel(S, D):
            a, b = tile(D, S, nl.psum), tile(D, S)
            nisa.memset(a, 0, engine=nisa.vector_engine)
            nisa.tensor_copy(b, a)
        """,
        ((1, 128), (100, 128)),
    ),
    "placed one behind the other": (
        """
        def kernel(S, D):
            a, b = tile(D, S, address=(0, 0)), tile(D, S, address=(0, 4 * D))
            nisa.memset(a, 0)
            nisa.tensor_copy(b, a)
        """,
        ((1, 64), (65, 128)),
    ),
    "placed beside one that is not": (
        """
        def kernel(S, D):
            a, b = tile(D, S, address=(0, 0)), tile(D, S)
            nisa.memset(a, 0)
            nisa.tensor_copy(b, a)
        """,
        ((1, 64), (1, 65), (128, 128)),
    ),
    "by DMA from one tile to another": (
        """
        def kernel(S, D):
            a, b = tile(D, S), tile(D, S)
            nisa.memset(a, 0)
            nisa.dma_copy(b, a)
        """,
        ((1, 64), (65, 70), (1, 128)),
    ),
    "by DMA into more rows": (
        """
        def kernel(S, D):
            a, b = tile(D, S), tile(D)
            nisa.memset(a, 0)
            nisa.dma_copy(b[0:S, :], a)
        """,
        ((1, 1), (1, 128)),
    ),
    "in one of two ways": (
        """
        def kernel(S, D):
            n = S if S <= 64 else 128
            a, b = tile(D, n), tile(D, n)
            nisa.memset(a, 0)
            nisa.tensor_copy(b, a)
        """,
        ((1, 64), (60, 65)),
    ),
    "five operands": (
        """
        def kernel(S, D):
            a, b, c = tile(D, S), tile(D, S), tile(D, S)
            d, e = tile(1, S), tile(D // 2 + 1, S)
            for one in (a, b, c, d):
                nisa.memset(one, 0)
            nisa.scalar_tensor_tensor(e, a[:, 0:D // 2 + 1], nl.add, d, nl.add, b[:, 0:D // 2 + 1])
        """,
        ((1, 32), (33, 64), (1, 128)),
    ),
}
CASES = [(name, low, high) for name, (_, ranges) in KERNELS.items() for low, high in ranges]


def _fits(source: str, folder: Path) -> Callable[[int, int], bool]:
    """Tells of S and D whether a concrete run breaks nothing of phase 3."""
    target = target_of(source, lambda v: v.call(v.dim("S"), v.dim("D")), folder)
    kernel, space = load_kernel(target.kernel, target.root)

    def fits(rows: int, columns: int) -> bool:
        run = ConcreteExecution(hardware_named(target.hardware), stop_at_first=False, phases=PHASES)
        with space.active(), running(run):
            target.function(Verification(ConcreteBinding({"S": rows, "D": columns}), kernel))
        return not [one for one in run.broken if one.contract.phase == 3]

    return fits


@pytest.mark.parametrize(("name", "low", "high"), CASES)
def test_the_largest_that_fits(name: str, low: int, high: int, tmp_path: Path) -> None:
    source, _ = KERNELS[name]
    fits = _fits(source, tmp_path)
    corners = {at for at in (low, high, 32, 33, 64, 65, 96, 97, 128, 126, 127, 62, 63) if low <= at <= high}
    least, most = 1, 1 << 17
    while most - least > 1:
        middle = (least + most) // 2
        if all(fits(rows, middle) for rows in corners):
            least = middle
        else:
            most = middle

    def said(columns: int) -> Verdict:
        return verdict(
            target_of(source, lambda v: v.call(v.dim("S", low, high), v.dim("D", 1, columns)), tmp_path), 3
        ).verdict

    assert (said(least), said(least + 1)) == (Verdict.SUCCESSFUL, Verdict.FAILED), least


def test_a_placed_result_over_its_operand_counts_once(tmp_path: Path) -> None:
    source = """
    def kernel(S, D):
        a, b = tile(D, S, address=(0, 0)), tile(D, S, address=(0, 0))
        nisa.memset(a, 0)
        nisa.tensor_tensor(b, a, a, nl.add)
    """
    assert _fits(source, tmp_path)(128, 53246) and not _fits(source, tmp_path)(128, 53247)
