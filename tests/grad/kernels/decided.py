"""Kernels whose comparisons, masks and branches may go one way at the inputs and shapes that `grad` chooses."""

import nki.isa as nisa
import nki.language as nl


def ld(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def st(tile):
    out = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def ts(tile, op, number, op1=None, number1=None):
    found = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=tile, op0=op, operand0=number, op1=op1, operand1=number1)
    return found


def tt(one, other, op):
    found = nl.ndarray(one.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=found, data1=one, data2=other, op=op)
    return found


def rows(tile, op):
    found = nl.ndarray((tile.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=found, op=op, data=tile, axis=1)
    return found


def inverse(tile):
    found = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.reciprocal(dst=found, data=tile)
    return found


# leaky
def leaky(x):
    t = ld(x)
    y = st(tt(t, ts(t, nl.multiply, 0.125), nl.maximum))
    return y


def leaky_right(x, dy):
    t = ld(x)
    dx = st(tt(ts(ts(t, nl.greater, 0.0), nl.multiply, 0.875, nl.add, 0.125), ld(dy), nl.multiply))
    return dx


def leaky_without_slope(x, dy):
    dx = st(tt(ts(ld(x), nl.greater, 0.0), ld(dy), nl.multiply))
    return dx


def leaky_other_sign(x, dy):
    t = ld(x)
    dx = st(tt(ts(ts(t, nl.greater, 0.0), nl.multiply, -0.875, nl.add, 1.0), ld(dy), nl.multiply))
    return dx


def near(x):
    y = st(ts(ld(x), nl.maximum, -20.0))
    return y


def straight(x, dy):
    dx = st(ld(dy))
    return dx


def near_right(x, dy):
    dx = st(tt(ts(ld(x), nl.greater, -20.0), ld(dy), nl.multiply))
    return dx


def absolute(x):
    t = ld(x)
    y = st(tt(t, ts(t, nl.multiply, -1.0), nl.maximum))
    return y


def absolute_right(x, dy):
    t = ld(x)
    dx = st(tt(tt(ts(t, nl.greater, 0.0), ts(t, nl.less, 0.0), nl.subtract), ld(dy), nl.multiply))
    return dx


def hard(x):
    y = st(ts(ts(ld(x), nl.maximum, -6.0, nl.minimum, 6.0), nl.multiply, 0.125))
    return y


def hard_right(x, dy):
    t = ld(x)
    m = tt(ts(t, nl.greater, -6.0), ts(t, nl.less, 6.0), nl.multiply)
    dx = st(tt(ts(m, nl.multiply, 0.125), ld(dy), nl.multiply))
    return dx


def hard_seven(x, dy):
    t = ld(x)
    m = tt(ts(t, nl.greater, -6.0), ts(t, nl.less, 7.0), nl.multiply)
    dx = st(tt(ts(m, nl.multiply, 0.125), ld(dy), nl.multiply))
    return dx


def sums_kept(x):
    y = st(ts(rows(ld(x), nl.add), nl.maximum, -5000.0))
    return y


def sums_straight(x, dy):
    one = ts(ld(x), nl.multiply, 0.0, nl.add, 1.0)
    found = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=one, op0=nl.multiply, operand0=ld(dy))
    dx = st(found)
    return dx


def guarded(x):
    t = ld(x)
    y = st(inverse(ts(tt(t, t, nl.multiply), nl.maximum, 1e-12)))
    return y


def guarded_straight(x, dy):
    i = inverse(ld(x))
    cube = tt(tt(i, i, nl.multiply), i, nl.multiply)
    dx = st(tt(ts(cube, nl.multiply, -2.0), ld(dy), nl.multiply))
    return dx


def up(x):
    y = st(ts(ts(ld(x), nl.greater, 0.25), nl.multiply, 1.0))
    return y


def nothing(x, dy):
    dx = st(ts(ld(dy), nl.multiply, 0.0))
    return dx


# integers
def plain(x, label):
    y = st(ld(x))
    return y


def label_5(x, label, dy):
    found = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=ld(label), op0=nl.equal, operand0=5)
    d = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=d, data=ld(dy), op0=nl.multiply, operand0=ts(found, nl.add, 1.0))
    dx = st(d)
    return dx


def label_far(x, label, dy):
    found = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=ld(label), op0=nl.equal, operand0=77777)
    d = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=d, data=ld(dy), op0=nl.multiply, operand0=ts(found, nl.add, 1.0))
    dx = st(d)
    return dx


def label_less(x, label, dy):
    found = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=ld(label), op0=nl.less, operand0=1)
    d = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=d, data=ld(dy), op0=nl.multiply, operand0=ts(found, nl.add, 1.0))
    dx = st(d)
    return dx


