"""DMA, copies, fills, shuffles: dma_copy, tensor_copy, memset, nl.load and their like.

`op` and `op:Section` are the docstring of that operation. MIG-x.y migration, DGE descriptor-generation page.
"""

from __future__ import annotations

from nkiverify.model.contracts import define

NKI = ("nki",)

define("dma_copy.buffers", "Source and destination of dma_copy are in HBM or SBUF.", "dma_copy:Memory types; MIG-0.3")
define("dma_copy.count", "Source and destination of dma_copy have the same number of elements.", "dma_copy:Tile size")
define("dma_copy.dtype", "dma_copy does not convert to or from a packed (x4) dtype.", "dma_copy:Data types; DMAO")
define("dma_copy.hwdge_same_dtype", "With dge_mode.hwdge both dtypes are the same.", "MIG-0.3", api=NKI)
define("dma_copy.hwdge_gen3", "dge_mode.hwdge needs gen3 or later.", "dma_copy", api=NKI)
define("dma_copy.engine", "engine is sync or scalar, and only with dge_mode.hwdge.", "dma_copy; DGE", api=NKI)
define("dma_copy.priority_gen4", "priority is 0 to 3 and needs gen4 or later.", "dma_copy", api=NKI)

define(
    "tensor_copy.buffers",
    "Source and destination of tensor_copy are in SBUF or PSUM; on GpSimd neither is in PSUM.",
    "tensor_copy",
)
define(
    "tensor_copy.shape", "Source and destination have the same partitions and elements per partition.", "tensor_copy"
)
define("tensor_copy.engine", "tensor_copy runs on vector, scalar (not on gen2) or gpsimd.", "tensor_copy")

define("memset.value_dtype", "The value's kind matches the dtype: no float into an integer tensor.", "MIG-0.3", api=NKI)
define("memset.x4_zero", "A packed (x4) tensor is set to 0 only.", "memset", api=NKI)
define("memset.engine", "memset runs on vector or gpsimd; gpsimd has no PSUM operand.", "memset", api=NKI)
define("memset.const", "The value is a compile-time constant.", "memset", api=NKI)

define("nl.load.src", "nl.load reads from HBM.", "nl.load; L:load")
define("nl.store.dst", "nl.store writes to HBM.", "nl.store; L:store")
define("nl.store.value", "nl.store takes its value from SBUF.", "nl.store; RN-0.3")
