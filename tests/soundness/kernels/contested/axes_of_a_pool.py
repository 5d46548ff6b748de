# expect: 1 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::mean_of_columns --arg 'x=bf16[P:1..128,4,6,N:1..64]'
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def mean_of_columns(x):
    p, a, b, n = x.shape
    out = nl.ndarray((p, a, n), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nisa.tensor_reduce(nl.add, nl.load(x), axis=2, dtype=nl.float32)
    nl.store(out, nl.multiply(total, 1.0 / b))
    return out
