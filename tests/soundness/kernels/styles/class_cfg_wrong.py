# expect: 1 FAILED mem.partitions_128:34
# args: ::mlp --arg x=bf16[512,512] --arg w1=bf16[512,1024] --arg w2=bf16[1024,512] --target trn2
"""Configuration in a dataclass and an enum, operations in a class; current API."""
from dataclasses import dataclass, field
from enum import Enum, auto
import nki
import nki.isa as nisa
import nki.language as nl


class Act(Enum):
    SILU = auto()
    GELU = auto()

    @property
    def fn(self):
        return {Act.SILU: nl.silu, Act.GELU: nl.gelu}[self]


@dataclass(frozen=True)
class MLPConfig:
    p: int = nl.tile_size.pmax
    fmax: int = 512
    act: Act = Act.SILU
    acc_dtype: object = nl.float32
    tags: tuple = field(default_factory=tuple)


class MLP:
    def __init__(self, cfg):
        self.cfg = cfg

    def load(self, src):
        t = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=src)
        return t

    def transposed(self, tile):
        ps = nl.ndarray((tile.shape[1], tile.shape[0]), dtype=tile.dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=ps, data=tile)
        sb = nl.ndarray(ps.shape, dtype=tile.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=sb, src=ps)
        return sb

    def project(self, xT, w, width, act=None, dtype=nl.bfloat16):
        """xT: list of [p, p] tiles over K; w: [K, width]"""
        out = nl.ndarray((self.cfg.p, width), dtype=dtype, buffer=nl.sbuf)
        step = min(self.cfg.fmax, width)
        for n in range(width // step):
            acc = nl.ndarray((self.cfg.p, step), dtype=self.cfg.acc_dtype, buffer=nl.psum)
            for kt in range(w.shape[0] // self.cfg.p):
                wt = self.load(w[self.cfg.p * kt : self.cfg.p * (kt + 1) + 1, n * step : (n + 1) * step])
                nisa.nc_matmul(dst=acc, stationary=xT[kt], moving=wt)
            sl = out[:, n * step : (n + 1) * step]
            if act is not None:
                nisa.activation(dst=sl, op=act.fn, data=acc)
            else:
                nisa.tensor_copy(dst=sl, src=acc)
        return out


@nki.jit
def mlp(x, w1, w2):
    cfg = MLPConfig()
    m = MLP(cfg)
    S, H = x.shape
    F = w1.shape[1]
    out = nl.ndarray((S, H), dtype=x.dtype, buffer=nl.shared_hbm)
    for s in range(S // cfg.p):
        xt = m.load(x[s * cfg.p : (s + 1) * cfg.p, :])
        xT = [m.transposed(xt[:, k * cfg.p : (k + 1) * cfg.p]) for k in range(H // cfg.p)]
        h = m.project(xT, w1, F, cfg.act)
        hT = [m.transposed(h[:, k * cfg.p : (k + 1) * cfg.p]) for k in range(F // cfg.p)]
        y = nl.ndarray((cfg.p, H), dtype=x.dtype, buffer=nl.sbuf)
        for n in range(H // cfg.p):
            acc = nl.ndarray((cfg.p, cfg.p), dtype=nl.float32, buffer=nl.psum)
            for k in range(F // cfg.p):
                nisa.nc_matmul(dst=acc, stationary=hT[k], moving=m.load(w2[k * cfg.p : (k + 1) * cfg.p, n * cfg.p : (n + 1) * cfg.p]))
            nisa.tensor_copy(dst=y[:, n * cfg.p : (n + 1) * cfg.p], src=acc)
        nisa.dma_copy(dst=out[s * cfg.p : (s + 1) * cfg.p, :], src=y)
    return out
