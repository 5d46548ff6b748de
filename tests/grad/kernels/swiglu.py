"""SwiGLU: silu(gate) up."""

import nki.language as nl


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def forward(gate, up):
    y = _out(nl.multiply(nl.silu(nl.load(gate)), nl.load(up)))
    return y


def _slope(tile):
    """s + g s (1 - s), where s is the sigmoid of g."""
    s = nl.sigmoid(tile)
    return nl.add(s, nl.multiply(tile, nl.multiply(s, nl.add(nl.negative(s), 1.0))))


def backward(gate, up, dy):
    """EQUAL EQUAL: the derivative of silu, in the sigmoid."""
    tile, above = nl.load(gate), nl.load(dy)
    dgate = _out(nl.multiply(nl.multiply(above, nl.load(up)), _slope(tile)))
    dup = _out(nl.multiply(above, nl.silu(tile)))
    return dgate, dup


def backward_by_instruction(gate, up, dy):
    """EQUAL EQUAL: the derivative that the hardware has."""
    tile, above = nl.load(gate), nl.load(dy)
    dgate = _out(nl.multiply(nl.multiply(above, nl.load(up)), nl.silu_dx(tile)))
    dup = _out(nl.multiply(above, nl.silu(tile)))
    return dgate, dup


def backward_of_sigmoid(gate, up, dy):
    """DIFFERENT EQUAL: the sigmoid for the derivative of silu. dgate[0, 0] is"""
    tile, above = nl.load(gate), nl.load(dy)
    dgate = _out(nl.multiply(nl.multiply(above, nl.load(up)), nl.sigmoid(tile)))
    dup = _out(nl.multiply(above, nl.silu(tile)))
    return dgate, dup


def backward_exchanged(gate, up, dy):
    """DIFFERENT DIFFERENT: both results exchanged. dup[0, 0] is"""
    tile, above = nl.load(gate), nl.load(dy)
    dup = _out(nl.multiply(nl.multiply(above, nl.load(up)), _slope(tile)))
    dgate = _out(nl.multiply(above, nl.silu(tile)))
    return dgate, dup


def backward_without_up(gate, up, dy):
    """DIFFERENT EQUAL: dgate without up. dgate[0, 0] is"""
    tile, above = nl.load(gate), nl.load(dy)
    dgate = _out(nl.multiply(above, _slope(tile)))
    dup = _out(nl.multiply(above, nl.silu(tile)))
    return dgate, dup
