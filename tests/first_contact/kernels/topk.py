"""The eight greatest elements of each row, with their places."""

# legal: P <= 128, E >= 8
# limits: E <= 16384

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def topk(scores):
    P, E = scores.shape
    values = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    places = nl.ndarray((P, 8), dtype=nl.uint32, buffer=nl.shared_hbm)
    row = nl.ndarray((P, E), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=scores)
    best = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.sbuf)
    where = nl.ndarray((P, 8), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.max8(dst=best, src=row)
    # bug: nisa.nc_find_index8(dst=where[:, 0:4], data=row, vals=best)
    nisa.nc_find_index8(dst=where, data=row, vals=best)
    nisa.dma_copy(dst=values, src=best)
    nisa.dma_copy(dst=places, src=where)
    return values, places
