# expect: 1 FAILED leg.oob_static:44
# args: ::fused --arg q=bf16[2,512,64] --arg k=bf16[2,512,64] --arg v=bf16[2,512,64] --grid 2
"""Fused self attention for small heads in the style of the older tutorial: block tensors with par_dim, transposes by load."""
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
def fused(q, k, v, use_causal_mask=False, mixed_precision=True):
    kernel_dtype = q.dtype
    pe_in_dt = nl.bfloat16 if mixed_precision else np.float32
    B, seqlen, d_head = q.shape
    out = nl.ndarray((B, seqlen, d_head), dtype=q.dtype, buffer=nl.shared_hbm)
    b = nl.program_id(axis=0)
    scale = 0.125
    seqlen_tile = 128
    ntiles = seqlen // seqlen_tile
    d_tile = d_head
    trans_v = nl.ndarray((par_dim(seqlen_tile), ntiles, d_head), dtype=pe_in_dt)
    for i in nl.affine_range(ntiles):
        ip, i_f = nl.arange(seqlen_tile)[:, None], nl.arange(d_tile)[None, :]
        trans_v[ip, i, i_f] = nl.load(v[b, i * seqlen_tile + ip, i_f], dtype=pe_in_dt)
    q_local = nl.ndarray((ntiles, par_dim(d_tile), seqlen_tile), dtype=pe_in_dt)
    k_local = nl.ndarray((ntiles, par_dim(d_tile), seqlen_tile), dtype=pe_in_dt)
    ip_qk = nl.arange(d_tile)[:, None]
    if_qk = nl.arange(seqlen_tile)[None, :]
    for i in nl.affine_range(ntiles):
        q_local[i, ip_qk, if_qk] = nl.load_transpose2d(q[b, nl.ds(i * seqlen_tile, seqlen_tile), nl.ds(0, d_tile)], dtype=pe_in_dt) * scale
        k_local[i, ip_qk, if_qk] = nl.load_transpose2d(k[b, nl.ds(i * seqlen_tile, seqlen_tile), nl.ds(0, d_tile)], dtype=pe_in_dt)
    for iq in nl.affine_range(ntiles):
        qk_res = nl.ndarray((par_dim(seqlen_tile), seqlen), dtype=kernel_dtype)
        neg_max = nl.ndarray((par_dim(seqlen_tile), ntiles), dtype=kernel_dtype)
        i_p = nl.arange(seqlen_tile)[:, None]
        i_f = nl.arange(seqlen_tile)[None, :]
        for ik_seq in nl.affine_range(ntiles):
            qk_psum = nl.zeros((par_dim(seqlen_tile), seqlen_tile), dtype=np.float32, buffer=nl.psum)
            qk_psum[i_p, i_f] += nisa.nc_matmul(moving=k_local[ik_seq, ip_qk, if_qk], stationary=q_local[iq, ip_qk, if_qk])
            if use_causal_mask:
                qk_res[i_p, ik_seq * seqlen_tile + i_f] = nisa.affine_select(pred=(iq * seqlen_tile + i_p >= ik_seq * seqlen_tile + i_f), on_true_tile=qk_psum[i_p, i_f], on_false_value=-9984.0, dtype=kernel_dtype)
            else:
                qk_res[i_p, (ik_seq * seqlen_tile + i_f + 1)] = nl.copy(qk_psum[i_p, i_f], dtype=kernel_dtype)
            neg_max[i_p, ik_seq] = nisa.tensor_reduce(np.max, data=qk_res[i_p, ik_seq * seqlen_tile + i_f], axis=(1,), dtype=kernel_dtype, negate=False)
        neg_max_ = nisa.tensor_reduce(np.min, data=neg_max[nl.arange(seqlen_tile)[:, None], nl.arange(ntiles)[None, :]], axis=(1,), dtype=kernel_dtype, negate=True)
        divisor = nl.ndarray((par_dim(seqlen_tile), d_tile), dtype=kernel_dtype)
        exp_res = nisa.activation(np.exp, data=qk_res[i_p, nl.arange(seqlen)[None, :]], bias=neg_max_, scale=1.0)
        sum_res = nisa.tensor_reduce(np.add, data=exp_res, axis=(1,), dtype=kernel_dtype)
        softmax_res = nl.copy(exp_res, dtype=pe_in_dt)
        recip = (1.0 / sum_res).broadcast_to((seqlen_tile, d_tile))
        divisor[nl.arange(seqlen_tile)[:, None], nl.arange(d_tile)[None, :]] = nl.copy(recip, dtype=kernel_dtype)
        trans_softmax = nl.ndarray((par_dim(seqlen_tile), ntiles, seqlen_tile), dtype=pe_in_dt)
        for ik in nl.affine_range(ntiles):
            tr = nisa.nc_transpose(softmax_res[i_p, ik * seqlen_tile + i_f])
            trans_softmax[i_p, ik, i_f] = nisa.tensor_copy(tr, dtype=pe_in_dt)
        attn_psum = nl.zeros((par_dim(seqlen_tile), d_tile), dtype=np.float32, buffer=nl.psum)
        for ik in nl.affine_range(ntiles):
            attn_psum[...] += nisa.nc_matmul(trans_softmax[i_p, ik, i_f], trans_v[nl.arange(seqlen_tile)[:, None], ik, nl.arange(d_tile)[None, :]])
        res = nl.multiply(attn_psum, divisor, dtype=kernel_dtype)
        nl.store(out[b, nl.ds(iq * seqlen_tile, seqlen_tile), nl.ds(0, d_tile)], value=res)
    return out
