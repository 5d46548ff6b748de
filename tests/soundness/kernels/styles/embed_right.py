# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::embed --arg 'table=bf16[V,D]' --arg 'ids=i32[128*t] in 0..V-1' --where 'D <= 4096'
"""Embed as independent authors write it, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl


P = 128


@nki.jit
def embed(table, ids):
    V, D = table.shape
    (T,) = ids.shape
    out = nl.ndarray((T, D), dtype=table.dtype, buffer=nl.shared_hbm)
    ids2 = ids.reshape((T // P, P, 1))
    i_p = nl.arange(P)[:, None]
    i_f = nl.arange(D)[None, :]
    for t in nl.affine_range(T // P):
        idx = nl.load(ids2[t, i_p, 0])
        rows = nl.load(table[idx[i_p, 0], i_f])
        nl.store(out[t * P + i_p, i_f], rows)
    return out
