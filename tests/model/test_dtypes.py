"""Dtypes, hardware generations, and what mixed operands give."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from nkiverify.foundation.errors import UsageError
from nkiverify.model import dtypes
from nkiverify.model.dtypes import DTYPES, DType, dtype_named, legacy_dtype_named
from nkiverify.model.hardware import ALL_HARDWARE, TRN1, TRN2, TRN3, hardware_named
from nkiverify.model.promotion import promoted, scalar_dtype
from tests.model.stub_library import nl, old_nl, value


@pytest.mark.parametrize(
    ("name", "itemsize"),
    [
        ("bool_", 1), ("int8", 1), ("uint16", 2), ("int32", 4), ("float16", 2), ("bfloat16", 2), ("tfloat32", 4),
        ("float8_e4m3fn", 1), ("float8_e8m0fnu", 1), ("float8_e5m2_x4", 4), ("float8_e4m3fn_x4", 4),
        ("float4_e2m1fn_x4", 2),
    ],
)  # fmt: skip
def test_sizes_in_bytes(name: str, itemsize: int) -> None:
    assert DTYPES[name].itemsize == itemsize


def test_a_dtype_is_its_name() -> None:
    assert dtypes.float32 == "float32"
    assert dtypes.float32 != dtypes.bfloat16
    assert "float32" in {dtypes.float32}
    assert f"{dtypes.float32}" == "float32"
    assert isinstance(dtypes.float32, nl.DType)


def test_numpy_dtypes_are_those_of_the_legacy_api_only() -> None:
    assert legacy_dtype_named(np.float32) is dtypes.float32
    assert legacy_dtype_named(np.dtype("int8")) is dtypes.int8
    assert legacy_dtype_named(bool) is dtypes.bool_
    assert legacy_dtype_named(np.float64) is None
    assert dtype_named(np.float32) is None
    assert dtypes.float32 == np.float32
    assert dtypes.float32 != np.float16


def test_the_documented_dtypes_are_there() -> None:
    for name in DTYPES:
        assert getattr(nl, name) is DTYPES[name]
    assert old_nl.bfloat16 is dtypes.bfloat16


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("float16", "int32", "float16"),
        ("float16", "bfloat16", "float32"),
        ("float8_e4m3", "float8_e5m2", "bfloat16"),
        ("bfloat16", "float32", "float32"),
        ("float16", "float8_e5m2", "float16"),
        ("int8", "uint8", "int16"),
        ("int8", "uint16", "int32"),
        ("int32", "uint32", "float32"),
        ("int16", "uint8", "int16"),
        ("uint8", "uint32", "uint32"),
        ("bool_", "uint8", "uint8"),
    ],
)
def test_promotion(left: str, right: str, result: str) -> None:
    assert promoted(DTYPES[left], DTYPES[right]) == result
    assert promoted(DTYPES[right], DTYPES[left]) == result


def test_numbers_count_as_32_bit_dtypes() -> None:
    found: list[DType] = [scalar_dtype(True), scalar_dtype(2), scalar_dtype(1.2)]
    assert found == [dtypes.uint8, dtypes.int32, dtypes.float32]


def test_generations_are_found_by_name_and_alias() -> None:
    assert hardware_named("trn2") is TRN2
    assert hardware_named("inf2") is TRN1
    assert hardware_named("gen4") is TRN3
    with pytest.raises(UsageError, match="trn1, trn2, trn3"):
        hardware_named("trn9")
    assert len({astuple(hardware) for hardware in ALL_HARDWARE}) == 3


@pytest.mark.parametrize(("hardware", "usable"), [("trn1", 180224), ("trn2", 212984), ("trn3", 245752)])
def test_tile_size_follows_the_hardware(hardware: str, usable: int) -> None:
    limits = value(lambda: (nl.tile_size.pmax, nl.tile_size.psum_fmax, nl.tile_size.sbuf_fmax_bytes), hardware)
    assert limits == (128, 512, usable)
    assert value(lambda: old_nl.tile_size.gemm_moving_fmax, hardware) == 512
    assert value(lambda: nl.tile_size.psum_num_banks * nl.tile_size.psum_bank_fmax_bytes, hardware) == 16384
