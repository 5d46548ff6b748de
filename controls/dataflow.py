"""Controls of contracts about dataflow."""

import nki
import nki.isa as nisa
import nki.language as nl

out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)


@nki.jit
def df__read_unwritten(x: "f32[128, 512]"):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(either(right=tile, wrong=tile[:, 0:511]), either(right=x, wrong=x[:, 0:511]))
    nisa.dma_copy(out, tile)
    return out


@nki.jit
def df__output_written(x: "f32[128, 512]"):
    nisa.dma_copy(either(right=out, wrong=out[0:127]), either(right=x, wrong=x[0:127]))
    return out


@nki.jit
def df__accumulate_unwritten(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    if RIGHT:
        nisa.nc_matmul(total, tile, tile, accumulate=False)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_other(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    either(right=nisa.nc_matmul(total, tile, tile, accumulate=False), wrong=nisa.memset(total, 0.0))
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_stale(x: "bf16[128, 128]"):
    out = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if RIGHT:
        for i in range(2):
            total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(total, tile, tile)
            nl.store(out[i], nl.copy(total))
    else:
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        for i in range(2):
            nisa.nc_matmul(total, tile, tile)
            nl.store(out[i], nl.copy(total))
    return out


@control(cores=2)
@nki.jit
def df__programs(x: "f32[128, 512]"):
    if RIGHT:
        columns = nl.ds(256 * nl.program_id(0), 256)
        nl.store(out[:, columns], nl.load(x[:, columns]))
    else:
        nl.store(out, nl.add(nl.load(x), nl.program_id(0)))
    return out


@nki.jit
def acc__reduce_needs_init(x: "f32[128, 512]"):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    scratch = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    if RIGHT:
        begin, go_on = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce
        nisa.activation(scratch, nl.exp, tile[:, 0:256], reduce_op=nl.add, reduce_cmd=begin)
    else:
        go_on = nisa.reduce_cmd.reduce
        nisa.activation(scratch, nl.exp, tile[:, 0:256], reduce_op=nl.add, reduce_cmd=go_on)
    nisa.activation(scratch, nl.exp, tile[:, 256:512], reduce_op=nl.add, reduce_res=sums, reduce_cmd=go_on)
    nl.store(out, sums)
    return out
