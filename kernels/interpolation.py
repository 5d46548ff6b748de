"""Bilinear and trilinear up-scaling by two of nki-samples/contributed, in the legacy API, without corner alignment.

The leading axis holds batch times channels and goes to the partitions, 128 at a time. The second axis is cut into
windows of `chunk_size` that overlap by one, so that every output row but the first and last lies inside a window.
"""

import math

import neuronxcc.nki.language as nl
from neuronxcc import nki

TILE_C = 128
NEAR = 3 / 4
FAR = 1 / 4


@nki.jit
def interpolate_bilinear(src, chunk_size=10):
    """Up-scale src (C, H, W) to (C, 2 * H, 2 * W)."""
    _check_chunk(src.shape[1], chunk_size)
    return _bilinear(src, chunk_size, extra_rows=0)


@nki.jit
def interpolate_bilinear_unguarded(src, chunk_size=10):
    """As published before nki-samples PR #126: chunk size and height are not checked."""
    return _bilinear(src, chunk_size, extra_rows=0)


@nki.jit
def interpolate_bilinear_buggy(src, chunk_size=10):
    """Control: the inner region is one source row too high."""
    _check_chunk(src.shape[1], chunk_size)
    return _bilinear(src, chunk_size, extra_rows=1)


@nki.jit
def interpolate_trilinear(src, chunk_size=4):
    """Up-scale src (C, D, H, W) to (C, 2 * D, 2 * H, 2 * W)."""
    _check_chunk(src.shape[1], chunk_size)
    return _trilinear(src, chunk_size, extra_slices=0)


@nki.jit
def interpolate_trilinear_unguarded(src, chunk_size=4):
    """As published before nki-samples PR #126: chunk size and depth are not checked."""
    return _trilinear(src, chunk_size, extra_slices=0)


@nki.jit
def interpolate_trilinear_buggy(src, chunk_size=4):
    """Control: the inner region is one source slice too deep."""
    _check_chunk(src.shape[1], chunk_size)
    return _trilinear(src, chunk_size, extra_slices=1)


def _check_chunk(length, chunk_size):
    """The guards of PR #126 on an axis of `length` elements."""
    assert chunk_size > 0, "windows must hold at least one element"
    assert length >= chunk_size, "there must be at least one full window"
    assert chunk_size - 1 > 0, "windows must advance"


def _bilinear(src, chunk_size, extra_rows):
    """The up-scaling; `extra_rows` widens the inner region beyond the pairs of neighbouring rows."""
    C, H, W = src.shape
    step = chunk_size - 1
    out = nl.ndarray((C, 2 * H, 2 * W), dtype=src.dtype, buffer=nl.shared_hbm)

    for window in nl.static_range(math.ceil((H - chunk_size) / step) + 1):
        start = window * step
        stop = min(start + chunk_size, H)
        height = stop - start
        assert height > 1, "a window must hold a pair of rows"
        # The first output row of a later window has been written as part of the window before.
        skip = 0 if start == 0 else 1

        for c in nl.affine_range(math.ceil(C / TILE_C)):
            base = c * TILE_C
            i_p, i_h, i_w = nl.mgrid[0:TILE_C, 0:height, 0:W]
            tile = nl.load(src[base + i_p, start + i_h, i_w], mask=(base + i_p < C))
            scaled = nl.ndarray((TILE_C, 2 * height, 2 * W), dtype=src.dtype, buffer=nl.sbuf)

            # Inner region, top and bottom edge, left and right edge, corners.
            i_p, x_h, x_w, y_h, y_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0 : height - 1 + extra_rows, 0 : W - 1]
            _interpolate_2d(scaled, tile, i_p, _inner(y_h, x_h), _inner(y_w, x_w))
            i_p, e_h, x_w, y_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0 : W - 1]
            _interpolate_2d(scaled, tile, i_p, _outer(e_h, height), _inner(y_w, x_w))
            i_p, x_h, e_w, y_h = nl.mgrid[0:TILE_C, 0:2, 0:2, 0 : height - 1]
            _interpolate_2d(scaled, tile, i_p, _inner(y_h, x_h), _outer(e_w, W))
            i_p, e_h, e_w = nl.mgrid[0:TILE_C, 0:2, 0:2]
            _interpolate_2d(scaled, tile, i_p, _outer(e_h, height), _outer(e_w, W))

            i_p, i_h, i_w = nl.mgrid[0:TILE_C, 0 : 2 * height - skip, 0 : 2 * W]
            nl.store(
                out[base + i_p, 2 * start + skip + i_h, i_w],
                value=scaled[i_p, skip + i_h, i_w],
                mask=(base + i_p < C),
            )
    return out


