"""Controls of contracts about dataflow."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def df__read_unwritten__right(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(tile, x)
    nisa.dma_copy(out, tile)
    return out


@nki.jit
def df__read_unwritten__wrong(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(tile[:, 0:511], x[:, 0:511])
    nisa.dma_copy(out, tile)
    return out


@nki.jit
def df__output_written__right(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(out, x)
    return out


@nki.jit
def df__output_written__wrong(x: "f32[128, 512]"):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(out[0:127], x[0:127])
    return out


@nki.jit
def acc__reduce_needs_init__right(x: "f32[128, 512]"):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    scratch = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    begin, go_on = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce
    nisa.activation(scratch, nl.exp, tile[:, 0:256], reduce_op=nl.add, reduce_cmd=begin)
    nisa.activation(scratch, nl.exp, tile[:, 256:512], reduce_op=nl.add, reduce_res=sums, reduce_cmd=go_on)
    nl.store(out, sums)
    return out


@nki.jit
def acc__reduce_needs_init__wrong(x: "f32[128, 512]"):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    scratch = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    go_on = nisa.reduce_cmd.reduce
    nisa.activation(scratch, nl.exp, tile[:, 0:256], reduce_op=nl.add, reduce_cmd=go_on)
    nisa.activation(scratch, nl.exp, tile[:, 256:512], reduce_op=nl.add, reduce_res=sums, reduce_cmd=go_on)
    nl.store(out, sums)
    return out


@nki.jit
def df__accumulate_unwritten__right(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(total, tile, tile, accumulate=False)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_unwritten__wrong(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_other__right(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(total, tile, tile, accumulate=False)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_other__wrong(x: "bf16[128, 128]"):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(total, 0.0)
    nisa.nc_matmul(total, tile, tile, accumulate=True)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def df__accumulate_stale__right(x: "bf16[128, 128]"):
    out = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for i in range(2):
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(total, tile, tile)
        nl.store(out[i], nl.copy(total))
    return out


@nki.jit
def df__accumulate_stale__wrong(x: "bf16[128, 128]"):
    out = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for i in range(2):
        nisa.nc_matmul(total, tile, tile)
        nl.store(out[i], nl.copy(total))
    return out


@nki.jit
def df__programs__right(x: "f32[128, 512]"):
    """On 2 cores."""
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    columns = nl.ds(256 * nl.program_id(0), 256)
    nl.store(out[:, columns], nl.load(x[:, columns]))
    return out


@nki.jit
def df__programs__wrong(x: "f32[128, 512]"):
    """On 2 cores."""
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.add(nl.load(x), nl.program_id(0)))
    return out
