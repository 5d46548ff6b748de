# expect: 1 FAILED leg.oob_static:18
# args: ::rms --arg a=f32[250,512] --arg g=f32[512]
"""RMSNorm as the tutorial has it, with nl.mgrid."""
import math
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit(mode="torchxla")
def rms(a, g):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    assert a.shape[1] == g.shape[0]
    rows = a.shape[0]
    ix, iy = nl.mgrid[0:128, 0:a.shape[1]]
    iw, ig = nl.mgrid[0:1, 0:a.shape[1]]
    gamma = nl.load(g.reshape((1, g.shape[0]))[iw, ig])
    for i in nl.affine_range(math.ceil(rows / 128)):
        t = nl.load(a[i * 128 + ix, iy], mask=(i * 128 + ix <= rows))
        s = nl.sum(nl.square(t), axis=[1], mask=(i * 128 + ix < rows)) / a.shape[1]
        t = t * nl.rsqrt(s)
        gb = gamma.broadcast_to((128, g.shape[0]))
        t[...] = nl.multiply(t, gb, mask=(i * 128 + ix < rows))
        nl.store(out[i * 128 + ix, iy], value=t, mask=(i * 128 + ix < rows))
    return out
