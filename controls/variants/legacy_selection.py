"""Further controls of contracts of legacy selects, searches, statistics and gathers."""

import neuronxcc.nki.isa as old_nisa
import neuronxcc.nki.language as old_nl
import nki.language as nl
from _tiles import _old_hbm, _old_psum, _old_sbuf


def _grid(rows=4, columns=6):
    """Indices along the partitions and the free axis."""
    return (old_nl.arange(rows)[:, None], old_nl.arange(columns)[None, :])


def _causal(on_true=None, off=0.0, columns=6, both=False, **more):
    """An affine_select that keeps what is not above the diagonal."""
    i_p, i_f = _grid(4, columns)
    pred = (i_f <= i_p) & (i_f > 0) if both else i_f <= i_p
    return old_nisa.affine_select(pred, _old_sbuf(4, 6) if on_true is None else on_true, off, **more)


def _select(**changes):
    """A legal range_select, with changes."""
    arguments = {
        "on_true_tile": _old_sbuf(2, 8),
        "comp_op0": old_nl.greater_equal,
        "comp_op1": old_nl.less,
        "bound0": _old_sbuf(2, 1),
        "bound1": _old_sbuf(2, 1),
    }
    return old_nisa.range_select(**{**arguments, **changes})


def _select_reduce(**changes):
    """A legal select_reduce, with changes."""
    arguments = {
        "dst": _old_sbuf(2, 8),
        "predicate": _old_sbuf(2, 8, dtype=nl.uint8),
        "on_true": _old_sbuf(2, 8),
        "on_false": 0.0,
    }
    old_nisa.select_reduce(**{**arguments, **changes})


def _copy_where(**changes):
    """A legal tensor_copy_predicated, with changes."""
    arguments = {"dst": _old_sbuf(2, 8), "src": _old_sbuf(2, 8), "predicate": _old_sbuf(2, 8, dtype=nl.uint8)}
    old_nisa.tensor_copy_predicated(**{**arguments, **changes})


def _gather(index_dtype=nl.uint16, nelem=1, valid=None):
    """A gather by each GpSimd core."""
    return old_nisa.local_gather(_old_sbuf(16, 8), old_nl.zeros((16, 2), index_dtype), nelem, valid)


def leg__affine_select__pred__2():
    either(right=_causal(), wrong=_causal(both=True))


def affine_select__false_fp32__2():
    either(right=_causal(), wrong=_causal(off="0"))


def isa__on_chip__4():
    _causal(either(right=_old_psum, wrong=_old_hbm)(4, 6))


def mem__partitions_128__3():
    old_nisa.iota(old_nl.arange(either(right=128, wrong=129))[:, None], nl.int32)


@control(on=either(right="trn2", wrong="trn1"))
def range_select__gen3__2():
    _select()


def range_select__ops__2():
    either(right=_select(), wrong=_select(comp_op0=old_nl.not_equal))


def range_select__bounds__3():
    either(right=_select(), wrong=_select(bound0=_old_sbuf(2, 2)))


def range_select__false__2():
    either(right=_select(), wrong=_select(on_false_value=0.0))


def select_reduce__psum__2():
    either(
        right=_select_reduce(), wrong=_select_reduce(on_true=_old_psum(2, 8), predicate=_old_psum(2, 8, dtype=nl.uint8))
    )


def select_reduce__shape__2():
    either(right=_select_reduce(), wrong=_select_reduce(predicate=_old_sbuf(2, 7, dtype=nl.uint8)))


def tcp__same_dtype__2():
    either(right=_copy_where(), wrong=_copy_where(src=_old_sbuf(2, 8, dtype=nl.bfloat16)))


def tcp__pred_dtype__2():
    either(right=_copy_where(), wrong=_copy_where(predicate=_old_sbuf(2, 8)))


def shuffle__mask_len__3():
    old_nisa.nc_stream_shuffle(_old_sbuf(32, 4), _old_sbuf(32, 4), either(right=[*range(32)], wrong=[*range(32)][1:]))


def shuffle__dtype__2():
    old_nisa.nc_stream_shuffle(_old_sbuf(32, 4), _old_sbuf(32, either(right=4, wrong=5)), [*range(32)])


def local_gather__index_dtype__2():
    either(right=_gather(), wrong=_gather(nl.uint32))


def local_gather__nelem__2():
    _gather(nelem=either(right=2, wrong=3))


def dma_transpose__axes__2():
    old_nisa.dma_transpose(
        _old_hbm(4, 2, 6), axes=(either(right=2, wrong=1), either(right=1, wrong=0), either(right=0, wrong=2))
    )


def local_gather__count__2():
    _gather(valid=either(right=32, wrong=33))


def bn_stats__f512__2():
    old_nisa.bn_stats(_old_sbuf(4, either(right=512, wrong=513)))


def bn_aggr__mod3__2():
    old_nisa.bn_aggr(_old_sbuf(4, either(right=6, wrong=5)))


def max8__n__2():
    old_nisa.max8(src=_old_sbuf(4, either(right=8, wrong=7)))


def max8__rank__2():
    old_nisa.max8(src=either(right=_old_sbuf(4, 1, 1, 1, 8), wrong=_old_sbuf(4, 1, 1, 1, 1, 8)))


def find8__vals__2():
    old_nisa.nc_find_index8(data=_old_sbuf(4, 9), vals=_old_sbuf(4, either(right=8, wrong=7)))


def match8__vals__2():
    old_nisa.nc_match_replace8(data=_old_sbuf(4, 9), vals=_old_sbuf(either(right=4, wrong=3), 8), imm=0.0)


def tpr__sbuf__2():
    old_nisa.tensor_partition_reduce(old_nl.add, either(right=_old_sbuf, wrong=_old_psum)(4, 6))


def tpr__op__2():
    old_nisa.tensor_partition_reduce(either(right=old_nl.max, wrong=old_nl.multiply), _old_sbuf(4, 6))


def seqb__p1__2():
    old_nisa.sequence_bounds(segment_ids=_old_sbuf(either(right=1, wrong=2), 6))


def dropout__prob__2():
    old_nisa.dropout(_old_sbuf(4, 6), _old_sbuf(4, either(right=1, wrong=2)))


def dropout__dtype__2():
    old_nisa.dropout(
        either(right=_old_sbuf(4, 6), wrong=_old_sbuf(4, 6, dtype=nl.int32)),
        0.5,
        dtype=either(right=nl.bfloat16, wrong=nl.float32),
    )


def leg__dropout__rate__2():
    old_nl.dropout(_old_sbuf(4, 6), _old_sbuf(either(right=1, wrong=4), 1))


def leg__gather_flattened__2():
    old_nl.gather_flattened(
        either(right=_old_sbuf(4, 2, 3, 2), wrong=_old_sbuf(4, 2, 3, 2, 2)), _old_sbuf(4, 3, dtype=nl.uint32)
    )


def leg__compute_dtype__2():
    either(
        right=old_nl.rms_norm(_old_sbuf(4, 6), _old_sbuf(1, 6), axis=1, n=6, compute_dtype=nl.float32),
        wrong=old_nl.rms_norm(
            _old_sbuf(4, 6), _old_sbuf(1, 6), axis=1, n=6, dtype=nl.bfloat16, compute_dtype=nl.float32
        ),
    )


def leg__reduce__axis__4():
    old_nl.rms_norm(_old_sbuf(4, 6), _old_sbuf(1, 6), axis=either(right=1, wrong=0), n=6)


def tensor__shape_positive__2():
    old_nl.rand((4, either(right=1, wrong=0)))
