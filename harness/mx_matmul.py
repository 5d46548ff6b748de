"""Matmul of microscaled operands, all on trn3. Scales have one column per column of packed elements."""

from nkiverify.manifest import Family, Kind, Verification
from nkiverify.model.dtypes import (
    DType,
    bfloat16,
    float4_e2m1fn_x4,
    float8_e4m3fn_x4,
    float8_e5m2_x4,
    float16,
    uint8,
    uint16,
    uint32,
)

MX = Family("mx", "kernels/mx_matmul.py")


def offline(
    v: Verification, dtype: DType = float8_e5m2_x4, stationary_scale_columns: int = 128, moving_scale_columns: int = 512
) -> None:
    """Multiply operands that are quantised to x4 `dtype`."""
    storage = uint16 if dtype is float4_e2m1fn_x4 else uint32
    result = v.call(
        v.tensor("stationary", (128, 128), storage),
        v.tensor("stationary_scale", (16, stationary_scale_columns), uint8),
        v.tensor("moving", (128, 512), storage),
        v.tensor("moving_scale", (16, moving_scale_columns), uint8),
        dtype,
    )
    v.returns(result, shape=(128, 512), dtype=bfloat16)


def on_device(v: Verification, moving_dtype: DType = float8_e5m2_x4, values: DType = bfloat16) -> None:
    """Multiply a quantised operand and one whose `values` are quantised to `moving_dtype`."""
    result = v.call(
        v.tensor("stationary", (128, 128), uint32),
        v.tensor("stationary_scale", (16, 128), uint8),
        v.tensor("moving", (128, 2048), values),
        float8_e5m2_x4,
        moving_dtype,
    )
    v.returns(result, shape=(128, 512), dtype=bfloat16)


def strided(
    v: Verification, use_tensor_copy: bool = True, dtype: DType = float8_e5m2_x4, values: DType = bfloat16
) -> None:
    """Multiply operands whose `values` are interleaved and quantised to x4 `dtype`."""
    result = v.call(
        v.tensor("stationary", (512, 128), values), v.tensor("moving", (512, 512), values), dtype, use_tensor_copy
    )
    v.returns(result, shape=(128, 512), dtype=bfloat16)


# ----------------------------------------------------------------------------------- operands quantised beforehand


@MX(Kind.CONCRETE, "mx_offline_matmul", hardware="trn3")
def mx_offline_matmul(v: Verification) -> None:
    """In e5m2."""
    offline(v)


@MX(Kind.CONTROL, "mx_offline_matmul_buggy", fails=1, hardware="trn3")
def mx_offline_matmul_buggy(v: Verification) -> None:
    """The scales of the third quadrant would lie in partition 128."""
    offline(v)


@MX(Kind.CONTROL, "mx_offline_matmul_swapped", fails=1, hardware="trn3")
def mx_offline_matmul_swapped(v: Verification) -> None:
    """The stationary operand has 512 columns."""
    offline(v)


@MX(Kind.UNBOUNDED, "mx_offline_matmul", hardware="trn3")
def mx_offline_matmul_all(v: Verification) -> None:
    """In every x4 dtype; the kernel fixes the shapes."""
    offline(v, v.choice("dtype", (float8_e5m2_x4, float8_e4m3fn_x4, float4_e2m1fn_x4)))


@MX(Kind.FINDING, "mx_offline_matmul", fails=1, tags=("published-inputs", "finding"), hardware="trn3")
def mx_offline_matmul_published(v: Verification) -> None:
    """The published inputs: scales with a quarter of the columns."""
    offline(v, stationary_scale_columns=32, moving_scale_columns=128)


@MX(Kind.BOUNDARY, "mx_offline_matmul", fails=1)
def mx_offline_matmul_trn2(v: Verification) -> None:
    """trn2 has no microscaled matmul."""
    offline(v)


# --------------------------------------------------------------------------------------- one operand quantised here


@MX(Kind.CONCRETE, "mx_on_device_quantize_matmul", hardware="trn3")
def mx_on_device_quantize_matmul(v: Verification) -> None:
    """Both operands in e5m2."""
    on_device(v)


