"""Configurations: dataclasses, enums and tables that steer the kernels."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, field, fields, replace
from enum import Enum, IntEnum, auto

import nki.isa as nisa
import nki.language as nl

logger = logging.getLogger(__name__)

PMAX = nl.tile_size.pmax
MOVING = nl.tile_size.gemm_moving_fmax
STATIONARY = nl.tile_size.gemm_stationary_fmax


class Gate(Enum):
    """How the two branches of an MLP are combined."""

    SILU = "silu"
    GELU = "gelu"
    RELU2 = "relu2"
    NONE = "none"

    @property
    def is_gated(self):
        return self != Gate.NONE

    @classmethod
    def parse(cls, text):
        if isinstance(text, cls):
            return text
        for member in cls:
            if member.value == str(text).lower():
                return member
        raise ValueError(f"unknown gate {text!r}; known are {[member.value for member in cls]}")

    def operator(self):
        return {Gate.SILU: nl.silu, Gate.GELU: nl.gelu, Gate.RELU2: nl.relu}.get(self, nl.copy)


class Placement(IntEnum):
    """Where tiles are placed in SBUF."""

    AUTOMATIC = auto()
    STACK = auto()
    MODULO = auto()


class Norm(Enum):
    NONE = 0
    RMS = 1


#: Sizes of tiles by what a kernel is for.
TILINGS = {
    "prefill": {"rows": 128, "columns": 512, "depth": 128, "unroll": 4},
    "decode": {"rows": 64, "columns": 512, "depth": 128, "unroll": 2},
    "debug": {"rows": 32, "columns": 128, "depth": 32, "unroll": 1},
}


@dataclass(frozen=True)
class Tiling(nl.NKIObject):
    """Elements of a tile along each axis."""

    rows: int = 128
    columns: int = 512
    depth: int = 128
    unroll: int = 4

    def __post_init__(self):
        assert 0 < self.rows <= PMAX, f"rows {self.rows} of a tile are at most {PMAX}"
        assert 0 < self.columns <= MOVING, f"columns {self.columns} of a tile are at most {MOVING}"
        assert 0 < self.depth <= PMAX, f"depth {self.depth} of a tile is at most {PMAX}"

    @staticmethod
    def named(name):
        if name not in TILINGS:
            raise KeyError(f"no tiling {name}; there are {', '.join(sorted(TILINGS))}")
        return Tiling(**TILINGS[name])

    @property
    def elements(self):
        return self.rows * self.columns

    def tiles(self, rows, columns):
        """How many tiles a matrix takes, the last ones being short."""
        return math.ceil(rows / self.rows), -(-columns // self.columns)


@dataclass
class MlpConfig(nl.NKIObject):
    """What an MLP is made of."""

    gate: Gate = Gate.SILU
    norm: Norm = Norm.RMS
    epsilon: float = 1e-6
    tiling: Tiling = field(default_factory=Tiling)
    placement: Placement = Placement.AUTOMATIC
    compute_dtype: object = nl.bfloat16
    accumulate_dtype: object = nl.float32
    fused_residual: bool = False
    names: dict = field(default_factory=dict)

    def __post_init__(self):
        self.gate = Gate.parse(self.gate)
        if isinstance(self.tiling, str):
            self.tiling = Tiling.named(self.tiling)
        assert self.epsilon > 0, f"epsilon is positive, not {self.epsilon}"

    def with_tiling(self, **changes):
        return replace(self, tiling=replace(self.tiling, **changes))

    def describe(self):
        parts = [f"{entry.name}={getattr(self, entry.name)}" for entry in fields(self) if entry.name != "names"]
        return f"{type(self).__name__}({', '.join(parts)})"

    def name(self, what, *indices):
        """A unique name for a tensor."""
        count = self.names.get(what, 0)
        self.names[what] = count + 1
        return "_".join([what, *map(str, indices), str(count)])


@dataclass
class AttentionConfig(nl.NKIObject):
    """Geometry of an attention layer."""

    heads: int = 8
    kv_heads: int = 2
    causal: bool = False
    scale: float = None
    tiling: Tiling = field(default_factory=Tiling)

    def __post_init__(self):
        assert self.heads % self.kv_heads == 0, f"{self.heads} heads are no multiple of {self.kv_heads}"

    @property
    def group(self):
        return self.heads // self.kv_heads

    def softmax_scale(self, d_head):
        return self.scale or 1.0 / (d_head**0.5)


def hardware_generation():
    """The generation that the kernel is compiled for, with a fallback for the oldest."""
    version = nisa.get_nc_version()
    if version == nisa.nc_version.gen4:
        return 4
    return 3 if version == nisa.nc_version.gen3 else 2


def check_multiple(value, of, what):
    """Precondition of most kernels."""
    assert value % of == 0, f"{what} {value} is no multiple of {of}"


def check_shapes(**named):
    """`name=(tensor, shape)`: the tensor has this shape, None standing for any extent."""
    for name, (tensor, shape) in named.items():
        assert len(tensor.shape) == len(shape), f"{name} has rank {len(tensor.shape)}, not {len(shape)}"
        for axis, (got, wanted) in enumerate(zip(tensor.shape, shape)):
            if wanted is None:
                continue
            assert got == wanted, f"axis {axis} of {name} is {got}, not {wanted}"
    logger.debug("checked %d tensors", len(named))
