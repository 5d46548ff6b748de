"""Functions of the current language, each against NumPy, and kernels of several tiles."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest

P, F = 128, 64


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def simulated(body, *arrays):
    """What a function of tiles gives for arrays."""

    @nki.jit(mode="simulation")
    def kernel(*tensors):
        tile = body(*(nl.load(tensor) for tensor in tensors))
        if tile.buffer == nl.psum:
            tile = nl.copy(tile)
        out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
        nl.store(out, tile)
        return out

    return kernel(*arrays)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "abs": np.abs,
    "ceil": np.ceil,
    "cos": np.cos,
    "exp": np.exp,
    "floor": np.floor,
    "gelu_apprx_sigmoid": lambda x: x * sigmoid(1.702 * x),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "sign": np.sign,
    "silu": lambda x: x * sigmoid(x),
    "sin": np.sin,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "square": np.square,
    "tanh": np.tanh,
    "trunc": np.trunc,
}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype):
    x = random(P, F).astype(getattr(nl, dtype))
    found = simulated(getattr(nl, name), x)
    assert found.dtype == x.dtype
    expected = FUNCTIONS[name](x.astype(np.float32))
    assert np.allclose(found.astype(np.float32), expected, rtol=1e-5 if dtype == "float32" else 1e-2, atol=1e-3)


@pytest.mark.parametrize("name", ["log", "sqrt", "rsqrt", "reciprocal"])
def test_functions_of_positive_numbers(name):
    x = np.abs(random(P, F)) + 0.1
    reference = {"rsqrt": lambda x: 1 / np.sqrt(x)}.get(name) or getattr(np, name)
    assert np.allclose(simulated(getattr(nl, name), x), reference(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_arithmetic(name):
    x, y = random(P, F), random(P, F, seed=1)
    assert np.allclose(simulated(getattr(nl, name), x, y), getattr(np, name)(x, y))
    assert np.allclose(simulated(lambda a: getattr(nl, name)(a, 2.0), x), getattr(np, name)(x, 2.0))


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_comparisons(name):
    x, y = np.round(random(P, F)), np.round(random(P, F, seed=1))
    assert np.array_equal(
        simulated(lambda a, b: getattr(nl, name)(a, b, dtype=nl.uint8), x, y), getattr(np, name)(x, y)
    )


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
def test_bits(name):
    numbers = np.random.default_rng(0)
    x, y = numbers.integers(0, 100, (P, F)).astype(np.uint8), numbers.integers(0, 7, (P, F)).astype(np.uint8)
    assert np.array_equal(simulated(getattr(nl, name), x, y), getattr(np, name)(x, y))


@pytest.mark.parametrize("name", ["sum", "max", "min", "mean", "prod"])
def test_reductions(name):
    x = random(P, F) / 4 + 1
    expected = getattr(np, name)(x, axis=1, keepdims=True)
    assert np.allclose(simulated(lambda a: getattr(nl, name)(a, axis=1, keepdims=True), x), expected, rtol=1e-4)


def test_softmax_and_variance():
    x = random(P, F)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    assert np.allclose(simulated(nl.softmax, x), powers / powers.sum(axis=1, keepdims=True), atol=1e-6)
    assert np.allclose(simulated(lambda a: nl.var(a, axis=1), x), x.var(axis=1, keepdims=True), rtol=1e-4)


def test_where():
    x, y = random(P, F), random(P, F, seed=1)
    assert np.array_equal(simulated(lambda a, b: nl.where(nl.greater(a, b), a, b), x, y), np.maximum(x, y))


def test_products():
    x, y = random(P, P), random(P, F, seed=1)
    found = simulated(lambda a, b: nl.matmul(a, b, transpose_x=True), x, y)
    assert np.allclose(found, x.T @ y, rtol=1e-4, atol=1e-4)
    assert np.array_equal(simulated(nl.transpose, x), x.T)


def test_random_numbers():
    def body(a):
        nl.random_seed(a)
        return nl.rand((P, F), nl.bfloat16)

    draw = lambda seed: simulated(body, np.array([[seed]], np.int32)).astype(np.float32)  # noqa: E731
    assert np.array_equal(draw(3), draw(3))
    assert not np.array_equal(draw(3), draw(4))
    assert 0 <= draw(3).min() <= draw(3).max() < 1


def test_dropout():
    x = random(P, F) + 10
    some = simulated(lambda a: nl.dropout(a, 0.25), x)
    assert 0.2 < (some == 0).mean() < 0.3
    assert np.array_equal(some, np.where(some == 0, 0, x))


def test_views():
    x = random(P, 4, 16)
    found = simulated(lambda a: nl.copy(a.permute((0, 2, 1))), x)
    assert np.array_equal(found, x.transpose(0, 2, 1))
    assert np.array_equal(simulated(lambda a: nl.copy(a.reshape((P, 64))), x), x.reshape(P, 64))
    assert np.array_equal(simulated(lambda a: nl.copy(a[:, 1:3, ::2]), x), x[:, 1:3, ::2])


def test_a_tiled_product():
    @nki.jit
    def kernel(lhs_t, rhs):
        k, m = lhs_t.shape
        _, n = rhs.shape
        out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
        for row in nl.affine_range(m // 128):
            total = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.psum)
            for step in nl.affine_range(k // 128):
                rows = nl.ds(step * 128, 128)
                a = nl.load(lhs_t[rows, row * 128 : (row + 1) * 128])
                nisa.nc_matmul(total, a, nl.load(rhs[rows, :]))
            nl.store(out[row * 128 : (row + 1) * 128, :], nl.copy(total))
        return out

    x, y = random(256, 256).astype(nl.bfloat16), random(256, 512, seed=1).astype(nl.bfloat16)
    expected = x.astype(np.float32).T @ y.astype(np.float32)
    assert np.allclose(kernel(x, y), expected, rtol=1e-3, atol=1e-3)


def test_a_layer_norm():
    @nki.jit
    def kernel(x, scale, epsilon=1e-5):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        weight = nl.broadcast_to(nl.load(scale), (1, x.shape[1]))
        for block in range(x.shape[0] // 128):
            rows = slice(block * 128, block * 128 + 128)
            tile = nl.load(x[rows, :])
            mean = nl.mean(tile, axis=1, keepdims=True)
            centred = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(centred, tile, nl.subtract, mean)
            variance = nl.mean(nl.square(centred), axis=1, keepdims=True)
            inverse = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_scalar(inverse, variance, nl.add, epsilon, op1=nl.rsqrt, operand1=None)
            normed = nl.ndarray(tile.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_scalar(normed, centred, nl.multiply, inverse)
            for row in range(0, 128, 32):
                # The weight is one row: it is spread by a product with ones.
                ones = nl.full((1, 32), 1.0, dtype=nl.float32)
                spread = nl.ndarray((32, x.shape[1]), dtype=nl.float32, buffer=nl.psum)
                nisa.nc_matmul(spread, ones, weight)
                nisa.tensor_tensor(normed[row : row + 32, :], normed[row : row + 32, :], spread, nl.multiply)
            nl.store(out[rows, :], normed)
        return out

    x, scale = random(256, 96), random(1, 96, seed=1)
    centred = x - x.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * scale
    assert np.allclose(kernel(x, scale), expected, rtol=1e-4, atol=1e-4)


def test_two_cores():
    @nki.jit
    def kernel(x):
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        rows = x.shape[0] // nl.num_programs(0)
        mine = nl.ds(nl.program_id(0) * rows, rows)
        nl.store(out[mine, :], nl.square(nl.load(x[mine, :])))
        return out

    x = random(P, F)
    for cores in (1, 2):
        assert np.allclose(nki.simulate(kernel[cores])(x), x * x)
        assert np.allclose(kernel[cores](x), x * x)


def test_what_does_not_compile_simulates_with_a_warning():
    @nki.jit
    def kernel(a, b):
        x, y = nl.load(a), nl.load(b)
        results = nl.divide(x, y), nl.mod(x, y), nl.fmod(x, y), nl.copy(nl.matmul(x, y))
        written = tuple(nl.ndarray(each.shape, dtype=each.dtype, buffer=nl.shared_hbm) for each in results)
        for tensor, tile in zip(written, results, strict=True):
            nl.store(tensor, tile)
        return written

    x, y = random(64, 64), np.abs(random(64, 64, seed=1)) + 0.5
    with pytest.warns(UserWarning, match="fails to compile"):
        quotient, mod, rest, product = kernel(x, y)
    assert np.allclose(quotient, x / y)
    assert np.allclose(mod, np.mod(x, y), atol=1e-6)
    assert np.allclose(rest, np.fmod(x, y), atol=1e-6)
    assert np.allclose(product, x @ y, atol=1e-4)
