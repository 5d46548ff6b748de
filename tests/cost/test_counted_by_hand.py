"""Figures of kernels in the styles of published benchmarks, at sizes where they were counted by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from nkiverify.model.hardware import hardware_named
from nkiverify.products.cost.report import CostQuestion, report
from nkiverify.project.request import request

HEAD = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from neuronxcc.nki.language import par_dim


@nki.jit
"""


@dataclass(frozen=True)
class ByHand:
    """A kernel, and what it reads, writes and computes: bytes of HBM, each once and as written, and operations."""

    given: tuple[str, ...]
    text: str
    read: int
    read_once: int
    written: int
    flops: int = 0
    transposes: int = 0
    descriptors: int = 0
    fits: bool = True


F = 4
KERNELS = {
    "softmax": ByHand(
        ("v1=f32[32,128,2048]",),
        """\
def softmax(v1):
    v2 = nl.ndarray((32, 128, 2048), dtype=np.float32, buffer=nl.shared_hbm)
    v3 = nl.ndarray((32, par_dim(128), 2048), dtype=np.float32, name="in", buffer=nl.sbuf)
    v4 = nl.ndarray((32, par_dim(128), 1), dtype=np.float32, name="max", buffer=nl.sbuf)
    v5 = nl.ndarray((32, par_dim(128), 2048), dtype=np.float32, name="exp", buffer=nl.sbuf)
    v6 = nl.ndarray((32, par_dim(128), 1), dtype=np.float32, name="sum", buffer=nl.sbuf)
    v7 = nl.ndarray((32, par_dim(128), 2048), dtype=np.float32, name="out", buffer=nl.sbuf)
    for i0 in nl.affine_range(32):
        v3[i0] = nl.load(v1[i0])
        v4[i0] = nisa.tensor_reduce(np.max, v3[i0], axis=[1], negate=True)
        v5[i0] = nisa.activation(np.exp, v3[i0], bias=v4[i0])
        v6[i0] = nisa.tensor_reduce(np.add, v5[i0], axis=[1])
        v7[i0] = nisa.tensor_scalar(v5[i0], np.divide, v6[i0])
        nl.store(v2[i0], v7[i0])
    return v2
""",
        read=4096 * 2048 * F,
        read_once=4096 * 2048 * F,
        written=4096 * 2048 * F,
        descriptors=2 * 4096,
    ),
    "layer_norm": ByHand(
        ("v1=f32[64,128,1024]", "gamma=f32[1,1024]", "beta=f32[1,1024]"),
        """\
def layer_norm(v1, gamma, beta):
    v2 = nl.ndarray((64, 128, 1024), dtype=np.float32, buffer=nl.shared_hbm)
    for i0 in nl.affine_range(64):
        x = nl.load(v1[i0])
        g = nl.load(gamma)
        b = nl.load(beta)
        mean = nl.mean(x, axis=1, keepdims=True)
        centred = nl.subtract(x, mean)
        variance = nl.mean(nl.square(centred), axis=1, keepdims=True)
        normed = nl.multiply(centred, nl.rsqrt(variance + 1e-5))
        out = nl.add(nl.multiply(normed, g.broadcast_to((128, 1024))), b.broadcast_to((128, 1024)))
        nl.store(v2[i0], out)
    return v2
""",
        # Both vectors are loaded in each of 64 iterations.
        read=(8192 + 64 * 2) * 1024 * F,
        read_once=(8192 + 2) * 1024 * F,
        written=8192 * 1024 * F,
        descriptors=2 * 8192 + 64 * 2,
    ),
    "bmm": ByHand(
        ("v1=f32[16,512,512]", "v2=f32[16,512,1024]"),
        """\
def bmm(v1, v2):
    v3 = nl.ndarray((16, 512, 1024), dtype=np.float32, buffer=nl.shared_hbm)
    for b in nl.affine_range(16):
        for m in nl.affine_range(4):
            for n in nl.affine_range(2):
                acc = nl.zeros((128, 512), dtype=np.float32, buffer=nl.psum)
                for k in nl.affine_range(4):
                    left = nl.load(v1[b, 128 * k + nl.arange(128)[:, None], 128 * m + nl.arange(128)[None, :]])
                    right = nl.load(v2[b, 128 * k + nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]])
                    acc += nisa.nc_matmul(left, right)
                nl.store(v3[b, 128 * m + nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]], acc)
    return v3
""",
        # Each of 16 * 4 * 2 * 4 iterations loads a tile of both.
        read=16 * 4 * 2 * 4 * 128 * (128 + 512) * F,
        read_once=16 * 512 * (512 + 1024) * F,
        written=16 * 512 * 1024 * F,
        flops=2 * 16 * 512 * 1024 * 512,
        descriptors=16 * 4 * 2 * (4 * 2 * 128 + 128),
    ),
    "transposed_matmul_add": ByHand(
        ("a=f32[1024,512]", "b=f32[2048,512]", "c=f32[1024,2048]"),
        """\
def transposed_matmul_add(a, b, c):
    out = nl.ndarray((1024, 2048), dtype=np.float32, buffer=nl.shared_hbm)
    turned = nl.ndarray((4, par_dim(128), 2048), dtype=np.float32, buffer=nl.sbuf)
    for n in nl.affine_range(16):
        rows = nl.load(b[128 * n + nl.arange(128)[:, None], nl.arange(512)[None, :]])
        for k in nl.affine_range(4):
            tile = rows[nl.arange(128)[:, None], 128 * k + nl.arange(128)[None, :]]
            part = nisa.nc_transpose(tile, engine=nisa.tensor_engine)
            turned[k, nl.arange(128)[:, None], 128 * n + nl.arange(128)[None, :]] = nl.copy(part)
    for m in nl.affine_range(8):
        rows = nl.load(a[128 * m + nl.arange(128)[:, None], nl.arange(512)[None, :]])
        left = nl.ndarray((4, par_dim(128), 128), dtype=np.float32, buffer=nl.sbuf)
        for k in nl.affine_range(4):
            tile = rows[nl.arange(128)[:, None], 128 * k + nl.arange(128)[None, :]]
            part = nisa.nc_transpose(tile, engine=nisa.tensor_engine)
            left[k] = nl.copy(part)
        for n in nl.affine_range(4):
            acc = nl.zeros((128, 512), dtype=np.float32, buffer=nl.psum)
            for k in nl.affine_range(4):
                acc += nisa.nc_matmul(left[k], turned[k, nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]])
            rows, columns = 128 * m + nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]
            nl.store(out[rows, columns], nl.add(acc, nl.load(c[rows, columns])))
    return out
""",
        read=(1024 * 512 + 2048 * 512 + 1024 * 2048) * F,
        read_once=(1024 * 512 + 2048 * 512 + 1024 * 2048) * F,
        written=1024 * 2048 * F,
        flops=2 * 1024 * 2048 * 512,
        transposes=(16 + 8) * 4,
        descriptors=2048 + 1024 + 2 * 1024 * 4,
    ),
    "gqa_attention": ByHand(
        ("q=f32[8,128,1024]", "k=f32[2,128,1024]", "v=f32[2,1024,128]"),
        """\
def gqa_attention(q, k, v):
    out = nl.ndarray((8, 1024, 128), dtype=np.float32, buffer=nl.shared_hbm)
    for g in nl.affine_range(2):
        for h in nl.affine_range(4):
            for i in nl.affine_range(8):
                queries = nl.load(q[4 * g + h, nl.arange(128)[:, None], 128 * i + nl.arange(128)[None, :]])
                scores = nl.ndarray((par_dim(128), 1024), dtype=np.float32, buffer=nl.sbuf)
                for j in nl.affine_range(2):
                    keys = nl.load(k[g, nl.arange(128)[:, None], 512 * j + nl.arange(512)[None, :]])
                    product = nisa.nc_matmul(queries, keys)
                    scores[nl.arange(128)[:, None], 512 * j + nl.arange(512)[None, :]] = nl.copy(product)
                least = nisa.tensor_reduce(np.max, scores, axis=[1], negate=True)
                powers = nisa.activation(np.exp, scores, bias=least)
                total = nisa.tensor_reduce(np.add, powers, axis=[1])
                acc = nl.zeros((128, 128), dtype=np.float32, buffer=nl.psum)
                for j in nl.affine_range(8):
                    values = nl.load(v[g, 128 * j + nl.arange(128)[:, None], nl.arange(128)[None, :]])
                    tile = powers[nl.arange(128)[:, None], 128 * j + nl.arange(128)[None, :]]
                    part = nisa.nc_transpose(tile, engine=nisa.tensor_engine)
                    acc += nisa.nc_matmul(nl.copy(part), values)
                result = nisa.tensor_scalar(acc, np.divide, total)
                nl.store(out[4 * g + h, 128 * i + nl.arange(128)[:, None], nl.arange(128)[None, :]], result)
    return out
""",
        # Keys and values of a group are loaded by each of 4 heads for each of 8 tiles of queries.
        read=(8 + 2 * 2 * 4 * 8) * 1024 * 128 * F,
        read_once=(8 + 2 * 2) * 1024 * 128 * F,
        written=8 * 1024 * 128 * F,
        flops=2 * 2 * 8 * 1024 * 1024 * 128,
        transposes=8 * 8 * 8,
        descriptors=64 * (128 + 2 * 128 + 8 * 128 + 128),
    ),
    "adamw": ByHand(
        tuple(f"{name}=f32[10000,512]" for name in "pgmv"),
        """\
def adamw(p, g, m, v):
    out = nl.ndarray((10000, 512), dtype=np.float32, buffer=nl.shared_hbm)
    new_m = nl.ndarray((10000, 512), dtype=np.float32, buffer=nl.shared_hbm)
    new_v = nl.ndarray((10000, 512), dtype=np.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(79):
        rows = 128 * i + nl.arange(128)[:, None]
        columns = nl.arange(512)[None, :]
        inside = rows < 10000
        a = nl.load(p[rows, columns], mask=inside)
        b = nl.load(g[rows, columns], mask=inside)
        c = nl.load(m[rows, columns], mask=inside)
        d = nl.load(v[rows, columns], mask=inside)
        mean = nl.add(nl.multiply(c, 0.9), nl.multiply(b, 0.1))
        square = nl.add(nl.multiply(d, 0.999), nl.multiply(nl.square(b), 0.001))
        step = nl.divide(mean, nl.add(nl.sqrt(square), 1e-8))
        nl.store(out[rows, columns], nl.subtract(nl.multiply(a, 0.99), nl.multiply(step, 0.001)), mask=inside)
        nl.store(new_m[rows, columns], mean, mask=inside)
        nl.store(new_v[rows, columns], square, mask=inside)
    return out, new_m, new_v
""",
        # The last of 79 tiles has 16 rows.
        read=4 * 10_000 * 512 * F,
        read_once=4 * 10_000 * 512 * F,
        written=3 * 10_000 * 512 * F,
        descriptors=7 * 10_000,
    ),
    "mamba": ByHand(
        ("delta=f32[1024,512]", "u=f32[1024,512]", "a=f32[1024,8]", "b=f32[8,512]", "c=f32[8,512]"),
        """\
def mamba(delta, u, a, b, c):
    out = nl.ndarray((1024, 512), dtype=np.float32, buffer=nl.shared_hbm)
    for t in nl.affine_range(8):
        total = nl.zeros((par_dim(128), 512), dtype=np.float32, buffer=nl.sbuf)
        d = nl.load(delta[128 * t + nl.arange(128)[:, None], nl.arange(512)[None, :]])
        x = nl.load(u[128 * t + nl.arange(128)[:, None], nl.arange(512)[None, :]])
        for s in nl.affine_range(8):
            decay = nl.load(a[128 * t + nl.arange(128)[:, None], s + nl.arange(1)[None, :]])
            inputs = nl.load(b[s + nl.arange(1)[:, None], nl.arange(512)[None, :]])
            outputs = nl.load(c[s + nl.arange(1)[:, None], nl.arange(512)[None, :]])
            powers = nisa.activation(np.exp, d, scale=decay)
            driven = nl.multiply(nl.multiply(d, x), inputs.broadcast_to((128, 512)))
            states = nisa.tensor_tensor_scan(powers, driven, initial=0, op0=np.multiply, op1=np.add)
            total += nl.multiply(states, outputs.broadcast_to((128, 512)))
        nl.store(out[128 * t + nl.arange(128)[:, None], nl.arange(512)[None, :]], total)
    return out
""",
        # All of b and c are loaded for each of 8 tiles of channels.
        read=(2 * 1024 * 512 + 1024 * 8 + 8 * 2 * 8 * 512) * F,
        read_once=(2 * 1024 * 512 + 1024 * 8 + 2 * 8 * 512) * F,
        written=1024 * 512 * F,
        descriptors=3 * 1024 + 8 * 8 * (128 + 1 + 1),
    ),
    "held_matmul": ByHand(
        ("v1=f32[4096,1024]", "v2=f32[32,128,8192]"),
        """\
def held_matmul(v1, v2):
    v3 = nl.ndarray((1024, 8192), dtype=np.float32, buffer=nl.shared_hbm)
    held = nl.ndarray((32, par_dim(128), 8192), dtype=np.float32, buffer=nl.sbuf)
    for k in nl.affine_range(32):
        held[k] = nl.load(v2[k])
    for m in nl.affine_range(8):
        for n in nl.affine_range(16):
            acc = nl.zeros((128, 512), dtype=np.float32, buffer=nl.psum)
            for k in nl.affine_range(32):
                left = nl.load(v1[128 * k + nl.arange(128)[:, None], 128 * m + nl.arange(128)[None, :]])
                acc += nisa.nc_matmul(left, held[k, nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]])
            nl.store(v3[128 * m + nl.arange(128)[:, None], 512 * n + nl.arange(512)[None, :]], acc)
    return v3
""",
        # 32 * 8192 elements of a partition are held: 1 MiB. The other operand is loaded for each tile of columns.
        read=(4096 * 8192 + 16 * 4096 * 1024) * F,
        read_once=(4096 * 8192 + 4096 * 1024) * F,
        written=1024 * 8192 * F,
        flops=2 * 1024 * 8192 * 4096,
        descriptors=32 * 128 + 8 * 16 * (32 * 128 + 128),
        fits=False,
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_figures_are_what_was_counted_by_hand(name: str, tmp_path: Path) -> None:
    expected = KERNELS[name]
    (tmp_path / "kernels.py").write_text(HEAD + expected.text, encoding="utf-8")
    target = request(f"kernels.py::{name}", tmp_path, expected.given, (), None).target("trn1", False)
    found = report(name, target, hardware_named("trn1"), CostQuestion(), 60.0)
    assert not found.refused and not found.unknown
    rows = {row.name: row.most for row in found.by_name.values() if row.least == row.most}
    assert (rows["hbm_read"], rows["hbm_read_once"]) == (expected.read, expected.read_once)
    assert rows["hbm_written"] == rows["hbm_written_once"] == expected.written
    assert rows.get("flops", 0) == expected.flops
    assert rows.get("transposes", 0) == expected.transposes
    assert rows["descriptors"] == expected.descriptors
    assert [peak.spills for peak in found.peaks if peak.memory == "sbuf"] == [not expected.fits]
