# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg x=f32[512,1024] --grid 8
"""Programs with one flat number, split by divmod."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def k(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    pid = nl.program_id(0)
    nc = x.shape[1] // 512
    r, c = pid // nc, pid % nc
    i = r * 128 + nl.arange(128)[:, None]
    j = c * 512 + nl.arange(512)[None, :]
    nl.store(out[i, j], nl.exp(nl.load(x[i, j])))
    return out
