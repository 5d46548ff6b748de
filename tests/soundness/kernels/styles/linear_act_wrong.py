# expect: 1 FAILED
# args: ::linear_act --arg 'xT=bf16[128*k,128*m]' --arg 'w=bf16[128*k,512*n]' --arg 'b=f32[512*n]'
"""The bias is taken a tile further, legacy API."""

from dataclasses import dataclass
from enum import Enum

from neuronxcc import nki
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


class Act(Enum):
    GELU = "gelu"
    SILU = "silu"
    RELU = "relu"

    @property
    def fn(self):
        return {"gelu": nl.gelu, "silu": nl.silu, "relu": nl.relu}[self.value]


@dataclass(frozen=True)
class Cfg:
    tile_m: int = 128
    tile_n: int = 512
    tile_k: int = 128
    act: Act = Act.GELU


CFG = Cfg()


@nki.jit
def linear_act(xT, w, b):
    K, M = xT.shape
    K2, N = w.shape
    assert K == K2, "inner"
    y = nl.ndarray((M, N), dtype=xT.dtype, buffer=nl.shared_hbm)
    iM = nl.arange(CFG.tile_m)[:, None]
    iN = nl.arange(CFG.tile_n)[None, :]
    for m in nl.affine_range(M // CFG.tile_m):
        for n in nl.affine_range(N // CFG.tile_n):
            acc = nl.zeros((CFG.tile_m, CFG.tile_n), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // CFG.tile_k):
                lt = nl.ndarray((par_dim(CFG.tile_k), CFG.tile_m), dtype=xT.dtype, buffer=nl.sbuf)
                rt = nl.ndarray((par_dim(CFG.tile_k), CFG.tile_n), dtype=w.dtype, buffer=nl.sbuf)
                lt[...] = nl.load(xT[k * CFG.tile_k:(k + 1) * CFG.tile_k, m * CFG.tile_m:(m + 1) * CFG.tile_m])
                rt[...] = nl.load(w[k * CFG.tile_k:(k + 1) * CFG.tile_k, n * CFG.tile_n:(n + 1) * CFG.tile_n])
                acc += nl.matmul(lt, rt, transpose_x=True)
            bias = nl.load(b.reshape((1, N))[0:1, nl.ds((n + 1) * CFG.tile_n, CFG.tile_n)])
            o = nl.add(acc, bias.broadcast_to((CFG.tile_m, CFG.tile_n)))
            o = CFG.act.fn(o)
            nl.store(y[m * CFG.tile_m + iM, n * CFG.tile_n + iN], value=o)
    return y
