"""Flash attention forward pass of the tutorial, in the legacy API: memory placed by hand, groups software-pipelined.

For one batch entry per program: q (d, seq_q), k (d, seq_k) and v (seq_k, d) give o (seq_q, d). Queries are worked on in
groups of 128; keys and values in sections of 8192, whose partial results are combined by online softmax. `running_max`
holds maxima with their sign changed, as the Scalar Engine wants them for its bias.

Written, as its original is, for seq_q = seq_k = 16384 and d = 128; none of that is checked.
"""

import math

import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
from neuronxcc import nki

GROUP = 128
SECTION = 8192
EXP_TILE = 2048
KEY_TILE = 512
VALUE_TILE = 128
KEY_TILES_PER_EXP_TILE = EXP_TILE // KEY_TILE
VALUE_TILES_PER_KEY_TILE = KEY_TILE // VALUE_TILE
EXP_TILES_PER_SECTION = 4


class _Sbuf:
    """Hands out the bytes of an SBUF partition, one buffer after the other."""

    def __init__(self, first=0):
        self.next = first

    def place(self, bytes_, slots=()):
        """Space of `bytes_` for a tensor whose block dimensions share as many slots as `slots` says."""
        base = self.next
        self.next = base + bytes_
        return ncc.sbuf.mod_alloc(base_addr=base, num_free_tiles=slots)


class _Totals:
    """What is kept for every group over all sections, and constants."""

    def __init__(self, sbuf, groups):
        self.identity = nl.ndarray((nl.par_dim(128), 128), dtype=nl.bfloat16, buffer=sbuf.place(256))
        self.identity[...] = nl.load(nl.shared_constant(np.identity(128, dtype=np.uint8), dtype=nl.bfloat16))
        self.zero_bias = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=sbuf.place(4))
        self.zero_bias[...] = nisa.memset((128, 1), 0.0, nl.float32)
        shape = (nl.par_dim(128), groups)
        self.running_max = nl.ndarray(shape, dtype=nl.float32, buffer=sbuf.place(4 * groups))
        self.running_sum = nl.ndarray(shape, dtype=nl.float32, buffer=sbuf.place(4 * groups))
        self.inverse_sum = nl.ndarray(shape, dtype=nl.float32, buffer=sbuf.place(4 * groups))


