"""The facts of the documentation survey that are no contract of the same name: what states each, or why nothing does.

The survey the project works from gives every documented fact an id. A fact that is a contract has its id; the others
that say what must hold, or what is undefined, are here. AUDIT.md has the table, a test compares it with the survey.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Facts that contracts state under other ids: as part of a rule, or split by instruction.
STATED_BY: dict[str, tuple[str, ...]] = {
    "mem.psum_tile_f_512": ("leg.psum_fmax",),
    "mem.sbuf_reserved_gen2": ("mem.addr_range",),
    "mem.tensor_in_sbuf_out_psum": ("nc_matmul.buffers", "nc_transpose.tensor", "matmul_mx.buffers"),
    "isa.partition_match": (
        *("tensor_copy.shape", "tensor_tensor.shape", "tensor_scalar.shape", "activation.shape", "stt.shape"),
        *(
            "scan.shape",
            "tensor_reduce.dst",
            "reciprocal.shape",
            "tcp.shape",
            "select_reduce.shape",
            "range_select.shape",
        ),
    ),
    "ti.scalar_operands": ("ti.operands",),
    "dma_copy.exclusive": ("ap.exclusive",),
    "dma_copy.vector_offset_swdge": ("dma_copy.vector_offset", "dma_copy.hwdge_no_indirect", "dma_copy.none_static"),
    "lang.int32": ("host.int32",),
    "lang.values": ("host.int32",),
    "lang.device_int": ("reg.python", "loop.dynamic_frozen"),
    "lang.no_arange_mask": ("isa.kwargs_checked",),
    "lnc.shared": ("mem.output_shared_hbm", "mem.io_hbm"),
    "leg.affine_range": ("df.affine_range",),
    "leg.pmax": ("mem.partitions_128",),
    "leg.dims_max": ("leg.transpose", "nl.transpose.2d"),
    "leg.io_immutable": ("df.input_written", "df.output_parameter"),
    "leg.output_written": ("df.output_written",),
    "leg.unwritten": ("df.read_unwritten", "df.output_written"),
    "mem.uninit": ("df.read_unwritten", "df.output_written"),
    "nc_matmul.accum_true_uninit": ("df.accumulate_unwritten",),
    "nc_matmul.accum_nonmatmul_init": ("df.accumulate_other",),
    "nc_matmul.accum_none_trap": ("df.accumulate_stale",),
    "nc_matmul.accum_false_first": ("df.accumulate_unwritten", "df.accumulate_other"),
    "acc.idle_clobbers": ("acc.reduce_needs_init",),
    "lnc.race": ("df.programs",),
    "leg.alloc.start": ("mem.start_partition",),
    "leg.alloc.alive": ("mem.placed_overlap",),
    "leg.alloc.lifetime": ("mem.placed_overlap",),
}

_VALUES = "about values of elements, which the shape phases do not have"
_ORDER = "about the order of instructions and cores, which one run in program order does not show"
_LANGUAGE = "about the Python that the compiler takes: `nkiverify check` warns of it"
_PLACED = "about partitions that the compiler chooses, but for tensors placed by hand"

#: Facts that no contract states, and why.
LEFT_OUT: dict[str, str] = {
    "mem.addr_min_align": "the documents give no number",
    "mem.ap_hw_dims": "four free dimensions are `tensor.rank_le5`; which instructions take fewer is not documented",
    "shuffle.start": _PLACED,
    "nl.logical.bool": _VALUES,
    "lang.containers": _LANGUAGE,
    "lang.classes": _LANGUAGE,
    "lang.enums": "comparisons of members other than == and != are not looked at",
    "lang.no_is": _LANGUAGE,
    "lang.no_kwonly": _LANGUAGE,
    "lang.no_legacy_ns": "a kernel belongs to the API it imports",
    "lang.pure": "kernels are taken to be functions of their arguments",
    "leg.while": "conditions on values of tensors are refused, and other loops are run",
    "leg.scope": "the run has Python's scopes: what it reads has a value",
    "leg.shared_hbm_top": "where an allocation stands in the source is not looked at",
    "leg.annotation_shape": "Python does not evaluate annotations of local names",
    "leg.alloc.all_or_none": "which operations allocate is up to the compiler",
    "cc.bounds": _VALUES,
    "cc.all_to_all_v.limits": "about the devices and their network, which a kernel does not name",
    "act.range.log": _VALUES,
    "act.range.sin": _VALUES,
    "act.range.arctan": _VALUES,
    "act.range.sqrt": _VALUES,
    "act.range.rsqrt": _VALUES,
    "act.range.reciprocal": _VALUES,
    "dma_copy.int_precision": _VALUES,
    "nc_transpose.nan_gen2": _VALUES,
    "tensor_tensor.int32_vector": _VALUES,
    "nzc.partitions": "harmless where the other partitions are not read, which is up to the kernel",
    "loop.termination": _VALUES,
    "lnc.same_control": "the warning `df.programs_differ` says it of the shapes that are run",
}

#: Facts on which the documents contradict each other and that no contract is named after. AUDIT.md says how each is
#: read.
CONTRADICTED = frozenset(
    {
        *("ap.indirect_dim_base", "idx.neg", "mem.addr_free_unit", "nc_matmul.column_tiling", "nc_transpose.auto"),
        *("nl.zeros_like", "tensor_scalar.gpsimd", "ti.index_layout", "tile.gemm_moving_v4", "tsc.reverse0"),
    }
)

#: Sentences that say must outside of what their fact is about, by their beginning: the contracts that state each, or
#: why none does.
SENTENCES: dict[str, tuple[str, ...] | str] = {
    "mem.quadrant: Reshape banks": "about the hardware: `nc_stream_shuffle` and `nc_transpose` have their own rules",
    "mem.psum_accum_tensor_only: ": "about the hardware: only matmuls have `accumulate`",
    "mem.gen2_serial: ": "about what the compiler serialises, which asks nothing of a kernel",
    "isa.handle: ": ("loop.dep_edges",),
    "ti.ops: ": ("ti.operands",),
    "tcp.keeps: ": ("df.read_unwritten",),
    "nc_matmul.groups_8: ": "about how many sums are open at once: each is a bank of PSUM, of which there are no more",
    "nc_matmul.onezero_hint: ": _VALUES,
    "nc_matmul.transpose: is_transpose": "about numbers that a transpose keeps, which asks nothing of a kernel",
    "nc_matmul.transpose: With is_transpose": ("nc_matmul.ti",),
    "tensor_scalar.gpsimd: ": "the documents disagree: AUDIT.md says how they are read",
    "nl.op_tokens: ": "a token that is called is no function: Python raises",
    "lang.sequential: ": "about the compiler: the order of a program is that of its text",
    "lang.functions: ": "a recursion that does not end is not followed to its end: UNKNOWN",
    "loop.range: ": ("reg.python",),
    "loop.dynamic_alloc: ": ("loop.escape",),
    "loop.fori: ": ("loop.dynamic_range",),
    "loop.while_reg: ": "about the compiler: conditions of the host are run",
    "sim.matmul_warn: ": "about the simulator of the package",
}


def documented_elsewhere(ids: Iterable[str]) -> dict[str, str]:
    """The note on each fact that is not among the contracts `ids`: which of them state it, or why none does."""
    known = frozenset(ids)
    stated = {fact: ", ".join(f"`{rule}`" for rule in rules) for fact, rules in STATED_BY.items()}
    return {fact: text for fact, text in sorted((stated | LEFT_OUT).items()) if fact not in known}
