"""Further controls of contracts of statistics, random numbers and fused element-wise instructions."""

import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _psum, _sbuf


def _find(**changes):
    """A legal nc_find_index8, with changes."""
    arguments = {"dst": _sbuf(2, 8, dtype=nl.uint32), "data": _sbuf(2, 64), "vals": _sbuf(2, 8)}
    nisa.nc_find_index8(**{**arguments, **changes})


def _match(**changes):
    """A legal nc_match_replace8, with changes."""
    arguments = {"dst": _sbuf(2, 64), "data": _sbuf(2, 64), "vals": _sbuf(2, 8), "imm": 0.0}
    nisa.nc_match_replace8(**{**arguments, **changes})


def _bounds(**changes):
    """A legal sequence_bounds, with changes."""
    arguments = {"dst": _sbuf(1, 2, 8, dtype=nl.int32), "segment_ids": _sbuf(1, 8, dtype=nl.int32)}
    nisa.sequence_bounds(**{**arguments, **changes})


def _activate(**changes):
    """A legal activate2, with changes."""
    arguments = {
        "dst": _sbuf(2, 8),
        "op": nl.exp,
        "data": _sbuf(2, 8),
        "imm0": 1.0,
        "imm1": 0.0,
        "op0": nl.multiply,
        "op1": nl.add,
    }
    nisa.activate2(**{**arguments, **changes})


def bn_stats__f512__3():
    nisa.bn_stats(_sbuf(2, 6), _sbuf(2, either(right=512, wrong=513)))


def bn_aggr__mod3__3():
    nisa.bn_aggr(_sbuf(2, 2), _sbuf(2, either(right=6, wrong=7)))


def max8__n__3():
    nisa.max8(_sbuf(2, 8), _sbuf(2, either(right=8, wrong=7)))


def max8__n__4():
    nisa.max8(_sbuf(2, 8), _sbuf(2, either(right=16384, wrong=16385)))


def max8__rank__3():
    nisa.max8(_sbuf(2, 8), either(right=_sbuf(2, 4, 4), wrong=_sbuf(2, 2, 2, 4)))


def find8__vals__3():
    either(right=_find(), wrong=_find(vals=_sbuf(2, 9)))


def match8__vals__3():
    either(right=_match(), wrong=_match(vals=_sbuf(2, 7)))


def tpr__op__3():
    nisa.tensor_partition_reduce(_sbuf(1, 4), either(right=nl.average, wrong=nl.multiply), _sbuf(8, 4))


def tpr__sbuf__3():
    nisa.tensor_partition_reduce(_sbuf(1, 4), nl.add, either(right=_sbuf, wrong=_psum)(8, 4))


def seqb__p1__3():
    either(right=_bounds(), wrong=_bounds(segment_ids=_sbuf(2, 8, dtype=nl.int32)))


def rng__dst__2():
    nisa.rng(_sbuf(2, 8, dtype=either(right=nl.uint8, wrong=nl.bool_)))


@control(on=either(right="trn2", wrong="trn1"))
def rng__engine__2():
    nisa.rng(_sbuf(2, 8, dtype=nl.uint32), nisa.engine.gpsimd)


def dropout__prob__3():
    nisa.dropout(_sbuf(2, 8), _sbuf(2, 8), either(right=1.0, wrong=1.5))


def dropout__prob__4():
    nisa.dropout(
        _sbuf(2, 8, dtype=nl.int8),
        _sbuf(2, 8, dtype=nl.int8),
        either(right=_sbuf(2, 1), wrong=_sbuf(2, 1, dtype=nl.bfloat16)),
    )


def dropout__prob__5():
    nl.dropout(_sbuf(2, 8), either(right=0.5, wrong=-0.5))


def dropout__dtype__3():
    nisa.dropout(either(right=_sbuf(2, 8), wrong=_sbuf(2, 8, dtype=nl.bfloat16)), _sbuf(2, 8), 0.5)


@control(on="trn3")
def nl__random_seed__2():
    nl.random_seed(either(right=_sbuf, wrong=_hbm)(1, 1, dtype=nl.int32))


@control(on="trn3")
def activate2__imm__2():
    _activate(imm0=_sbuf(2, 1), imm1=either(right=_sbuf(2, 1), wrong=_sbuf(2, 1, dtype=nl.bfloat16)))
