"""Contracts of the legacy API and their twins in the current one: a rule about one instruction is contested in both
APIs or in neither (AUDIT, contested rules)."""

from __future__ import annotations

from math import prod

import pytest

from nkiverify.model import stub as _stub  # noqa: F401 (registers all contracts)
from nkiverify.model.contracts import all_contracts, contract
from tests.check.kernel_files import Checker, write

#: Each contract that the legacy API alone has, with those that say the same of the same instruction or memory in the
#: current API; a text: why there is none.
TWINS: dict[str, tuple[str, ...] | str] = {
    "df.affine_range": "the current API has no loops without an order",
    "df.input_written": "arguments of the current API may be written",
    "df.output_parameter": "about a decorator",
    "df.sum_unwritten": "`+=` infers the accumulation, as accumulate=None does, which begins a sum on PSUM as it is",
    "leg.activation.bias": "the current API has tiles of float32 for it",
    "leg.affine_index": "no index tensors",
    "leg.affine_select.dtype": "the current page has no such sentence",
    "leg.affine_select.pred": ("affine_select.count",),
    "leg.arange": "no index tensors",
    "leg.assert_shape": "no such method",
    "leg.assign_buffer": "assigning is an instruction here; in the current API it is contested as such",
    "leg.assign_shape": ("tensor.setitem_shape",),
    "leg.atomic_rmw": ("dma_compute.rmw",),
    "leg.binary.broadcast": ("nl.binary.same_shape",),
    "leg.compute_dtype": "no such parameter",
    "leg.control_arange": ("reg.python",),
    "leg.dma_copy.rmw": ("dma_compute.op",),
    "leg.dropout.rate": "the current page has no such sentence",
    "leg.gather_flattened": ("nl.gather_flattened",),
    "leg.generation": "about the documents of the legacy API",
    "leg.hbm_no_init": "the current page is silent",
    "leg.index_broadcast": "no index tensors",
    "leg.index_const": "no index tensors",
    "leg.indirect": ("ap.vector_offset", "ap.scalar_offset"),
    "leg.indirect_mgrid": "no index tensors",
    "leg.iota.expr": ("iota.count",),
    "leg.mask_and": "no masks",
    "leg.mask_bn": "no masks",
    "leg.mask_form": "no masks",
    "leg.mask_matmul": "no masks",
    "leg.mask_subscript": "no masks",
    "leg.matmul.shape": ("nc_matmul.k_equal",),
    "leg.mod_alloc": "no allocators",
    "leg.no_mix": "no index tensors",
    "leg.oob_dynamic": ("ap.dynamic_oob", "dma_copy.oob"),
    "leg.oob_static": ("idx.oob", "ap.in_bounds", "view.slice", "view.select"),
    "leg.operand_rank": ("tensor.operand_rank",),
    "leg.par_dim": "no marks of dimensions",
    "leg.partition_bcast": ("nl.binary.same_shape", "tensor_tensor.shape", "view.broadcast.partition"),
    "leg.psum_fmax": "tiles of the current API may span banks",
    "leg.reduce.axis": ("nl.reduce.axis", "tensor_reduce.axis_free"),
    "leg.spmd": ("lnc.bracket", "lang.no_nested_grid"),
    "leg.store.value": ("isa.on_chip",),
    "leg.tensor_reduce.axis": ("tensor_reduce.axis_last", "nl.reduce.axis_last"),
    "leg.tensor_truth": "no page of the current API says that it has none: it is true as any object",
    "leg.tile": "no block dimensions",
    "leg.tile_rank": ("tensor.rank_onchip_ge2",),
    "leg.transpose": ("nl.transpose.2d",),
}
PAIRS = [(old, new) for old, twins in TWINS.items() if not isinstance(twins, str) for new in twins]


def test_every_contract_of_the_legacy_api_is_in_the_table() -> None:
    assert list(TWINS) == [rule.id for rule in all_contracts() if rule.api == ("neuronxcc",)]


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=lambda id: id)
def test_twins_have_one_status(old: str, new: str) -> None:
    assert "neuronxcc" not in contract(new).api or contract(new).api == ("nki", "neuronxcc")
    assert bool(contract(old).contested) is bool(contract(new).contested)


def test_what_a_page_calls_undefined_is_not_contested() -> None:
    for id in ("df.accumulate_other", "df.accumulate_unwritten", "df.accumulate_stale", "df.read_unwritten"):
        assert not contract(id).contested


