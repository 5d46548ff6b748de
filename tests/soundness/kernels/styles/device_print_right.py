# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=f32[P,F] --where 'P <= 128 and F <= 4000'
"""nl.device_print, static_range, sequential_range and a running product."""
from neuronxcc import nki
import neuronxcc.nki.language as nl
import neuronxcc.nki.isa as nisa

DEBUG = True


@nki.jit(debug_kernel=True)
def k(x):
    P, F = x.shape
    out = nl.ndarray((x.shape[0]//1, F), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    acc = nl.full((nl.par_dim(P), F), 1.0, dtype=nl.float32)
    for i in nl.sequential_range(4):
        acc[...] = nl.multiply(acc, t)
        if DEBUG:
            nl.device_print("acc:", acc)
    for i in nl.static_range(3):
        acc[...] = acc + float(i)
    nl.store(out, acc)
    return out
