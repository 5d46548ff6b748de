"""A product with a low-rank matrix: x @ a @ b, the helper transposes on the way in."""

# legal: T % 128 == 0, D % 128 == 0, R <= 128, O % 512 == 0, D == D2, R == R2

import nki
import nki.isa as nisa
import nki.language as nl

PMAX = 128
FMAX = 512


def load_transposed(src, row, col, height, width, dtype):
    """The block of `src` at (row, col), transposed on its way in."""
    block = nl.ndarray((height, width), dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=block, src=src[row : row + height, col : col + width])
    turned = nl.ndarray((width, height), dtype=dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=block)
    kept = nl.ndarray((width, height), dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=kept, src=turned)
    return kept


@nki.jit
def lora(x, a, b):
    # x: [T, D]; a: [D, R]; b: [R, O] -> x @ a @ b: [T, O]
    T, D = x.shape
    D2, R = a.shape
    R2, O = b.shape
    assert T % PMAX == 0 and D % PMAX == 0 and O % FMAX == 0, "pad the inputs first"
    assert R <= PMAX
    out = nl.ndarray((T, O), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in range(T // PMAX):
        low_ps = nl.ndarray((R, PMAX), dtype=nl.float32, buffer=nl.psum)
        for d in range(D // PMAX):
            xT = load_transposed(x, t * PMAX, d * PMAX, PMAX, PMAX, x.dtype)
            a_tile = nl.ndarray((PMAX, R), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a_tile, src=a[d * PMAX : (d + 1) * PMAX, :])
            nisa.nc_matmul(dst=low_ps, stationary=a_tile, moving=xT)
        low = nl.ndarray((R, PMAX), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=low, src=low_ps)
        for o in range(O // FMAX):
            b_tile = nl.ndarray((R, FMAX), dtype=b.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=b_tile, src=b[:, o * FMAX : (o + 1) * FMAX])
            y_ps = nl.ndarray((PMAX, FMAX), dtype=nl.float32, buffer=nl.psum)
            # bug: nisa.nc_matmul(dst=y_ps, stationary=b_tile, moving=low)
            nisa.nc_matmul(dst=y_ps, stationary=low, moving=b_tile)
            y = nl.ndarray((PMAX, FMAX), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=y, src=y_ps)
            nisa.dma_copy(dst=out[t * PMAX : (t + 1) * PMAX, o * FMAX : (o + 1) * FMAX], src=y)
    return out