class _Section:
    """One section of keys and values: its buffers, and what is done with it for one group of queries."""

    def __init__(self, sbuf, totals, q, o, batch, groups, index, is_last, scale):
        self.totals = totals
        self.q = q
        self.o = o
        self.batch = batch
        self.is_first = index == 0
        self.is_last = is_last
        self.scale = scale
        self.d = q.shape[1]
        d = self.d
        key_tiles = SECTION // KEY_TILE
        value_tiles = SECTION // VALUE_TILE
        exp_tiles = EXP_TILES_PER_SECTION
        f32, bf16, par = nl.float32, nl.bfloat16, nl.par_dim(128)

        # Inputs. A tensor with fewer slots than groups reuses them in turn.
        self.k = nl.ndarray(
            (key_tiles, nl.par_dim(d), KEY_TILE), bf16, buffer=sbuf.place(key_tiles * KEY_TILE * 2, (key_tiles,))
        )
        self.v = nl.ndarray((value_tiles, par, d), bf16, buffer=sbuf.place(value_tiles * d * 2, (value_tiles,)))
        self.q_group = nl.ndarray((groups, nl.par_dim(d), GROUP), bf16, buffer=sbuf.place(512, (2,)))

        # Scores and the statistics of their rows.
        self.scaling = nl.ndarray((groups, par, 1), f32, buffer=sbuf.place(8, (2,)))
        self.partial_max = nl.ndarray((groups, par, key_tiles), f32, buffer=sbuf.place(8 * key_tiles, (1,)))
        self.scores = nl.ndarray(
            (groups, exp_tiles, par, EXP_TILE), f32, buffer=sbuf.place(2 * exp_tiles * EXP_TILE * 4, (2, exp_tiles))
        )
        self.new_max = nl.ndarray((groups, par, 1), f32, buffer=sbuf.place(8, (1,)))
        self.previous_max = nl.ndarray((groups, par, 1), f32, buffer=sbuf.place(8, (1,)))
        self.partial_sum = nl.ndarray((groups, par, exp_tiles), f32, buffer=sbuf.place(8 * exp_tiles, (2,)))
        self.sum = nl.ndarray((groups, par, 1), f32, buffer=sbuf.place(8, (1,)))
        self.previous_sum = nl.ndarray((groups, par, 1), f32, buffer=sbuf.place(8, (1,)))

        # Results.
        self.previous_out = nl.ndarray((groups, par, 128), o.dtype, buffer=sbuf.place(1024, (1,)))
        self.combined = nl.ndarray((groups, par, 128), o.dtype, buffer=sbuf.place(1024, (1,)))
        self.divided = nl.ndarray((groups, par, 128), o.dtype, buffer=sbuf.place(1024, (1,)))
        self.exponentials = nl.ndarray(
            (groups, exp_tiles, nl.par_dim(d), EXP_TILE),
            bf16,
            buffer=sbuf.place(exp_tiles * EXP_TILE * 2, (1, exp_tiles)),
        )
        self.exponentials_t = nl.ndarray(
            (groups, exp_tiles, 4, par, KEY_TILE), bf16, buffer=sbuf.place(exp_tiles * EXP_TILE * 2, (1, exp_tiles, 4))
        )
        self.weighted = nl.ndarray((groups, par, d), f32, buffer=sbuf.place(8 * d, (1,)))

        # PSUM: scores and transposes take turns in banks 0 to 3, the weighted sums have banks 4 to 7.
        self.scores_psum = nl.ndarray(
            (groups, exp_tiles, 4, par, KEY_TILE), f32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(1, 1, 4))
        )
        self.transposed_psum = nl.ndarray(
            (groups, exp_tiles, 4, par, KEY_TILE), f32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(1, 1, 4))
        )
        self.weighted_psum = nl.ndarray(
            (groups, exp_tiles, par, d), f32, buffer=ncc.psum.mod_alloc(base_bank=4, num_bank_tiles=(1, 4))
        )

    def load_keys_and_values(self, k, v, index):
        """Load the section's part of k and v."""
        start = index * SECTION
        for i in nl.affine_range(SECTION // KEY_TILE):
            first = start + i * KEY_TILE
            self.k[i] = nl.load(k[self.batch, 0 : self.d, first : first + KEY_TILE], dtype=nl.bfloat16)
        for i in nl.affine_range(SECTION // VALUE_TILE):
            first = start + i * VALUE_TILE
            self.v[i] = nl.load(v[self.batch, first : first + VALUE_TILE, 0 : self.d], dtype=nl.bfloat16)

    def load_q(self, g):
        """Load the queries of group g."""
        self.q_group[g] = nl.load(self.q[self.batch, 0 : self.d, g * GROUP : (g + 1) * GROUP], dtype=nl.bfloat16)

    def qk_and_max(self, g):
        """Scaled scores of group g, and the maximum of each row within each tile of keys."""
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            self.scores_tile(g, a)

    def scores_tile(self, g, a):
        """The part of `qk_and_max` for exp tile a."""
        for j in nl.affine_range(KEY_TILES_PER_EXP_TILE):
            key_tile = self.key_tile(a, j)
            self.scores_psum[g, a, j] = nisa.nc_matmul(self.q_group[g], self.k[key_tile])
            self.scores[g, a, :, j * KEY_TILE : (j + 1) * KEY_TILE] = nisa.tensor_scalar_reduce(
                data=self.scores_psum[g, a, j],
                op0=nl.multiply,
                operand0=self.scale,
                reduce_op=nl.maximum,
                reduce_res=self.partial_max[g, :, key_tile : key_tile + 1],
            )

    def key_tile(self, a, j):
        """The tile of keys that is the j-th of exp tile a."""
        return a * KEY_TILES_PER_EXP_TILE + j

    def update_max(self, g):
        """Bring the running maximum of group g up to date, and get what earlier results have to be scaled by."""
        running_max = self.totals.running_max
        self.new_max[g] = nisa.tensor_reduce(nl.maximum, self.partial_max[g], axis=1, negate=True, keepdims=True)
        if self.is_first:
            running_max[:, g : g + 1] = nisa.tensor_copy(self.new_max[g])
        else:
            self.previous_max[g] = nisa.activation(
                nl.copy, running_max[:, g : g + 1], bias=self.totals.zero_bias, scale=-1.0
            )
            running_max[:, g : g + 1] = nisa.tensor_tensor(running_max[:, g : g + 1], self.new_max[g], op=nl.minimum)
            self.scaling[g] = nisa.activation(nl.exp, self.previous_max[g], bias=running_max[:, g : g + 1], scale=1.0)

    def exp(self, g):
        """Exponentials of the scores of group g less the running maximum, and the sum of each row."""
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            self.exponentials[g, a] = nisa.activation_reduce(
                nl.exp,
                self.scores[g, a],
                reduce_op=nl.add,
                reduce_res=self.partial_sum[g, :, a : a + 1],
                bias=self.totals.running_max[:, g : g + 1],
                scale=1.0,
                dtype=nl.bfloat16,
            )

    def tp(self, g):
        """Transpose the exponentials of group g, in blocks of 128 by 128."""
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            for j in nl.affine_range(KEY_TILES_PER_EXP_TILE):
                for i in nl.affine_range(VALUE_TILES_PER_KEY_TILE):
                    column = i * VALUE_TILE
                    first = j * KEY_TILE + column
                    self.transposed_psum[g, a, j, :, column : column + VALUE_TILE] = nisa.nc_matmul(
                        self.exponentials[g, a, :, first : first + VALUE_TILE], self.totals.identity
                    )
                self.exponentials_t[g, a, j] = nisa.tensor_copy(self.transposed_psum[g, a, j], dtype=nl.bfloat16)

    def pv(self, g):
        """Sums of the values, weighted with the exponentials of group g."""
        self.clear_weighted(g)
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            self.weighted_tile(g, a)

    def clear_weighted(self, g):
        """Start the weighted sums of group g."""
        self.weighted[g] = nisa.memset((128, self.d), 0.0, nl.float32)

    def weighted_tile(self, g, a):
        """The part of `pv` for exp tile a."""
        for j in nl.affine_range(KEY_TILES_PER_EXP_TILE):
            for i in nl.affine_range(VALUE_TILES_PER_KEY_TILE):
                self.weighted_psum[g, a] += nisa.nc_matmul(
                    self.exponentials_t[g, a, j, :, i * VALUE_TILE : (i + 1) * VALUE_TILE],
                    self.v[self.value_tile(a, j, i)],
                )
        self.weighted[g] = nl.loop_reduce(self.weighted_psum[g, a], op=nl.add, loop_indices=[a])

    def value_tile(self, a, j, i):
        """The tile of values that is the i-th of the j-th key tile of exp tile a."""
        return self.key_tile(a, j) * VALUE_TILES_PER_KEY_TILE + i

    def output_rows(self, g):
        """The rows of o that belong to group g."""
        return self.o[self.batch, g * GROUP : (g + 1) * GROUP, 0:128]

    def write_back(self, g):
        """Combine the results of group g with those of the section before."""
        running_sum = self.totals.running_sum
        inverse_sum = self.totals.inverse_sum
        rows = self.output_rows(g)

        self.sum[g] = nisa.tensor_reduce(nl.add, self.partial_sum[g], axis=1, keepdims=True)
        if self.is_first:
            running_sum[:, g : g + 1] = nisa.tensor_copy(self.sum[g])
        else:
            self.previous_sum[g] = nisa.tensor_copy(running_sum[:, g : g + 1])
            running_sum[:, g : g + 1] = nisa.scalar_tensor_tensor(
                data=self.previous_sum[g],
                op0=nl.multiply,
                operand0=self.scaling[g],
                op1=nl.add,
                operand1=self.sum[g],
            )
        if self.is_last:
            inverse_sum[:, g : g + 1] = nisa.reciprocal(running_sum[:, g : g + 1])

        if self.is_first:
            nl.store(rows, value=self.weighted[g])
        if self.is_last:
            self.previous_out[g] = nl.load(rows)
            self.combined[g] = nisa.scalar_tensor_tensor(
                data=self.previous_out[g],
                op0=nl.multiply,
                operand0=self.scaling[g],
                op1=nl.add,
                operand1=self.weighted[g],
            )
            self.divided[g] = nisa.activation(
                nl.copy, self.combined[g], bias=self.totals.zero_bias, scale=inverse_sum[:, g : g + 1]
            )
            nl.store(rows, value=self.divided[g])

    def fused_qkmax_and_pv(self, g):
        """`pv` of group g interleaved with `qk_and_max` of the group after the next."""
        self.clear_weighted(g)
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            self.scores_tile(g + 2, a)
            self.weighted_tile(g, a)


@nki.jit
def flash_fwd(q, k, v, softmax_scale=None, use_causal_mask=True, mixed_precision=True):
    """o of shape (b, seq_q, d) for q (b, d, seq_q), k (b, d, seq_k), v (b, seq_k, d); one program per batch entry.

    As published, the default of `use_causal_mask` is refused, and `mixed_precision` has no effect.
    """
    return _flash_fwd(q, k, v, softmax_scale, use_causal_mask, _Section)


def _flash_fwd(q, k, v, softmax_scale, use_causal_mask, section_class):
    """The forward pass, working on each section as `section_class` does."""
    b, d, seq_q = q.shape
    seq_k = k.shape[2]
    assert not use_causal_mask, "causal masks are not supported"
    assert k.shape == (b, d, seq_k), "k must be (b, d, seq_k)"
    assert v.shape == (b, seq_k, d), "v must be (b, seq_k, d)"
    assert d <= 128, "the head dimension must not exceed 128"
    assert seq_k % GROUP == 0, f"the number of keys must be a multiple of {GROUP}"
    assert SECTION // EXP_TILE == EXP_TILES_PER_SECTION
    scale = softmax_scale or 1.0 / math.sqrt(d)
    groups = seq_k // GROUP
    sections = seq_q // SECTION
    batch = nl.program_id(0)

    o = nl.ndarray((b, seq_q, d), dtype=q.dtype, buffer=nl.shared_hbm)
    sbuf = _Sbuf()
    totals = _Totals(sbuf, groups)

    for index in nl.sequential_range(sections):
        section = section_class(_Sbuf(sbuf.next), totals, q, o, batch, groups, index, index == sections - 1, scale)
        section.load_keys_and_values(k, v, index)

        # Two groups ahead: queries and scores; one ahead: exponentials and their transposes.
        section.load_q(0)
        section.qk_and_max(0)
        section.update_max(0)
        section.exp(0)
        section.tp(0)
        section.load_q(1)
        section.qk_and_max(1)
        section.update_max(1)

        for g in nl.affine_range(groups - 2):
            section.load_q(g + 2)
            section.exp(g + 1)
            section.fused_qkmax_and_pv(g)
            section.tp(g + 1)
            section.write_back(g)
            section.update_max(g + 2)

        section.pv(groups - 2)
        section.write_back(groups - 2)
        section.exp(groups - 1)
        section.tp(groups - 1)
        section.pv(groups - 1)
        section.write_back(groups - 1)
    return o


# ------------------------------------------------------------ controls: one index in one helper is one too high


@nki.jit
def flash_fwd_late_queries(q, k, v):
    """Control: `load_q` takes the queries of the next group."""
    return _flash_fwd(q, k, v, None, False, _LateQueries)


@nki.jit
def flash_fwd_late_keys(q, k, v):
    """Control: `qk_and_max` takes the next tile of keys."""
    return _flash_fwd(q, k, v, None, False, _LateKeys)


@nki.jit
def flash_fwd_late_sums(q, k, v):
    """Control: `exp` puts the sum of each row into the next column."""
    return _flash_fwd(q, k, v, None, False, _LateSums)


@nki.jit
def flash_fwd_late_transposes(q, k, v):
    """Control: `tp` puts each transposed block one column too far right."""
    return _flash_fwd(q, k, v, None, False, _LateTransposes)


@nki.jit
def flash_fwd_late_values(q, k, v):
    """Control: `pv` takes the next tile of values."""
    return _flash_fwd(q, k, v, None, False, _LateValues)


@nki.jit
def flash_fwd_late_output(q, k, v):
    """Control: `write_back` goes to the rows of the next group."""
    return _flash_fwd(q, k, v, None, False, _LateOutput)


class _LateQueries(_Section):
    def load_q(self, g):
        self.q_group[g] = nl.load(self.q[self.batch, 0 : self.d, (g + 1) * GROUP : (g + 2) * GROUP], dtype=nl.bfloat16)


class _LateKeys(_Section):
    def key_tile(self, a, j):
        return a * KEY_TILES_PER_EXP_TILE + j + 1


class _LateSums(_Section):
    def exp(self, g):
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            self.exponentials[g, a] = nisa.activation_reduce(
                nl.exp,
                self.scores[g, a],
                reduce_op=nl.add,
                reduce_res=self.partial_sum[g, :, a + 1 : a + 2],
                bias=self.totals.running_max[:, g : g + 1],
                scale=1.0,
                dtype=nl.bfloat16,
            )


class _LateTransposes(_Section):
    def tp(self, g):
        for a in nl.affine_range(EXP_TILES_PER_SECTION):
            for j in nl.affine_range(KEY_TILES_PER_EXP_TILE):
                for i in nl.affine_range(VALUE_TILES_PER_KEY_TILE):
                    column = i * VALUE_TILE + 1
                    first = j * KEY_TILE + i * VALUE_TILE
                    self.transposed_psum[g, a, j, :, column : column + VALUE_TILE] = nisa.nc_matmul(
                        self.exponentials[g, a, :, first : first + VALUE_TILE], self.totals.identity
                    )
                self.exponentials_t[g, a, j] = nisa.tensor_copy(self.transposed_psum[g, a, j], dtype=nl.bfloat16)


class _LateValues(_Section):
    def value_tile(self, a, j, i):
        return self.key_tile(a, j) * VALUE_TILES_PER_KEY_TILE + i + 1


class _LateOutput(_Section):
    def output_rows(self, g):
        return self.o[self.batch, (g + 1) * GROUP : (g + 2) * GROUP, 0:128]
