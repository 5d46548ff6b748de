"""Random numbers: rng, rand2, seeds and states, dropout (reference sections c.3 and c.4).

Which numbers come is not documented, how they are distributed is: a simulation draws some, the same ones for the same
seed. What is computed from them is never compared (`equiv`), and the states of generators have no values.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from nkiverify.foundation.late import numpy as np
from nkiverify.foundation.late import of_numpy
from nkiverify.model import isa_enums as isa
from nkiverify.model.access import Access
from nkiverify.model.allocation import allocate
from nkiverify.model.allocation import result_tile as new_result
from nkiverify.model.contracts import define, require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
    INTEGER_NAMES,
    bfloat16,
    bool_,
    float8_e4m3,
    float8_e5m2,
    float16,
    float32,
    int8,
    int16,
    int32,
    tfloat32,
    uint8,
    uint16,
    uint32,
)
from nkiverify.model.indices import Mask
from nkiverify.model.legacy_tensor import LegacyTensor, named_dtype, new_tile, operand, result_tile
from nkiverify.model.memory import SBUF
from nkiverify.model.ops.operands import (
    any_in_psum,
    claim_generation,
    claim_on_chip,
    claim_same_layout,
    claim_scalar_operand,
    destination,
    generation,
    in_sbuf,
    is_number,
    member,
    on_chip,
    tile,
)
from nkiverify.model.registry import OVERWRITES, Declaration, operation
from nkiverify.model.tensor import Tensor, declared_dtype
from nkiverify.model.views import host_shape
from nkiverify.symbolic import SymInt, all_of, equal
from nkiverify.symbolic.execution import unsupported

if TYPE_CHECKING:
    from nkiverify.model.meaning import Step


_INTEGER = of_numpy(lambda: (np.integer,))
NKI = ("nki",)


def _drawing(name: str, link: Link) -> Declaration:
    """An operation that draws numbers, or says which come next."""
    return operation(name, dependence=Dependence(link), engine="any", behaviour=OVERWRITES.but(side_effect=True))


# --- random numbers ---------------------------------------------------------------------------------------------------

RNG = _drawing("nisa.rng", Link.NOTHING)

define(
    "rng.dst",
    "dst of rng must have an integer dtype and be in SBUF or PSUM.",
    "rng",
    api=NKI,
    takes={"dst": INTEGER_NAMES, "buffer": ("sbuf", "psum")},
)
define(
    "rng.engine",
    "rng must run on vector; from gen3 on it may run on gpsimd, but not into PSUM.",
    "rng",
    api=NKI,
    takes={"engine": ("vector",)},
)


@RNG.current
def _(dst: object, engine: object = isa.engine.vector, name: object = None) -> None:
    """dst = random bits."""
    result = destination(dst)
    runs_on = member(engine, isa.engine, "engine")
    integers = result.dtype.is_integer and result.dtype != bool_
    require("rng.dst", integers and on_chip(result), dst=result.dtype, buffer=result.buffer)
    gpsimd = runs_on is isa.engine.gpsimd and generation() >= 3 and not any_in_psum(result)
    legal = runs_on in (isa.engine.vector, isa.engine.unknown) or gpsimd
    require("rng.engine", legal, engine=runs_on, generation=generation(), dst=result.buffer)


@RNG.meaning
def _(step: Step) -> None:
    """Every pattern of bits is as likely as any other."""
    step.write("dst", step.drawn_bits("dst"), stored=True)


RAND2 = _drawing("nisa.rand2", Link.ROWS)

_DRAWN = (
    float8_e4m3, float8_e5m2, float16, bfloat16, float32, tfloat32, int8, int16, int32, uint8, uint16, uint32,
)  # fmt: skip

define("rand2.gen4", "rand2 must run on gen4 or later.", "rand2", api=NKI, hardware=("gen2", "gen3"))
define(
    "rand2.dtype",
    "dst of rand2 must be an unpacked float or an integer of up to 32 bits.",
    "rand2",
    api=NKI,
    takes={"dst": ("float32", "bfloat16", "float16")},
)
define(
    "rand2.bounds",
    "The bounds of rand2 must be float32 scalars or (P, 1) tiles.",
    "rand2",
    api=NKI,
    takes={"dtype": ("float32",)},
)
define("rand2.order", "min must be less than max.", "rand2", api=NKI)


@RAND2.current
def _(dst: object, min: object, max: object, name: object = None) -> None:
    """dst = random numbers between two bounds (gen4)."""
    result = destination(dst)
    claim_generation("rand2.gen4", 4)
    claim_on_chip(dst=result)
    require("rand2.dtype", result.dtype in _DRAWN, dst=result.dtype)
    for argument, bound in (("min", min), ("max", max)):
        claim_scalar_operand("rand2.bounds", bound, result, argument)
        if isinstance(bound, Tensor):
            require("rand2.bounds", bound.dtype == float32, argument=argument, dtype=bound.dtype)
    if is_number(min) and is_number(max):
        require("rand2.order", min < max, min=min, max=max)  # type: ignore[operator]


@RAND2.meaning
def _(step: Step) -> None:
    """Numbers from min on, below max."""
    low, high = step.required_column("min"), step.required_column("max")
    partitions, *free = step.shape("dst")
    drawn = step.drawn((partitions, int(np.prod(free))), float32)
    spread = step.n.binary("multiply", step.n.binary("subtract", high, low), drawn)
    step.write("dst", step.n.binary("add", low, spread))


LANGUAGE_RAND = _drawing("nl.rand", Link.NOTHING)


@LANGUAGE_RAND.current
def _(shape: object, dtype: object, buffer: object = SBUF, name: object = "") -> Tensor:
    """A new tensor of random numbers from 0 to 1."""
    return allocate(shape, dtype, buffer, name)


@LANGUAGE_RAND.legacy
def _(shape: object, dtype: object = float32, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile of random numbers from 0 to 1."""
    return new_tile(host_shape(shape), named_dtype(dtype))


