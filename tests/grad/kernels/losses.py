"""Cross entropy of rows of logits with a label each."""

import nki.isa as nisa
import nki.language as nl


def _out(tile):
    result = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(result, tile)
    return result


def _by_rows(tile, column, op):
    found = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=found, data=tile, op0=op, operand0=column)
    return found


def _of_labels(labels, shape):
    """1 at the label of each row, 0 elsewhere."""
    places = nl.ndarray(shape, dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, shape[1]]], offset=0, channel_multiplier=0)
    return _by_rows(nl.copy(places, dtype=nl.float32), nl.copy(nl.load(labels), dtype=nl.float32), nl.equal)


def _powers(tile):
    greatest = nl.max(tile, axis=1, keepdims=True)
    powers = nl.exp(_by_rows(tile, greatest, nl.subtract))
    return greatest, powers, nl.sum(powers, axis=1, keepdims=True)


def forward(logits, labels):
    tile = nl.load(logits)
    greatest, _, total = _powers(tile)
    chosen = nl.sum(nl.multiply(tile, _of_labels(labels, tile.shape)), axis=1, keepdims=True)
    loss = _out(nl.subtract(nl.add(greatest, nl.log(total)), chosen))
    return loss


def _backward(logits, labels, dloss, chosen=1.0, factor=1.0):
    tile = nl.load(logits)
    _, powers, total = _powers(tile)
    weights = _by_rows(powers, nl.reciprocal(total), nl.multiply)
    away = nl.subtract(weights, nl.multiply(_of_labels(labels, tile.shape), chosen))
    return nl.multiply(_by_rows(away, nl.load(dloss), nl.multiply), factor)


def backward(logits, labels, dloss):
    """EQUAL: softmax less the label."""
    dlogits = _out(_backward(logits, labels, dloss))
    return dlogits


def backward_without_label(logits, labels, dloss):
    """DIFFERENT: softmax alone. dlogits["""
    dlogits = _out(_backward(logits, labels, dloss, chosen=0.0))
    return dlogits


def backward_mean(logits, labels, dloss):
    """DIFFERENT: divided by the number of rows, which the loss is not. dlogits is 1/8 times what it has to be"""
    dlogits = _out(_backward(logits, labels, dloss, factor=1.0 / logits.shape[0]))
    return dlogits


def backward_label_added(logits, labels, dloss):
    """DIFFERENT: the label is added. dlogits["""
    dlogits = _out(_backward(logits, labels, dloss, chosen=-1.0))
    return dlogits
