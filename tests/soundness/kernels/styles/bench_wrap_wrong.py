# expect: 1 FAILED idx.oob:30
# args: ::mm --arg lhsT=bf16[1024,512] --arg rhs=bf16[1024,2048]
"""@nki.benchmark wrapper around a jitted function, main guard, and argparse."""
import argparse
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

try:
    import torch
    from torch_xla.core import xla_model as xm
except ImportError:
    torch = None


@nki.jit
def mm(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_, "contraction"
    TM, TK, TN = nl.tile_size.gemm_stationary_fmax, nl.tile_size.pmax, nl.tile_size.gemm_moving_fmax
    result = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(M // TM):
        for n in nl.affine_range(N // TN):
            res = nl.zeros((TM, TN), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // TK):
                a = nl.ndarray((TK, TM), dtype=lhsT.dtype, buffer=nl.sbuf)
                b = nl.ndarray((TK, TN), dtype=rhs.dtype, buffer=nl.sbuf)
                a[...] = nl.load(lhsT[nl.ds(k * TK, TK), nl.ds(m * TN, TM)])
                b[...] = nl.load(rhs[nl.ds(k * TK, TK), nl.ds(n * TN, TN)])
                res += nl.matmul(a[...], b[...], transpose_x=True)
            sb = nl.copy(res, dtype=result.dtype)
            nl.store(result[nl.ds(m * TM, TM), nl.ds(n * TN, TN)], value=sb)
    return result


def benchmark(fn, warmup=5, iters=20):
    bench = nki.benchmark(warmup=warmup, iters=iters)(fn)
    return bench


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--size", type=int, default=1024)
    args = p.parse_args()
    b = benchmark(mm)
    b(np.zeros((args.size, args.size)), np.zeros((args.size, args.size)))
    print(b.benchmark_result.nc_latency.get_latency_percentile(99))
