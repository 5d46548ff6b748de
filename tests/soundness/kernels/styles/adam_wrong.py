# expect: 4 FAILED
# args: ::adam --arg p=f32[N:1..1000000] --arg g=f32[N] --arg m=f32[N] --arg v=f32[N]
"""The tail is rounded down and left out, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl


P = 128


def cdiv(a, b):
    return (a + b - 1) // b


@nki.jit
def adam(p, g, m, v, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8, step=1):
    (n,) = p.shape
    po = nl.ndarray((n,), dtype=p.dtype, buffer=nl.shared_hbm)
    mo = nl.ndarray((n,), dtype=p.dtype, buffer=nl.shared_hbm)
    vo = nl.ndarray((n,), dtype=p.dtype, buffer=nl.shared_hbm)
    F = 2048
    blk = P * F
    i = nl.arange(P)[:, None]
    j = nl.arange(F)[None, :]
    for b in nl.affine_range(max(n // blk, 1)):
        idx = b * blk + i * F + j
        msk = idx < n
        gt = nl.load(g[idx], mask=msk)
        mt = nl.load(m[idx], mask=msk)
        vt = nl.load(v[idx], mask=msk)
        pt = nl.load(p[idx], mask=msk)
        mn = nl.add(nl.multiply(mt, b1), nl.multiply(gt, 1 - b1))
        vn = nl.add(nl.multiply(vt, b2), nl.multiply(nl.square(gt), 1 - b2))
        mh = nl.multiply(mn, 1 / (1 - b1 ** step))
        vh = nl.multiply(vn, 1 / (1 - b2 ** step))
        up = nl.divide(mh, nl.add(nl.sqrt(vh), eps))
        nl.store(po[idx], nl.subtract(pt, nl.multiply(up, lr)), mask=msk)
        nl.store(mo[idx], mn, mask=msk)
        nl.store(vo[idx], vn, mask=msk)
    return po, mo, vo
