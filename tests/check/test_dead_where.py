"""An assert that makes a loop or a branch of the kernel serve nothing is not what the kernel lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkiverify.cli.main import main
from tests.check.test_limits import HEAD, TABLE, said

#: Rows in tiles of so many, of which a tile can have 128.
ROWS = """\
    assert N <= 512
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, P, {tile}):
        n = min({tile}, P - r)
        t = nl.ndarray((n, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[r:r + n, :])
        nisa.dma_copy(dst=out[r:r + n, :], src=t)
    return out
"""
#: Tiles of columns at steps that are those of something else.
COLUMNS = """\
    assert P <= 128 and N % {tile} == 0{more}
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N // {tile}):
        t = nl.ndarray((P, {tile}), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * {step}:i * {step} + {tile}])
        nisa.dma_copy(dst=out[:, i * {tile}:(i + 1) * {tile}], src=t)
    return out
"""
#: A way for large inputs that reads past the end.
BRANCH = """\
    assert P <= 128 and N <= 2048
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.sbuf)
    if N > {size}:
        nisa.dma_copy(dst=t[:, 0:{size}], src=x[:, 0:{size}])
        nisa.dma_copy(dst=t[:, {size}:N], src=x[:, {size} + 1:N + 1])
    else:
        nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out
"""
#: Whole tiles only, of any number of columns.
WHOLE = """\
    assert P <= 128
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((N + {tile} - 1) // {tile}):
        t = nl.ndarray((P, {tile}), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, i * {tile}:(i + 1) * {tile}])
        nisa.dma_copy(dst=out[:, i * {tile}:(i + 1) * {tile}], src=t)
    return out
"""
#: One tile: its columns are what fits.
ONE = """\
    out = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(({rows}, {columns}), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t[0:P, 0:N], src=x)
    nisa.dma_copy(dst=out, src=t[0:P, 0:N])
    return out
