# expect: 4 FAILED
# args: ::xent --arg 'logits=f32[128*b,V]' --arg 'labels=i32[128*b,1] in 0..V-1' --where 'V <= 4096'
"""The loss of all blocks is stored in the first, legacy API."""

from neuronxcc import nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


P = 128


@nki.jit
def xent(logits, labels):
    B, V = logits.shape
    loss = nl.ndarray((B, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in nl.affine_range(B // P):
        t = nl.load(logits[b * P:(b + 1) * P, :])
        lab = nl.load(labels[b * P:(b + 1) * P, :])
        m = nl.max(t, axis=1, keepdims=True)
        e = nl.exp(nl.subtract(t, m))
        lse = nl.log(nl.sum(e, axis=1, keepdims=True))
        pos = nisa.iota(nl.arange(V)[None, :], dtype=nl.int32)
        posb = pos.broadcast_to((P, V))
        onehot = nl.equal(posb, lab.broadcast_to((P, V)))
        picked = nl.sum(nl.multiply(t, onehot), axis=1, keepdims=True)
        nl.store(loss[0:P, :], m + lse - picked)
    return loss
