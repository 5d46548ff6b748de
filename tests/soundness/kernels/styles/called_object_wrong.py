# expect: 1 FAILED idx.oob:36
# args: ::layer_norm --arg x=bf16[512,1024] --arg w=f32[1024]
"""An object that holds sizes, with __call__ and properties; a kernel that calls it."""
import nki
import nki.isa as nisa
import nki.language as nl


class Norm:
    EPS = 1e-6

    def __init__(self, x, w):
        self.x, self.w = x, w
        self._rows, self._cols = x.shape

    @property
    def blocks(self):
        return self._rows // 128

    @staticmethod
    def tile_rows(i):
        return slice(i * 128, (i + 1) * 128)

    @classmethod
    def eps_tile(cls):
        t = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=t, value=cls.EPS)
        return t

    def __call__(self, out):
        gamma = nl.ndarray((128, self._cols), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=gamma, src=self.w.ap([[0, 128], [1, self._cols]]))
        eps = self.eps_tile()
        for i in range(self.blocks):
            t = nl.ndarray((128, self._cols), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=self.x[self.tile_rows(i + 1)])
            sq = nl.ndarray((128, self._cols), dtype=nl.float32, buffer=nl.sbuf)
            ss = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation_reduce(dst=sq, op=nl.square, data=t, reduce_op=nl.add, reduce_res=ss)
            nisa.activation(dst=ss, op=nl.rsqrt, data=ss, scale=1.0 / self._cols, bias=eps)
            nisa.scalar_tensor_tensor(dst=t, data=t, op0=nl.multiply, operand0=ss, op1=nl.multiply, operand1=gamma)
            nisa.dma_copy(dst=out[self.tile_rows(i)], src=t)


@nki.jit
def layer_norm(x, w):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    Norm(x, w)(out)
    return out
