# expect: 4 FAILED df.programs:17
# args: ::tensor_add --arg a=bf16[512,2048] --arg b=bf16[512,2048] --grid '4,4'
"""SPMD tensor addition on several cores, legacy: nl.spmd_dim and nl.nc."""
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def tensor_add(a, b):
    c = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    offset_x = nl.program_id(0) * 128
    offset_y = nl.program_id(1) * 511
    ix = offset_x + nl.arange(128)[:, None]
    iy = offset_y + nl.arange(512)[None, :]
    at = nl.load(a[ix, iy])
    bt = nl.load(b[ix, iy])
    nl.store(c[ix, iy], value=at + bt)
    return c


def launch(a, b):
    return tensor_add[nl.spmd_dim(nl.nc(2), a.shape[0] // 256), a.shape[1] // 512](a, b)
