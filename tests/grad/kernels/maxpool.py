"""The greater one of neighbours; of two that are equal either may have the gradient, or both a part of it."""

import nki.language as nl


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _halves(x):
    tile, half = nl.load(x), x.shape[1] // 2
    return tile[:, 0:half], tile[:, half : 2 * half]


def forward(x):
    y = _hbm((x.shape[0], x.shape[1] // 2))
    nl.store(y, nl.maximum(*_halves(x)))
    return y


def _stored(x, left, right, dy, factor=1.0):
    dx, half = _hbm(x.shape), x.shape[1] // 2
    above = nl.multiply(nl.load(dy), factor)
    nl.store(dx[:, 0:half], nl.multiply(left, above))
    nl.store(dx[:, half : 2 * half], nl.multiply(right, above))
    return dx


def backward(x, dy):
    """TESTED: of two that are equal the first one."""
    left, right = _halves(x)
    first = nl.greater_equal(left, right, dtype=nl.float32)
    dx = _stored(x, first, nl.add(nl.negative(first), 1.0), dy)
    return dx


def backward_shared(x, dy):
    """TESTED: of two that are equal each a half."""
    left, right = _halves(x)
    one, other = nl.greater(left, right, dtype=nl.float32), nl.greater(right, left, dtype=nl.float32)
    both = nl.multiply(nl.equal(left, right, dtype=nl.float32), 0.5)
    dx = _stored(x, nl.add(one, both), nl.add(other, both), dy)
    return dx


def backward_twice(x, y, dy):
    """DIFFERENT: of two that are equal each one has all of it. where elements of an argument are equal"""
    left, right = _halves(x)
    greater = nl.load(y)
    dx = _stored(x, nl.equal(left, greater, dtype=nl.float32), nl.equal(right, greater, dtype=nl.float32), dy)
    return dx


def backward_not_masked(x, dy):
    """DIFFERENT: both have it. a mask may be missing"""
    ones = nl.full((x.shape[0], x.shape[1] // 2), 1.0, dtype=nl.float32, buffer=nl.sbuf)
    dx = _stored(x, ones, ones, dy)
    return dx


def backward_half(x, dy):
    """DIFFERENT: half of it. dx is 1/2 times what it has to be throughout"""
    left, right = _halves(x)
    first = nl.greater_equal(left, right, dtype=nl.float32)
    dx = _stored(x, first, nl.add(nl.negative(first), 1.0), dy, factor=0.5)
    return dx
