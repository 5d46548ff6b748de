"""Tables, and what reads a row of one by an index that a register or a tile holds."""

import nki.isa as nisa
import nki.language as nl


def table(rows):
    return nl.ndarray((rows, 4), dtype=nl.float32, buffer=nl.shared_hbm)

def tile():
    made = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(made, 0)
    return made

def use(x, index):
    row = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x.ap([[4, 1], [1, 4]], scalar_offset=index, indirect_dim=0))


def shared_index():
    index = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)
    nisa.register_store(index, nisa.register_alloc(0))
    return index

def tile_in_hbm(number):
    made = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.hbm)
    nisa.register_store(made, nisa.register_alloc(number))
    return made

def use_shared(x, register, index):
    nisa.register_load(register, index)
    use(x, register)
