"""Operations, one declaration each: importing this package declares them all."""

from __future__ import annotations

from nkiverify.model.ops import (  # noqa: F401 (each module declares its operations)
    activations,
    assignments,
    collectives,
    copies,
    cores,
    creation,
    dma,
    elementwise,
    functions,
    fused_elementwise,
    gathers,
    host,
    loads,
    microscaling,
    normalisation,
    patterns,
    randomness,
    reductions,
    registers,
    scans,
    searches,
    selection,
    statistics,
    tensor_engine,
    transposes,
    unmodelled,
)
