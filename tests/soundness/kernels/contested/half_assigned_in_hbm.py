# expect: 4 FAILED df.output_written
# args: ::copies --arg 'x=f32[P:1..128,2*H]' --where 'H >= 1 and H <= 512'
import nki
import nki.language as nl


@nki.jit
def copies(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    out[:, 0 : x.shape[1] // 2] = nl.load(x[:, 0 : x.shape[1] // 2])
    return out
