# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::gelu_kernel --arg x=f32[128*R,C] --where 'C <= 4096'
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.baremetal(save_neff_name="file.neff", save_trace_name="profile.ntff")
def gelu_kernel(x):
    n, d = x.shape
    y = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(n // 128):
        r = t * 128 + nl.arange(128)[:, None]
        c = nl.arange(d)[None, :]
        tile = nl.load(x[r, c])
        cube = 0.044715 * tile * tile * tile
        inner = 0.7978845608 * (tile + cube)
        nl.store(y[r, c], 0.5 * tile * (1.0 + nl.tanh(inner)))
    return y
