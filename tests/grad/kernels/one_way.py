"""Comparisons that go one way for all numbers that are usually drawn."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def stored(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def scalar(tile, op, number, op1=None, number1=None):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=result, data=tile, op0=op, operand0=number, op1=op1, operand1=number1)
    return result


def product(one, other):
    result = nl.ndarray(one.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=result, data1=one, data2=other, op=nl.multiply)
    return result


def within(tile, bound):
    below, above = scalar(tile, nl.less, bound), scalar(tile, nl.greater, -bound)
    return product(below, above)


@nki.jit
def clip(x):
    y = stored(scalar(loaded(x), nl.maximum, -1.0, op1=nl.minimum, number1=1.0))
    return y


@nki.jit
def clip_backward(x, dy):
    """TESTED: nothing to say. with ties and without"""
    dx = stored(product(within(loaded(x), 1.0), loaded(dy)))
    return dx


@nki.jit
def clip_backward_straight_through(x, dy):
    """DIFFERENT: numbers beyond the bounds. for numbers of magnitudes"""
    dx = stored(loaded(dy))
    return dx


@nki.jit
def clip_backward_of_another_bound(x, dy):
    """DIFFERENT: another bound. for numbers of magnitudes"""
    dx = stored(product(within(loaded(x), 2.0), loaded(dy)))
    return dx


@nki.jit
def far(x):
    y = stored(scalar(loaded(x), nl.minimum, 1000.0))
    return y


@nki.jit
def far_backward(x, dy):
    """UNKNOWN: no number that is drawn is as great. went one way for all numbers drawn"""
    dx = stored(product(scalar(loaded(x), nl.less, 1000.0), loaded(dy)))
    return dx


@nki.jit
def far_backward_straight_through(x, dy):
    """UNKNOWN: no number that is drawn is as great. one_way.py:22"""
    dx = stored(loaded(dy))
    return dx


@nki.jit
def positive(x):
    y = stored(scalar(loaded(x), nl.maximum, 0.0))
    return y


@nki.jit
def positive_backward(x, dy):
    """TESTED: nothing to say. with ties and without"""
    dx = stored(product(scalar(loaded(x), nl.greater, 0.0), loaded(dy)))
    return dx


@nki.jit
def positive_backward_of_a_small_threshold(x, dy):
    """DIFFERENT: the mask is another one near 0. for numbers of magnitudes"""
    dx = stored(product(scalar(loaded(x), nl.greater, 1e-4), loaded(dy)))
    return dx
