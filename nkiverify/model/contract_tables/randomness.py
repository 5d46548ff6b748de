"""Random numbers and dropout."""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("rng.dst", "dst of rng has an integer dtype and is in SBUF or PSUM.", "rng", api=NKI)
define("rng.engine", "rng runs on vector; from gen3 on also on gpsimd, not into PSUM.", "rng", api=NKI)
define("set_rng_seed.src", "The seed is one 32-bit element in SBUF or PSUM.", "set_rng_seed", api=NKI)
define(
    "rand_set_state.src",
    "The state is uint32, 2-D, in SBUF, with 6 (gpsimd) or 24 (vector) elements per lane.",
    "rand_set_state",
    api=NKI,
)
define(
    "rand_set_state.engine",
    "rand_set_state runs on gpsimd from gen3 on, on vector from gen4 on.",
    "rand_set_state",
    api=NKI,
)
define(
    "rand_get_state.dst",
    "dst is uint32, 2-D, with 6 (gpsimd) or 24 (vector) elements per lane, in SBUF; on gen4 vector also in PSUM.",
    "rand_get_state",
    api=NKI,
)
define(
    "rand_get_state.engine",
    "rand_get_state runs on gpsimd from gen3 on, on vector from gen4 on.",
    "rand_get_state",
    api=NKI,
)
define("rand2.gen4", "rand2 needs gen4 or later.", "rand2", api=NKI, hardware=("gen2", "gen3"))
define("rand2.dtype", "dst of rand2 is an unpacked float or an integer of up to 32 bits.", "rand2", api=NKI)
define("rand2.bounds", "The bounds of rand2 are float32 scalars or (P, 1) tiles.", "rand2", api=NKI)
define("rand2.order", "min is less than max.", "rand2", api=NKI)
define("dropout.shape", "dst has the partitions and elements per partition of data.", "dropout", api=NKI)
define(
    "dropout.prob",
    "prob is a probability: a scalar or a (P, 1) tile, float32 for integer data, a float for float data.",
    "dropout",
)
define("dropout.dtype", "dst of dropout has the dtype of data (legacy: for integers).", "dropout; L:dropout")
define(
    "nl.random_seed",
    "The seed of nl.random_seed is a 32-bit tensor of one element in SBUF or PSUM.",
    "nl.random_seed",
    api=NKI,
)
