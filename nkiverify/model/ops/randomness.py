"""Random numbers: rng, rand2, seeds and states, dropout (reference sections c.3 and c.4)."""

from __future__ import annotations

from nkiverify.model import isa_enums as isa
from nkiverify.model.contracts import require
from nkiverify.model.dependence import Dependence, Link
from nkiverify.model.dtypes import (
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
from nkiverify.model.registry import operation
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import SymInt, all_of, equal

DROPOUT = operation("nisa.dropout", dependence=Dependence(Link.ROWS), side_effect=True)
LANGUAGE_DROPOUT = operation("nl.dropout", dependence=Dependence(Link.BROADCAST), side_effect=True)
RNG = operation("nisa.rng", dependence=Dependence(Link.NOTHING), side_effect=True)
RAND_GET_STATE = operation("nisa.rand_get_state", dependence=Dependence(Link.NOTHING), side_effect=True)
RAND_SET_STATE = operation("nisa.rand_set_state", dependence=Dependence(Link.NOTHING), side_effect=True)
SET_RNG_SEED = operation("nisa.set_rng_seed", dependence=Dependence(Link.NOTHING), side_effect=True)
LANGUAGE_RAND = operation("nl.rand", dependence=Dependence(Link.NOTHING), side_effect=True)
LANGUAGE_RANDOM_SEED = operation("nl.random_seed", dependence=Dependence(Link.NOTHING), side_effect=True)
RAND2 = operation("nisa.rand2", dependence=Dependence(Link.ROWS), side_effect=True)


#: Elements of a generator's state per lane.
_STATE = {isa.engine.gpsimd: 6, isa.engine.vector: 24}
_DRAWN = (
    float8_e4m3, float8_e5m2, float16, bfloat16, float32, tfloat32, int8, int16, int32, uint8, uint16, uint32,
)  # fmt: skip


def rng(dst: object, engine: object = isa.engine.vector) -> None:
    """dst = random bits."""
    result = destination(dst)
    runs_on = member(engine, isa.engine, "engine")
    integers = result.dtype.is_integer and result.dtype != bool_
    require("rng.dst", integers and on_chip(result), dst=result.dtype, buffer=result.buffer)
    gpsimd = runs_on is isa.engine.gpsimd and generation() >= 3 and not any_in_psum(result)
    legal = runs_on in (isa.engine.vector, isa.engine.unknown) or gpsimd
    require("rng.engine", legal, engine=runs_on, generation=generation(), dst=result.buffer)


def rand2(dst: object, low: object, high: object) -> None:
    """dst = random numbers between `low` and `high`."""
    result = destination(dst)
    claim_generation("rand2.gen4", 4)
    claim_on_chip(dst=result)
    require("rand2.dtype", result.dtype in _DRAWN, dst=result.dtype)
    for name, bound in (("min", low), ("max", high)):
        claim_scalar_operand("rand2.bounds", bound, result, name)
        if isinstance(bound, Tensor):
            require("rand2.bounds", bound.dtype == float32, argument=name, dtype=bound.dtype)
    if is_number(low) and is_number(high):
        require("rand2.order", low < high, min=low, max=high)  # type: ignore[operator]


def set_rng_seed(src_seeds: object) -> None:
    """Seed the generator."""
    seeds = tile(src_seeds, "src_seeds")
    require(
        "set_rng_seed.src",
        all_of(on_chip(seeds), equal(seeds.size, 1), seeds.dtype.itemsize == 4),
        src_seeds=seeds.shape,
        dtype=seeds.dtype,
        buffer=seeds.buffer,
    )


def rand_set_state(src_seeds: object, engine: object = isa.engine.gpsimd) -> None:
    """Set the state of every lane's generator."""
    seeds = tile(src_seeds, "src_seeds")
    runs_on = member(engine, isa.engine, "engine")
    require("rand_set_state.src", in_sbuf(seeds), src_seeds=seeds.buffer)
    _claim_state("rand_set_state.src", seeds, runs_on)
    _claim_state_engine("rand_set_state.engine", runs_on)


def rand_get_state(dst: object, engine: object = isa.engine.gpsimd) -> None:
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


def dropout(dst: object, data: object, prob: object) -> None:
    """dst = data, each element set to 0 with probability `prob`."""
    result, source = destination(dst), tile(data, "data")
    claim_on_chip(dst=result, data=source)
    claim_same_layout("dropout.shape", dst=result, data=source)
    claim_probability(prob, source)
    same = result.dtype == source.dtype or (source.legacy and source.dtype.is_float)
    require("dropout.dtype", same, dst=result.dtype, data=source.dtype)


def claim_probability(prob: object, source: Tensor) -> None:
    """Claim that a probability is a number or one float per partition."""
    claim_scalar_operand("dropout.prob", prob, source, "prob")
    if isinstance(prob, Tensor):
        legal = prob.dtype == float32 if source.dtype.is_integer else prob.dtype.is_float
        require("dropout.prob", legal, prob=prob.dtype, data=source.dtype)
    elif not isinstance(prob, SymInt):
        require("dropout.prob", 0 <= prob <= 1, prob=prob)  # type: ignore[operator]
