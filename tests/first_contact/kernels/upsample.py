"""Every pixel becomes two by two."""

# legal: C <= 128

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def upsample2x(img):
    """Each element of [C, H, W] becomes two by two."""
    C, H, W = img.shape
    assert C <= 128
    out = nl.ndarray((C, 2 * H, 2 * W), dtype=img.dtype, buffer=nl.shared_hbm)
    for y in range(H):
        row = nl.ndarray((C, W), dtype=img.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=row, src=img[:, y, :])
        wide = nl.ndarray((C, W, 2), dtype=img.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=wide[:, :, 0], src=row)
        # bug: nisa.tensor_copy(dst=wide[:, :, 0], src=row)
        nisa.tensor_copy(dst=wide[:, :, 1], src=row)
        flat = wide.reshape((C, 2 * W))
        nisa.dma_copy(dst=out[:, 2 * y, :], src=flat)  # here
        nisa.dma_copy(dst=out[:, 2 * y + 1, :], src=flat)
    return out