# shapes: branches
def blocks(x, factor):
    m, n = x.shape
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(m // 8):
        t = ld(x[8 * i : 8 * i + 8, :])
        nisa.dma_copy(dst=out[8 * i : 8 * i + 8, :], src=ts(t, nl.multiply, factor(i, m, n)))
    return out


def twice(x):
    y = blocks(x, lambda i, m, n: 2.0)
    return y


def twice_right(dy):
    dx = blocks(dy, lambda i, m, n: 2.0)
    return dx


def twice_small(dy):
    dx = blocks(dy, lambda i, m, n: 2.0 if m <= 1000 else 1.0)
    return dx


def twice_far(dy):
    dx = blocks(dy, lambda i, m, n: 2.0 if i < 40000 else 1.0)
    return dx


def twice_third(dy):
    dx = blocks(dy, lambda i, m, n: 2.0 if i != 37 else 1.0)
    return dx


def twice_seven(dy):
    dx = blocks(dy, lambda i, m, n: 2.0 if n % 7 else 1.0)
    return dx


def twice_prime(dy):
    dx = blocks(dy, lambda i, m, n: 1.0 if n == 97 and i == 3 else 2.0)
    return dx


def twice_max(dy):
    dx = blocks(dy, lambda i, m, n: max(2.0, i - 90.0))
    return dx


def twice_quotient(dy):
    dx = blocks(dy, lambda i, m, n: 2.0 + (m // 8) // 1000)
    return dx


def ragged(x, scale):
    m, n = x.shape
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range((m + 127) // 128):
        end = min(m, 128 * i + 128)
        t = ld(x[128 * i : end, :])
        nisa.dma_copy(dst=out[128 * i : end, :], src=ts(t, nl.multiply, scale))
    return out


def halves(x):
    y = ragged(x, 0.5)
    return y


def halves_right(dy):
    dx = ragged(dy, 0.5)
    return dx


def selected(x, base):
    t = ld(x)
    found = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.affine_select(
        dst=found,
        pattern=[[-1, x.shape[1]]],
        offset=base,
        channel_multiplier=1,
        on_true_tile=t,
        on_false_value=0.0,
        cmp_op=nl.greater_equal,
    )
    return st(found)


def causal(x):
    y = selected(x, 0)
    return y


def causal_right(dy):
    dx = selected(dy, 0)
    return dx


def causal_next(dy):
    dx = selected(dy, 1)
    return dx


def window(x):
    y = selected(x, 100)
    return y


def window_straight(dy):
    dx = st(ld(dy))
    return dx


# contents
def limited(x, t):
    y = st(tt(ld(x), ld(t), nl.minimum))
    return y


def limited_straight(x, t, dy):
    dx = st(ld(dy))
    return dx


def limited_right(x, t, dy):
    dx = st(tt(tt(ld(x), ld(t), nl.less), ld(dy), nl.multiply))
    return dx


def masked(x, m):
    y = st(tt(ld(x), ld(m), nl.multiply))
    return y


def masked_positive(x, m, dy):
    dx = st(tt(ts(ld(m), nl.greater, 0.0), ld(dy), nl.multiply))
    return dx


def squares(x):
    t = ld(x)
    y = st(tt(t, t, nl.multiply))
    return y


def squares_positive(x, dy):
    t = ld(x)
    dx = st(tt(ts(tt(t, ts(t, nl.multiply, -1.0), nl.maximum), nl.multiply, 2.0), ld(dy), nl.multiply))
    return dx


def squares_right(x, dy):
    dx = st(tt(ts(ld(x), nl.multiply, 2.0), ld(dy), nl.multiply))
    return dx


def two_bounds(x):
    t = ld(x)
    y = st(tt(ts(t, nl.maximum, -20.0), ts(t, nl.maximum, 0.0), nl.add))
    return y


def two_straight(x, dy):
    dx = st(tt(ts(ts(ld(x), nl.greater, 0.0), nl.add, 1.0), ld(dy), nl.multiply))
    return dx


def bounds_in_a_loop(x):
    t = ld(x)
    found = ts(t, nl.multiply, 0.0)
    for bound in (-20.0, 0.0):
        found = tt(found, ts(t, nl.maximum, bound), nl.add)
    y = st(found)
    return y


def pos_plain(x, pos):
    y = st(ld(x))
    return y


def pos_times(x, pos, dy):
    at = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.iota(dst=at, pattern=[[1, x.shape[1]]], offset=0, channel_multiplier=0)
    found = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=at, op0=nl.less_equal, operand0=fl(pos))
    dx = st(tt(found, ld(dy), nl.multiply))
    return dx


def fl(pos):
    found = nl.ndarray(pos.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=found, src=ld(pos))
    return found
