"""Rows as 8-bit floats with the scale of each, by nl.load and nl.store."""

# legal: rows % 128 == 0

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rowwise_fp8(x):
    rows, cols = x.shape
    q = nl.ndarray((rows, cols), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    scale = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    n_tiles = rows // nl.tile_size.pmax
    for i in range(n_tiles):
        # bug: sl = nl.ds(i * 128, 129)
        sl = nl.ds(i * 128, 128)
        t = nl.load(x[sl, :])  # here
        a = nl.ndarray((128, cols), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=a, op=nl.abs, data=t)
        m = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=m, op=nl.maximum, data=a, axis=1)
        nisa.tensor_scalar(dst=m, data=m, op0=nl.maximum, operand0=1e-6, op1=nl.multiply, operand1=1.0 / 240.0)
        inv = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=inv, data=m)
        o = nl.ndarray((128, cols), dtype=nl.float8_e4m3, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=o, data=t, op0=nl.multiply, operand0=inv)
        nl.store(q[sl, :], o)
        nl.store(scale[sl, :], m)
    return q, scale
