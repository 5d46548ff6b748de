"""Kernels that keep their numbers finite, each with a variant that does not: `broken=True`.

They are derived by hand; the table of what they are given is in test_kernels.py.
"""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(shape, dtype=nl.float32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


def loaded(x):
    found = tile(x.shape, x.dtype)
    nisa.dma_copy(dst=found, src=x)
    return found


def stored(found, dtype=None):
    out = nl.ndarray(found.shape, dtype=dtype or found.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=converted(found, dtype or found.dtype))
    return out


def converted(data, dtype):
    found = tile(data.shape, dtype)
    nisa.tensor_copy(dst=found, src=data)
    return found


def function(op, data, dtype=nl.float32, **options):
    found = tile(data.shape, dtype)
    nisa.activation(dst=found, op=op, data=data, **options)
    return found


def with_number(data, op, number, dtype=nl.float32, reverse=False, then=None, second=None):
    found = tile(data.shape, dtype)
    nisa.tensor_scalar(dst=found, data=data, op0=op, operand0=number, reverse0=reverse, op1=then, operand1=second)
    return found


def together(one, other, op, dtype=nl.float32):
    found = tile(one.shape, dtype)
    nisa.tensor_tensor(dst=found, data1=one, data2=other, op=op)
    return found


def reduced(data, op, negate=False, dtype=nl.float32):
    found = tile((data.shape[0], 1), dtype)
    nisa.tensor_reduce(dst=found, op=op, data=data, axis=1, negate=negate)
    return found


def exponentials(data, bias=None, scale=1.0, dtype=nl.float32):
    """exp(scale * data + bias), and the sums of the rows."""
    found, sums = tile(data.shape, dtype), tile((data.shape[0], 1))
    nisa.activation_reduce(dst=found, op=nl.exp, data=data, bias=bias, scale=scale, reduce_op=nl.add, reduce_res=sums)
    return found, sums


def inverse(data):
    found = tile(data.shape)
    nisa.reciprocal(dst=found, data=data)
    return found


def product(one, other):
    """The transpose of `one` times `other`."""
    sums = tile((one.shape[1], other.shape[1]), nl.float32, nl.psum)
    nisa.nc_matmul(dst=sums, stationary=one, moving=other)
    return converted(sums, nl.float32)


# --- softmax and its kind ---------------------------------------------------------------------------------------------


@nki.jit
def softmax(x, broken=False):
    data = loaded(x)
    greatest = None if broken else reduced(data, nl.maximum, negate=True)
    powers, sums = exponentials(data, greatest)
    return stored(with_number(powers, nl.multiply, inverse(sums)), x.dtype)


@nki.jit
def softmax_by_difference(x, broken=False):
    data = loaded(x)
    centred = data if broken else with_number(data, nl.subtract, reduced(data, nl.maximum))
    powers = function(nl.exp, centred, nl.bfloat16)
    return stored(with_number(powers, nl.multiply, inverse(reduced(powers, nl.add))))


@nki.jit
def softmax_scaled(x, broken=False):
    data, scale = loaded(x), 0.125
    # The scale of the maximum is forgotten: scale * x - max is no difference of two that go together.
    greatest = with_number(reduced(data, nl.maximum), nl.multiply, 1.0 if broken else -scale)
    powers, sums = exponentials(data, greatest, scale)
    return stored(with_number(powers, nl.multiply, inverse(sums)))


@nki.jit
def softmax_by_temperature(x, t, broken=False):
    data, heat = loaded(x), loaded(t)
    if not broken:
        heat = with_number(heat, nl.maximum, 0.01)
    warmed = with_number(data, nl.multiply, inverse(heat))
    powers, sums = exponentials(warmed, reduced(warmed, nl.maximum, negate=True))
    return stored(with_number(powers, nl.multiply, inverse(sums)))


@nki.jit
def log_sum_exp(x, broken=False):
    data = loaded(x)
    if broken:
        _, sums = exponentials(data)
        return stored(function(nl.log, sums))
    _, sums = exponentials(data, reduced(data, nl.maximum, negate=True))
    return stored(together(function(nl.log, sums), reduced(data, nl.maximum), nl.add))


@nki.jit
def log_softmax(x, broken=False):
    data = loaded(x)
    greatest = reduced(data, nl.maximum)
    centred = with_number(data, nl.subtract, greatest)
    if broken:
        # Of what is 0 in float32 there is no logarithm.
        powers, sums = exponentials(centred)
        return stored(function(nl.log, with_number(powers, nl.multiply, inverse(sums))))
    _, sums = exponentials(centred)
    return stored(with_number(centred, nl.subtract, function(nl.log, sums)))


@nki.jit
def cross_entropy(x, broken=False):
    data = loaded(x)
    centred = data if broken else with_number(data, nl.subtract, reduced(data, nl.maximum))
    _, sums = exponentials(centred)
    return stored(with_number(centred[:, 0:1], nl.subtract, function(nl.log, sums)))


@nki.jit
def attention(q, k, v, broken=False):
    """Queries and keys by columns, values by rows."""
    scores = product(loaded(q), loaded(k))
    greatest = None if broken else with_number(reduced(scores, nl.maximum), nl.multiply, -0.25)
    powers, sums = exponentials(scores, greatest, 0.25)
    weights = converted(with_number(powers, nl.multiply, inverse(sums)), nl.bfloat16)
    turned = tile((weights.shape[1], weights.shape[0]), nl.bfloat16, nl.psum)
    nisa.nc_transpose(dst=turned, data=weights)
    return stored(product(converted(turned, nl.bfloat16), loaded(v)))


@nki.jit
def attention_online(x, broken=False):
    """The sums of two tiles, rescaled to the greatest of both."""
    data = loaded(x)
    half = data.shape[1] // 2
    best, sums = tile((data.shape[0], 1)), tile((data.shape[0], 1))
    nisa.memset(best, -3.0e38 if broken else -1.0e4)
    nisa.memset(sums, 0.0)
    for part in range(2):
        piece = data[:, part * half : (part + 1) * half]
        better = together(best, reduced(piece, nl.maximum), nl.maximum)
        # Broken: the old sums are rescaled the wrong way round.
        difference = together(better, best, nl.subtract) if broken else together(best, better, nl.subtract)
        kept = function(nl.exp, difference)
        _, added = exponentials(piece, with_number(better, nl.multiply, -1.0))
        sums = together(together(sums, kept, nl.multiply), added, nl.add)
        best = better
    return stored(inverse(sums))


@nki.jit
def attention_from_infinity(x, broken=False):
    """The running maximum begins with -inf, which is meant."""
    data = loaded(x)
    best = tile((data.shape[0], 1))
    nisa.memset(best, float("-inf"))
    better = together(best, reduced(data, nl.maximum), nl.maximum)
    kept = function(nl.exp, together(best, best if broken else better, nl.subtract))
    _, added = exponentials(data, with_number(better, nl.multiply, -1.0))
    return stored(inverse(together(kept, added, nl.add)))


@nki.jit
def causal_mask(x, broken=False):
    """Elements right of the diagonal are -inf; the broken kernel leaves nothing in the first row."""
    data = loaded(x)
    _, columns = data.shape
    masked = tile(data.shape)
    nisa.affine_select(
        dst=masked,
        pattern=[[-1, columns]],
        offset=-1 if broken else 0,
        channel_multiplier=1,
        on_true_tile=converted(data, nl.float32),
        on_false_value=float("-inf"),
        cmp_op=nl.greater_equal,
    )
    powers, sums = exponentials(masked, reduced(masked, nl.maximum, negate=True))
    return stored(with_number(powers, nl.multiply, inverse(sums)))


def weights(scores):
    powers, sums = exponentials(scores, reduced(scores, nl.maximum, negate=True))
    return with_number(powers, nl.multiply, inverse(sums))


@nki.jit
def causal_mask_by_number(x, broken=False):
    """A row of which nothing is left has the same weight everywhere, though all of it is masked."""
    data = loaded(x)
    masked = tile(data.shape)
    nisa.affine_select(
        dst=masked,
        pattern=[[-1, data.shape[1]]],
        offset=-1 if broken else 0,
        channel_multiplier=1,
        on_true_tile=data,
        on_false_value=-30000.0,
        cmp_op=nl.greater_equal,
    )
    return stored(weights(masked))


@nki.jit
def mask_by_window(x, broken=False):
    """The eight columns up to that of its own number are left of each row, or none."""
    masked = loaded(x)
    for step, last in ((-1, 0), (1, -1 if broken else 7)):
        data, masked = masked, tile(masked.shape)
        nisa.affine_select(
            dst=masked,
            pattern=[[step, x.shape[1]]],
            offset=last,
            channel_multiplier=-step,
            on_true_tile=data,
            on_false_value=-30000.0,
            cmp_op=nl.greater_equal,
        )
    return stored(weights(masked))


@nki.jit
def mask_by_predicate(x, m, broken=False):
    """The first column is never masked, or may be."""
    data, mask = loaded(x), loaded(m)
    first = converted(data[:, 0:1], nl.float32)
    nisa.tensor_copy_predicated(dst=data, src=-30000.0, predicate=mask)
    if not broken:
        nisa.tensor_copy(dst=data[:, 0:1], src=first)
    return stored(weights(data))


@nki.jit
def mask_by_range(x, ends, broken=False):
    """Columns from the end of each row on are masked; an end of 0 leaves nothing."""
    data, limits, starts = loaded(x), loaded(ends), tile((x.shape[0], 1))
    nisa.memset(starts, 0.0)
    if not broken:
        limits = with_number(limits, nl.maximum, 1.0)
    masked, greatest = tile(data.shape), tile((x.shape[0], 1))
    nisa.range_select(
        dst=masked,
        on_true_tile=data,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=starts,
        bound1=limits,
        reduce_cmd=nisa.reduce_cmd.reset_reduce,
        reduce_res=greatest,
        reduce_op=nl.maximum,
        on_false_value=-3.4028234663852886e38,
    )
    powers, sums = exponentials(masked, with_number(greatest, nl.multiply, -1.0))
    return stored(with_number(powers, nl.multiply, inverse(sums)))


@nki.jit
def mask_by_small_number(x, m, broken=False):
    """What is masked is greater than some scores."""
    data, mask = loaded(x), loaded(m)
    first = converted(data[:, 0:1], nl.float32)
    nisa.tensor_copy_predicated(dst=data, src=-1500.0 if broken else -30000.0, predicate=mask)
    nisa.tensor_copy(dst=data[:, 0:1], src=first)
    return stored(weights(data))


def causal(data):
    masked = tile(data.shape)
    nisa.affine_select(
        dst=masked,
        pattern=[[-1, data.shape[1]]],
        channel_multiplier=1,
        on_true_tile=data,
        on_false_value=-30000.0,
        cmp_op=nl.greater_equal,
    )
    return masked


@nki.jit
def masked_scores(x, broken=False):
    """Scores of which a part is masked, scaled: so little that what is masked could be a score, or not."""
    return stored(with_number(causal(loaded(x)), nl.multiply, 1e-6 if broken else 0.125))


@nki.jit
def masked_scores_in_steps(x, broken=False):
    """Each step is a usual one: all together are not."""
    scores = causal(loaded(x))
    for _ in range(4 if broken else 1):
        scores = with_number(scores, nl.multiply, 0.0625)
    return stored(scores)


@nki.jit
def masked_minima(x, broken=False):
    """The least of each row, which is what is filled in, scaled."""
    return stored(with_number(reduced(causal(loaded(x)), nl.minimum), nl.multiply, 1e-7 if broken else 0.5))


@nki.jit
def mask_by_fill(x, broken=False):
    """What is masked is a number that the dtype has, or has not."""
    data = loaded(x)
    filled = with_number(data, nl.add, -1.0e5 if broken else -3.0e4, nl.float16)
    powers, sums = exponentials(filled, reduced(filled, nl.maximum, negate=True))
    return stored(with_number(powers, nl.multiply, inverse(sums)))


@nki.jit
def scaled_to_unit(x, broken=False):
    """From 0 to 1: rows of one number have no width."""
    data = loaded(x)
    least = reduced(data, nl.minimum)
    width = together(reduced(data, nl.maximum), least, nl.subtract)
    if not broken:
        width = with_number(width, nl.add, 1e-3)
    return stored(with_number(data, nl.subtract, least, then=nl.multiply, second=inverse(width)))


@nki.jit
def rest_of_rounding(x, broken=False):
    """What bfloat16 leaves of a number, enlarged; or the number itself."""
    data = loaded(x)
    rest = together(data, data if broken else converted(data, nl.bfloat16), nl.add if broken else nl.subtract)
    return stored(with_number(rest, nl.multiply, 100.0), nl.float16)


# --- norms ------------------------------------------------------------------------------------------------------------


@nki.jit
def layer_norm(x, broken=False):
    data = loaded(x)
    count = data.shape[1]
    means = with_number(reduced(data, nl.add), nl.multiply, 1.0 / count)
    centred = with_number(data, nl.subtract, means)
    variances = with_number(reduced(together(centred, centred, nl.multiply), nl.add), nl.multiply, 1.0 / count)
    if not broken:
        variances = with_number(variances, nl.add, 1e-5)
    return stored(with_number(centred, nl.multiply, function(nl.rsqrt, variances)))


@nki.jit
def layer_norm_by_moments(x, broken=False):
    """The variance as the mean of squares less the square of the mean, which rounds to less than 0."""
    data = loaded(x)
    count = data.shape[1]
    means = with_number(reduced(data, nl.add), nl.multiply, 1.0 / count)
    squares = with_number(reduced(function(nl.square, data), nl.add), nl.multiply, 1.0 / count)
    variances = together(squares, together(means, means, nl.multiply), nl.subtract)
    if not broken:
        variances = with_number(variances, nl.maximum, 0.0)
    variances = with_number(variances, nl.add, 1e-6)
    return stored(function(nl.rsqrt, variances))


@nki.jit
def layer_norm_by_statistics(x, broken=False):
    data = loaded(x)
    statistics, moments = tile((data.shape[0], 6)), tile((data.shape[0], 2))
    nisa.bn_stats(dst=statistics, data=data)
    nisa.bn_aggr(dst=moments, data=statistics)
    variances = with_number(moments[:, 1:2], nl.add, 0.0 if broken else 1e-5)
    return stored(function(nl.rsqrt, variances))


@nki.jit
def rms_norm(x, broken=False):
    data = loaded(x)
    means = with_number(reduced(function(nl.square, data), nl.add), nl.multiply, 1.0 / data.shape[1])
    if not broken:
        means = with_number(means, nl.add, 1e-6)
    return stored(with_number(data, nl.multiply, function(nl.rsqrt, means)), x.dtype)


@nki.jit
def rms_norm_by_power(x, broken=False):
    data = loaded(x)
    sums = reduced(together(data, data, nl.multiply), nl.add)
    return stored(with_number(sums, nl.add, 0.0 if broken else 1e-6, then=nl.power, second=-0.5))


@nki.jit
def unit_length(x, broken=False):
    data = loaded(x)
    sums = reduced(function(nl.square, data), nl.add)
    lengths = function(nl.sqrt, sums)
    if not broken:
        lengths = with_number(lengths, nl.maximum, 1e-6)
    return stored(with_number(data, nl.multiply, inverse(lengths)))


@nki.jit
def clipped_by_norm(x, broken=False):
    data = loaded(x)
    lengths = function(nl.sqrt, reduced(function(nl.square, data), nl.add))
    factors = inverse(lengths if broken else with_number(lengths, nl.add, 1e-8))
    return stored(with_number(data, nl.multiply, with_number(factors, nl.minimum, 1.0)))


# --- quantisation -----------------------------------------------------------------------------------------------------


@nki.jit
def to_fp8(x, broken=False):
    data = loaded(x)
    if not broken:
        data = with_number(data, nl.minimum, 240.0, then=nl.maximum, second=-240.0)
    return stored(data, nl.float8_e4m3)


@nki.jit
def to_wide_fp8(x, broken=False):
    """Gradients times a loss scale."""
    scaled = with_number(loaded(x), nl.multiply, 1024.0)
    if not broken:
        scaled = with_number(scaled, nl.minimum, 57344.0, then=nl.maximum, second=-57344.0)
    return stored(scaled, nl.float8_e5m2)


@nki.jit
def to_int8(x, broken=False):
    scaled = with_number(loaded(x), nl.multiply, 12.7)
    if not broken:
        scaled = with_number(scaled, nl.minimum, 127.0, then=nl.maximum, second=-127.0)
    return stored(scaled, nl.int8)


@nki.jit
def to_fp8_by_rows(x, broken=False):
    """Each row is scaled by its greatest magnitude; a row of zeros has none."""
    data = loaded(x)
    greatest = reduced(function(nl.abs, data), nl.maximum)
    if not broken:
        greatest = with_number(greatest, nl.maximum, 1e-6)
    scaled = with_number(with_number(data, nl.multiply, inverse(greatest)), nl.multiply, 240.0)
    return stored(with_number(scaled, nl.minimum, 240.0, then=nl.maximum, second=-240.0), nl.float8_e4m3)


@nki.jit
def from_int8(x, s, broken=False):
    scales = loaded(s)
    data = converted(loaded(x), nl.float32)
    return stored(with_number(data, nl.multiply, inverse(scales) if broken else scales))


@nki.jit
def sum_of_bytes(x, broken=False):
    data = loaded(x)
    return stored(reduced(data, nl.add, dtype=nl.int8 if broken else nl.int32))


@nki.jit
def mean_of_bytes(x, y, broken=False):
    total = together(loaded(x), loaded(y), nl.add, nl.uint8 if broken else nl.float32)
    return stored(with_number(total, nl.multiply, 0.5), nl.uint8)


# --- activation functions by hand -------------------------------------------------------------------------------------


@nki.jit
def sigmoid(x, broken=False):
    data = loaded(x)
    if not broken:
        data = with_number(data, nl.maximum, -80.0)
    powers = function(nl.exp, data, scale=-1.0)
    return stored(inverse(with_number(powers, nl.add, 1.0)))


@nki.jit
def softplus(x, broken=False):
    data = loaded(x)
    if broken:
        return stored(function(nl.log, with_number(function(nl.exp, data), nl.add, 1.0)))
    powers = function(nl.exp, function(nl.abs, data), scale=-1.0)
    rest = function(nl.log, with_number(powers, nl.add, 1.0))
    return stored(together(with_number(data, nl.maximum, 0.0), rest, nl.add))


@nki.jit
def gelu(x, broken=False):
    """By tanh of a polynomial; its cube has no room in float16."""
    data = loaded(x)
    cubes = together(together(data, data, nl.multiply), data, nl.multiply, nl.float16 if broken else nl.float32)
    inner = together(with_number(cubes, nl.multiply, 0.044715), data, nl.add)
    bent = function(nl.tanh, inner, scale=0.7978845608)
    return stored(together(with_number(bent, nl.add, 1.0, then=nl.multiply, second=0.5), data, nl.multiply))


@nki.jit
def gated(x, y, broken=False):
    data = loaded(x)
    opened = together(function(nl.silu, data), loaded(y), nl.multiply)
    return stored(opened, nl.float8_e4m3 if broken else nl.bfloat16)


@nki.jit
def logit(p, broken=False):
    data = loaded(p)
    if not broken:
        data = with_number(data, nl.maximum, 0.001, then=nl.minimum, second=0.999)
    rest = with_number(data, nl.subtract, 1.0, reverse=True)
    return stored(function(nl.log, together(data, inverse(rest), nl.multiply)))


@nki.jit
def entropy(p, broken=False):
    data = loaded(p)
    logarithms = function(nl.log, data if broken else with_number(data, nl.maximum, 1e-9))
    return stored(reduced(together(data, logarithms, nl.multiply), nl.add))


@nki.jit
def exponential(x, broken=False):
    data = loaded(x)
    return stored(function(nl.exp, data if broken else with_number(data, nl.minimum, 80.0)))


@nki.jit
def distance(x, y, broken=False):
    one, other = loaded(x), loaded(y)
    difference = together(one, other, nl.subtract)
    squares = difference if broken else together(difference, difference, nl.multiply)
    return stored(function(nl.sqrt, squares))


# --- sums, products, divisions ----------------------------------------------------------------------------------------


@nki.jit
def matmul(x, y, broken=False):
    return stored(product(loaded(x), loaded(y)), nl.float16 if broken else nl.bfloat16)


@nki.jit
def accumulated(x, broken=False):
    """A sum over tiles, kept in float16 or float32."""
    data = loaded(x)
    kept = nl.float16 if broken else nl.float32
    sums = tile((data.shape[0], 1), kept)
    nisa.memset(sums, 0.0)
    for column in range(data.shape[1]):
        sums = together(sums, data[:, column : column + 1], nl.add, kept)
    return stored(sums, nl.float32)


@nki.jit
def cumulative_product(x, broken=False):
    data = loaded(x)
    if broken:
        data = with_number(data, nl.multiply, 300.0)
    ones, found = tile(data.shape), tile(data.shape)
    nisa.memset(ones, 0.0)
    nisa.tensor_tensor_scan(dst=found, data0=data, data1=ones, initial=1.0, op0=nl.multiply, op1=nl.add)
    return stored(found)


@nki.jit
def moving_average(x, broken=False):
    data = loaded(x)
    state = converted(data, nl.float32)
    for _ in range(40):
        state = with_number(state, nl.multiply, 10.0 if broken else 0.9)
        state = together(state, data, nl.add)
    return stored(state)


@nki.jit
def reciprocal_of_sums(x, broken=False):
    sums = reduced(loaded(x), nl.add)
    return stored(inverse(sums if broken else with_number(sums, nl.add, 1e-6)))


@nki.jit
def harmonic_mean(x, broken=False):
    data = loaded(x)
    if not broken:
        data = with_number(data, nl.maximum, 0.01)
    return stored(inverse(reduced(inverse(data), nl.add)))


@nki.jit
def quotient(x, y, broken=False):
    divisor = loaded(y)
    if not broken:
        divisor = with_number(function(nl.abs, divisor), nl.add, 1e-3)
    return stored(together(loaded(x), inverse(divisor), nl.multiply))


@nki.jit
def adam(g, m, v, broken=False):
    gradient, first, second = loaded(g), loaded(m), loaded(v)
    first = together(with_number(first, nl.multiply, 0.9), with_number(gradient, nl.multiply, 0.1), nl.add)
    squares = with_number(together(gradient, gradient, nl.multiply), nl.multiply, 0.001)
    second = together(with_number(second, nl.multiply, 0.999), squares, nl.add)
    roots = function(nl.sqrt, second)
    if not broken:
        roots = with_number(roots, nl.add, 1e-8)
    return stored(together(first, inverse(roots), nl.multiply))