@LANGUAGE_RAND.meaning
def _(step: Step) -> None:
    """Numbers from 0 on, below 1, as finely spread as the dtype has them just below 1."""
    name = step.only_write
    step.write(name, step.drawn(step.shape(name), step.dtype(name)))


# --- seeds and states -------------------------------------------------------------------------------------------------

SET_RNG_SEED = _drawing("nisa.set_rng_seed", Link.NOTHING)

define("set_rng_seed.src", "The seed must be one 32-bit element in SBUF or PSUM.", "set_rng_seed", api=NKI)


@SET_RNG_SEED.current
def _(src_seeds: object, name: object = None) -> None:
    """Seed the generator."""
    _claim_seed("set_rng_seed.src", tile(src_seeds, "src_seeds"), "src_seeds")


@SET_RNG_SEED.meaning
def _(step: Step) -> None:
    """The numbers that follow are those of the seed."""
    step.seed("src_seeds")


LANGUAGE_RANDOM_SEED = _drawing("nl.random_seed", Link.NOTHING)

define(
    "nl.random_seed",
    "The seed of nl.random_seed must be a 32-bit tensor of one element in SBUF or PSUM.",
    "nl.random_seed",
    api=NKI,
)

define(
    "nl.random_seed.engine",
    "Before gen4 nl.random_seed must not be relied on: it may seed another engine than the one that draws.",
    "RN-0.4",
    api=NKI,
    hardware=("gen2", "gen3"),
    since="0.4",
    contested="the numbers are random all the same, and what kernels compute with them is not said to change",
)


@LANGUAGE_RANDOM_SEED.current
def _(seed: object) -> None:
    """Seed the generator with a tensor of one element."""
    if not isinstance(seed, Tensor):
        require("nl.random_seed", False, seed=type(seed).__name__)
        raise TypeError(f"the seed is a tensor, not {type(seed).__name__}")
    require("nl.random_seed.engine", generation() >= 4)
    _claim_seed("nl.random_seed", tile(seed, "seed"), "seed")


@LANGUAGE_RANDOM_SEED.legacy
def _(seed: object, *, mask: Mask | None = None, **kwargs: object) -> None:
    """Seed the generator: with a number, or a tile of one element. Its page does not say what a seed is."""
    if isinstance(seed, Tensor | Access):
        one = operand(seed, mask, "seed")
        if one.dtype.is_integer and equal(one.size, 1) is True:
            return
    elif isinstance(seed, (int, *_INTEGER)):
        return
    raise unsupported("nl.random_seed with a seed that is neither a number nor a tile of one integer")


