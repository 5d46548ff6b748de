"""Every operation with an index, an axis, a count, an offset, a pattern or a stride gives what its documentation says,
in numbers that were worked out by hand."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nkiverify.model.legacy_tensor import LegacyTensor
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.registry import declarations
from tests.values.examples import CURRENT, LEAST, LEGACY, Row
from tests.values.library import nisa, nki, nl, old_nisa, old_nki, old_nl, on

#: Parameters that choose elements: which, where, how many, in what order.
_CHOOSES = """args axes axis base_addr base_bank base_partition bound0 bound1 channel_id channel_ids channel_multiplier
    collective_dim cores dim dims dst_idx dst_pattern end end_dim expr factor fixed_sizes idx_dst index index_offset
    indices indirect_dim iteration_id key loop_indices lower metadata_tensor n num_bank_tiles num_elem num_elem_per_idx
    num_free_tiles num_par_tiles num_valid_indices offset oob_mode pattern perf_mode pred program_axes range_start
    recv_from_rank replica_group scalar_offset segment_ids send_to_rank shuffle_mask size source_target_pairs
    src_pattern start start_dim step stop tile_position tile_size unique_indices upper vals vector_offset"""
CHOOSES = frozenset(_CHOOSES.split())
#: Those that say what is computed, of what, into what, and how.
_COMPUTES = """a accumulate address asynchronous bias body_fun buffer cmp_op comp_op0 comp_op1 compute_dtype condition
    constant data data0 data1 data2 dge_mode dma_engine dst dst_rmw_op dst_scale dsts dsts_by_channel dtype engine
    epsilon fill_value func function_name has_rdispls imm imm0 imm1 init initial input_data is_moving_onezero
    is_stationary_onezero is_transpose keepdims kwargs lib_file_name log_level mask max max_value min moving
    moving_scale name negate on_false on_false_value on_true on_true_tile op op0 op1 operand0 operand1 padding_val
    parallel_reduce pipe_id predicate prefix print_prefix priority prob rate recv_counts_known reduce_cmd reduce_init
    reduce_op reduce_res reduce_res_negate relu_param reverse0 reverse1 reverse_pred scale scales seed shape src
    src_buffer src_seeds srcs srcs0_by_channel srcs1_by_channel srcs_by_channel stationary stationary_scale tensor
    parts transpose_x ulib_to_isa_version ulib_to_ucode_version val_dst value w x y"""
COMPUTES = frozenset(_COMPUTES.split())
#: Operations that choose elements by other means: indices in an operand, even and odd positions.
ALSO = {"nl.load", "nl.store", "nl.atomic_rmw", "nisa.tensor_copy_dynamic_src", "nisa.tensor_copy_dynamic_dst"}
ALSO |= {"nisa.bn_stats", "nisa.bn_aggr", "nisa.max8", "nisa.quantize_mx", "nl.mgrid"}
#: Operations of which the documents give no numbers, and why.
WITHOUT = {
    "ncc.": "nki.collectives is not in the simulator (sim.gap.collectives)",
    "compiler.": "places tensors, and computes nothing",
    "nisa.topk": "refused: its documentation contradicts itself on the layout",
    "nisa.core_barrier": "waits",
    "nl.range": "the range of Python",
    "nl.all_reduce": "between programs of a launch: refused",
    "nisa.builtin_custom_op": "undocumented (leg.undocumented)",
    "nl.spmd_dim": "lays programs out on cores",
    "NkiTensor.reinterpret_cast": "has no text",
}
ROWS = [(row, False) for row in CURRENT] + [(row, True) for row in LEGACY]


def simulated(row: Row, legacy: bool) -> Any:
    """What the simulator leaves in `r` or `R`."""
    language = old_nl if legacy else nl

    def new(*shape: int, dtype: Any = language.float32, buffer: Any = language.sbuf) -> Any:
        return language.ndarray(shape, dtype=dtype, buffer=buffer)

    def hbm(*shape: int) -> Any:
        return language.ndarray(shape, dtype=language.float32, buffer=language.shared_hbm)

    lines = [f"def kernel({', '.join(row.given)}):"]
    lines += [f"    {name} = nl.load({name})" for name in row.given if name.islower()]
    lines += ["    " + line for line in row.text.split("\n")]
    if "R = " not in row.text:
        lines.append("    R = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm); nl.store(R, r)")
    lines.append("    return R")
    space = {"nl": language, "nisa": old_nisa if legacy else nisa, "np": np, "new": new, "hbm": hbm, "LEAST": LEAST}
    exec("\n".join(lines), space)
    api = old_nki if legacy else nki
    kernel = api.jit(space["kernel"])
    simulate = api.simulate_kernel if legacy else nki.simulate_kernel
    return simulate(kernel[row.grid] if row.grid else kernel, *row.given.values())


@pytest.mark.parametrize(
    ("row", "legacy"), ROWS, ids=[f"{'legacy ' * old}{row.names}-{row.source}" for row, old in ROWS]
)
def test_examples(row: Row, legacy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, row.hardware)
    found = np.asarray(simulated(row, legacy)).astype(np.float64)
    expected = np.asarray(row.gives, np.float64)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-6)


def choosing(api: str) -> Iterator[str]:
    """The operations and methods of an API that choose elements."""
    for declared in declarations():
        function = declared.functions.get(api)
        parameters = set() if function is None else set(inspect.signature(function).parameters)
        assert parameters <= CHOOSES | COMPUTES, (declared.name, parameters - CHOOSES - COMPUTES)
        if function is not None and (parameters & CHOOSES or declared.name in ALSO):
            yield declared.name
    tensor, prefix = (NkiTensor, "NkiTensor") if api == "nki" else (LegacyTensor, "tensor")
    for name, method in vars(tensor).items():
        public = inspect.isfunction(method) and (name == "__getitem__" or not name.startswith("_"))
        if public and set(inspect.signature(method).parameters) & CHOOSES:
            yield f"{prefix}.{name}"


@pytest.mark.parametrize(("api", "rows"), [("nki", CURRENT), ("neuronxcc", LEGACY)])
def test_every_operation_that_chooses_elements_has_an_example(api: str, rows: list[Row]) -> None:
    shown = {name for row in rows for name in row.names.split()}
    wanted = {name for name in choosing(api) if not name.startswith(tuple(WITHOUT))}
    assert wanted - shown == set()
    assert all(row.source for row in rows)
