# expect: 1 SUCCESSFUL
# expect: 2 SUCCESSFUL
# expect: 3 SUCCESSFUL
# expect: 4 SUCCESSFUL
# args: ::softmax --arg x=f32[R,C] --where 'C <= 4000'
"""Imports with fallbacks, logging, environment-free switches, assertions with messages."""
from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

try:
    from neuronxcc import nki as _legacy  # noqa
    HAS_LEGACY = True
except ImportError:
    HAS_LEGACY = False

try:
    import torch
    import torch_neuronx
except ImportError:  # pragma: no cover
    torch = None

import nki
import nki.isa as nisa
import nki.language as nl

if TYPE_CHECKING:
    from torch import Tensor

logger = logging.getLogger(__name__)
P = 128


def reference(x: "Tensor") -> "Tensor":
    return torch.softmax(x, -1)


@nki.jit
def softmax(x):
    """x: [n, d] -> [n, d]"""
    n, d = x.shape
    logger.debug("softmax %s", x.shape)
    out = nl.ndarray((n, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(math.ceil(n / P)):
        rows = min(P, n - i * P)
        t = nl.ndarray((P, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, 0:d], src=x[i * P : i * P + rows, 0:d])
        m = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=m[0:rows], op=nl.maximum, data=t[0:rows], axis=1, negate=True)
        s = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        e = nl.ndarray((P, d), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=e[0:rows], op=nl.exp, data=t[0:rows], bias=m[0:rows], reduce_op=nl.add, reduce_res=s[0:rows])
        nisa.reciprocal(dst=s[0:rows], data=s[0:rows])
        o = nl.ndarray((P, d), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=o[0:rows], data=e[0:rows], op0=nl.multiply, operand0=s[0:rows], engine=nisa.engine.vector)
        nisa.dma_copy(dst=out[i * P : i * P + rows, 0:d], src=o[0:rows])
    return out
