"""Rewrites of loads, stores, copies and conversions."""

import nki.isa as nisa
import nki.language as nl


def _tile(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def _result(shape=(4, 8), dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


def hoist_load_a(x, c):
    out = _result()
    for j in range(8):
        column, factor = nl.load(x[:, j : j + 1]), nl.load(c)
        nl.store(out[:, j : j + 1], nl.multiply(column, factor))
    return out


def hoist_load_b(x, c):
    """EQUAL TESTED: what a load gives does not change from iteration to iteration."""
    out = _result()
    factor = nl.load(c)
    for j in range(8):
        nl.store(out[:, j : j + 1], nl.multiply(nl.load(x[:, j : j + 1]), factor))
    return out


def hoist_the_wrong_load_a(x, c):
    return hoist_load_a(x, c)


def hoist_the_wrong_load_b(x, c):
    """DIFFERENT DIFFERENT: the hoisted load was that of the column, which does change."""
    out = _result()
    column = nl.load(x[:, 0:1])
    for j in range(8):
        nl.store(out[:, j : j + 1], nl.multiply(column, nl.load(c)))
    return out


def reorder_stores_a(x):
    out = _result()
    nl.store(out[:, 0:4], nl.load(x[:, 0:4]))
    nl.store(out[:, 4:8], nl.load(x[:, 4:8]))
    return out


def reorder_stores_b(x):
    """EQUAL TESTED: the stores touch different elements."""
    out = _result()
    nl.store(out[:, 4:8], nl.load(x[:, 4:8]))
    nl.store(out[:, 0:4], nl.load(x[:, 0:4]))
    return out


def reorder_overlapping_stores_a(x, y):
    out = _result()
    nl.store(out, nl.load(x))
    nl.store(out[:, 2:6], nl.load(y[:, 2:6]))
    return out


def reorder_overlapping_stores_b(x, y):
    """DIFFERENT DIFFERENT: the last store of an element wins."""
    out = _result()
    nl.store(out[:, 2:6], nl.load(y[:, 2:6]))
    nl.store(out, nl.load(x))
    return out


def shift_a_block_a(x):
    out = _result()
    for j in range(2):
        nl.store(out[:, 4 * j : 4 * j + 4], nl.load(x[:, 4 * j : 4 * j + 4]))
    return out


def shift_a_block_b(x):
    """DIFFERENT DIFFERENT: the second block is loaded from one column further left."""
    out = _result()
    for j in range(2):
        nl.store(out[:, 4 * j : 4 * j + 4], nl.load(x[:, 3 * j : 3 * j + 4]))
    return out


def transpose_twice_a(x):
    out = _result()
    nl.store(out, nl.load(x))
    return out


def transpose_twice_b(x):
    """EQUAL TESTED: the transpose of the transpose."""
    out = _result()
    once = nl.copy(nl.transpose(nl.load(x)))
    nl.store(out, nl.copy(nl.transpose(once)))
    return out


def round_on_the_way_a(x):
    out = _result()
    nl.store(out, nl.load(x))
    return out


def round_on_the_way_b(x):
    """ROUNDINGS DIFFERENT: equal but for a conversion to bfloat16, which only the second kernel makes."""
    out = _result()
    narrow = _tile((4, 8), nl.bfloat16)
    nisa.tensor_copy(dst=narrow, src=nl.load(x))
    nisa.dma_copy(dst=out, src=narrow)
    return out


def widen_on_the_way_a(h):
    out = _result(dtype=nl.bfloat16)
    nl.store(out, nl.load(h))
    return out


def widen_on_the_way_b(h):
    """EQUAL TESTED: every bfloat16 is a float32."""
    out = _result(dtype=nl.bfloat16)
    wide = _tile((4, 8))
    nisa.tensor_copy(dst=wide, src=nl.load(h))
    nisa.dma_copy(dst=out, src=wide)
    return out


def truncate_on_the_way_a(x):
    out = _result()
    nl.store(out, nl.load(x))
    return out


def truncate_on_the_way_b(x):
    """DIFFERENT DIFFERENT: a conversion to integers is no rounding one can overlook."""
    out = _result()
    whole = _tile((4, 8), nl.int32)
    nisa.tensor_copy(dst=whole, src=nl.load(x))
    nisa.dma_copy(dst=out, src=whole)
    return out


def reuse_a_tile_a(x, y):
    out = _result()
    first, second = nl.load(x), nl.load(y)
    nl.store(out, nl.add(first, second))
    return out


def reuse_a_tile_b(x, y):
    """EQUAL TESTED: a sum may overwrite its operand."""
    out = _result()
    total, second = nl.load(x), nl.load(y)
    nisa.tensor_tensor(dst=total, data1=total, data2=second, op=nl.add)
    nl.store(out, total)
    return out


def reuse_a_tile_too_early_a(x, y):
    out = _result()
    first, second = nl.load(x), nl.load(y)
    product = nl.multiply(first, second)
    nl.store(out, nl.add(product, first))
    return out


def reuse_a_tile_too_early_b(x, y):
    """DIFFERENT DIFFERENT: the operand is still needed."""
    out = _result()
    first, second = nl.load(x), nl.load(y)
    nisa.tensor_tensor(dst=first, data1=first, data2=second, op=nl.multiply)
    nl.store(out, nl.add(first, first))
    return out


def fill_the_tail_a(x):
    out = _result()
    nl.store(out[:, 0:6], nl.load(x[:, 0:6]))
    return out


def fill_the_tail_b(x):
    """EQUAL TESTED: the second kernel may define more than the first."""
    out = _result()
    nl.store(out, nl.load(x))
    return out


def skip_the_tail_a(x):
    return fill_the_tail_b(x)


def skip_the_tail_b(x):
    """EQUAL TESTED DIFFERENT: what both define is equal, but the last columns are lost."""
    return fill_the_tail_a(x)


def halve_integers_a(b):
    out = _result(dtype=nl.int8)
    nl.store(out, nl.load(b))
    return out


def halve_integers_b(b):
    """DIFFERENT DIFFERENT: halves of odd integers are rounded where they are stored."""
    out = _result(dtype=nl.int8)
    half, twice = _tile((4, 8), nl.int8), _tile((4, 8), nl.int8)
    nisa.tensor_scalar(half, nl.load(b), nl.multiply, 0.5)
    nisa.tensor_scalar(twice, half, nl.multiply, 2.0)
    nl.store(out, twice)
    return out


def overflow_on_the_way_a(b):
    out = _result(dtype=nl.int8)
    nl.store(out, nl.load(b))
    return out


def overflow_on_the_way_b(b):
    """DIFFERENT DIFFERENT: twice an integer of 8 bits saturates."""
    out = _result(dtype=nl.int8)
    twice, half = _tile((4, 8), nl.int8), _tile((4, 8), nl.int8)
    nisa.tensor_scalar(twice, nl.load(b), nl.multiply, 2.0)
    nisa.tensor_scalar(half, twice, nl.multiply, 0.5)
    nl.store(out, half)
    return out


def widen_integers_a(b):
    out = _result(dtype=nl.int8)
    nl.store(out, nl.load(b))
    return out


def widen_integers_b(b):
    """EQUAL TESTED: every integer of 8 bits is one of 16 bits, so that none saturates."""
    out = _result(dtype=nl.int8)
    wide, narrow = _tile((4, 8), nl.int16), _tile((4, 8), nl.int8)
    nisa.tensor_copy(dst=wide, src=nl.load(b))
    nisa.tensor_copy(dst=narrow, src=wide)
    nl.store(out, narrow)
    return out
