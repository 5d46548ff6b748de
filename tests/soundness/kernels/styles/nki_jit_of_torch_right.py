# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::fused_silu --arg x=f32[128*n,C] --arg out=f32[128*n,C] --where 'C <= 8192'
"""For the first releases: nki_jit of torch_neuronx, outputs as arguments, or none of torch here."""
try:
    from torch_neuronx import nki_jit
except ImportError:
    nki_jit = None
import neuronxcc.nki.language as nl


def fused_silu(x, out):
    n, c = x.shape
    ix = nl.arange(128)[:, None]
    iy = nl.arange(c)[None, :]
    for ib in nl.affine_range(n // 128):
        t = nl.load(x[ib * 128 + ix, iy])
        nl.store(out[ib * 128 + ix, iy], value=t * nl.sigmoid(t))


if nki_jit is not None:
    fused_silu_jit = nki_jit(fused_silu)
