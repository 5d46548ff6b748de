"""The mean and the variance of each channel over images, rows and columns."""

# legal: all

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def batchnorm_stats(x):
    """x: [N, C, H, W] -> mean [C, 1], var [C, 1]"""
    N, C, H, W = x.shape
    mean = nl.ndarray((C, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    var = nl.ndarray((C, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    inv = 1.0 / (N * H * W)
    for c0 in range(0, C, 128):
        p = min(128, C - c0)
        s1 = nl.zeros((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        s2 = nl.zeros((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        for n in range(N):
            t = nl.ndarray((p, H, W), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[n, c0 : c0 + p, :, :])
            r = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
            # bug: nisa.tensor_reduce(dst=r, op=nl.add, data=t, axis=[2])
            nisa.tensor_reduce(dst=r, op=nl.add, data=t, axis=[1, 2])
            nisa.tensor_tensor(dst=s1, data1=s1, data2=r, op=nl.add)
            sq = nl.ndarray((p, H, W), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation(dst=sq, op=nl.square, data=t)
            nisa.tensor_reduce(dst=r, op=nl.add, data=sq, axis=[1, 2])
            nisa.tensor_tensor(dst=s2, data1=s2, data2=r, op=nl.add)
        m = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=m, data=s1, op0=nl.multiply, operand0=inv)
        v = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=v, data=s2, op0=nl.multiply, operand0=inv)
        mm = nl.ndarray((p, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=mm, data1=m, data2=m, op=nl.multiply)
        nisa.tensor_tensor(dst=v, data1=v, data2=mm, op=nl.subtract)
        nisa.dma_copy(dst=mean[c0 : c0 + p, :], src=m)
        nisa.dma_copy(dst=var[c0 : c0 + p, :], src=v)
    return mean, var
