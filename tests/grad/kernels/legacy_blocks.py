"""A linear layer over blocks of 8 rows in the legacy API, whose loops are traced once."""

import neuronxcc.nki.language as nl

ROWS = 8


def _hbm(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)


def _backward(x, w, dy, loop, factor):
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights, total = nl.copy(nl.transpose(nl.load(w))), nl.zeros(w.shape, nl.float32, buffer=nl.psum)
    count = 0
    for i in loop(x.shape[0] // ROWS):
        rows = nl.ds(i * ROWS, ROWS)
        tile, above = nl.load(x[rows, :]), nl.load(dy[rows, :])
        nl.store(dx[rows, :], nl.copy(nl.matmul(above, weights)) * factor(count))
        total += nl.matmul(tile, above, transpose_x=True)
        count += 1  # noqa: SIM113 (it is what is asked about)
    nl.store(dw, nl.copy(total))
    return dx, dw


def in_psum(x, w, dy):
    dx, dw = _hbm(x.shape), _hbm(w.shape)
    weights, total = nl.copy(nl.transpose(nl.load(w))), nl.zeros(w.shape, nl.float32, buffer=nl.psum)
    for i in nl.affine_range(x.shape[0] // ROWS):
        rows = nl.ds(i * ROWS, ROWS)
        tile, above = nl.load(x[rows, :]), nl.load(dy[rows, :])
        nl.store(dx[rows, :], nl.copy(nl.matmul(above, weights)))
        total += nl.matmul(tile, above, transpose_x=True)
    nl.store(dw, nl.copy(total))
    return dx, dw


def that_counts(x, w, dy):
    """Python counts in each iteration, or in the first one only: the body is traced once."""
    return _backward(x, w, dy, nl.sequential_range, lambda count: 1.0 if count < 5 else 2.0)


def under_a_mask(x, w, dy):
    dx, dw = in_psum(x, w, dy)
    p, f = nl.arange(ROWS)[:, None], nl.arange(4)[None, :]
    for i in nl.affine_range(x.shape[0] // ROWS):
        nl.store(dx[i * ROWS + p, f], nl.load(dy[i * ROWS + p, f]), mask=(i * ROWS + p < 40))
    return dx, dw
