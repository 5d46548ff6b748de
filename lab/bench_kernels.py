"""Kernels that are measured because they show how the cost of verifying grows: by width, by length, by depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkiverify.frontend.target import Target, Verification
    from nkiverify.verify.options import Options


def _target(
    name: str, kernel: str, root: Path, function: Callable[[Verification], None], *, all_shapes: bool = False
) -> Target:
    from nkiverify.foundation.records import Kind
    from nkiverify.frontend.target import Target
    from nkiverify.project.manifest_targets import SUCCESSFUL

    return Target(
        name=name,
        kernel=kernel,
        family="bench",
        kind=Kind.SYMBOLIC if all_shapes else Kind.CONCRETE,
        expect={1: SUCCESSFUL, 2: SUCCESSFUL},
        flags="",
        tags=(),
        description="",
        hardware="trn2",
        root=root,
        module=__name__,
        file=__file__,
        line=1,
        function=function,
    )


def matmul(width: int, options: Options) -> Target:
    """The tiled matmul of the tutorial, 1024 rows of eight tiles, `width` columns."""
    from nkiverify.model.dtypes import float16

    def multiply(v: Verification) -> None:
        out = v.call(v.tensor("lhsT", (1024, 1024), float16), v.tensor("rhs", (1024, width), float16))
        v.returns(out, shape=(1024, width), dtype=float16)

    return _target(f"matmul_tiled_{width}", "kernels/matmul_tiled.py::matmul_tiled", options.root, multiply)


_KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    half = columns // 2
    a = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=x)
{operations}
    nisa.dma_copy(dst=out, src=a)
    return out
"""

#: Without a fault for every shape of at most 128 rows.
SMALL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 1024
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""

#: So many columns of two tiles of four bytes an element fit into a partition of SBUF.
MOST_COLUMNS = 16384

#: One instruction each, on slices of symbolic extent.
_OPERATIONS = (
    "nisa.tensor_copy(dst=b[:, 0:half], src=a[:, half : 2 * half])",
    "nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)",
    "nisa.activation(dst=b[:, half : 2 * half], op=nl.exp, data=a[:, 0:half])",
    "nisa.tensor_scalar(dst=a, data=b, op0=nl.multiply, operand0=2.0)",
)


def straight_line(length: int, folder: Path, options: Options) -> Target:
    """A kernel of `length` instructions one after the other, on every shape that fits the partitions."""
    lines = (_OPERATIONS[position % len(_OPERATIONS)] for position in range(length))
    return _on_all_shapes(f"straight_line_{length}", [f"    {line}" for line in lines], folder)


def nested_loops(depth: int, folder: Path, options: Options) -> Target:
    """A kernel of `depth` loops in each other, over a symbolic range each, with one instruction in every body."""
    lines = []
    for level in range(depth):
        lines.append(f"    {'    ' * level}for i{level} in range(half):")
        lines.append(f"    {'    ' * (level + 1)}{_OPERATIONS[level % len(_OPERATIONS)]}")
    return _on_all_shapes(f"nested_loops_{depth}", lines, folder)


def _on_all_shapes(name: str, lines: Sequence[str], folder: Path) -> Target:
    """A target of the kernel with these lines in its body."""
    from nkiverify.model.dtypes import float32

    # A folder of its own: what a folder of kernels holds is looked up once in a process.
    root = folder / name
    root.mkdir()
    file = root / "kernel.py"
    file.write_text(_KERNEL.format(operations="\n".join(lines)), encoding="utf-8")

    def run(v: Verification) -> None:
        rows, columns = v.dim("rows", 1, 128), v.dim("columns", 2, MOST_COLUMNS, multiple_of=2)
        v.returns(v.call(v.tensor("x", (rows, columns), float32)), shape=(rows, columns), dtype=float32)

    return _target(name, f"{file.name}::kernel", root, run, all_shapes=True)
