# expect: 1 FAILED
# expect: 4 UNKNOWN|FAILED|SUCCESSFUL
# args: ::kernel --arg 'table=f32[1024,64]' --arg 'ids=i32[128,1] in 0..127'
"""idx = idx + 130 rebinds a tile in a python-unrolled loop, legacy."""
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(table, ids):
    rows, d = table.shape
    out = nl.ndarray((rows // 128, 128, d), dtype=table.dtype, buffer=nl.shared_hbm)
    idx = nl.load(ids)
    ix = nl.arange(128)[:, None]
    iy = nl.arange(64)[None, :]
    for i in nl.static_range(rows // 128):
        t = nl.load(table[idx[ix, 0], iy])
        nl.store(out[i, ix, iy], t)
        idx = idx + 130
    return out
