# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::topk --arg x=f32[R,C:8..16384] --arg k=32 --where 'R <= 128'
"""Top-k by rounds of max8 and match_replace, legacy-free."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def topk(x, k):
    R, C = x.shape
    vals = nl.ndarray((R, k), dtype=nl.float32, buffer=nl.shared_hbm)
    idxs = nl.ndarray((R, k), dtype=nl.uint32, buffer=nl.shared_hbm)
    t = nl.ndarray((R, C), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    v = nl.ndarray((R, (k // 8) * 8), dtype=nl.float32, buffer=nl.sbuf)
    ix = nl.ndarray((R, k), dtype=nl.uint32, buffer=nl.sbuf)
    for r in range(k // 8):
        part = slice(r * 8, r * 8 + 8)
        nisa.max8(dst=v[:, part], src=t)
        nisa.nc_find_index8(dst=ix[:, part], data=t, vals=v[:, part])
        nisa.nc_match_replace8(dst=t, data=t, vals=v[:, part], imm=-3.0e38)
    nisa.dma_copy(dst=vals, src=v)
    nisa.dma_copy(dst=idxs, src=ix)
    return vals, idxs
