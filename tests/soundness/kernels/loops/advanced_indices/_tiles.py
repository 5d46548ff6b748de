"""What kernels here have in common: an index in a tile, and rows that it chooses."""

import nki.isa as nisa
import nki.language as nl


def number(value):
    tile = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=value)
    return tile


def advance(tile, by):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=by)


def row_at(tensor, index):
    columns = tensor.shape[1]
    return tensor.ap(pattern=[[columns, 1], [1, columns]], offset=0, scalar_offset=index, indirect_dim=0)


def add_row(total, x, index):
    row = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=row_at(x, index))
    nisa.tensor_tensor(dst=total, data1=total, data2=row, op=nl.add)