@LANGUAGE_RANDOM_SEED.meaning
def _(step: Step) -> None:
    """The numbers that follow are those of the seed."""
    step.seed("seed")


def _claim_seed(contract: str, seed: Tensor, argument: str) -> None:
    """Claim that a seed is one 32-bit element on chip."""
    one = all_of(on_chip(seed), equal(seed.size, 1), seed.dtype.itemsize == 4)
    require(contract, one, **{argument: seed.shape}, dtype=seed.dtype, buffer=seed.buffer)


RAND_SET_STATE = _drawing("nisa.rand_set_state", Link.NOTHING)
RAND_GET_STATE = _drawing("nisa.rand_get_state", Link.NOTHING)

#: Elements of a generator's state per lane.
_STATE = {isa.engine.gpsimd: 6, isa.engine.vector: 24}

define(
    "rand_set_state.src",
    "The state must be uint32, 2-D, in SBUF, with 6 (gpsimd) or 24 (vector) elements per lane.",
    "rand_set_state",
    api=NKI,
    takes={"": ("sbuf",)},
)
define(
    "rand_set_state.engine",
    "rand_set_state must run on gpsimd, from gen3 on, or on vector, from gen4 on.",
    "rand_set_state",
    api=NKI,
    takes={"engine": ("gpsimd",)},
)
define(
    "rand_get_state.dst",
    "dst must be uint32, 2-D, with 6 (gpsimd) or 24 (vector) elements per lane, in SBUF; on gen4 vector also in PSUM.",
    "rand_get_state",
    api=NKI,
    takes={"": ("sbuf",)},
)
define(
    "rand_get_state.engine",
    "rand_get_state must run on gpsimd, from gen3 on, or on vector, from gen4 on.",
    "rand_get_state",
    api=NKI,
    takes={"engine": ("gpsimd",)},
)


@RAND_SET_STATE.current
def _(src_seeds: object, engine: object = isa.engine.gpsimd, name: object = None) -> None:
    """Set the state of every lane's generator."""
    seeds = tile(src_seeds, "src_seeds")
    runs_on = member(engine, isa.engine, "engine")
    require("rand_set_state.src", in_sbuf(seeds), src_seeds=seeds.buffer)
    _claim_state("rand_set_state.src", seeds, runs_on)
    _claim_state_engine("rand_set_state.engine", runs_on)


@RAND_GET_STATE.current
def _(dst: object, engine: object = isa.engine.gpsimd, name: object = None) -> None:
    """dst = the state of every lane's generator."""
    result = destination(dst)
    runs_on = member(engine, isa.engine, "engine")
    in_psum = generation() >= 4 and runs_on is isa.engine.vector and on_chip(result)
    require("rand_get_state.dst", in_sbuf(result) or in_psum, dst=result.buffer, generation=generation())
    _claim_state("rand_get_state.dst", result, runs_on)
    _claim_state_engine("rand_get_state.engine", runs_on)


def _claim_state(contract: str, state: Tensor, engine: isa.engine) -> None:
    elements = _STATE.get(engine, 6)
    require(
        contract,
        all_of(state.dtype == uint32, state.ndim == 2, equal(state.free_size, elements)),
        shape=state.shape,
        dtype=state.dtype,
        elements=elements,
    )


def _claim_state_engine(contract: str, engine: isa.engine) -> None:
    gpsimd = engine is isa.engine.gpsimd and generation() >= 3
    require(contract, gpsimd or (engine is isa.engine.vector and generation() >= 4), engine=engine)


@RAND_SET_STATE.meaning
def _(step: Step) -> None:
    """The numbers that follow are those of the state."""
    step.set_generator("src_seeds")


@RAND_GET_STATE.meaning
def _(step: Step) -> None:
    """A state from which the numbers that follow come again."""
    step.write("dst", step.generator_state("dst"), stored=True)


# --- dropout ----------------------------------------------------------------------------------------------------------

DROPOUT = _drawing("nisa.dropout", Link.ROWS)

