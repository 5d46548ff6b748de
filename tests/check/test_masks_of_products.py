"""Masks of the legacy API that leave out nothing, or all, or columns of a product; the value filled when first used."""

from __future__ import annotations

import pytest

from tests.check.kernel_files import Checker, write

PRODUCT = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def columns(left, right, loaded):
        contraction, rows = left.shape
        width = right.shape[1]
        out = nl.ndarray((rows, width), dtype=left.dtype, buffer=nl.shared_hbm)
        ip, im = nl.arange(contraction)[:, None], nl.arange(rows)[:, None]
        for block in nl.affine_range((width + 511) // 512):
            column = block * 512 + nl.arange(512)[None, :]
            one = nl.load(left)
            two = nl.load(right[ip, column], mask=column < loaded)
            total = nl.zeros((rows, 512), dtype=nl.float32, buffer=nl.psum, lazy_initialization=True)
            total += nl.matmul(one, two, transpose_x=True, mask=column < width)
            nl.store(out[im, column], value=nl.copy(total), mask=column < width)
        return out


    @nki.jit
    def indexed(left, right, multiplied):
        contraction, rows = left.shape
        width = right.shape[1]
        out = nl.ndarray((rows, width), dtype=left.dtype, buffer=nl.shared_hbm)
        ip, im, jm = nl.arange(contraction)[:, None], nl.arange(rows)[:, None], nl.arange(rows)[None, :]
        one, two = nl.load(left), nl.load(right)
        for block in nl.affine_range((width + 511) // 512):
            column = block * 512 + nl.arange(512)[None, :]
            total = nl.zeros((rows, 512), dtype=nl.float32, buffer=nl.psum)
            total += nisa.nc_matmul(one[ip, jm], two[ip, column], mask=column < multiplied)
            nl.store(out[im, column], value=nl.copy(total), mask=column < width)
        return out


    @nki.jit
    def rest(left, right, known):
        contraction, rows = left.shape
        out = nl.ndarray((rows, right.shape[1]), dtype=left.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((rows, right.shape[1]), dtype=nl.float32, buffer=nl.psum)
        ik, im, jn = nl.arange(128)[:, None], nl.arange(rows)[None, :], nl.arange(right.shape[1])[None, :]
        for block in nl.affine_range((contraction + 127) // 128):
            place = block * 128 + ik
            one = nl.load(left[place, im], mask=place < contraction)
            two = nl.load(right[place, jn], mask=place < contraction)
            total += nl.matmul(one[place < known], two[place < known], transpose_x=True)
        nl.store(out, value=total)
        return out


    @nki.jit
    def gathered(table, places, known):
        rows, width = places.shape[0], table.shape[1]
        out = nl.ndarray((rows, width), dtype=table.dtype, buffer=nl.shared_hbm)
        ip, one, iw = nl.arange(128)[:, None], nl.arange(1)[None, :], nl.arange(width)[None, :]
        index = nl.load(places[ip, one], mask=ip < known)
        nl.store(out[ip, iw], nl.load(table[index[ip, 0], iw], mask=ip < rows), mask=ip < rows)
        return out


    @nki.jit
    def triangle(x, first):
        out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
        total = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.static_range(x.shape[0] // 128):
            here = i >= first
            product = nl.matmul(nl.load(x[nl.ds(i * 128, 128)]), nl.load(x[nl.ds(0, 128)]), mask=here)
            total[:, :] = nl.add(total, product, mask=i >= 1)
        nl.store(out, value=total)
        return out


    @nki.jit
    def statistics(x, known):
        rows, width = x.shape
        out = nl.ndarray((128, width // 512 * 6), dtype=nl.float32, buffer=nl.shared_hbm)
        found = nl.ndarray((128, width // 512 * 6), dtype=nl.float32)
        row, six = nl.arange(128)[:, None], nl.arange(6)[None, :]
        tile = nl.load(x)
        for j in nl.affine_range(width // 512):
            column = j * 512 + nl.arange(512)[None, :]
            found[row, j * 6 + six] = nisa.bn_stats(tile[row, column], mask=(column < known) & (row < rows))
        nl.store(out, value=found)
        return out
"""


@pytest.mark.parametrize(
    ("kernel", "arguments", "status"),
    [
        # Columns that are not loaded are not multiplied; of those that are, one is missing.
        ("columns", ("left=bf16[128,64]", "right=bf16[128,700]", "loaded=700"), 0),
        ("columns", ("left=bf16[128,64]", "right=bf16[128,700]", "loaded=699"), 1),
        ("columns", ("left=bf16[128,64]", "right=bf16[128,1024]", "loaded=1024"), 0),
        # A mask of the columns of one operand says nothing of the other one; one column too many is outside of it.
        ("indexed", ("left=bf16[128,64]", "right=bf16[128,700]", "multiplied=700"), 0),
        ("indexed", ("left=bf16[128,64]", "right=bf16[128,700]", "multiplied=701"), 1),
        # Operands with masks of their own: partitions that nothing has loaded are not multiplied, or one of them is.
        ("rest", ("left=f32[200,64]", "right=f32[200,96]", "known=200"), 0),
        ("rest", ("left=f32[200,64]", "right=f32[200,96]", "known=201"), 1),
        ("rest", ("left=f32[K:1..4096,64]", "right=f32[K,96]", "known=K"), 0),
        # An index of a row that is masked off is not needed.
        ("gathered", ("table=f32[200,64]", "places=i32[100,1] in 0..199", "known=100"), 0),
        ("gathered", ("table=f32[200,64]", "places=i32[100,1] in 0..199", "known=99"), 1),
        # A product that is left out as a whole has no elements that could be added.
        ("triangle", ("x=bf16[256,128]", "first=1"), 0),
        ("triangle", ("x=bf16[256,128]", "first=2"), 1),
        ("statistics", ("x=f32[128,1024]", "known=1024"), 0),
        ("statistics", ("x=f32[128,1024]", "known=1023"), 1),
        ("statistics", ("x=f32[128,W:512..4096:512]", "known=W"), 0),
    ],
)
def test_a_mask_says_what_is_touched(kernel: str, arguments: tuple[str, ...], status: int, check: Checker) -> None:
    write(check.folder, k=PRODUCT)
    words = [word for argument in arguments for word in ("--arg", argument)]
    assert check(f"k.py::{kernel}", *words) == status, check.out


def test_the_current_api_has_no_lazy_initialization(check: Checker) -> None:
    kernel = """
        import nki
        import nki.language as nl


        @nki.jit
        def k(x):
            out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
            nl.store(out, nl.zeros(x.shape, dtype=x.dtype, lazy_initialization=True))
            return out
    """
    write(check.folder, k=kernel)
    assert check("k.py::k", "--arg", "x=f32[128,64]") == 1
    assert "isa.kwargs_checked" in check.out


SUBSCRIPTS = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def product(w, x):
        (k, m), n = w.shape, x.shape[1]
        out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
        left, right = nl.load(w), nl.load(x)
        total = nl.zeros((m, 512), dtype=nl.float32, buffer=nl.psum)
        i, j, c = nl.arange(128)[:, None], nl.arange(512)[None, :], nl.arange(m)[None, :]
        h = nl.arange(k)[:, None]
        total += {product}
        nl.store(out, nl.copy(total[0:m, 0:n]))
        return out
"""
#: Products, and their verdicts in phases 1 and 4 for n columns: as documented, warned of, or wrong.
PRODUCTS = {
    "nisa.nc_matmul(left, right[h, j][j < n])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left, right[h, j], mask=j < n)": ("SUCCESSFUL", "SUCCESSFUL", False),
    "nisa.nc_matmul(left, right[h, j][j <= n - 1])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left, right[h, j][n > j])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left, right[h, j][j < n + 1])": ("FAILED", "", True),
    # The last column is not multiplied, and stored.
    "nisa.nc_matmul(left, right[h, j][j < n - 1])": ("SUCCESSFUL", "FAILED", True),
    "nisa.nc_matmul(left, right[h, j], mask=j < n - 1)": ("SUCCESSFUL", "FAILED", False),
    "nisa.nc_matmul(left, right[h, j + 1][j < n - 1])": ("SUCCESSFUL", "FAILED", True),
    "nisa.nc_matmul(left, right[h, j + 1][j < n])": ("FAILED", "", True),
    "nisa.nc_matmul(left, right[h, j])": ("FAILED", "", False),
    "nisa.nc_matmul(left[h, c], right[h, j][j < n])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nl.matmul(left, right[h, j][j < n], transpose_x=True)": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nl.matmul(left, right[h, j][j < n + 1], transpose_x=True)": ("FAILED", "", True),
    "nisa.nc_matmul(left[i, c][i < k], right[i, j][(i < k) & (j < n)])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left[i, c][i < k], right[i, j][i < k][j < n])": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left[i, c][i < k + 1], right[i, j][(i < k) & (j < n)])": ("FAILED", "", True),
    "nisa.nc_matmul(left, right[h, j][j < n], mask=j < n)": ("SUCCESSFUL", "SUCCESSFUL", True),
    "nisa.nc_matmul(left[h, c][c < m], right)": ("UNKNOWN", "", False),
    "nl.copy(right[h, j][j < n])": ("FAILED", "", False),
}


@pytest.mark.parametrize("sizes", ["96 64 300", "128 32 1", "7 128 511", "K M N"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_mask_behind_a_subscript_leaves_columns_out(product: str, sizes: str, check: Checker) -> None:
    expected, of_data, contested = PRODUCTS[product]
    k, m, n = sizes.split()
    if k == "128" and "k + 1" in product:
        expected = "SUCCESSFUL"  # of 128 partitions none is left out
    write(check.folder, k=SUBSCRIPTS.format(product=product))
    words = ["--arg", f"w=f32[{k},{m}]", "--arg", f"x=f32[{k},{n}]"]
    if k == "K":
        words += ["--where", "K <= 64 and M <= 128 and 2 <= N <= 500"]
    check("k.py::product", *words, "--phase", "1")
    assert f"1 {expected}" in check.out, check.out
    assert ("leg.mask_subscript" in check.out) is (contested and expected != "UNKNOWN"), check.out
    if of_data and k != "K":
        check("k.py::product", *words, "--phase", "4")
        assert f"1 {of_data}" in check.out, check.out


IMAGES = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def rows(w, x, ROWS=5):
        (k, m), (_, height, width) = w.shape, x.shape
        out = nl.ndarray((m, height, width), dtype=nl.float32, buffer=nl.shared_hbm)
        left, right = nl.load(w), nl.load(x)
        c, r, i = nl.mgrid[0:k, 0:ROWS, 0:width]
        p, q, j = nl.mgrid[0:m, 0:ROWS, 0:width]
        for block in nl.affine_range((height + ROWS - 1) // ROWS):
            first = block * ROWS
            total = nl.zeros((nl.par_dim(m), ROWS, width), dtype=nl.float32, buffer=nl.psum)
            total[p, q, j] += {product}
            nl.store(out[p, first + q, j], total[p, q, j], mask=first + q < height)
        return out
"""
#: Products of the rows of an image, of which the last block has fewer, and their verdicts in phases 1 and 4.
ROWS = {
    "nisa.nc_matmul(left, right[c, first + r, i][first + r < height])": ("SUCCESSFUL", "SUCCESSFUL"),
    "nisa.nc_matmul(left, right[c, first + r, i], mask=first + r < height)": ("SUCCESSFUL", "SUCCESSFUL"),
    "nisa.nc_matmul(left, right[c, first + r, i][first + r < height - 1])": ("SUCCESSFUL", "FAILED"),
    "nisa.nc_matmul(left, right[c, first + r, i], mask=first + r < height - 1)": ("SUCCESSFUL", "FAILED"),
    "nisa.nc_matmul(left, right[c, first + r, i][first + r < height][i < width])": ("SUCCESSFUL", "SUCCESSFUL"),
    "nisa.nc_matmul(left, right[c, first + r, i][(first + r < height) & (i < width - 1)])": ("SUCCESSFUL", "FAILED"),
    "nisa.nc_matmul(left, right[c, first + r, i][first + r < height + 1])": ("FAILED", ""),
}


@pytest.mark.parametrize(
    "sizes", ["w=f32[16,32] x=f32[16,12,30]", "w=f32[64,5] x=f32[64,7,5]", "w=f32[16,32] x=f32[16,H:2..40,30]"]
)
@pytest.mark.parametrize("product", ROWS)
def test_a_mask_of_a_product_leaves_out_rows_of_an_image(product: str, sizes: str, check: Checker) -> None:
    write(check.folder, k=IMAGES.format(product=product))
    words = [word for size in sizes.split() for word in ("--arg", size)]
    check("k.py::rows", *words, "--phase", "1,4")
    expected, of_data = ROWS[product]
    assert f"1  {expected}" in check.out and f"4  {of_data}" in check.out, check.out