NEW = """
    import nki
    import nki.isa as nisa
    import nki.language as nl


    @nki.jit
    def helper(x):
        pass


    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x)
        psum = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
        {body}
        nisa.dma_copy(dst=out, src=tile)
        return out
"""
OLD = """
    import neuronxcc.nki as nki
    import neuronxcc.nki.isa as nisa
    import neuronxcc.nki.language as nl


    @nki.jit
    def helper(x):
        pass


    @nki.jit
    def kernel(x):
        out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(x)
        i, j = nl.arange(128)[:, None], nl.arange(128)[None, :]
        {body}
        nl.store(out, tile)
        return out
"""
RANKS = "128", "64", "1", "7"
#: Axes of (128, 2, 4, 8) that are reduced: contested where they are not the last ones, in the legacy API neither the
#: first nor the last.
AXES = {(1,): (True, False), (2,): (True, True), (1, 3): (True, True), (2, 3): (False, False), (3,): (False, False)}
AXES |= {(1, 2): (True, False), (1, 2, 3): (False, False), (3, 1): (True, True)}


def reduces(op: str, axes: tuple[int, ...]) -> tuple[str, str]:
    """A reduction of (128, 2, 4, 8) in either API."""
    kept = prod(extent for axis, extent in ((1, 2), (2, 4), (3, 8)) if axis not in axes)
    data = "tile.reshape((128, 2, 4, 8))"
    return (
        f"nisa.tensor_reduce(tile[:, 0:{kept}], nl.{op}, {data}, axis={axes})",
        f"nisa.tensor_reduce(nl.{op}, {data}, axis={axes})",
    )


#: Bodies in the current and the legacy API, the exit status of both, and whether each breaks something contested.
ROWS: dict[str, tuple[str, str, int, bool | tuple[bool, bool]]] = {
    **{
        f"{memory} tile of one dimension, {extent}": (
            f"nl.ndarray(({extent},), dtype=nl.float32, buffer=nl.{memory})",
            f"nl.ndarray((nl.par_dim({extent}),), dtype=nl.float32, buffer=nl.{memory})",
            0,
            extent != "1",
        )
        for memory in ("sbuf", "psum")
        for extent in RANKS
    },
    **{
        f"{name} of a tile of one dimension": (
            f"t = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)\n{new}",
            f"t = nl.ndarray((nl.par_dim(128),), dtype=nl.float32)\n{old}",
            1,
            True,
        )
        for name, (new, old) in {
            "copy": ("nisa.tensor_copy(dst=tile[:, 0:1], src=t)", "nl.copy(t)"),
            "part": ("nisa.memset(t[0:64], 0.0)", "nl.exp(t[0:64])"),
            "write": ("nisa.memset(t, 0.0)", "t[...] = nl.copy(tile[:, 0:1])"),
            "load": ("nisa.dma_copy(dst=t, src=x[:, 0])", "t[0:128] = nl.load(x[:, 0])"),
            "scalar": ("nisa.tensor_scalar(tile, tile, nl.add, t)", "nl.add(tile, t)"),
            "reshape": ("nisa.memset(t.reshape((128, 1)), 0.0)", "nl.exp(t.reshape((128, 1)))"),
            "zeros": ("nl.zeros((128,), nl.float32, nl.sbuf)", "nl.zeros((nl.par_dim(128),), nl.float32)"),
        }.items()
    },
    **{
        f"{op} over {axes}": (*reduces(op, axes), 0, contested)
        for op in ("maximum", "add")
        for axes, contested in AXES.items()
    },
    "an axis of the partitions": (
        "nisa.tensor_reduce(tile[:, 0:1], nl.add, tile, axis=0)",
        "nisa.tensor_reduce(nl.add, tile, axis=0)",
        1,
        False,
    ),
    "an axis beyond": (
        "nisa.tensor_reduce(tile[:, 0:1], nl.add, tile, axis=2)",
        "nisa.tensor_reduce(nl.add, tile, axis=2)",
        1,
        False,
    ),
    "a slice beyond": ("nisa.memset(tile[:, 0:65], 0.0)", "nl.exp(tile[:, 0:65])", 1, False),
    "a subscript beyond": ("nisa.memset(tile[:, 64], 0.0)", "nl.exp(tile[i, j])", 1, False),
    "a helper": ("helper(x)", "helper(x)", 0, (True, False)),
    "a helper on a grid": ("helper[2](x)", "helper[2](x)", 1, (True, False)),
}


@pytest.mark.parametrize("name", ROWS, ids=str)
def test_kernels_of_both_apis_have_one_verdict(name: str, check: Checker) -> None:
    new, old, status, contested = ROWS[name]
    warned = contested if isinstance(contested, tuple) else (contested, contested)
    for text, body, expected in ((NEW, new, warned[0]), (OLD, old, warned[1])):
        write(check.folder, k=text.format(body=body.replace("\n", "\n        ")))
        assert check("k.py::kernel", "--arg", "x=f32[128,64]", "--phase", "1") == status, check.out
        assert ("Contested: " in check.out) is expected, check.out
