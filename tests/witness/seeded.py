"""Kernels with one typical mistake each, and the smallest shapes that show it, derived by hand.

"Smallest" is the order of nkiverify.engines.minimise: fewest dimensions away from their smallest legal value, then the
smallest sum, then multiples of a tile, then the smaller dimension where they first differ.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nkiverify.foundation.records import Kind, Verdict
from nkiverify.frontend.target import Target
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import bfloat16, float16, float32

HEADER = """\
import nki
import nki.isa as nisa
import nki.language as nl


"""


@dataclass(frozen=True, slots=True)
class Seeded:
    """A kernel with a mistake: `source` defines `kernel`, `call` is the target's function.

    The first violation is of `contract`, with `witness`. `why` derives it.
    """

    name: str
    source: str
    call: Callable[[Verification], None]
    contract: str
    witness: dict[str, int | str]
    why: str
    phase: int = 1

    def __str__(self) -> str:
        return self.name

    def target(self, folder: Path) -> Target:
        """The target, with its kernel written into `folder`."""
        (folder / "kernel.py").write_text(HEADER + textwrap.dedent(self.source).lstrip(), encoding="utf-8")
        return Target(
            name=self.name,
            kernel="kernel.py::kernel",
            family="seeded",
            kind=Kind.CONTROL,
            expect={self.phase: Verdict.FAILED},
            flags="",
            tags=(),
            description=self.why,
            hardware="trn2",
            root=folder,
            module=__name__,
            file=__file__,
            line=1,
            function=self.call,
        )


def numbers(*names: str, low: int = 1, high: int | None = None) -> Callable[[Verification], None]:
    """A target that calls its kernel with plain dimensions."""

    def call(v: Verification) -> None:
        v.call(*(v.dim(name, low, high) for name in names))

    return call


def rows(name: str = "K", low: int = 1, multiple_of: int = 1) -> Callable[[Verification], None]:
    """A target with one tensor of 64 columns."""

    def call(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim(name, low, multiple_of=multiple_of), 64), float16))

    return call


def matrix(v: Verification) -> None:
    """A target with one tensor."""
    v.call(v.tensor("x", (v.dim("K"), v.dim("M")), float16))


def two_matrices(v: Verification) -> None:
    """Two operands that both name a contraction dimension of their own."""
    lhs_t = v.tensor("lhsT", (v.dim("K", high=128), 128), bfloat16)
    v.call(lhs_t, v.tensor("rhs", (v.dim("L", high=128), 512), bfloat16))


def two_vectors(v: Verification) -> None:
    """Two arguments whose lengths ought to agree."""
    v.call(v.tensor("a", (v.dim("K"), 4), float16), v.tensor("b", (v.dim("L"), 4), float16))


def transposed_output(v: Verification) -> None:
    """The result has the shape of the argument."""
    shape = (v.dim("M"), v.dim("N"))
    v.returns(v.call(v.tensor("x", shape, float16)), shape=shape)


def two_dtypes(v: Verification) -> None:
    """Tensors of one of two types."""
    dtype = v.choice("dtype", (float32, bfloat16))
    v.call(v.tensor("x", (v.dim("n"), 4), dtype))


def far_apart(v: Verification) -> None:
    """n is more than m + 3."""
    n, m = v.dim("n"), v.dim("m")
    v.assume(n > m + 3)
    v.call(n, m)


def in_steps(v: Verification) -> None:
    """One dimension of tiles, one of any size."""
    v.call(v.dim("K", multiple_of=128), v.dim("M"))


SEEDED = (
    Seeded(
        "slab_too_wide",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range(K // 128):
                tile = nl.ndarray((128, M), dtype=x.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=tile, src=x[k * 128 : k * 128 + 256, 0:M])
        """,
        rows(multiple_of=128),
        "idx.oob",
        {"K": 128},
        "the first slab of 256 rows already passes the end of the smallest x, which has 128",
    ),
    Seeded(
        "slice_off_by_one",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            return x[0 : K + 1, 0:M]
        """,
        rows(),
        "idx.oob",
        {"K": 1},
        "every K fails",
    ),
    Seeded(
        "swapped_operands",
        """
        @nki.jit
        def kernel(lhsT, rhs):
            a = nl.ndarray(lhsT.shape, dtype=lhsT.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a, src=lhsT)
            b = nl.ndarray(rhs.shape, dtype=rhs.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=b, src=rhs)
            product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=product, stationary=a, moving=b)
        """,
        two_matrices,
        "nc_matmul.k_equal",
        {"K": 1, "L": 2},
        "one of the two differs from 1 by 1; that the earlier one is smaller decides",
    ),
    Seeded(
        "transposed_output",
        """
        @nki.jit
        def kernel(x):
            M, N = x.shape
            return nl.ndarray((N, M), dtype=x.dtype, buffer=nl.shared_hbm)
        """,
        transposed_output,
        "target.output_shape",
        {"M": 1, "N": 2},
        "squares hide it; (1, 2) is the smallest that is none, and M is as small as can be",
    ),
    Seeded(
        "loose_mask",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range((K + 127) // 128):
                stop = min(k * 128 + 128, K + 1)
                tile = x[k * 128 : stop, 0:M]
        """,
        rows(low=128),
        "idx.oob",
        {"K": 129},
        "with K = 128 the tile ends before the mask does; with 129 the second tile goes to 130",
    ),
    Seeded(
        "over_128_partitions",
        """
        @nki.jit
        def kernel(x):
            tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x)
        """,
        rows(),
        "mem.partitions_128",
        {"K": 129},
        "128 partitions are legal",
    ),
    Seeded(
        "fp32_tile_over_a_bank",
        """
        @nki.jit
        def kernel(n):
            a = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
            b = nl.ndarray((128, n), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.memset(a, 0.0)
            nisa.memset(b, 0.0)
            product = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=product, stationary=a, moving=b)
        """,
        numbers("n", high=2048),
        "nc_matmul.n_le_512",
        {"n": 513},
        "a bank of 2 KiB per partition holds 512 numbers of 4 bytes",
    ),
    Seeded(
        "wrong_buffer",
        """
        @nki.jit
        def kernel(n):
            a = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
            b = nl.ndarray((128, n), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.memset(a, 0.0)
            nisa.memset(b, 0.0)
            product = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)
            nisa.nc_matmul(dst=product, stationary=a, moving=b)
        """,
        numbers("n", high=512),
        "nc_matmul.buffers",
        {"n": 1},
        "every n fails",
    ),
    Seeded(
        "division_by_zero",
        """
        def kernel(n, m):
            return n // (m - 3)
        """,
        numbers("n", "m"),
        "host.division_by_zero",
        {"n": 1, "m": 3},
        "m = 3 is the only divisor of zero",
        phase=2,
    ),
    Seeded(
        "overflow",
        """
        def kernel(n):
            return n * n
        """,
        numbers("n"),
        "host.int32",
        {"n": 46341},
        "46340**2 = 2147395600 fits 32 bits, 46341**2 = 2147488281 does not",
        phase=2,
    ),
    Seeded(
        "inconsistent_arguments",
        """
        @nki.jit
        def kernel(a, b):
            assert a.shape[0] == b.shape[0], "a and b have the same length"
        """,
        two_vectors,
        "kernel.assert",
        {"K": 1, "L": 2},
        "as swapped_operands",
    ),
    Seeded(
        "tail_of_a_tile",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range((K + 127) // 128):
                tile = x[k * 128 : k * 128 + 128, 0:M]
        """,
        rows(low=128),
        "idx.oob",
        {"K": 129},
        "the first K that is no multiple of 128",
    ),
    Seeded(
        "last_tile_forgotten",
        """
        def kernel(K):
            done = 0
            for k in range(K // 128):
                done += 128
            assert done == K
        """,
        numbers("K", low=256),
        "kernel.assert",
        {"K": 257},
        "the first K from 256 that is no multiple of 128",
    ),
    Seeded(
        "free_size_limit",
        """
        def kernel(K, M):
            assert M <= 512
        """,
        in_steps,
        "kernel.assert",
        {"K": 128, "M": 513},
        "K does not matter and stays where it is",
    ),
    Seeded(
        "product_of_two",
        """
        def kernel(K, M):
            assert K * M <= 1000
        """,
        numbers("K", "M"),
        "kernel.assert",
        {"K": 1, "M": 1001},
        "one dimension moves, not two: (32, 32) has the smaller sum, but two that differ from 1",
    ),
    Seeded(
        "both_have_to_move",
        """
        def kernel(K, M):
            assert K < 10 or M < 20
        """,
        numbers("K", "M"),
        "kernel.assert",
        {"K": 10, "M": 20},
        "neither can stay at 1",
    ),
    Seeded(
        "multiple_of_a_tile",
        """
        def kernel(K, M):
            assert K == 1 or M == 1 or K + M != 300
        """,
        numbers("K", "M"),
        "kernel.assert",
        {"K": 128, "M": 172},
        "all have the sum 300; K can be a multiple of 128, the least of which is 128",
    ),
    Seeded(
        "row_past_the_end",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            return x[K, 0:M]
        """,
        rows(),
        "idx.oob",
        {"K": 1},
        "every K fails",
    ),
    Seeded(
        "one_iteration_too_many",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range(K + 1):
                row = x[k, 0:M]
        """,
        rows(),
        "idx.oob",
        {"K": 1},
        "every K fails, in the last iteration",
    ),
    Seeded(
        "prefetch_past_the_end",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range(K - 1):
                row = x[k + 2, 0:M]
        """,
        rows(),
        "idx.oob",
        {"K": 2},
        "K = 1 has no iteration",
    ),
    Seeded(
        "stride_of_four",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range(K // 4):
                row = x[4 * k + 4, 0:M]
        """,
        rows(),
        "idx.oob",
        {"K": 4},
        "K from 1 to 3 has no iteration; K = 5 passes",
    ),
    Seeded(
        "difference_below_zero",
        """
        def kernel(n, m):
            assert n - m >= 0
        """,
        numbers("n", "m"),
        "kernel.assert",
        {"n": 1, "m": 2},
        "n stays",
    ),
    Seeded(
        "remainder",
        """
        def kernel(n):
            assert n % 7 != 6
        """,
        numbers("n"),
        "kernel.assert",
        {"n": 6},
        "6 % 7 is 6",
    ),
    Seeded(
        "square",
        """
        def kernel(n):
            assert n * n != 49
        """,
        numbers("n"),
        "kernel.assert",
        {"n": 7},
        "-7 is not in the domain",
    ),
    Seeded(
        "remainder_in_a_range",
        """
        def kernel(n):
            assert n % 10 != 3
        """,
        numbers("n", low=5, high=100),
        "kernel.assert",
        {"n": 13},
        "3 is below the range",
    ),
    Seeded(
        "one_dtype",
        """
        @nki.jit
        def kernel(x):
            assert x.dtype == nl.float32
        """,
        two_dtypes,
        "kernel.assert",
        {"dtype": "bfloat16", "n": 1},
        "the second option fails, for every n",
    ),
    Seeded(
        "assumed_apart",
        """
        def kernel(n, m):
            assert n < 10
        """,
        far_apart,
        "kernel.assert",
        {"n": 10, "m": 1},
        "n > m + 3 holds of (10, 1)",
    ),
    Seeded(
        "two_coins",
        """
        def kernel(n, m):
            assert 3 * n + 5 * m != 31
        """,
        numbers("n", "m"),
        "kernel.assert",
        {"n": 2, "m": 5},
        "the solutions are (2, 5) and (7, 2)",
    ),
    Seeded(
        "behind_a_branch",
        """
        def kernel(n, m):
            if n > 100:
                assert m < 3
        """,
        numbers("n", "m"),
        "kernel.assert",
        {"n": 101, "m": 3},
        "the branch needs n = 101",
    ),
    Seeded(
        "column_past_the_end",
        """
        @nki.jit
        def kernel(x):
            K, M = x.shape
            for k in range(K):
                for m in range(M):
                    element = x[k, m + 1]
        """,
        matrix,
        "idx.oob",
        {"K": 1, "M": 1},
        "every shape fails, in the last inner iteration",
    ),
)
