"""Controls of contracts about numbers: the ranges of inputs, of which the wrong ones hold an input too many."""

import nki
import nki.isa as nisa
import nki.language as nl

tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def num__overflow(x: either(right="f32[4, 6] in -80..80", wrong="f32[4, 6] in -100..100")):
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.exp, data=tile)


@nki.jit
def num__invalid(x: either(right="f32[4, 6] in 0.5..1", wrong="f32[4, 6] in 0..1")):
    nisa.dma_copy(dst=tile, src=x)
    nisa.activation(dst=tile, op=nl.log, data=tile)


@nki.jit
def num__division(x: either(right="f32[4, 6] in 0.5..1", wrong="f32[4, 6] in 0..1")):
    nisa.dma_copy(dst=tile, src=x)
    nisa.reciprocal(dst=tile, data=tile)


@nki.jit
def num__integer(x: either(right="f32[4, 6] in -100..100", wrong="f32[4, 6] in -200..200")):
    whole = nl.ndarray((4, 6), dtype=nl.int8, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_copy(dst=whole, src=tile)


@nki.jit
def num__masked(x: "f32[4, 6] in -50..50", m: either(right="u8[4, 6] in 0..0", wrong="u8[4, 6] in 0..1")):
    """A row that is masked as a whole has weights all the same."""
    mask = nl.ndarray((4, 6), dtype=nl.uint8, buffer=nl.sbuf)
    column = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
    out = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=mask, src=m)
    nisa.tensor_copy_predicated(dst=tile, src=-30000.0, predicate=mask)
    nisa.tensor_reduce(dst=column, op=nl.maximum, data=tile, axis=1, negate=True)
    nisa.activation(dst=tile, op=nl.exp, data=tile, bias=column)
    nisa.dma_copy(dst=out, src=tile)
    return out
