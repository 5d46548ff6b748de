"""Instructions of the legacy API, each against NumPy, as its tests are written for the vendor's simulator."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import neuronxcc.nki.typing as nt
import numpy as np
import pytest

P, F = 128, 512


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def stored(*tiles):
    """Tiles in tensors of HBM, which a kernel returns."""
    results = []
    for tile in tiles:
        result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nl.store(result, value=tile)
        results.append(result)
    return tuple(results) if len(results) > 1 else results[0]


def f32(array):
    return array.astype(np.float32)


@nki.jit(mode="simulation")
def activations(a_tensor, b_tensor, c_tensor):
    a, b, c = nl.load(a_tensor), nl.load(b_tensor), nl.load(c_tensor)
    plain = nisa.activation(op=nl.exp, data=a)
    scaled = nisa.activation(op=np.tanh, data=a, bias=c, scale=0.5, dtype=nl.bfloat16)
    rows = nisa.activation(op=nl.square, data=a, scale=b)
    return stored(plain, scaled, rows)


def test_activation():
    a, b, c = random(P, F), random(P, 1, seed=1), random(P, 1, seed=2)
    plain, scaled, rows = activations(a, b, c)
    assert np.allclose(plain, np.exp(a), rtol=1e-5)
    assert scaled.dtype == nl.bfloat16
    assert np.allclose(f32(scaled), np.tanh(0.5 * a + c), rtol=1e-2)
    assert np.allclose(rows, (a * b) ** 2, rtol=1e-5)


@nki.jit(mode="simulation")
def activation_sums(a_tensor):
    a = nl.load(a_tensor)
    total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    values = nisa.activation_reduce(op=nl.exp, data=a, reduce_op=np.add, reduce_res=total[...], scale=1.0)
    registers = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(op=np.exp, data=a[:, 0:256], reduce_op=np.add, reduce_cmd=nisa.reduce_cmd.reset_reduce)
    nisa.activation(
        op=np.exp, data=a[:, 256:512], reduce_op=np.add, reduce_res=registers, reduce_cmd=nisa.reduce_cmd.reduce
    )
    return stored(values, total, registers)


def test_activation_reduce():
    a = random(P, F)
    values, total, registers = activation_sums(a)
    assert np.allclose(values, np.exp(a), rtol=1e-5)
    assert np.allclose(total, np.exp(a).sum(axis=1, keepdims=True), rtol=1e-4)
    assert np.allclose(registers, total, rtol=1e-4)


@nki.jit(mode="simulation")
def triangle(a_tensor):
    i_p, i_f = nl.arange(P)[:, None], nl.arange(P)[None, :]
    lower = nisa.affine_select(pred=(i_p - i_f >= 0), on_true_tile=nl.load(a_tensor), on_false_value=-9984.0)
    return stored(lower)


def test_affine_select():
    a = random(P, P)
    assert np.allclose(triangle(a), np.where(np.tri(P, dtype=bool), a, -9984.0))


@nki.jit(mode="simulation")
def statistics(a_tensor):
    a = nl.load(a_tensor)
    parts = nl.ndarray((P, 2, 6), dtype=nl.float32, buffer=nl.sbuf)
    for half in nl.affine_range(2):
        parts[:, half, :] = nisa.bn_stats(a[:, nl.ds(half * 256, 256)], dtype=np.float32)
    moments = nisa.bn_aggr(parts, dtype=np.float32)
    one = nisa.bn_aggr(nisa.bn_stats(a))
    return stored(moments, one)


def test_batch_norm_statistics():
    a = random(P, F)
    for moments in statistics(a):
        assert np.allclose(moments[:, 0], a.mean(axis=1), atol=1e-5)
        assert np.allclose(moments[:, 1], a.var(axis=1), rtol=1e-4)


@nki.jit(mode="simulation")
def dma_copies(a_tensor):
    out = nl.ndarray(a_tensor.shape, dtype=a_tensor.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=a_tensor)
    tile = nl.ndarray((64, F), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a_tensor[64:128, :])
    return out, stored(tile)


def test_dma_copy():
    a = random(P, F)
    out, tile = dma_copies(a)
    assert np.array_equal(out, a)
    assert np.array_equal(tile, a[64:].astype(nl.bfloat16))


@nki.jit(mode="simulation")
def dma_transposes(a_tensor):
    return stored(nisa.dma_transpose(a_tensor), nisa.dma_transpose(nl.load(a_tensor), axes=(1, 0)))


def test_dma_transpose():
    a = random(P, 64).astype(np.float16)
    for transposed in dma_transposes(a):
        assert np.array_equal(transposed, a.T)


@nki.jit(mode="simulation")
def iotas():
    i_p, i_f = nl.arange(P)[:, None], nl.arange(F)[None, :]
    return stored(
        nisa.iota(i_f, dtype=nl.int32), nisa.iota(i_f + i_p * F, dtype=nl.int32), nisa.iota(2 * i_p, dtype=nl.float32)
    )


def test_iota():
    columns, places, rows = iotas()
    assert np.array_equal(columns, np.arange(F)[None] if len(columns) == 1 else np.tile(np.arange(F), (P, 1)))
    assert np.array_equal(places, np.arange(P * F).reshape(P, F))
    assert np.array_equal(rows.ravel(), 2 * np.arange(P))


@nki.jit(mode="simulation")
def largest(a_tensor):
    a = nl.load(a_tensor)
    values = nisa.max8(src=a)
    places = nisa.nc_find_index8(data=a, vals=values)
    replaced = nisa.nc_match_replace8(data=a, vals=values, imm=-100.0)
    return stored(values, places, replaced)


def test_max8_and_what_finds_it():
    a = np.random.default_rng(0).permuted(np.tile(np.arange(F, dtype=np.float32), (P, 1)), axis=1)
    values, places, replaced = largest(a)
    assert np.array_equal(values, np.tile(np.arange(F - 1, F - 9, -1), (P, 1)))
    assert np.array_equal(np.take_along_axis(a, places.astype(np.int64), axis=1), values)
    assert np.array_equal(replaced, np.where(a >= F - 8, -100.0, a))


@nki.jit(mode="simulation")
def memsets():
    return stored(
        nisa.memset((P, 64), value=0.25, dtype=nl.float32),
        nisa.memset((P, 64), value=3, dtype=nl.int32, engine=nisa.gpsimd_engine),
    )


def test_memset():
    floats, integers = memsets()
    assert np.array_equal(floats, np.full((P, 64), 0.25))
    assert integers.dtype == np.int32
    assert (integers == 3).all()


@nki.jit(mode="simulation")
def products(a_tensor, b_tensor):
    a, b = nl.load(a_tensor), nl.load(b_tensor)
    whole = nisa.nc_matmul(a, b)
    total = nl.zeros((64, F), dtype=nl.float32, buffer=nl.psum)
    for half in nl.affine_range(2):
        rows = nl.ds(half * 64, 64)
        total += nisa.nc_matmul(nl.load(a_tensor[rows, :]), nl.load(b_tensor[rows, :]))
    return stored(whole, total)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2"])
def test_nc_matmul(name):
    dtype = getattr(nl, name)
    a, b = random(P, 64).astype(dtype), random(P, F, seed=1).astype(dtype)
    for product in products(a, b):
        assert product.dtype == np.float32
        assert np.allclose(product, f32(a).T @ f32(b), rtol=1e-4, atol=1e-4)


@nki.jit(mode="simulation")
def transposes(a_tensor):
    a = nl.load(a_tensor)
    return stored(nisa.nc_transpose(a), nisa.nc_transpose(a[0:32, 0:32], engine=nisa.vector_engine))


def test_nc_transpose():
    a = random(P, 64)
    whole, small = transposes(a)
    assert np.array_equal(whole, a.T)
    assert np.array_equal(small, a[:32, :32].T)


@nki.jit(mode="simulation")
def shuffles(a_tensor):
    a = nl.load(a_tensor)
    turned = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(src=a, dst=turned, shuffle_mask=[(i + 1) % 32 for i in range(32)])
    spread = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(src=a, dst=spread, shuffle_mask=[0] * 32)
    nisa.nc_stream_shuffle(src=a, dst=spread, shuffle_mask=[255] * 31 + [5])
    return stored(turned, spread)


def test_nc_stream_shuffle():
    a = random(P, 16)
    turned, spread = shuffles(a)
    quadrants = a.reshape(4, 32, 16)
    assert np.array_equal(turned.reshape(4, 32, 16), np.roll(quadrants, -1, axis=1))
    expected = np.repeat(quadrants[:, :1], 32, axis=1)
    expected[:, 31] = quadrants[:, 5]
    assert np.array_equal(spread.reshape(4, 32, 16), expected)


@nki.jit(mode="simulation")
def ranges(a_tensor, low_tensor, high_tensor, dtype):
    a, low, high = nl.load(a_tensor), nl.load(low_tensor), nl.load(high_tensor)
    best = nl.ndarray((P, 1), dtype=dtype, buffer=nl.sbuf)
    inside = nisa.range_select(
        on_true_tile=a,
        comp_op0=np.greater_equal,
        comp_op1=np.less,
        bound0=low,
        bound1=high,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
        reduce_res=best,
        reduce_op=np.max,
        range_start=10,
        on_false_value=nl.fp32.min,
        dtype=dtype,
    )
    return stored(inside, best)


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e4m3", "float8_e5m2"])
def test_range_select(name):
    dtype = getattr(nl, name)
    a, low = random(P, 64), np.arange(P, dtype=np.float32)[:, None] % 40 + 10
    inside, best = ranges(a, low, low + 7, dtype)
    positions = 10 + np.arange(64)
    expected = np.where((positions >= low) & (positions < low + 7), a, np.finfo(np.float32).min)
    with np.errstate(over="ignore"):
        assert np.array_equal(inside, expected.astype(dtype))
        assert np.array_equal(best, expected.max(axis=1, keepdims=True).astype(dtype))


@nki.jit(mode="simulation")
def elementwise(a_tensor, b_tensor, c_tensor):
    a, b, c = nl.load(a_tensor), nl.load(b_tensor), nl.load(c_tensor)
    return stored(
        nisa.reciprocal(a),
        nisa.tensor_tensor(a, b, op=np.maximum),
        nisa.tensor_tensor(a, b, op=nl.less, dtype=nl.uint8),
        nisa.tensor_scalar(a, op0=np.multiply, operand0=2.0, op1=np.subtract, operand1=c),
        nisa.tensor_scalar(a, op0=np.subtract, operand0=1.0, reverse0=True),
        nisa.scalar_tensor_tensor(data=a, op0=np.multiply, operand0=c, op1=np.add, operand1=b),
        nisa.tensor_copy(a, dtype=nl.bfloat16),
    )


def test_elementwise_instructions():
    a, b, c = np.abs(random(P, F)) + 0.5, random(P, F, seed=1), random(P, 1, seed=2)
    inverse, greater, less, fused, reversed_, three, copied = elementwise(a, b, c)
    assert np.allclose(inverse, 1 / a, rtol=1e-5)
    assert np.array_equal(greater, np.maximum(a, b))
    assert np.array_equal(less, a < b)
    assert np.allclose(fused, a * 2 - c, atol=1e-5)
    assert np.allclose(reversed_, 1 - a, atol=1e-6)
    assert np.allclose(three, a * c + b, atol=1e-5)
    assert np.array_equal(copied, a.astype(nl.bfloat16))


@nki.jit(mode="simulation")
def integers(a_tensor, b_tensor):
    a, b = nl.load(a_tensor), nl.load(b_tensor)
    return stored(
        nisa.tensor_tensor(a, b, op=np.bitwise_and),
        nisa.tensor_tensor(a, b, op=np.add),
        nisa.tensor_scalar(a, op0=nl.left_shift, operand0=3),
        nisa.tensor_scalar(a, op0=nl.bitwise_xor, operand0=0x55),
    )


def test_integer_instructions():
    a = np.random.default_rng(0).integers(0, 2**20, (P, 64)).astype(np.int32)
    b = np.random.default_rng(1).integers(0, 2**30, (P, 64)).astype(np.int32)
    both, added, shifted, flipped = integers(a, b)
    assert np.array_equal(both, a & b)
    assert np.array_equal(added, a + b)
    assert np.array_equal(shifted, a << 3)
    assert np.array_equal(flipped, a ^ 0x55)


@nki.jit(mode="simulation")
def reductions(a_tensor):
    a = nl.load(a_tensor)
    total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    doubled = nisa.tensor_scalar_reduce(data=a, op0=np.multiply, operand0=2.0, reduce_op=np.add, reduce_res=total[...])
    return stored(
        nisa.tensor_reduce(np.add, a, axis=[1]),
        nisa.tensor_reduce(np.max, a, axis=(1,), negate=True, keepdims=True),
        nisa.tensor_partition_reduce(np.add, a),
        doubled,
        total,
    )


def test_reductions():
    a = random(P, F)
    sums, negated, columns, doubled, total = reductions(a)
    assert np.allclose(sums.ravel(), a.sum(axis=1), atol=1e-3)
    assert np.array_equal(negated, -a.max(axis=1, keepdims=True))
    assert np.allclose(columns, a.sum(axis=0, keepdims=True), atol=1e-3)
    assert np.allclose(doubled, 2 * a)
    assert np.allclose(total, 2 * a.sum(axis=1, keepdims=True), atol=1e-3)


@nki.jit(mode="simulation")
def blocks(a_tensor):
    a = nl.load(a_tensor)
    return stored(nisa.tensor_reduce(np.add, a, axis=[2]), nisa.tensor_reduce(np.min, a, axis=[1, 2], keepdims=True))


def test_reductions_of_three_dimensions():
    a = random(P, 4, 32)
    inner, outer = blocks(a)
    assert np.allclose(inner, a.sum(axis=2), atol=1e-4)
    assert np.array_equal(outer, a.min(axis=(1, 2), keepdims=True))


@nki.jit(mode="simulation")
def scans(a_tensor, b_tensor, start_tensor):
    a, b, start = nl.load(a_tensor), nl.load(b_tensor), nl.load(start_tensor)
    return stored(
        nisa.tensor_tensor_scan(a, b, initial=start, op0=np.multiply, op1=np.add),
        nisa.tensor_tensor_scan(a, b, initial=0.0, op0=np.add, op1=np.maximum),
    )


def test_tensor_tensor_scan():
    a, b, start = random(P, 32), random(P, 32, seed=1), random(P, 1, seed=2)
    fused, other = scans(a, b, start)
    state, second = start[:, 0], np.zeros(P, np.float32)
    for at in range(32):
        state = a[:, at] * state + b[:, at]
        second = np.maximum(a[:, at] + second, b[:, at])
        assert np.allclose(fused[:, at], state, rtol=1e-4, atol=1e-5)
        assert np.allclose(other[:, at], second, atol=1e-5)


@nki.jit(mode="simulation")
def running_sums(a_tensor, start_tensor):
    a, start = nl.load(a_tensor), nl.load(start_tensor)
    whole = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=whole, src=a, op0=nl.multiply, op1=nl.add, imm0=2.0)
    loaded = nl.ndarray(a.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(
        dst=loaded,
        src=a,
        op0=np.add,
        op1=np.maximum,
        imm0=1.0,
        imm1=start,
        reduce_cmd=nisa.reduce_cmd.load_reduce,
    )
    return stored(whole, loaded)


def test_tensor_scalar_cumulative():
    a, start = random(P, 64), random(P, 1, seed=1)
    whole, loaded = running_sums(a, start)
    assert np.allclose(whole, np.cumsum(2 * a, axis=1), atol=1e-4)
    assert np.allclose(loaded, np.maximum(np.maximum.accumulate(a + 1, axis=1), start), atol=1e-6)


@nki.jit(mode="simulation")
def selections(a_tensor, b_tensor):
    a, b = nl.load(a_tensor), nl.load(b_tensor)
    less = nisa.tensor_tensor(a, b, op=np.less, dtype=nl.bool_)
    copied = nl.copy(b)
    nisa.tensor_copy_predicated(src=a, dst=copied, predicate=less)
    chosen = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    best = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.select_reduce(
        dst=chosen,
        predicate=less,
        on_true=a,
        on_false=-5.0,
        reduce_res=best,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
        reduce_op=nl.maximum,
    )
    return stored(copied, chosen, best)


def test_predicates_are_truth_values():
    a, b = random(P, F), random(P, F, seed=1)
    copied, chosen, best = selections(a, b)
    assert np.array_equal(copied, np.minimum(a, b))
    expected = np.where(a < b, a, np.float32(-5))
    assert np.array_equal(chosen, expected)
    assert np.array_equal(best, expected.max(axis=1, keepdims=True))


@nki.jit(mode="simulation")
def groups(a_tensor, index_tensor, elements, count):
    return stored(nisa.local_gather(nl.load(a_tensor), nl.load(index_tensor), elements, count))


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_local_gather(elements):
    random_numbers = np.random.default_rng(0)
    a = random(P, 64 * elements)
    index = (random_numbers.integers(0, 64, (P, 2)) * elements).astype(np.uint16)
    found = groups(a, index, elements, 20).reshape(P, 20, elements)
    for core in range(8):
        rows = slice(16 * core, 16 * core + 16)
        order = index[rows].flatten(order="F")[:20]
        for at, start in enumerate(order):
            assert np.array_equal(found[rows, at], a[rows, start : start + elements])


@nki.jit(mode="simulation")
def bounds(ids_tensor):
    return stored(nisa.sequence_bounds(segment_ids=nl.load(ids_tensor)))


def test_sequence_bounds():
    ids = np.array([[0, 1, 1, 2, 2, 2, 0, 3, 3]], dtype=np.float32)
    found = bounds(ids).reshape(2, 9)
    starts, ends = [9, 1, 1, 3, 3, 3, 9, 7, 7], [-1, 3, 3, 6, 6, 6, -1, 9, 9]
    assert np.array_equal(found[0], starts)
    assert np.array_equal(found[1], ends)


@nki.jit(mode="simulation")
def dropped(a_tensor, probability):
    return stored(nisa.dropout(nl.load(a_tensor), prob=probability))


def test_dropout():
    a = random(P, F) + 10
    assert np.array_equal(dropped(a, 0.0), a)
    assert (dropped(a, 1.0) == 0).all()
    some = dropped(a, 0.25)
    assert 0.2 < (some == 0).mean() < 0.3
    assert np.array_equal(some[some != 0], a[some != 0])


def test_the_version_of_the_core():
    found = []

    def kernel(a: nt.tensor, out: nt.mutable_tensor):
        found.append(nisa.get_nc_version())
        nl.store(out, nl.load(a))

    out = np.zeros((P, 8), np.float32)
    nki.simulate_kernel(kernel, random(P, 8), out)
    assert found == [nisa.nc_version.gen3]


@nki.jit(mode="simulation")
def columns_at(a_tensor, places_tensor):
    a, places = nl.load(a_tensor), nl.load(places_tensor)
    i_p, i_f = nl.arange(P)[:, None], nl.arange(8)[None, :]
    blocks = a.reshape((P, 64, 8))
    single = nl.ndarray((P, 4), dtype=a.dtype)
    wide = nl.ndarray((P, 4, 8), dtype=a.dtype)
    spread = nl.zeros((P, 64, 8), dtype=a.dtype)
    for at in nl.affine_range(4):
        single[:, at] = nisa.tensor_copy_dynamic_src(a[:, places[0, at]])
        wide[i_p, at, i_f] = nisa.tensor_copy_dynamic_src(blocks[i_p, places[0, at], i_f])
        nisa.tensor_copy_dynamic_dst(dst=spread[i_p, places[0, at], i_f], src=wide[i_p, at, i_f])
    beside = nl.ndarray((P, 4, 3), dtype=a.dtype)
    i_x, i_y = nl.mgrid[0:P, 0:3]
    for at in nl.affine_range(4):
        beside[i_x, at, i_y] = nisa.tensor_copy_dynamic_src(a[i_x, places[0, at] + 2 * i_y + 1])
    return stored(single, wide, spread, beside)


def test_copies_from_and_to_a_place_known_at_run_time():
    a, places = random(P, F), np.array([[3, 60, 0, 17]], np.int32)
    single, wide, spread, beside = columns_at(a, places)
    assert np.array_equal(beside[:, 1], a[:, [61, 63, 65]])
    assert np.array_equal(single, a[:, places[0]])
    blocks = a.reshape(P, 64, 8)
    assert np.array_equal(wide, blocks[:, places[0]])
    expected = np.zeros_like(blocks)
    expected[:, places[0]] = blocks[:, places[0]]
    assert np.array_equal(spread, expected)


def test_only_these_copies_take_such_a_place():
    @nki.jit(mode="simulation")
    def kernel(a_tensor, places_tensor):
        return stored(nl.copy(nl.load(a_tensor)[:, nl.load(places_tensor)[0, 0]]))

    with pytest.raises(Exception, match=r"leg\.indirect"):
        kernel(random(P, F), np.zeros((1, 1), np.int32))


@pytest.mark.parametrize("place", [F, -1])
def test_places_out_of_bounds(place):
    with pytest.raises(Exception, match=r"leg\.oob_dynamic"):
        columns_at(random(P, F), np.array([[place, 0, 0, 0]], np.int32))


def test_limits_of_dtypes():
    assert nl.finfo(nl.float32).min == nl.fp32.min == np.finfo(np.float32).min
    assert float(nl.finfo(nl.bfloat16).max) > 3e38


@nki.jit(mode="simulation")
def scaled_where_given(a_tensor, factor=None):
    a = nl.load(a_tensor)
    if factor:
        a = nisa.tensor_scalar(a, op0=np.multiply, operand0=nl.load(factor))
    return stored(a)


def test_an_optional_tensor_is_asked_for_by_its_truth_value():
    a, factor = random(P, F), random(P, 1, seed=1)
    assert np.array_equal(scaled_where_given(a), a)
    assert np.array_equal(scaled_where_given(a, factor), a * factor)


@nki.jit(mode="simulation")
def products_of_pairs(a_tensor, b_tensor, mode):
    return stored(nisa.nc_matmul(nl.load(a_tensor), nl.load(b_tensor), perf_mode=mode))


@pytest.mark.parametrize("mode", ["double_row", "double_row_gen3"])
def test_nc_matmul_takes_a_performance_mode_by_name(mode):
    a, b = random(P, 2, 64).astype(nl.float8_e4m3), random(P, 2, 256, seed=1).astype(nl.float8_e4m3)
    found = products_of_pairs(a, b, mode)
    assert found.shape == (64, 256)
    wanted = f32(a).reshape(2 * P, 64).T @ f32(b).reshape(2 * P, 256)
    assert np.allclose(found, wanted, atol=1e-2)
    with pytest.raises(NotImplementedError, match="perf_mode"):
        products_of_pairs(a, b, "some_other")


@nki.jit(mode="simulation")
def transposed_by_dma(a_tensor):
    return stored(nisa.dma_transpose(nl.load(a_tensor), dge_mode=nisa.dge_mode.hwdge))


def test_dma_transpose_takes_the_mode_of_its_descriptors():
    a = random(P, 64)
    assert np.array_equal(transposed_by_dma(a), a.T)


@nki.jit(mode="simulation")
def by_the_names_of_axes(a_tensor):
    grid = nl.mgrid[0:P, 0:4, 0:8, 0:2]
    result = nl.ndarray((P, 4, 8, 2), dtype=a_tensor.dtype, buffer=nl.shared_hbm)
    nl.store(result[grid.p, grid.x, grid.y, grid.z], nl.load(a_tensor[grid.p, grid.x, grid.y, grid.z]))
    return result


def test_a_grid_names_its_axes():
    a = random(P, 4, 8, 2)
    assert np.array_equal(by_the_names_of_axes(a), a)


@nki.jit(mode="simulation")
def tile_on_chip(a_tensor):
    return nl.load(a_tensor)


def test_a_tile_in_sbuf_is_returned_with_a_warning():
    a = random(P, F)
    with pytest.warns(UserWarning, match="must be in HBM"):
        assert np.array_equal(tile_on_chip(a), a)


@nki.jit(mode="simulation")
def beyond_the_end(a_tensor):
    index = nl.arange(F + 1)[None, :]
    return stored(nl.load(a_tensor[nl.arange(P)[:, None], index]))


def test_an_index_beyond_the_end_is_an_index_error():
    with pytest.raises(IndexError, match=r"leg\.oob_static"):
        beyond_the_end(random(P, F))
