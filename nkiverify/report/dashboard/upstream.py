"""Where the kernels of the corpus come from: the file of aws-neuron/nki-samples that each module of kernels/ is after.

Modules that are not listed are our own. A path is that of the repository's main branch in 2026.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The repository that the paths are in.
REPOSITORY = "aws-neuron/nki-samples"

_TUTORIALS = "src/nki_samples/tutorials"
_MATMUL = f"{_TUTORIALS}/matrix_multiplication/matrix_multiplication_nki_kernels.py"

#: By module of kernels/, the upstream file.
FILES: Mapping[str, str] = {
    "kernels/attention.py": f"{_TUTORIALS}/attention_fwd_performance/attention_kernels.py",
    "kernels/avgpool.py": f"{_TUTORIALS}/average_pool2d/average_pool2d_nki_kernels.py",
    "kernels/avgpool_legacy.py": f"{_TUTORIALS}/average_pool2d/average_pool2d_nki_kernels.py",
    "kernels/interpolation.py": "contributed/interpolate_bilinear_fwd.py, contributed/interpolate_trilinear_fwd.py",
    "kernels/mamba.py": f"{_TUTORIALS}/fused_mamba/mamba_nki_kernels.py",
    "kernels/matmul_basic.py": _MATMUL,
    "kernels/matmul_block_free.py": _MATMUL,
    "kernels/matmul_contributed.py": "contributed/matmul.py",
    "kernels/matmul_fully_optimized.py": _MATMUL,
    "kernels/matmul_hoist_load.py": _MATMUL,
    "kernels/matmul_tiled.py": _MATMUL,
    "kernels/maxpooling.py": "contributed/maxpooling.py",
    "kernels/mx_matmul.py": f"{_TUTORIALS}/mxfp-matmul/mx_kernels.py",
    "kernels/pipelined_attention.py": "contributed/pipelined_attention.py",
    "kernels/pipelined_attention_port.py": "contributed/pipelined_attention.py",
    "kernels/tensor_add.py": f"{_TUTORIALS}/tensor_addition/tensor_addition_nki_kernels.py",
    "kernels/tensor_add_spmd.py": f"{_TUTORIALS}/tensor_addition/spmd_tensor_addition_nki_kernels.py",
    "kernels/transpose2d.py": f"{_TUTORIALS}/transpose2d/transpose2d_nki_kernels.py",
}
