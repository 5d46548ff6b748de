"""Rows of a table by tokens, which come several times; their gradients are added up in the table's."""

import nki.isa as nisa
import nki.language as nl


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _product(stationary, moving):
    sums = nl.ndarray((stationary.shape[1], moving.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=stationary, moving=moving)
    return nl.copy(sums)


def _of_tokens(tokens, count, ahead=0.0):
    """(tokens, rows of the table): 1 at the row of each token, or so many ahead of it."""
    places = nl.ndarray((tokens.shape[0], count), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, count]], offset=0, channel_multiplier=0)
    found = nl.ndarray((tokens.shape[0], count), dtype=nl.float32, buffer=nl.sbuf)
    column = nl.add(nl.copy(nl.load(tokens), dtype=nl.float32), ahead)
    nisa.tensor_scalar(dst=found, data=nl.copy(places, dtype=nl.float32), op0=nl.equal, operand0=column)
    return found


def forward(table, tokens):
    count, width = tokens.shape[0], table.shape[1]
    y = _hbm((count, width))
    rows = nl.load(tokens)
    found = nl.ndarray((count, width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=found, src=table.ap([[width, count], [1, width]], vector_offset=rows))
    nl.store(y, found)
    return y


def backward(table, tokens, dy):
    """EQUAL: a product with a matrix of 0 and 1."""
    dtable = _hbm(table.shape)
    nl.store(dtable, _product(_of_tokens(tokens, table.shape[0]), nl.load(dy)))
    return dtable


def backward_overwritten(table, tokens, dy):
    """DIFFERENT: of several tokens the last one counts. contributes to dtable is missing"""
    count, width = tokens.shape[0], table.shape[1]
    dtable = _hbm(table.shape)
    nl.store(dtable, nl.zeros(table.shape, dtype=nl.float32, buffer=nl.sbuf))
    for token in range(count):
        rows, above = nl.load(tokens[token : token + 1, :]), nl.load(dy[token : token + 1, :])
        nisa.dma_copy(dst=dtable.ap([[width, 1], [1, width]], vector_offset=rows), src=above)
    return dtable


def backward_mean(table, tokens, dy):
    """DIFFERENT: divided by how often a token comes. dtable["""
    chosen = _of_tokens(tokens, table.shape[0])
    ones = nl.full((tokens.shape[0], 1), 1.0, dtype=nl.float32, buffer=nl.sbuf)
    often = nl.maximum(_product(chosen, ones), 1.0)
    mean = nl.ndarray(table.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=mean, data=_product(chosen, nl.load(dy)), op0=nl.multiply, operand0=nl.reciprocal(often))
    dtable = _hbm(table.shape)
    nl.store(dtable, mean)
    return dtable


def backward_next_row(table, tokens, dy):
    """DIFFERENT: the row after that of the token. dtable[0, 0] is 0, and has to be"""
    dtable = _hbm(table.shape)
    nl.store(dtable, _product(_of_tokens(tokens, table.shape[0], ahead=1.0), nl.load(dy)))
    return dtable