"""
STEPS = [(64, 128), (32, 96), (128, 256), (128, 512), (50, 100), (16, 17), (256, 512), (512, 513)]
#: A transpose of any size in tiles, with masks for the tails.
TRANSPOSE = """\
from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(a):
    M, N = a.shape
    out = nl.ndarray((N, M), dtype=a.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:128, 0:128]
    for i in nl.affine_range((M + 127) // 128):
        for j in nl.affine_range((N + 127) // 128):
            t = nl.load(a[i * 128 + i_p, j * 128 + i_f], mask=(i * 128 + i_p < M) & (j * 128 + i_f < N))
            back = nl.copy(nisa.nc_transpose(t), dtype=a.dtype)
            nl.store(out[j * 128 + i_p, i * 128 + i_f], value=back, mask=(j * 128 + i_p < {p}) & (i * 128 + i_f < {f}))
    return out
"""
DEAD = {
    **{f"rows in tiles of {tile}": (ROWS.format(tile=tile), "P <= 128") for tile in (129, 160, 256, 300, 512, 1024)},
    **{
        f"tiles of {tile} at steps of {step}": (COLUMNS.format(tile=tile, step=step, more=""), f"N <= {tile}")
        for tile, step in STEPS
    },
    **{f"a way beyond {size}": (BRANCH.format(size=size), f"N <= {size}") for size in (2, 64, 100, 512, 1000)},
}
ALIVE = {
    **{f"a table of {table}": TABLE.format(tile=tile, table=table) for tile, table in ((128, 16), (512, 3), (64, 2))},
    **{f"whole tiles of {tile}": WHOLE.format(tile=tile) for tile in (32, 96, 128, 512, 700)},
    **{f"rows in tiles of {tile}": ROWS.format(tile=tile) for tile in (1, 32, 100, 128)},
    **{
        f"one tile at most of {tile}": COLUMNS.format(tile=tile, step=step, more=f" and N <= {tile}")
        for tile, step in STEPS[:4]
    },
    **{f"one tile of {rows} x {size}": ONE.format(rows=rows, columns=size) for rows, size in ((128, 512), (64, 100))},
    **{f"tiles of {tile}": COLUMNS.format(tile=tile, step=tile, more="") for tile in (1, 64, 512, 2048)},
}


@pytest.mark.parametrize("name", DEAD)
def test_what_a_condition_makes_dead_is_named_and_it_is_not_offered(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, condition = DEAD[name]
    lines = (HEAD + source).splitlines()
    line = next(at for at, text in enumerate(lines, 1) if text.startswith(("    for ", "    if ")))
    status, out = said(source, tmp_path, capsys)
    assert status == 1, out
    assert f"the kernel does not check {condition}" in out
    assert f"{condition} is no assert to add: the " in out
    assert f"kernel.py:{line}" in out.partition("no assert to add")[2]
    assert f"help: assert {condition}" not in out


@pytest.mark.parametrize("name", ALIVE)
def test_of_other_kernels_nothing_is_said_to_be_dead(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out = said(ALIVE[name], tmp_path, capsys)
    assert "no assert to add" not in out


@pytest.mark.parametrize(("p", "f", "square"), [("M", "N", True), ("N", "M", False)])
def test_a_transpose_that_would_have_to_be_square(
    p: str, f: str, square: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(TRANSPOSE.format(p=p, f=f), encoding="utf-8")
    assert main(["check", f"{path}::kernel", "--no-cache"]) == int(square)
    out = " ".join(capsys.readouterr().out.split())
    assert ("M == N is no assert to add: what is transposed would have to be square" in out) is square
    assert "help: assert" not in out


ONE_OPERAND = (
    HEAD
    + """
def kernel(a):
    {names} = a.shape
    out = nl.ndarray((M, 1), dtype=a.dtype, buffer=nl.shared_hbm)
    for m in range(M // 128):
        tile = nl.ndarray((128, 1), dtype=a.dtype, buffer=nl.sbuf)
        nisa.memset(dst=tile, value=0)
        for k in range(K // 128):
            row = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=row, src=a[k * 128 : (k + 1) * 128, m * 128 : (m + 1) * 128])
            nisa.tensor_tensor(dst=tile, data1=tile, data2=row[:, 0:1], op=nl.add)
        nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, :], src=tile)
    return out
"""
)


@pytest.mark.parametrize(("names", "square"), [("M, K", True), ("K, M", False)])
def test_an_operand_whose_dimensions_are_named_in_the_wrong_order(
    names: str, square: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(ONE_OPERAND.format(names=names), encoding="utf-8")
    assert main(["check", f"{path}::kernel", "--no-cache"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert ("M == K is no assert to add: a would have to be square" in out) is square
    assert "M == K" not in out.partition("help: assert")[2].partition("(--fix")[0]


TILES = """\
import neuronxcc.nki.language as nl
from neuronxcc import nki


@nki.jit
def add_tile(a, b):
    c = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    row = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    column = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    nl.store(c[row, column], value=nl.load(a[column, row]) + nl.load(b[row, column]))
    return c


def kernel(a, b):
    M, N = a.shape
    return add_tile[M // 128, N // 512](a, b)
"""


def test_a_fault_of_four_dimensions_of_hundreds_each_is_made_small_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # There are a hundred million shapes whose dimensions sum up to what its smallest ones do.
    path = tmp_path / "kernel.py"
    path.write_text(TILES, encoding="utf-8")
    assert main(["check", f"{path}::kernel", "--no-cache"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "kernel is legal where N % 512 == 0, M == b0, M == b1, M == N proved for all such shapes, 4 phases" in out
    assert "M == N is no assert to add: a would have to be square" in out


def test_fix_writes_no_assert_that_makes_the_kernel_pointless(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(HEAD + DEAD["tiles of 64 at steps of 128"][0], encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    assert main(["check", f"{path}::kernel", "--no-cache", "--fix-in-place"]) == 1
    assert path.read_text(encoding="utf-8") == before
