"""Rotary embedding: both halves of each row are rotated by angles, of which cosines and sines are given."""

import nki.language as nl


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _rotated(x, cos, sin, sign, exchanged=False):
    half = x.shape[1] // 2
    found = _hbm(x.shape)
    c, s = nl.load(cos), nl.multiply(nl.load(sin), sign)
    left, right = nl.load(x[:, 0:half]), nl.load(x[:, half : 2 * half])
    first = nl.subtract(nl.multiply(left, c), nl.multiply(right, s))
    second = nl.add(nl.multiply(left, s), nl.multiply(right, c))
    nl.store(found[:, 0:half], second if exchanged else first)
    nl.store(found[:, half : 2 * half], first if exchanged else second)
    return found


def forward(x, cos, sin):
    y = _rotated(x, cos, sin, 1.0)
    return y


def backward(dy, cos, sin):
    """EQUAL: rotated back."""
    dx = _rotated(dy, cos, sin, -1.0)
    return dx


def backward_forward(dy, cos, sin):
    """DIFFERENT: rotated the same way. dx[0, 0] is"""
    dx = _rotated(dy, cos, sin, 1.0)
    return dx


def backward_exchanged(dy, cos, sin):
    """DIFFERENT: the halves are exchanged. dx[0, 0] is"""
    dx = _rotated(dy, cos, sin, -1.0, exchanged=True)
    return dx


def backward_half(dy, cos, sin):
    """DIFFERENT: the second half is not written, but 0. dx[0, 0] is 0, and has to be"""
    half = dy.shape[1] // 2
    dx = _hbm(dy.shape)
    c, s = nl.load(cos), nl.load(sin)
    left, right = nl.load(dy[:, 0:half]), nl.load(dy[:, half : 2 * half])
    nl.store(dx[:, 0:half], nl.zeros((dy.shape[0], half), dtype=nl.float32, buffer=nl.sbuf))
    nl.store(dx[:, half : 2 * half], nl.subtract(nl.multiply(right, c), nl.multiply(left, s)))
    return dx
