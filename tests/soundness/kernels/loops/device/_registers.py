"""What kernels with device loops share: a register with a number of an argument, and rows that a register chooses."""

import nki.isa as nisa
import nki.language as nl


def loaded(argument):
    """A register with the one number of an argument."""
    number = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=number, src=argument)
    register = nisa.register_alloc()
    nisa.register_load(register, number)
    return register


def rows_at(tensor, index, rows):
    """So many rows of a matrix in HBM, from the one on that an index says."""
    columns = tensor.shape[1]
    return tensor.ap(pattern=[[columns, rows], [1, columns]], scalar_offset=index, indirect_dim=0)
