"""Scores of blocks of queries with the keys of the same block."""

# legal: S % 128 == 0, D <= 128, kD == D, kS == S, S <= 512

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def local_scores(q, k, window: int = 256):
    """q: [D, S], k: [kD, kS]: scores of a causal window, exponentiated by row. One head."""
    D, S = q.shape
    kD, kS = k.shape
    assert (kD, kS) == (D, S)
    assert D <= 128 and S % 128 == 0 and S <= 512
    out = nl.ndarray((S, S), dtype=nl.float32, buffer=nl.shared_hbm)
    k_sb = nl.ndarray((D, S), dtype=k.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=k_sb, src=k)
    for qi in range(S // 128):
        q_sb = nl.ndarray((D, 128), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=q_sb, src=q[:, nl.ds(qi * 128, 128)])
        s_ps = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.psum)
        # bug: nisa.nc_matmul(dst=s_ps, stationary=k_sb, moving=q_sb)
        nisa.nc_matmul(dst=s_ps, stationary=q_sb, moving=k_sb)
        s_sb = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=s_sb, src=s_ps)
        masked = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
        nisa.affine_select(
            dst=masked,
            pattern=[[-1, S]],
            offset=qi * 128,
            channel_multiplier=1,
            on_true_tile=s_sb,
            on_false_value=-3.0e38,
            cmp_op=nl.greater_equal,
        )
        row_max = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=row_max, op=nl.maximum, data=masked, axis=1, negate=True)
        probs = nl.ndarray((128, S), dtype=nl.float32, buffer=nl.sbuf)
        row_sum = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=probs, op=nl.exp, data=masked, bias=row_max, reduce_op=nl.add, reduce_res=row_sum)
        nisa.reciprocal(dst=row_sum, data=row_sum)
        nisa.tensor_scalar(dst=probs, data=probs, op0=nl.multiply, operand0=row_sum)
        nisa.dma_copy(dst=out[nl.ds(qi * 128, 128), :], src=probs)
    return out
