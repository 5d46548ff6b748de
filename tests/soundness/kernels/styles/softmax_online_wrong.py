# expect: 4 FAILED
# args: ::softmax_online --arg x=bf16[N:1..100000,D:1..100000]
"""The sum of exponentials is never begun, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


P = 128


def cdiv(a, b):
    return (a + b - 1) // b


@nki.jit
def softmax_online(x):
    n, d = x.shape
    y = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    T = 1024
    ip = nl.arange(P)[:, None]
    ic = nl.arange(T)[None, :]
    for r in nl.affine_range(cdiv(n, P)):
        m = nl.full((par_dim(P), 1), -9e9, dtype=nl.float32)
        s = nl.ndarray((par_dim(P), 1), dtype=nl.float32)
        for c in nl.sequential_range(cdiv(d, T)):
            msk = (r * P + ip < n) & (c * T + ic < d)
            t = nl.load(x[r * P + ip, c * T + ic], mask=msk, dtype=nl.float32)
            mx = nl.max(t, axis=1, keepdims=True, mask=msk)
            mnew = nl.maximum(m, mx, mask=(r * P + ip < n))
            e = nl.exp(t - mnew, mask=msk)
            se = nl.sum(e, axis=1, keepdims=True, mask=msk)
            corr = nl.exp(m - mnew, mask=(r * P + ip < n))
            s[ip, 0] = nl.add(nl.multiply(s, corr), se, mask=(r * P + ip < n))
            m[ip, 0] = nl.copy(mnew, mask=(r * P + ip < n))
        for c in nl.affine_range(cdiv(d, T)):
            msk = (r * P + ip < n) & (c * T + ic < d)
            t = nl.load(x[r * P + ip, c * T + ic], mask=msk, dtype=nl.float32)
            o = nl.divide(nl.exp(t - m, mask=msk), s, mask=msk)
            nl.store(y[r * P + ip, c * T + ic], o, mask=msk)
    return y
