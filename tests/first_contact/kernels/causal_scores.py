"""Scores of queries and keys in blocks, those of later keys masked away."""

# legal: D <= 128, S % 128 == 0, D == D2, S == S2

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def causal_scores(qT, kT):
    D, S = qT.shape
    D2, S2 = kT.shape
    assert qT.shape == kT.shape
    out = nl.ndarray((S, S), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(S // 128):
        q = nl.ndarray((D, 128), dtype=qT.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=q, src=qT[:, i * 128 : (i + 1) * 128])
        for j in range(S // 128):
            k = nl.ndarray((D, 128), dtype=kT.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=k, src=kT[:, j * 128 : (j + 1) * 128])
            scores = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=scores, stationary=q, moving=k)
            plain = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=plain, src=scores)
            kept = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.affine_select(
                dst=kept,
                pattern=[[-1, 128]],
                channel_multiplier=1,
                offset=(i - j) * 128,
                on_true_tile=plain,
                on_false_value=-30000.0,
                cmp_op=nl.greater_equal,
            )
            # bug: nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, 0:128], src=kept)
            nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, j * 128 : (j + 1) * 128], src=kept)
    return out