define("dropout.shape", "dst must have the partitions and elements per partition of data.", "dropout", api=NKI)
define(
    "dropout.prob",
    "prob must be a probability: a scalar or a (P, 1) tile, float32 for integer data, a float for float data.",
    "dropout",
)
define(
    "dropout.dtype",
    "dst of dropout must have the dtype of data (legacy: for integers).",
    "dropout; L:dropout",
    takes={"dst": "data"},
)


@DROPOUT.current
def _(dst: object, data: object, prob: object, name: object = None) -> None:
    """dst = data, each element set to 0 with probability `prob`."""
    _claim_dropout(destination(dst), tile(data, "data"), prob)


@DROPOUT.legacy
def _(data: object, prob: object, *, mask: Mask | None = None, dtype: object = None, **kwargs: object) -> LegacyTensor:
    """A new tile of data, each element set to 0 with probability `prob`."""
    source = operand(data, mask, "data")
    result = result_tile(source.shape, source.dtype if dtype is None else named_dtype(dtype), mask=mask)
    _claim_dropout(result, source, operand(prob, mask, "prob") if isinstance(prob, Tensor | Access) else prob)
    return result


@DROPOUT.meaning
def _(step: Step) -> None:
    """Each element, or 0 with probability `prob`; what stays is not scaled."""
    _drop(step, "data", "prob")


def _drop(step: Step, data: str, probability: str) -> None:
    target = step.only_write
    values, rate = step.rows(data), step.required_column(probability)
    stays = step.n.binary("greater_equal", step.drawn(values.shape[1:], float32), rate)
    step.write(target, step.n.choose(stays, values, step.n.constant(0.0, 3)))


def _claim_dropout(result: Tensor, source: Tensor, prob: object) -> None:
    claim_on_chip(dst=result, data=source)
    claim_same_layout("dropout.shape", dst=result, data=source)
    _claim_probability(prob, source)
    same = result.dtype == source.dtype or (source.legacy and source.dtype.is_float)
    require("dropout.dtype", same, dst=result.dtype, data=source.dtype)


def _claim_probability(prob: object, source: Tensor) -> None:
    """Claim that a probability is a number or one float per partition."""
    claim_scalar_operand("dropout.prob", prob, source, "prob")
    if isinstance(prob, Tensor):
        legal = prob.dtype == float32 if source.dtype.is_integer else prob.dtype.is_float
        require("dropout.prob", legal, prob=prob.dtype, data=source.dtype)
    elif not isinstance(prob, SymInt):
        require("dropout.prob", 0 <= prob <= 1, prob=prob)  # type: ignore[operator]


LANGUAGE_DROPOUT = _drawing("nl.dropout", Link.BROADCAST)

define(
    "leg.dropout.rate",
    "The rate of nl.dropout must be a number from 0 to 1 or a tile of one element.",
    "L:dropout",
    api=("neuronxcc",),
)


@LANGUAGE_DROPOUT.current
def _(x: object, rate: object, dtype: object = None) -> Tensor:
    """A new SBUF tile of the shape of `x`, each element set to 0 with probability `rate`."""
    source = tile(x, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    _claim_probability(rate, source)
    return new_result(source.shape, source.dtype if dtype is None else declared_dtype(dtype))


@LANGUAGE_DROPOUT.legacy
def _(x: object, rate: object, *, dtype: object = None, mask: Mask | None = None, **kwargs: object) -> LegacyTensor:
    """A new SBUF tile of the shape of `x`, each element set to 0 at a rate."""
    if isinstance(rate, Tensor | Access):
        one = operand(rate, mask, "rate")
        require("leg.dropout.rate", all_of(on_chip(one), equal(one.size, 1)), rate=one.shape)
    else:
        plain = isinstance(rate, Real) and 0 <= float(rate) <= 1
        require("leg.dropout.rate", plain, rate=rate)
    source = operand(x, mask, "x")
    require("isa.on_chip", on_chip(source), x=source.buffer)
    return result_tile(source.shape, source.dtype if dtype is None else named_dtype(dtype), mask=mask)


@LANGUAGE_DROPOUT.meaning
def _(step: Step) -> None:
    """Each element, or 0 at the rate."""
    _drop(step, "x", "rate")
