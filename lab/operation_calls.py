"""Calls of every operation, as text with operands to fill in: what the campaign by operation writes kernels from.

A line of a table is `names | operands | statements`. `$` in the statements stands for one of the names, `{a}` for an
operand. An operand is `name:shape`, with `:dtype` unless it is float32, and `@hbm` or `@psum` unless it is in SBUF; the
ones whose name begins with `r` are results. `{m}` is where a legacy call takes a mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Slot:
    """An operand of a call."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    memory: str = "sbuf"

    @property
    def rows(self) -> int:
        """How many partitions it has."""
        return self.shape[0]

    @property
    def columns(self) -> int:
        """How many elements a partition has."""
        return prod(self.shape[1:])


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the operation `name`: statements, in which `{a}` stands for the operand `a`."""

    name: str
    text: str
    operands: tuple[Slot, ...]
    results: tuple[Slot, ...]
    legacy: bool
    hardware: str = "trn2"


_BINARY = "add subtract multiply maximum minimum power"
_COMPARED = "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor"
_BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
_UNARY = """abs square exp log sqrt rsqrt reciprocal sin cos tan arctan tanh sigmoid relu gelu gelu_dx gelu_apprx_tanh
 gelu_apprx_sigmoid silu silu_dx softplus mish erf erf_dx ceil floor trunc negative sign"""

_CURRENT = f"""
nisa.tensor_copy | r:16,8 a:16,8 | $({{r}}, {{a}})
nisa.tensor_copy | r:16,2,4 a:16,8 | $({{r}}, {{a}})
nisa.dma_copy | r:16,8 a:16,8 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:16,8@hbm a:16,8 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:16,8 a:16,8@hbm | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:8,16@hbm a:16,8@hbm | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:32,4 a:16,8 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:8,16 a:16,8 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:12,2 a:8,3 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:1,32 a:8,4 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:8,4 a:1,32 | $(dst={{r}}, src={{a}})
nisa.dma_copy | r:4,2,6@hbm a:8,6 | $(dst={{r}}, src={{a}})
nisa.dma_compute | r:16,8 a:16,8 b:16,8 | $(dst={{r}}, srcs=[{{a}}, {{b}}], reduce_op=nl.add)
nisa.dma_compute | r:8,16 a:16,8 b:16,8 | $(dst={{r}}, srcs=[{{a}}, {{b}}], reduce_op=nl.add)
nisa.dma_transpose | r:8,16 a:16,8 | $(dst={{r}}, src={{a}})
nisa.dma_transpose | r:4,3,16 a:16,3,4 | $(dst={{r}}, src={{a}})
nisa.nc_transpose | r:8,16 a:16,8 | $({{r}}, {{a}})
nisa.nc_transpose | r:8,16@psum a:16,8 | $({{r}}, {{a}}, engine=nisa.engine.tensor)
nisa.tensor_tensor | r:16,8 a:16,8 b:16,8 | $({{r}}, {{a}}, {{b}}, nl.add)
nisa.tensor_tensor | r:16,2,4 a:16,8 b:16,4,2 | $({{r}}, {{a}}, {{b}}, nl.subtract)
nisa.tensor_scalar | r:16,8 a:16,8 b:16,1 | $({{r}}, {{a}}, nl.add, {{b}})
nisa.tensor_scalar | r:16,8 a:16,8 b:16,1 c:16,1 | $({{r}}, {{a}}, nl.multiply, {{b}}, op1=nl.add, operand1={{c}})
nisa.scalar_tensor_tensor | r:16,8 a:16,8 b:16,1 c:16,8 | $({{r}}, {{a}}, nl.add, {{b}}, nl.multiply, {{c}})
nisa.tensor_scalar_reduce | r:16,8 r1:16,1 a:16,8 b:16,1 | $({{r}}, {{a}}, nl.add, {{b}}, nl.add, {{r1}})
nisa.tensor_scalar_reduce | r:16,8 r1:16,1 a:16,8 b:16,8 | \
$({{r}}, {{a}}, nl.add, 1.0, nl.add, reduce_cmd=nisa.reduce_cmd.reset_reduce); \
$({{r}}, {{b}}, nl.add, 1.0, nl.add, {{r1}}, reduce_cmd=nisa.reduce_cmd.reduce)
nisa.activation | r:16,8 a:16,8 | $({{r}}, nl.exp, {{a}})
nisa.activation | r:16,8 a:16,8 b:16,1 c:16,1 | $({{r}}, nl.square, {{a}}, bias={{b}}, scale={{c}})
nisa.activation | r:16,8 r1:16,1 a:16,8 | $({{r}}, nl.square, {{a}}, reduce_op=nl.add, reduce_res={{r1}}, \
reduce_cmd=nisa.reduce_cmd.reset_reduce)
nisa.activation | r:16,8 r1:16,1 a:16,8 b:16,8 | \
$({{r}}, nl.square, {{a}}, reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset_reduce); \
$({{r}}, nl.square, {{b}}, reduce_op=nl.add, reduce_res={{r1}}, reduce_cmd=nisa.reduce_cmd.reduce)
nisa.activation | r:16,8 r1:16,1 a:16,8 b:16,8 | \
$({{r}}, nl.square, {{a}}, reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reduce); \
$({{r}}, nl.square, {{b}}, reduce_op=nl.add, reduce_res={{r1}}, reduce_cmd=nisa.reduce_cmd.reset_reduce)
nisa.activation | r:16,8 r1:16,1 a:16,8 b:16,8 | \
$({{r}}, nl.square, {{a}}, reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset); \
$({{r}}, nl.square, {{b}}, reduce_op=nl.add, reduce_res={{r1}}, reduce_cmd=nisa.reduce_cmd.reduce)
nisa.activation_reduce | r:16,8 r1:16,1 a:16,8 b:16,1 | $({{r}}, nl.square, {{a}}, nl.add, {{r1}}, bias={{b}})
trn3 nisa.activate2 | r:16,8 a:16,8 b:16,1 | $({{r}}, nl.square, {{a}}, 2.0, {{b}}, nl.multiply, nl.subtract)
trn3 nisa.exponential | r:16,8 r1:16,1 a:16,8 b:16,1 | \
$({{r}}, {{a}}, {{b}}, {{r1}}, nisa.reduce_cmd.reset_reduce)
nisa.reciprocal | r:16,8 a:16,8 | $({{r}}, {{a}})
nisa.dropout | r:16,8 a:16,8 b:16,1 | $({{r}}, {{a}}, {{b}})
trn3 nisa.rand2 | r:16,8 a:16,1 | $({{r}}, {{a}}, 1.0)
nisa.memset | r:16,8 | $({{r}}, 1.0)
nisa.iota | r:16,8:int32 | $({{r}}, [[1, 8]], 0, 1)
nisa.rng | r:16,8:uint32 | $({{r}})
nisa.tensor_copy_predicated | r:16,8 a:16,8 p:16,8:uint8 | nisa.memset({{r}}, 0.0); $({{r}}, {{a}}, {{p}})
nisa.tensor_copy_predicated | r:16,8 a:16,8 p:16,8:uint8 | $({{r}}, {{a}}, {{p}}, True)
nisa.select_reduce | r:16,8 a:16,8 p:16,8:uint8 | $({{r}}, {{p}}, {{a}}, -1.0)
nisa.select_reduce | r:16,8 r1:16,1 a:16,8 p:16,8:uint8 b:16,1 | \
$({{r}}, {{p}}, {{a}}, {{b}}, {{r1}}, nisa.reduce_cmd.reset_reduce, nl.maximum)
nisa.range_select | r:16,8 r1:16,1 a:16,8 b:16,1 c:16,1 | $(dst={{r}}, on_true_tile={{a}}, \
comp_op0=nl.greater_equal, comp_op1=nl.less, bound0={{b}}, bound1={{c}}, \
reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res={{r1}}, reduce_op=nl.maximum, \
on_false_value=-3.4028234663852886e+38)
nisa.affine_select | r:16,8 a:16,8 | $({{r}}, [[1, 8]], -1, {{a}}, 0.0, nl.greater, 4)
nisa.affine_select | r:16,2,4 a:16,2,4 | $({{r}}, [[-3, 2], [1, 4]], 1, {{a}}, 0.0, nl.less_equal, -5)
nisa.tensor_tensor_scan | r:16,8 a:16,8 b:16,8 | $({{r}}, {{a}}, {{b}}, 0.0, nl.multiply, nl.add)
nisa.tensor_tensor_scan | r:16,8 a:16,8 b:16,8 c:16,1 | $({{r}}, {{a}}, {{b}}, {{c}}, nl.multiply, nl.add)
nisa.tensor_scalar_cumulative | r:16,8 a:16,8 | $({{r}}, {{a}}, nl.multiply, nl.add, 1.0)
nisa.tensor_scalar_cumulative | r:16,8 r1:16,8 a:16,8 b:16,8 | $({{r}}, {{a}}, nl.multiply, nl.add, 1.0); \
$({{r1}}, {{b}}, nl.multiply, nl.add, 1.0, reduce_cmd=nisa.reduce_cmd.reduce)
nisa.tensor_reduce | r:16,1 a:16,8 | $({{r}}, nl.add, {{a}}, axis=1)
nisa.tensor_reduce | r:16,2 a:16,2,4 | $({{r}}, nl.maximum, {{a}}, axis=2)
nisa.tensor_reduce | r:16,1 a:16,2,4 | $({{r}}, nl.add, {{a}}, axis=[1, 2])
nisa.tensor_partition_reduce | r:1,8 a:16,8 | $({{r}}, nl.add, {{a}})
nisa.bn_stats | r:16,6 a:16,8 | $({{r}}, {{a}})
nisa.bn_aggr | r:16,2 a:16,6 | $({{r}}, {{a}})
nisa.max8 | r:16,8 a:16,10 | $({{r}}, {{a}})
nisa.nc_find_index8 | r:16,8:uint32 a:16,10 b:16,8 | $({{r}}, {{a}}, {{b}})
nisa.nc_match_replace8 | r:16,10 a:16,10 b:16,8 | $({{r}}, {{a}}, {{b}}, -1.0)
nisa.nc_n_gather | r:16,8 a:16,8 i:16,8:uint32 | $({{r}}, {{a}}, {{i}})
nisa.nonzero_with_count | r:16,9:int32 a:16,8 | nisa.memset({{r}}, 7); $({{r}}, {{a}})
nisa.nonzero_with_count | r:16,9:int32 a:16,8 | $({{r}}, {{a}})
nisa.local_gather | r:16,16 a:16,8 i:16,1:uint16 | $({{r}}, {{a}}, {{i}}, 1, 16)
nisa.sequence_bounds | r:1,2,8:int32 a:1,8:int32 | $({{r}}, {{a}})
nisa.nc_matmul | r:8,8@psum a:16,8 b:16,8 | $({{r}}, {{a}}, {{b}})
nisa.nc_matmul | r:4,8@psum a:16,4 b:16,8 c:16,8 | $({{r}}, {{a}}, {{b}}); $({{r}}, {{a}}, {{c}}, accumulate=True)
nisa.nc_matmul | r:4,8@psum a:16,4 b:16,8 | $({{r}}, {{a}}, {{b}}, accumulate=False); $({{r}}, {{a}}, {{b}})
nisa.nc_stream_shuffle | r:32,8 a:32,8 | $({{r}}, {{a}}, [5] * 31 + [31])
nisa.nc_stream_shuffle | r:32,4 a:32,4 | nisa.memset({{r}}[0:16], 0.0); $({{r}}, {{a}}, [9] * 8 + [255] * 24)
nisa.nc_stream_shuffle | r:16,4 a:16,4 | $({{r}}, {{a}}, [15, 3] * 8 + [31] * 16)
nisa.nc_stream_shuffle | r:4,4 a:4,4 | $({{r}}, {{a}}, [0] * 4 + [255] * 28)
nisa.register_load | r:1,1:int32 a:1,1:int32 | g = nisa.register_alloc(); $(g, {{a}}); nisa.register_store({{r}}, g)
nl.{_BINARY.replace(" ", " nl.")} nl.{_COMPARED.replace(" ", " nl.")} | r:16,8 a:16,8 b:16,8 | \
nisa.tensor_copy({{r}}, $({{a}}, {{b}}, dtype=nl.float32))
trn3 nl.abs_max nl.abs_min | r:16,8 a:16,8 b:16,8 | nisa.tensor_copy({{r}}, $({{a}}, {{b}}))
nl.add nl.multiply | r:16,8 a:16,8 b:1,8 | nisa.tensor_copy({{r}}, $({{a}}, nl.broadcast_to({{b}}, (16, 8))))
nl.{_BITS.replace(" ", " nl.")} | r:16,8:int32 a:16,8:int32 b:16,8:int32 | nisa.tensor_copy({{r}}, $({{a}}, {{b}}))
nl.{" nl.".join(_UNARY.split())} nl.logical_not | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}, dtype=nl.float32))
trn3 nl.gelu_apprx_sigmoid_dx | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}))
nl.invert | r:16,8:int32 a:16,8:int32 | nisa.tensor_copy({{r}}, $({{a}}))
nl.copy | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}))
nl.load | r:16,8 a:16,8@hbm | nisa.tensor_copy({{r}}, $({{a}}))
nl.store | r:16,8@hbm a:16,8 | $({{r}}, {{a}})
nl.broadcast_to | r:16,8 a:1,8 | nisa.tensor_copy({{r}}, $({{a}}, (16, 8)))
nl.broadcast_to | r:16,8 a:16,1 | nisa.tensor_copy({{r}}, $({{a}}, (16, 8)))
nl.broadcast_to | r:16,2,4 a:16,1,4 | nisa.tensor_copy({{r}}, $({{a}}, (16, 2, 4)))
nl.dropout | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}, 0.5))
nl.sum nl.max nl.min nl.mean nl.prod nl.var nl.all | r:16,1 a:16,8 | \
nisa.tensor_copy({{r}}, $({{a}}, 1, dtype=nl.float32))
nl.sum nl.max | r:16,2 a:16,2,4 | nisa.tensor_copy({{r}}, $({{a}}, 2))
nl.zeros_like | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}))
nl.zeros nl.ones | r:16,8 | nisa.tensor_copy({{r}}, $((16, 8), nl.float32))
nl.full | r:16,8 | nisa.tensor_copy({{r}}, $((16, 8), 2.0, nl.float32))
nl.rand | r:16,8 | nisa.tensor_copy({{r}}, $((16, 8), nl.float32))
nl.shared_identity_matrix | r:8,8:uint8 | nisa.dma_copy({{r}}, $(8))
nl.load_transpose2d | r:8,16 a:16,8@hbm | nisa.tensor_copy({{r}}, $({{a}}))
nl.transpose | r:8,16 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}))
nl.where | r:16,8 p:16,8:uint8 a:16,8 b:16,8 | nisa.tensor_copy({{r}}, $({{p}}, {{a}}, {{b}}))
nl.matmul | r:8,8 a:16,8 b:16,8 | nisa.tensor_copy({{r}}, $({{a}}, {{b}}, transpose_x=True))
nl.softmax | r:16,8 a:16,8 | nisa.tensor_copy({{r}}, $({{a}}, -1))
nl.rms_norm | r:16,8 a:16,8 b:1,8 | nisa.tensor_copy({{r}}, $({{a}}, {{b}}, -1, 8))
nl.rms_norm | r:16,8 a:16,8 b:16,8 | nisa.tensor_copy({{r}}, $({{a}}, {{b}}, -1, 8))
nl.gather_flattened | r:16,4 a:16,8 i:16,4:uint32 | nisa.tensor_copy({{r}}, $({{a}}, {{i}}))
nl.device_print | r:16,8 a:16,8 | $("a", {{a}}); nisa.memset({{r}}, 0.0)
"""

_LEGACY = f"""
nl.divide nl.mod nl.fmod | r:16,8 a:16,8 b:16,8 | r = $({{a}}, {{b}}, dtype=nl.float32{{m}})
nl.{_BINARY.replace(" ", " nl.")} nl.{_COMPARED.replace(" ", " nl.")} | r:16,8 a:16,8 b:16,8 | \
r = $({{a}}, {{b}}, dtype=nl.float32{{m}})
nl.add nl.multiply nl.maximum | r:16,8 a:16,8 b:1,8 | r = $({{a}}, {{b}})
nl.add nl.multiply nl.minimum | r:16,8 a:16,8 b:16,1 | r = $({{a}}, {{b}}{{m}})
nl.subtract | r:16,2,4 a:16,2,4 b:16,2,4 | r = $({{a}}, {{b}})
nl.{_BITS.replace(" ", " nl.")} | r:16,8:int32 a:16,8:int32 b:16,8:int32 | r = $({{a}}, {{b}}{{m}})
nl.{" nl.".join(_UNARY.split())} | r:16,8 a:16,8 | r = $({{a}}{{m}})
nl.logical_not | r:16,8 a:16,8 | r = $({{a}}, dtype=nl.float32{{m}})
nl.invert | r:16,8:int32 a:16,8:int32 | r = $({{a}}{{m}})
nl.copy nisa.tensor_copy | r:16,8 a:16,8 | r = $({{a}}{{m}})
nl.static_cast | r:16,8 a:16,8 | r = $({{a}}, nl.float32)
nl.load | r:16,8 a:16,8@hbm | r = $({{a}}{{m}})
nl.store | r:16,8@hbm a:16,8 | $({{r}}, {{a}}{{m}})
nl.store | r:16,8@hbm a:1,8 | $({{r}}, {{a}})
nl.store | r:16,8@hbm a:16,1 | $({{r}}, {{a}})
setitem | r:16,8 a:16,8 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); r[...] = {{a}}
setitem | r:16,8 a:1,8 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); r[...] = {{a}}
setitem | r:16,8 a:16,1 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); r[...] = {{a}}
setitem | r:16,8 a:16,4 b:16,4 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); \
r[:, 0:4] = {{a}}; r[:, 4:8] = nl.copy({{b}}{{m}})
setitem | r:16,8 a:16,8 b:16,1 | r = nl.copy({{a}}); r += {{b}}
nl.broadcast_to | r:16,8 a:1,8 | r = $({{a}}, shape=(16, 8))
nl.broadcast_to | r:16,8 a:16,1 | r = $({{a}}, shape=(16, 8))
nl.dropout | r:16,8 a:16,8 | r = $({{a}}, 0.5{{m}})
nisa.dropout | r:16,8 a:16,8 | r = $({{a}}, 0.5{{m}})
nl.sum nl.max nl.min nl.mean nl.prod nl.all | r:16,1 a:16,8 | r = $({{a}}, axis=[1], dtype=nl.float32{{m}})
nl.sum nl.max | r:16,1 a:16,8 | r = $({{a}}, axis=[1]{{m}}, keepdims=True)
nl.sum nl.max nl.min | r:16,2 a:16,2,4 | r = $({{a}}, axis=[2])
nl.var | r:16,1 a:16,8 | r = $({{a}}, axis=[1]{{m}})
nl.zeros_like | r:16,8 a:16,8 | r = $({{a}})
nl.zeros nl.ones | r:16,8 | r = $((16, 8), nl.float32)
nl.full | r:16,8 | r = $((16, 8), 2.0, nl.float32)
nl.rand | r:16,8 | r = $((16, 8))
nl.load_transpose2d | r:8,16 a:16,8@hbm | r = $({{a}})
nl.transpose nisa.nc_transpose | r:8,16 a:16,8 | r = nl.copy($({{a}}))
nl.where | r:16,8 p:16,8:uint8 a:16,8 b:16,8 | r = $({{p}}, {{a}}, {{b}}{{m}})
nl.matmul | r:8,8 a:16,8 b:16,8 | r = nl.copy($({{a}}, {{b}}, transpose_x=True))
nl.matmul | r:8,4 a:8,16 b:16,4 | r = nl.copy($({{a}}, {{b}}))
nl.softmax | r:16,8 a:16,8 | r = $({{a}}, axis=[1]{{m}})
nl.rms_norm | r:16,8 a:16,8 b:1,8 | r = $({{a}}, {{b}}, axis=[1], n=8{{m}})
nl.gather_flattened | r:16,4 a:16,8 i:16,4:uint32 | r = $({{a}}, {{i}})
nl.device_print | r:16,8 a:16,8 | $("a", {{a}}); r = nl.zeros((16, 8), nl.float32)
nisa.activation | r:16,8 a:16,8 | r = $(nl.exp, {{a}}{{m}})
nisa.activation | r:16,8 a:16,8 b:16,1 c:16,1 | r = $(nl.square, {{a}}, bias={{b}}, scale={{c}}{{m}})
nisa.activation_reduce | r:16,8 r1:16,1 a:16,8 | \
r1 = nl.ndarray((16, 1), dtype=nl.float32, buffer=nl.sbuf); \
r = $(nl.square, {{a}}, reduce_op=np.add, reduce_res=r1{{m}})
nisa.affine_select | r:16,8 a:16,8 | \
k, l = nl.mgrid[0:16, 0:8]; r = $(k > 2 * l, {{a}}, 0.0{{m}})
nisa.bn_stats | r:16,6 a:16,8 | r = $({{a}})
nisa.bn_aggr | r:16,2 a:16,6 | r = $({{a}}{{m}})
nisa.dma_copy | r:16,8 a:16,8@hbm | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); $(dst=r, src={{a}}{{m}})
nisa.dma_copy | r:16,8 a:8,16@hbm | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); $(dst=r, src={{a}})
nisa.dma_transpose | r:8,16 a:16,8 | r = $({{a}})
nisa.dma_transpose | r:8,16 a:16,8@hbm | r = $({{a}}, axes=(1, 0))
nisa.tensor_scalar_cumulative | r:16,8 a:16,8 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); \
$(r, {{a}}, np.multiply, np.add, 2.0)
nisa.iota | r:16,8:int32 | k, l = nl.mgrid[0:16, 0:8]; r = $(k + l, dtype=nl.int32)
nisa.memset | r:16,8 | r = $((16, 8), 1.0, nl.float32)
nisa.max8 | r:16,8 a:16,10 | r = $(src={{a}}{{m}})
nisa.nc_find_index8 | r:16,8:uint32 a:16,10 b:16,8 | r = $(data={{a}}, vals={{b}}, dtype=nl.uint32)
nisa.nc_match_replace8 | r:16,10 a:16,10 b:16,8 | r = $(data={{a}}, vals={{b}}, imm=-1.0)
nisa.nc_matmul | r:8,8 a:16,8 b:16,8 | r = nl.copy($({{a}}, {{b}}))
nisa.nc_stream_shuffle | r:32,4 a:32,4 | \
r = nl.ndarray((32, 4), dtype=nl.float32, buffer=nl.sbuf); $(src={{a}}, dst=r, shuffle_mask=[3] * 30 + [255] * 2)
nisa.nc_stream_shuffle | r:4,4 a:4,4 | \
r = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.sbuf); $(src={{a}}, dst=r, shuffle_mask=[0] * 4 + [255] * 28)
nisa.range_select | r:16,8 r1:16,1 a:16,8 b:16,1 c:16,1 | r1 = nl.ndarray((16, 1), dtype=nl.float32, buffer=nl.sbuf); \
r = $(on_true_tile={{a}}, comp_op0=np.greater_equal, comp_op1=np.less, bound0={{b}}, bound1={{c}}, \
reduce_cmd=nisa.reduce_cmd.reset_reduce, reduce_res=r1, reduce_op=np.max)
nisa.reciprocal | r:16,8 a:16,8 | r = $({{a}}{{m}})
nisa.scalar_tensor_tensor | r:16,8 a:16,8 b:16,1 c:16,8 | \
r = $(data={{a}}, op0=np.add, operand0={{b}}, op1=np.multiply, operand1={{c}}{{m}})
nisa.select_reduce | r:16,8 p:16,8:uint8 a:16,8 | r = nl.ndarray((16, 8), dtype=nl.float32, buffer=nl.sbuf); \
$(dst=r, predicate={{p}}, on_true={{a}}, on_false=-1.0)
nisa.sequence_bounds | r:1,2,8:int32 a:1,8:int32 | r = $(segment_ids={{a}})
nisa.tensor_copy_predicated | r:16,8 p:16,8:uint8 a:16,8 | r = nl.zeros((16, 8), dtype=nl.float32); \
$(src={{a}}, dst=r, predicate={{p}}{{m}})
nisa.tensor_partition_reduce | r:1,8 a:16,8 | r = $(np.add, {{a}})
nisa.tensor_reduce | r:16,1 a:16,8 | r = $(np.add, {{a}}, axis=[1]{{m}})
nisa.tensor_reduce | r:16,2 a:16,2,4 | r = $(np.max, {{a}}, axis=[2])
nisa.tensor_scalar | r:16,8 a:16,8 b:16,1 | r = $({{a}}, np.add, {{b}}{{m}})
nisa.tensor_scalar_reduce | r:16,8 r1:16,1 a:16,8 b:16,1 | r1 = nl.ndarray((16, 1), dtype=nl.float32, buffer=nl.sbuf); \
r = $(data={{a}}, op0=np.add, operand0={{b}}, reduce_op=np.add, reduce_res=r1{{m}})
nisa.tensor_tensor | r:16,8 a:16,8 b:16,8 | r = $({{a}}, {{b}}, np.add{{m}})
nisa.tensor_tensor_scan | r:16,8 a:16,8 b:16,8 | r = $({{a}}, {{b}}, 0.0, np.multiply, np.add{{m}})
nisa.tensor_tensor_scan | r:16,8 a:16,8 b:16,8 c:16,1 | r = $({{a}}, {{b}}, {{c}}, np.multiply, np.add)
nisa.local_gather | r:16,16 a:16,8 i:16,1:uint16 | r = $({{a}}, {{i}}, 1, 16)
"""


def _slot(text: str) -> Slot:
    rest, _, memory = text.partition("@")
    name, shape, *dtype = rest.split(":")
    extents = tuple(int(extent) for extent in shape.split(","))
    return Slot(name, extents, dtype[0] if dtype else "float32", memory or "sbuf")


def _calls(table: str, *, legacy: bool) -> list[Call]:
    found = []
    for line in table.strip().splitlines():
        names, operands, text = (part.strip() for part in line.split("|"))
        hardware, names = names.split(" ", 1) if names.startswith("trn") else ("trn2", names)
        slots = [_slot(each) for each in operands.split()]
        results = tuple(slot for slot in slots if slot.name.startswith("r"))
        others = tuple(slot for slot in slots if slot not in results)
        for name in names.split():
            found.append(Call(name, text.replace("$", name), others, results, legacy, hardware))
    return found


#: All calls, of both APIs.
CALLS: tuple[Call, ...] = (*_calls(_CURRENT, legacy=False), *_calls(_LEGACY, legacy=True))
#: Operations without a call here, with the reason.
NOT_CALLED = {
    "ncc": "what a rank receives comes from others: everything depends on everything, and the simulator has one rank",
    "nisa.sendrecv": "what comes from another program of a launch is not known",
    "nisa.nc_matmul_mx": "its operands come from quantize_mx: tests/dataflow",
    "nisa.quantize_mx": "of 128 partitions on trn3 only: tests/dataflow",
    "nisa.core_barrier": "needs a launch: make fuzz ARGS='--phase 3,4'",
    "nisa.topk": "has no values in the simulator",
    "nisa.rand_get_state": "the state of the generator, which is no tensor",
    "nisa.rand_set_state": "the state of the generator, which is no tensor",
    "nisa.set_rng_seed": "the state of the generator, which is no tensor",
    "nl.random_seed": "the state of the generator, which is no tensor",
    "nisa.tensor_copy_dynamic_src": "the place is known at run time only: tests/drop_in",
    "nisa.tensor_copy_dynamic_dst": "the place is known at run time only: tests/drop_in",
    "nl.atomic_rmw": "the rows it adds to are known at run time only: tests/drop_in",
    "nl.shared_constant": "takes an array of the host",
    "nl.loop_reduce": "is about a loop: tests/dataflow/test_effects.py",
    "nisa.register_alloc": "called with register_load",
    "nisa.register_store": "called with register_load",
    "nisa.register_move": "takes no tensor",
}
