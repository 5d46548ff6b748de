# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::k --arg a=bf16[512,512] --arg b=bf16[512,1024]
"""A dictionary of tiles keyed by indices, f-strings in names."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(a, b):
    K, M = a.shape
    _, N = b.shape
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    tiles = {}
    for k in range(K // 128):
        for m in range(M // 128):
            t = nl.ndarray((128, 128), dtype=a.dtype, buffer=nl.sbuf, name=f"a_{k}_{m}")
            nisa.dma_copy(dst=t, src=a[k * 128:(k + 1) * 128, m * 128:(m + 1) * 128])
            tiles[(k, m)] = t
    for n in range(N // 512):
        rhs = {}
        for k in range(K // 128):
            rhs[k] = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.sbuf, name=f"b_{n}_{k}")
            nisa.dma_copy(dst=rhs[k], src=b[k * 128:(k + 1) * 128, n * 512:(n + 1) * 512])
        for m in range(M // 128):
            ps = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(K // 128):
                nisa.nc_matmul(dst=ps, stationary=tiles[(k, m)], moving=rhs[k])
            o = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=o, src=ps)
            nisa.dma_copy(dst=out[m * 128:(m + 1) * 128, n * 512:(n + 1) * 512], src=o)
    return out
