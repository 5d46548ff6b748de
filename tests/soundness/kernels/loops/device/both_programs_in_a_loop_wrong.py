# expect: 4 FAILED|UNKNOWN
# args: ::kernel --arg x=f32[256,512] --arg 'rounds=i32[1,1] in 0..4' --grid 2
"""Both programs would store to the same elements in a device loop, as often as data say."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x, rounds):
    core = nl.program_id(0)
    out = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    shared = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[core * 128 : core * 128 + 128])
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=count, src=rounds)
    register = nisa.register_alloc()
    nisa.register_load(register, count)

    def body(i):
        nisa.dma_copy(dst=shared, src=tile)

    nl.fori_loop(0, register, body)
    nisa.dma_copy(dst=out[core * 128 : core * 128 + 128], src=tile)
    return out