def _trilinear(src, chunk_size, extra_slices):
    """The up-scaling; `extra_slices` widens the inner region beyond the pairs of neighbouring slices."""
    C, D, H, W = src.shape
    step = chunk_size - 1
    out = nl.ndarray((C, 2 * D, 2 * H, 2 * W), dtype=src.dtype, buffer=nl.shared_hbm)

    for window in nl.static_range(math.ceil((D - chunk_size) / step) + 1):
        start = window * step
        stop = min(start + chunk_size, D)
        depth = stop - start
        assert depth > 1, "a window must hold a pair of slices"
        # The first output slice of a later window has been written as part of the window before.
        skip = 0 if start == 0 else 1

        for c in nl.affine_range(math.ceil(C / TILE_C)):
            base = c * TILE_C
            i_p, i_d, i_h, i_w = nl.mgrid[0:TILE_C, 0:depth, 0:H, 0:W]
            tile = nl.load(src[base + i_p, start + i_d, i_h, i_w], mask=(base + i_p < C))
            scaled = nl.ndarray((TILE_C, 2 * depth, 2 * H, 2 * W), dtype=src.dtype, buffer=nl.sbuf)

            # Inner region.
            i_p, x_d, x_h, x_w, y_d, y_h, y_w = nl.mgrid[
                0:TILE_C, 0:2, 0:2, 0:2, 0 : depth - 1 + extra_slices, 0 : H - 1, 0 : W - 1
            ]
            _interpolate_3d(scaled, tile, i_p, _inner(y_d, x_d), _inner(y_h, x_h), _inner(y_w, x_w))

            # Faces: first and last slice, row, column.
            i_p, e_d, x_h, x_w, y_h, y_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : H - 1, 0 : W - 1]
            _interpolate_3d(scaled, tile, i_p, _outer(e_d, depth), _inner(y_h, x_h), _inner(y_w, x_w))
            i_p, x_d, e_h, x_w, y_d, y_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : depth - 1, 0 : W - 1]
            _interpolate_3d(scaled, tile, i_p, _inner(y_d, x_d), _outer(e_h, H), _inner(y_w, x_w))
            i_p, x_d, x_h, e_w, y_d, y_h = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : depth - 1, 0 : H - 1]
            _interpolate_3d(scaled, tile, i_p, _inner(y_d, x_d), _inner(y_h, x_h), _outer(e_w, W))

            # Edges along the columns, the rows, the slices.
            i_p, e_d, e_h, x_w, y_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : W - 1]
            _interpolate_3d(scaled, tile, i_p, _outer(e_d, depth), _outer(e_h, H), _inner(y_w, x_w))
            i_p, e_d, x_h, e_w, y_h = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : H - 1]
            _interpolate_3d(scaled, tile, i_p, _outer(e_d, depth), _inner(y_h, x_h), _outer(e_w, W))
            i_p, x_d, e_h, e_w, y_d = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2, 0 : depth - 1]
            _interpolate_3d(scaled, tile, i_p, _inner(y_d, x_d), _outer(e_h, H), _outer(e_w, W))

            # Corners.
            i_p, e_d, e_h, e_w = nl.mgrid[0:TILE_C, 0:2, 0:2, 0:2]
            _interpolate_3d(scaled, tile, i_p, _outer(e_d, depth), _outer(e_h, H), _outer(e_w, W))

            i_p, i_d, i_h, i_w = nl.mgrid[0:TILE_C, 0 : 2 * depth - skip, 0 : 2 * H, 0 : 2 * W]
            nl.store(
                out[base + i_p, 2 * start + skip + i_d, i_h, i_w],
                value=scaled[i_p, skip + i_d, i_h, i_w],
                mask=(base + i_p < C),
            )
    return out


def _inner(y, x):
    """Along one axis: the place of the element between sources y and y + 1, nearer to y + x, and its sources."""
    return 2 * y + 1 + x, ((y + x, NEAR), (y + 1 - x, FAR))


def _outer(e, length):
    """Along one axis: the place of the first (e = 0) or last (e = 1) element, and the one source it is a copy of."""
    return (2 * length - 1) * e, (((length - 1) * e, 1),)


def _interpolate_2d(dst, src, i_p, row, column):
    """Write the elements at (row, column) of each partition as the weighted sum of their sources."""
    at_h, sources_h = row
    at_w, sources_w = column
    terms = [u * v * src[i_p, h, w] for h, u in sources_h for w, v in sources_w]
    dst[i_p, at_h, at_w] = _total(terms)


def _interpolate_3d(dst, src, i_p, slice_, row, column):
    """Write the elements at (slice_, row, column) of each partition as the weighted sum of their sources."""
    at_d, sources_d = slice_
    at_h, sources_h = row
    at_w, sources_w = column
    terms = [u * v * w * src[i_p, d, h, k] for d, u in sources_d for h, v in sources_h for k, w in sources_w]
    dst[i_p, at_d, at_h, at_w] = _total(terms)


def _total(terms):
    """Sum of tiles."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total
