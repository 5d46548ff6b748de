"""RMS norm of tokens in blocks of 128, with a weight for each feature."""

# legal: T % 128 == 0, H == H_

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rmsnorm(x, weight, eps=1e-6):
    T, H = x.shape
    H_ = weight.shape[0]
    out = nl.ndarray((T, H), dtype=x.dtype, buffer=nl.shared_hbm)
    gain = nl.ndarray((128, H), dtype=nl.float32, buffer=nl.sbuf)
    for p in range(128):
        nisa.dma_copy(dst=gain[p : p + 1, :], src=weight.reshape((1, H_)))
    for t in range(T // 128):
        tile = nl.ndarray((128, H), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[t * 128 : (t + 1) * 128, :])
        squares = nl.ndarray((128, H), dtype=nl.float32, buffer=nl.sbuf)
        mean = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        # bug: nisa.activation(dst=squares, op=nl.square, data=tile)
        nisa.activation_reduce(dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=mean)
        nisa.tensor_scalar(dst=mean, data=mean, op0=nl.multiply, operand0=1.0 / H, op1=nl.add, operand1=eps)  # here
        nisa.activation(dst=mean, op=nl.rsqrt, data=mean)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=mean)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=gain, op=nl.multiply)
        nisa.dma_copy(dst=out[t * 128 : (t + 1) * 128, :], src=tile)
    return out
