"""Maximum over pairs of columns and of rows of images that are a partition each."""

# legal: C <= 128, H % 2 == 0, W % 2 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def maxpool(image):
    C, H, W = image.shape
    assert H % 2 == 0 and W % 2 == 0, "windows of two by two"
    out = nl.ndarray((C, H // 2, W // 2), dtype=image.dtype, buffer=nl.shared_hbm)
    data = nl.ndarray((C, H, W), dtype=image.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=data, src=image)
    rows = nl.ndarray((C, H // 2, W), dtype=image.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=rows, data1=data[:, 0:H:2, :], data2=data[:, 1:H:2, :], op=nl.maximum)
    best = nl.ndarray((C, H // 2, W // 2), dtype=image.dtype, buffer=nl.sbuf)
    # bug: nisa.tensor_tensor(dst=best, data1=rows[:, :, 0:W:2], data2=rows[:, :, 2 : W + 1 : 2], op=nl.maximum)
    nisa.tensor_tensor(dst=best, data1=rows[:, :, 0:W:2], data2=rows[:, :, 1:W:2], op=nl.maximum)
    nisa.dma_copy(dst=out, src=best)
    return out
