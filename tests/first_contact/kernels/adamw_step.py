"""One step of AdamW on flat parameters, in chunks."""

# legal: N % 128 == 0, g0 == N, m0 == N, v0 == N

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def adamw(p, g, m, v, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, wd=0.01):
    """One step on flat parameters: p, g, m, v are [N]."""
    N = p.shape[0]
    PMAX = nl.tile_size.pmax
    assert N % PMAX == 0
    F = N // PMAX
    p2, g2, m2, v2 = (t.reshape((PMAX, F)) for t in (p, g, m, v))
    new_p = nl.ndarray((PMAX, F), dtype=p.dtype, buffer=nl.shared_hbm)
    new_m = nl.ndarray((PMAX, F), dtype=nl.float32, buffer=nl.shared_hbm)
    new_v = nl.ndarray((PMAX, F), dtype=nl.float32, buffer=nl.shared_hbm)
    CHUNK = 512
    for c in range(0, F, CHUNK):
        w = min(CHUNK, F - c)
        sb = [nl.ndarray((PMAX, CHUNK), dtype=nl.float32, buffer=nl.sbuf) for _ in range(4)]
        for tile, src in zip(sb, (p2, g2, m2, v2)):
            nisa.dma_copy(dst=tile[:, :w], src=src[:, c : c + w])
        pt, gt, mt, vt = (tile[:, :w] for tile in sb)
        tmp = nl.ndarray((PMAX, CHUNK), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=mt, data=mt, op0=nl.multiply, operand0=beta1)
        nisa.scalar_tensor_tensor(dst=mt, data=gt, op0=nl.multiply, operand0=1 - beta1, op1=nl.add, operand1=mt)
        nisa.activation(dst=tmp[:, :w], op=nl.square, data=gt)
        nisa.tensor_scalar(dst=vt, data=vt, op0=nl.multiply, operand0=beta2)
        # bug: nisa.scalar_tensor_tensor(dst=vt, data=tmp, op0=nl.multiply, operand0=1 - beta2, op1=nl.add, operand1=vt)
        nisa.scalar_tensor_tensor(dst=vt, data=tmp[:, :w], op0=nl.multiply, operand0=1 - beta2, op1=nl.add, operand1=vt)
        nisa.activation(dst=tmp[:, :w], op=nl.sqrt, data=vt)
        nisa.tensor_scalar(dst=tmp[:, :w], data=tmp[:, :w], op0=nl.add, operand0=eps)
        nisa.reciprocal(dst=tmp[:, :w], data=tmp[:, :w])
        nisa.tensor_tensor(dst=tmp[:, :w], data1=tmp[:, :w], data2=mt, op=nl.multiply)
        nisa.tensor_scalar(dst=pt, data=pt, op0=nl.multiply, operand0=1 - lr * wd)
        nisa.scalar_tensor_tensor(dst=pt, data=tmp[:, :w], op0=nl.multiply, operand0=-lr, op1=nl.add, operand1=pt)
        nisa.dma_copy(dst=new_p[:, c : c + w], src=pt)
        nisa.dma_copy(dst=new_m[:, c : c + w], src=mt)
        nisa.dma_copy(dst=new_v[:, c : c + w], src=vt)
    return new_p, new_m, new_v
