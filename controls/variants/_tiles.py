"""Tiles and tensors of the variants, by their extents."""

import neuronxcc.nki.language as old_nl
import nki.language as nl


def _sbuf(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def _psum(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.psum)


def _hbm(*shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


def _old_sbuf(*shape, dtype=old_nl.float32):
    return old_nl.ndarray(shape, dtype)


def _old_psum(*shape, dtype=old_nl.float32):
    return old_nl.ndarray(shape, dtype, buffer=old_nl.psum)


def _old_hbm(*shape, dtype=old_nl.float32):
    return old_nl.ndarray(shape, dtype, buffer=old_nl.shared_hbm)
