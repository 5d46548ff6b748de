"""Further controls of contracts of indexing, views and access patterns."""

import nki.isa as nisa
import nki.language as nl
from _tiles import _hbm, _sbuf


def _used(view):
    """Read all of a view: where it goes is claimed there, and not where it is made."""
    same = nl.ndarray(view.shape, view.dtype, view.buffer)
    (nisa.tensor_copy if view.on_chip else nisa.dma_copy)(dst=same, src=view)


def _both_offsets():
    _sbuf(4, 8).ap([[8, 4], [1, 8]], scalar_offset=_sbuf(1, 1), vector_offset=_sbuf(4, 1))


def idx__keys__2():
    _hbm(4, 4)[either(right=(..., 1), wrong=(..., 1, ...))]


def idx__keys__3():
    _hbm(4, 4)[either(right=1, wrong=None)]


def idx__keys__4():
    _hbm(4, 4)[0 : either(right=2, wrong=2.0)]


def idx__oob__2():
    _hbm(4)[either(right=3, wrong=4)]


def idx__oob__3():
    _hbm(4)[-either(right=4, wrong=5)]


def idx__oob__4():
    _hbm(4)[1 : either(right=4, wrong=5)]


def idx__oob__5():
    _hbm(4)[-either(right=4, wrong=5) : 2]


def idx__oob__6():
    _sbuf(4, 8)[:, nl.ds(either(right=4, wrong=5), 4)]


def idx__oob__7():
    _sbuf(4, 8)[0 : either(right=4, wrong=5)]


def idx__oob__8():
    _sbuf(4, 8)[either(right=3, wrong=4), 7]


def idx__empty__3():
    _hbm(4)[2 : either(right=3, wrong=2)]


def idx__empty__4():
    _hbm(4)[either(right=1, wrong=2) : -2]


def idx__empty__5():
    _hbm(4)[nl.ds(1, either(right=1, wrong=0))]


def idx__partition_step__2():
    either(right=_hbm, wrong=_sbuf)(4, 8)[::2]


def view__permute__partition__2():
    either(right=_sbuf(2, 3, 4), wrong=_sbuf(2, 3)).permute(either(right=(0, 2, 1), wrong=(1, 0)))


def tensor__operand_rank__5():
    either(right=_sbuf(2, 1, 3), wrong=_sbuf(2, 1)).squeeze_dim(1)


def tensor__rank_le5__2():
    either(right=_hbm(1, 1, 1, 2), wrong=_hbm(1, 1, 1, 1, 2)).expand_dim(0)


def view__reshape_dim__count__2():
    _sbuf(2, either(right=6, wrong=7)).reshape_dim(1, (2, -1))


def view__slice__2():
    _hbm(4).slice(0, either(right=0, wrong=-1), 1)


def view__slice__3():
    _hbm(4).slice(0, either(right=1, wrong=2), 2)


def idx__partition_step__3():
    either(right=_sbuf(4, 2).slice(0, 0, 4), wrong=_sbuf(4, 2).slice(0, 0, 4, 2))


def view__select__2():
    _hbm(4, 2).select(0, either(right=0, wrong=-1))


def view__cast__divisible__2():
    _sbuf(2, 8, dtype=nl.uint8)[:, either(right=4, wrong=2) : either(right=8, wrong=6)].view(nl.int32)


def tensor__dtypes__3():
    _sbuf(2, 8).view(either(right="float16", wrong="float64"))


def ap__pattern__2():
    _hbm(4, 8).ap([either(right=[8, 4], wrong=[8, 4, 1])])


def ap__first_pair_partition__2():
    _sbuf(4, 8)[:, 0:4].ap([[either(right=8, wrong=4), 4], [1, 4]])


def ap__in_bounds__2():
    _used(_sbuf(4, 8).ap([[8, 2], [1, either(right=7, wrong=8)]], offset=9))


def ap__in_bounds__3():
    _used(_sbuf(4, 8).ap([[8, 4], [-1, 8]], offset=either(right=7, wrong=6)))


def ap__in_bounds__4():
    _used(_hbm(4, 8).ap([[8, 4], [1, either(right=8, wrong=9)]]))


def ap__in_bounds__5():
    _used(
        nl.ndarray((128, 256), nl.int32, nl.sbuf).ap([[512, 128], [1, either(right=512, wrong=513)]], dtype=nl.bfloat16)
    )


def ap__exclusive__2():
    either(right=_sbuf(4, 8).ap([[8, 4], [1, 8]]), wrong=_both_offsets())