@MX(Kind.CONTROL, "mx_on_device_quantize_matmul_buggy", fails=1, hardware="trn3")
def mx_on_device_quantize_matmul_buggy(v: Verification) -> None:
    """The tile for the quantised operand has twice as many columns as there are packed elements."""
    on_device(v)


@MX(Kind.BOUNDARY, "mx_on_device_quantize_matmul", fails=1, hardware="trn3")
def mx_on_device_quantize_matmul_fp4(v: Verification) -> None:
    """Quantisation to FP4 is rejected."""
    on_device(v, float4_e2m1fn_x4)


@MX(Kind.UNBOUNDED, "mx_on_device_quantize_matmul", hardware="trn3")
def mx_on_device_quantize_matmul_all(v: Verification) -> None:
    """From both dtypes that can be quantised to both dtypes they can be quantised to; the kernel fixes the shapes."""
    on_device(v, v.choice("dtype", (float8_e5m2_x4, float8_e4m3fn_x4)), values=v.choice("values", (bfloat16, float16)))


# --------------------------------------------------------------------------- both operands interleaved and quantised


@MX(Kind.CONCRETE, "mx_copy_strided", hardware="trn3")
def mx_copy_strided(v: Verification) -> None:
    """Interleaved by a tensor copy."""
    strided(v)


@MX(Kind.CONCRETE, "mx_copy_strided", hardware="trn3")
def mx_copy_strided_dma(v: Verification) -> None:
    """Interleaved by DMA."""
    strided(v, use_tensor_copy=False)


@MX(Kind.CONTROL, "mx_copy_strided_buggy", fails=1, hardware="trn3")
def mx_copy_strided_buggy(v: Verification) -> None:
    """A view steps from partition to partition by 511 of 512 elements."""
    strided(v)


@MX(Kind.UNBOUNDED, "mx_copy_strided", hardware="trn3")
def mx_copy_strided_all(v: Verification) -> None:
    """Both ways, from and to every dtype; the kernel fixes the shapes."""
    strided(
        v,
        v.choice("use_tensor_copy", (True, False)),
        v.choice("dtype", (float8_e5m2_x4, float8_e4m3fn_x4)),
        v.choice("values", (bfloat16, float16)),
    )


@MX(Kind.CONCRETE, "mx_packed_scale", hardware="trn3")
def mx_packed_scale(v: Verification) -> None:
    """The scales of both operands in one tile."""
    strided(v)


# ------------------------------------------------------------------------------------------------ quantisation alone


@MX(Kind.CONCRETE, "mx_quantize", hardware="trn3")
def mx_quantize_small(v: Verification) -> None:
    """32 partitions, whose scales lie in 4 partitions."""
    data, scale = v.call(v.tensor("x", (32, 128), bfloat16), float8_e5m2_x4)
    v.returns(data, shape=(32, 32), dtype=float8_e5m2_x4)
    v.returns(scale, shape=(4, 32), dtype=uint8)


@MX(Kind.UNBOUNDED, "mx_quantize", holds=(1, 2, 4), hardware="trn3")
def mx_quantize_all(v: Verification) -> None:
    """Every number of columns that is a multiple of 4, and of partitions that is one of 32, up to the 128 there are."""
    P, F = v.dim("P", 32, 128, multiple_of=32), v.dim("F", multiple_of=4)
    data, scale = v.call(v.tensor("x", (P, F), bfloat16), float8_e5m2_x4)
    v.returns(data, shape=(P, F // 4), dtype=float8_e5m2_x4)
    v.returns(scale, shape=(P // 8, F // 4), dtype=uint8)


@MX(Kind.SYMBOLIC, "mx_quantize", holds=3, hardware="trn3")
def mx_quantize_fits(v: Verification) -> None:
    """Every number of columns that fits a partition."""
    P, F = v.dim("P", 32, 128, multiple_of=32), v.dim("F", high=65536, multiple_of=4)
    data, scale = v.call(v.tensor("x", (P, F), bfloat16), float8_e5m2_x4)
    v.returns(data, shape=(P, F // 4), dtype=float8_e5m2_x4)
    v.returns(scale, shape=(P // 8, F // 4), dtype=uint8)
