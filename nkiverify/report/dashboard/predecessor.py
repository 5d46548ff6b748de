"""The times of the predecessor, a verifier of the same kernels on top of ESBMC: the seconds of each of its runs.

Measured one run at a time on two cores with ESBMC 8.3.0 (Bitwuzla), the build of its own date: 621.8 s for 90 runs. Not
the machine of the run that is shown beside it: good for orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Seconds by target and phase.
SECONDS: Mapping[str, Mapping[int, float]] = {
    "attn_fwd_v1": {1: 4.201, 2: 3.117},
    "attn_fwd_v1_buggy": {1: 2.896},
    "attn_fwd_v2": {1: 2.983, 2: 2.713},
    "attn_fwd_v2_buggy": {1: 2.333},
    "attn_fwd_v3": {1: 3.864, 2: 4.107},
    "attn_fwd_v3_buggy": {1: 4.206},
    "attn_fwd_v3_symbolic": {1: 115.939, 2: 120.939},
    "audit15_hostarith_unguarded": {2: 1.066},
    "avgpool": {1: 2.593, 2: 3.127},
    "avgpool_buggy": {1: 3.816},
    "avgpool_symbolic": {1: 4.142, 2: 3.531},
    "interpolate_bilinear": {1: 3.286, 2: 3.772},
    "interpolate_bilinear_buggy": {1: 3.395},
    "interpolate_bilinear_chunk1": {1: 2.569},
    "interpolate_bilinear_symbolic": {1: 3.414, 2: 3.143},
    "interpolate_trilinear": {1: 4.951, 2: 4.637},
    "interpolate_trilinear_buggy": {1: 4.141},
    "interpolate_trilinear_chunk1": {1: 6.275},
    "interpolate_trilinear_symbolic": {1: 6.542, 2: 6.138},
    "mamba_v1": {1: 2.635, 2: 2.621},
    "mamba_v1_buggy": {1: 3.272},
    "mamba_v1_symbolic": {1: 3.229, 2: 2.924},
    "mamba_v2": {1: 2.919, 2: 2.485},
    "mamba_v2_buggy": {1: 2.949},
    "mamba_v3": {1: 3.057, 2: 3.877},
    "mamba_v3_buggy": {1: 5.642},
    "mamba_v3_symbolic": {1: 6.279, 2: 6.234},
    "matmul": {1: 2.402, 2: 2.543},
    "matmul_basic": {1: 2.891, 2: 3.19},
    "matmul_basic_buggy": {1: 3.765},
    "matmul_big": {1: 4.34, 2: 3.785},
    "matmul_block_free": {1: 3.615, 2: 3.077},
    "matmul_block_free_buggy": {1: 3.448},
    "matmul_block_free_symbolic": {1: 9.976, 2: 9.242},
    "matmul_buggy": {1: 2.509},
    "matmul_fully_optimized": {1: 4.129, 2: 2.666},
    "matmul_fully_optimized_buggy": {1: 2.863},
    "matmul_fully_optimized_symbolic": {1: 40.973, 2: 50.178},
    "matmul_hoist_load": {1: 2.384, 2: 2.712},
    "matmul_hoist_load_buggy": {1: 2.887},
    "matmul_hoist_load_historical": {1: 3.336},
    "matmul_hoist_load_symbolic": {1: 3.123, 2: 3.23},
    "matmul_tiled": {1: 2.197, 2: 2.268},
    "matmul_tiled_buggy": {1: 2.344},
    "matmul_tiled_symbolic": {1: 2.826, 2: 2.83},
    "maxpooling": {1: 2.906, 2: 2.588},
    "maxpooling_buggy": {1: 2.751},
    "maxpooling_symbolic": {1: 2.52, 2: 2.375},
    "pipelined_attention": {1: 2.572, 2: 2.261},
    "pipelined_attention_load_q": {1: 2.487, 2: 2.324},
    "tensor_add": {1: 2.135, 2: 2.225},
    "tensor_add_buggy": {1: 2.173},
    "tensor_add_symbolic": {1: 2.929, 2: 2.6},
    "transpose2d": {1: 2.317, 2: 2.139},
    "transpose2d_buggy": {1: 2.64},
    "transpose2d_symbolic": {1: 3.981, 2: 4.148},
}
