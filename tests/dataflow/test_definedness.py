"""Which elements of a result are defined: the sets, the marks and the simulator on one operation after another.

A kernel writes a part of a tile, which grows with `n`, and computes a result from it by one operation. The marks of a
concrete run and the simulator have to name the same undefined elements, one by one; what is shown for all `n` of a box
of the result has to be so for each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest

from lab.definedness import undefined_in_simulator
from nkiverify.analysis.marks.shadow import followed
from nkiverify.foundation.records import Verdict
from nkiverify.manifest import Verification
from nkiverify.model.dtypes import float32
from nkiverify.model.hardware import hardware_named
from tests.dataflow.subject import Subject

P, F = 32, 8
HIGH = 3


@dataclass(frozen=True, slots=True)
class Case:
    """An operation that computes `r`, of `shape`, from `part`, of which not all is written."""

    body: str
    shape: tuple[int, ...] = (P, F)
    #: The shape of `part`.
    part: tuple[int, int] = (P, F)
    #: The simulator says the same; else it has no values for it.
    simulated: bool = True


def fills(part: tuple[int, int]) -> list[str]:
    """Ways to write a part of it that grows with n."""
    rows, columns = part
    found = []
    if rows >= 32:
        found += [f"nisa.memset(part[0 : {rows // 4} * n, :], 0.0)"]
    if columns >= 4:
        found += [f"nisa.memset(part[:, 0 : {columns // 4} * n], 0.0)"]
    if rows >= 32 and columns >= 4:
        found += [
            f"nisa.memset(part[0:16, :], 0.0)\nnisa.memset(part[:, {columns // 2} : {columns // 2} + n], 0.0)",
            "nisa.memset(part[:, ::2], 0.0)\nnisa.memset(part[0 : 8 * n, 1::2], 0.0)",
        ]
    if rows == 1:
        # None of the row is written, though something is beside it.
        both = f"both = nl.ndarray((2, {columns}), dtype=nl.float32, buffer=nl.sbuf)"
        found += [f"{both}\nnisa.memset(both[0:1], 0.0)\npart = both[1:2]"]
    return found or ["if n > 1:\n    nisa.memset(part, 0.0)"]


NEW = "r = nl.ndarray({}, dtype=nl.float32, buffer=nl.sbuf)\n"
CURRENT: dict[str, Case] = {
    "copy": Case("nisa.tensor_copy(r, part)"),
    "copy of other free axes": Case("nisa.tensor_copy(r, part)", (P, 2, F // 2)),
    "dma": Case("nisa.dma_copy(dst=r, src=part)"),
    "dma to fewer partitions": Case("nisa.dma_copy(dst=r, src=part)", (16, 16)),
    "dma to more partitions": Case("nisa.dma_copy(dst=r, src=part)", (64, 4)),
    "dma to partitions that do not divide": Case("nisa.dma_copy(dst=r, src=part)", (8, 4, 8)),
    "dma of a row to partitions": Case("nisa.dma_copy(dst=r, src=part)", (16, 8), (1, 128)),
    "dma to a row": Case("nisa.dma_copy(dst=r, src=part)", (1, P * F)),
    "dma through a strided view": Case("nisa.memset(r, 0.0)\nnisa.dma_copy(dst=r[:, ::2], src=part)", (P, 2 * F)),
    "dma sum": Case("nisa.dma_compute(dst=r, srcs=[part, full], reduce_op=nl.add)", (16, 16)),
    "dma transpose": Case("nisa.dma_transpose(dst=r, src=part)", (F, P)),
    "transpose": Case("nisa.nc_transpose(dst=r, data=part)", (F, P)),
    "tiles": Case("nisa.tensor_tensor(r, full, part, nl.add)"),
    "columns": Case("nisa.tensor_scalar(r, full, nl.add, part)", part=(P, 1)),
    "two columns": Case("nisa.tensor_scalar(r, part, nl.add, full[:, 0:1], op1=nl.add, operand1=part[:, 7:8])"),
    "three operands": Case("nisa.scalar_tensor_tensor(r, full, nl.add, part[:, 3:4], nl.add, part)"),
    "bias": Case("nisa.activation(r, nl.exp, full, bias=part)", part=(P, 1)),
    "scale": Case("nisa.activation(r, nl.exp, part, scale=part[:, 1:2])"),
    "reciprocal": Case("nisa.reciprocal(r, part)"),
    "broadcast over partitions": Case(
        "nisa.tensor_tensor(r, full, nl.broadcast_to(part, (32, 8)), nl.add)", part=(1, F)
    ),
    "broadcast over columns": Case("nisa.tensor_tensor(r, full, nl.broadcast_to(part, (32, 8)), nl.add)", part=(P, 1)),
    "repeated view": Case(
        "nisa.tensor_tensor(r, full, part.ap([[8, 32], [0, 8]], offset=2), nl.add)",
    ),
    "reversed view": Case("nisa.tensor_copy(r, part.ap([[8, 32], [-1, 8]], offset=7))"),
    "sum": Case("nisa.tensor_reduce(r, nl.add, part, axis=1)", (P, 1)),
    "sum over one of two axes": Case("nisa.tensor_reduce(r, nl.add, part.reshape((32, 2, 4)), axis=2)", (P, 2)),
    "sum over two axes": Case("nisa.tensor_reduce(r, nl.add, part.reshape((32, 2, 4)), axis=[1, 2])", (P, 1)),
    "sum over partitions": Case("nisa.tensor_partition_reduce(r, nl.add, part)", (1, F)),
    "sum in registers": Case(
        "t = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.tensor_scalar_reduce(t, part, nl.add, 1.0, nl.add, r)",
        (P, 1),
    ),
    "scan": Case("nisa.tensor_tensor_scan(r, part, full, 0.0, nl.multiply, nl.add)"),
    "start of a scan": Case("nisa.tensor_tensor_scan(r, full, full, part, nl.multiply, nl.add)", part=(P, 1)),
    "running sums": Case("nisa.tensor_scalar_cumulative(r, part, nl.multiply, nl.add, 1.0)"),
    "pattern": Case("nisa.affine_select(r, [[1, 8]], -1, part, 0.0, nl.greater, 4)"),
    "lanes": Case("nisa.nc_stream_shuffle(r, part, [5] * 31 + [31])"),
    "lanes left alone": Case("nisa.memset(r[0:16], 0.0)\nnisa.nc_stream_shuffle(r, part, [9] * 8 + [255] * 24)"),
    "lanes of a smaller tile": Case("nisa.nc_stream_shuffle(r, part[0:16], [15, 3] * 8 + [31] * 16)", (16, F)),
    "stationary": Case("p = nl.ndarray((8, 8), nl.float32, nl.psum)\nnisa.nc_matmul(p, part, full)\n"
                       "nisa.tensor_copy(r, p)", (F, F)),
    "sum of products": Case("p = nl.ndarray((8, 8), nl.float32, nl.psum)\nnisa.nc_matmul(p, full, part)\n"
                            "nisa.nc_matmul(p, part[:, 0:8], full, accumulate=True)\nnisa.tensor_copy(r, p)", (F, F)),
    "moving": Case("p = nl.ndarray((8, 8), nl.float32, nl.psum)\nnisa.nc_matmul(p, full, part)\n"
                   "nisa.tensor_copy(r, p)", (F, F)),
    "statistics": Case("nisa.bn_stats(r, part)", (P, 6)),
    "statistics of other statistics": Case("nisa.bn_aggr(r, part[:, 0:6])", (P, 2)),
    "greatest": Case("nisa.max8(r, part)"),
    "softmax": Case("r = nl.softmax(part, -1)"),
    "norm": Case("r = nl.rms_norm(part, full, -1, 8)"),
    "norm with the weights of a row": Case("r = nl.rms_norm(full, part, -1, 8)", part=(1, F)),
    "where": Case("r = nl.where(part, full, full)"),
    "function": Case("r = nl.exp(part)"),
    "sum of the language": Case("r = nl.sum(part.reshape((32, 4, 2)), [1, 2], keepdims=True)", (P, 1, 1)),
    "transpose of the language": Case("r = nl.copy(nl.transpose(part))", (F, P)),
    "zeros of its shape": Case("r = nl.zeros_like(part)"),
    "product of the language": Case("r = nl.copy(nl.matmul(part[:, 0:4], full, transpose_x=True))", (4, F)),
}  # fmt: skip


def legacy_fills(part: tuple[int, int]) -> list[str]:
    """Ways to write a part of it under a mask that grows with n."""
    rows, columns = part
    load = "part[i, j] = nl.load(x[i, j], mask={})"
    head = f"i, j = nl.mgrid[0:{rows}, 0:{columns}]\n"
    found = []
    if rows >= 32:
        found += [head + load.format(f"i < {rows // 4} * n")]
    if columns >= 4:
        found += [head + load.format(f"j < {columns // 4} * n")]
    if rows >= 32 and columns >= 4:
        found += [head + load.format("(i < 20) & (j < 2 * n)"), head + load.format("i + 2 * j < 8 * n")]
    return found or [head + load.format("(i < 16) & (n > 1)" if rows >= 32 else "j < n - 1")]


GRID = "a, b = nl.mgrid[0:32, 0:8]\n"
LEGACY: dict[str, Case] = {
    "row": Case("r = nl.add(full, part)", part=(1, F)),
    "column": Case("r = nl.add(full, part)", part=(P, 1)),
    "row assigned": Case("r = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)\nr[...] = part", part=(1, F)),
    "column assigned": Case("r = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)\nr[...] = part", part=(P, 1)),
    "added in place": Case("r = nl.copy(full)\nr += part", part=(P, 1)),
    "broadcast": Case("r = nl.broadcast_to(part, shape=(32, 8))", part=(1, F)),
    "broadcast of a column": Case("r = nl.broadcast_to(part, shape=(32, 8))", part=(P, 1)),
    "three axes": Case("r = nl.add(full.reshape((32, 2, 4)), part.reshape((32, 2, 4)))", (P, 2, 4)),
    "one of three axes": Case("a, b, c = nl.mgrid[0:32, 0:2, 0:4]\nr = nl.add(full[a, 4 * b + c], part[a, b])",
                              (P, 2, 4), (P, 2)),
    "sum under a mask": Case(GRID + "r = nl.sum(part[a, b], axis=[1], mask=(b < 4), keepdims=True)", (P, 1)),
    "sum under a mask that goes with n": Case(GRID + "r = nl.sum(part[a, b], axis=[1], mask=(b < 2 * n))", (P, 1)),
    "sum under a mask of both axes": Case(
        GRID + "r = nl.sum(part[a, b], axis=[1], mask=(a < 8 * n) & (b < 4))", (P, 1)
    ),
    "sum under a mask assigned to columns": Case(
        GRID + "r = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r[...] = nl.sum(part[a, b], axis=[1], mask=(a < 10 * n) & (b >= 4), keepdims=True)"
    ),
    "sum under a slanted mask assigned to columns": Case(
        GRID + "r = nl.zeros((32, 8), dtype=nl.float32)\n"
        "r[...] = nl.sum(part[a, b], axis=[1], mask=(a + 4 * b < 30), keepdims=True)"
    ),
    "sum under a mask that leaves nothing": Case(
        GRID + "r = nl.sum(part[a, b], axis=[1], mask=(b + 1 < n), keepdims=True)", (P, 1)
    ),
    "sum in registers under a mask": Case(
        GRID + "r = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)\nt = nisa.activation_reduce("
        "nl.exp, part[a, b], reduce_op=np.add, reduce_res=r, mask=(a < 10 * n) & (b < 2))", (P, 1)
    ),
    "softmax under a mask": Case(GRID + "r = nl.softmax(part[a, b], axis=1, mask=(a < 10 * n))"),
    "sum under a slanted mask": Case(GRID + "r = nl.sum(part[a, b], axis=[1], mask=(a + 4 * b < 30))", (P, 1)),
    "instruction's sum under a mask": Case(GRID + "r = nisa.tensor_reduce(nl.add, part[a, b], axis=[1], mask=(b < 3))",
                                           (P, 1)),
    "sum over one axis under a mask": Case(
        "a, b, c = nl.mgrid[0:32, 0:2, 0:4]\nr = nl.max(part[a, 4 * b + c], axis=[2], mask=(c < 2) & (a < 20))", (P, 2)
    ),
    "sum over the first free axis under a mask": Case(
        "a, b, c = nl.mgrid[0:32, 0:2, 0:4]\nr = nl.max(part[a, 4 * b + c], axis=[1], mask=(b < 1) & (c < n))", (P, 4)
    ),
    "column under a mask": Case(GRID + "r = nisa.tensor_scalar(full[a, b], nl.add, part, mask=(b < 2 * n))",
                                part=(P, 1)),
    "column under a mask of both axes": Case(GRID + "r = nl.add(full[a, b], part, mask=(a < 20) & (b < n))",
                                             part=(P, 1)),
    "column under a slanted mask": Case(GRID + "r = nl.add(full[a, b], part, mask=(a + 4 * b < 25))", part=(P, 1)),
    "bias under a mask": Case(GRID + "r = nisa.activation(nl.exp, full[a, b], bias=part, mask=(b < n))", part=(P, 1)),
    "tile under a mask": Case(GRID + "r = nl.exp(part[a, b], mask=(a < 20) & (b < 5))"),
    "store under a mask": Case(GRID + "nl.store(out, value=full)\nnl.store(out[a, b], value=part[a, b], mask=(b < n))"),
    "row stored": Case("nl.store(out, value=part)", part=(1, F)),
    "assigned under the mask of the value": Case(
        GRID + "r = nl.zeros((32, 8), dtype=nl.float32)\nr[a, b] = nl.exp(part[a, b], mask=(a < 10 * n))"
    ),
    "shuffle": Case("r = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
                    "nisa.nc_stream_shuffle(src=part, dst=r, shuffle_mask=[3] * 32)"),
    "product": Case("r = nl.copy(nl.matmul(part, full, transpose_x=True))", (F, F)),
    "transpose": Case("r = nl.transpose(part)", (F, P)),
    "scan": Case("r = nisa.tensor_tensor_scan(part, full, initial=0.0, op0=np.multiply, op1=np.add)"),
    "scan under a mask": Case(
        GRID + "r = nisa.tensor_tensor_scan(part[a, b], full[a, b], initial=0.0, op0=np.multiply, op1=np.add, "
        "mask=(b < 5))"
    ),
    "scan under a slanted mask": Case(
        GRID + "r = nisa.tensor_tensor_scan(part[a, b], full[a, b], initial=0.0, op0=np.multiply, op1=np.add, "
        "mask=(a + 4 * b < 60) & (a >= 4))"
    ),
    "statistics": Case("r = nisa.bn_stats(part)", (P, 6)),
    "variance": Case("r = nl.var(part, axis=[1])", (P, 1)),
    "select": Case(GRID + "r = nisa.affine_select(a > b, part[a, b], 0.0)"),
}  # fmt: skip


def text_of(case: Case, fill: str, box: tuple[tuple[int, int], ...] | None, *, legacy: bool) -> str:
    """The kernel; it returns all of the result, or only a box of it."""
    whole = ", ".join(map(str, case.shape))
    stored = "nl.store(out, value=" in case.body
    lines = [f"full = nl.load(x[0:{P}, 0:{F}])", f"part = nl.ndarray({case.part}, dtype=nl.float32, buffer=nl.sbuf)"]
    memory = "nl.shared_hbm" if box is None else "nl.private_hbm"
    lines += [f"out = nl.ndarray(({whole},), dtype=nl.float32, buffer={memory})", fill]
    if not legacy and "r = " not in case.body:
        lines += [NEW.format(case.shape).strip()]
    lines += [case.body]
    if not stored:
        lines += ["nl.store(out, value=r)" if legacy else "nisa.dma_copy(dst=out, src=r)"]
    if box is not None:
        extents = tuple(high - low for low, high in box)
        where = ", ".join(f"{low}:{high}" for low, high in box)
        lines += [f"cut = nl.ndarray({extents}, dtype=nl.float32, buffer=nl.shared_hbm)"]
        lines += [f"nisa.dma_copy(dst=cut, src=out[{where}])"]
    lines += [f"return {'out' if box is None else 'cut'}"]
    return "import numpy as np\n@nki.jit\ndef kernel(x, n):\n" + indent("\n".join(lines), "    ")


def domain(v: Verification) -> None:
    v.call(v.tensor("x", (P, 128), float32), v.dim("n", 1, HIGH))


def cases() -> list[object]:
    return [
        pytest.param(case, legacy, id=f"{'legacy ' if legacy else ''}{name}")
        for legacy, table in ((False, CURRENT), (True, LEGACY))
        for name, case in table.items()
    ]


@pytest.mark.parametrize(("case", "legacy"), cases())
def test_sets_marks_and_the_simulator_agree_on_what_is_defined(tmp_path: Path, case: Case, legacy: bool) -> None:
    choose = random.Random(case.body)
    seen = set()
    for number, fill in enumerate((legacy_fills if legacy else fills)(case.part)):
        folder = tmp_path / str(number)
        folder.mkdir()
        subject = Subject.of(folder, text_of(case, fill, None, legacy=legacy), domain, legacy=legacy)
        undefined = np.zeros(case.shape, bool)
        for n in range(1, HIGH + 1):
            trial = subject.trial(n=n)
            assert not trial.unusable
            findings, outputs = followed(trial.recorded, hardware_named(subject.target.hardware).generation)
            assert not findings.doubts and outputs is not None
            marks = [undefined for undefined, _ in outputs]
            simulated = undefined_in_simulator(subject.target, {"n": n})
            if case.simulated:
                assert simulated is not None
                np.testing.assert_array_equal(marks[0], simulated[0], f"{fill}, n = {n}")
            undefined |= marks[0]
        seen |= set(undefined.ravel().tolist())
        for box in boxes(choose, case.shape, undefined):
            folder = tmp_path / f"{number} {box}"
            folder.mkdir()
            cut = Subject.of(folder, text_of(case, fill, box, legacy=legacy), domain, legacy=legacy)
            within = undefined[tuple(slice(low, high) for low, high in box)]
            assert not (within.any() and not cut.proof().open), (fill, box)
    assert seen != {False} or "zeros" in case.body


def boxes(choose: random.Random, shape: tuple[int, ...], undefined: np.ndarray) -> list[tuple[tuple[int, int], ...]]:
    """Boxes of a result: one around an element that is not defined for some n, and one anywhere."""
    found = []
    places = np.argwhere(undefined)
    if len(places):
        place = places[choose.randrange(len(places))]
        found.append(tuple((int(at), int(at) + 1) for at in place))
    corners = [sorted(choose.sample(range(extent + 1), 2)) for extent in shape]
    return [*found, tuple((low, high) for low, high in corners)]


#: What is left of a result for all n: the last box that is defined for n = 1, and one element more.
EDGES = [
    ("dma to fewer partitions", False, 0, ((0, 4), (0, 16)), ((4, 5), (0, 1))),
    ("dma of a row to partitions", False, 0, ((0, 4), (0, 8)), ((4, 5), (0, 1))),
    ("dma sum", False, 0, ((0, 4), (0, 16)), ((15, 16), (15, 16))),
    ("broadcast over partitions", False, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("norm with the weights of a row", False, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("moving", False, 1, ((0, 8), (0, 2)), ((7, 8), (2, 3))),
    ("row", True, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("row assigned", True, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("broadcast", True, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("row stored", True, 0, ((0, 32), (0, 2)), ((31, 32), (2, 3))),
    ("sum under a mask", True, 0, ((0, 8), (0, 1)), ((8, 9), (0, 1))),
    ("sum under a mask that goes with n", True, 1, ((0, 32), (0, 1)), None),
    ("sum under a mask assigned to columns", True, 0, ((0, 8), (0, 8)), ((8, 9), (7, 8))),
    ("sum under a slanted mask", True, 0, ((0, 8), (0, 1)), ((30, 31), (0, 1))),
    ("column under a mask", True, 0, ((0, 8), (0, 2)), ((8, 9), (0, 1))),
    ("column under a mask of both axes", True, 0, ((0, 8), (0, 1)), ((8, 9), (0, 1))),
    ("bias under a mask", True, 0, ((0, 8), (0, 1)), ((8, 9), (0, 1))),
]


@pytest.mark.parametrize(("name", "legacy", "fill", "good", "bad"), EDGES, ids=[name for name, *_ in EDGES])
def test_the_verdict_changes_with_the_first_undefined_element(
    tmp_path: Path,
    name: str,
    legacy: bool,
    fill: int,
    good: tuple[tuple[int, int], ...],
    bad: tuple[tuple[int, int], ...] | None,
) -> None:
    case = (LEGACY if legacy else CURRENT)[name]
    written = (legacy_fills if legacy else fills)(case.part)[fill]
    for box, expected in ((good, Verdict.SUCCESSFUL), (bad, Verdict.FAILED)):
        if box is not None:
            text = text_of(case, written, box, legacy=legacy)
            run = Subject.of(tmp_path, text, domain, legacy=legacy).verdict()
            assert (run.verdict, run.qualifier) == (expected, "")
            assert expected is Verdict.FAILED or run.closed_by.keys() == {"sets"}


@pytest.mark.parametrize(
    ("mask", "known"), [("b >= 3", False), ("b > n", False), ("a + b >= 3", False), ("b < 5", True), ("a >= 3", True)]
)
def test_a_scan_whose_mask_leaves_out_earlier_elements_defines_nothing(mask: str, known: bool, tmp_path: Path) -> None:
    body = f"""
import numpy as np
@nki.jit
def kernel(x, n):
    full = nl.load(x[0:{P}, 0:{F}])
    out = nl.ndarray(({P}, {F}), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=full)
    {GRID.strip()}
    made = nisa.tensor_tensor_scan(full[a, b], full[a, b], initial=0.0, op0=np.multiply, op1=np.add, mask=({mask}))
    nl.store(out[a, b], value=made[a, b], mask=({mask}))
    return out
"""
    subject = Subject.of(tmp_path, body, domain, legacy=True)
    assert bool(subject.proof().open) is not known
    assert subject.verdict().verdict is (Verdict.SUCCESSFUL if known else Verdict.UNKNOWN)
    assert (undefined_in_simulator(subject.target, {"n": 1}) is None) is not known


HEAD = """
@nki.jit
def kernel(x):
    core = nl.program_id(0)
    out = nl.ndarray((2, 32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf)
"""


@pytest.mark.parametrize(("fills_it", "expected"), [("core < 2", Verdict.SUCCESSFUL), ("core == 0", Verdict.FAILED)])
def test_what_another_program_sends_has_to_be_defined_there(tmp_path: Path, fills_it: str, expected: Verdict) -> None:
    body = f"""
    if {fills_it}:
        nisa.dma_copy(dst=mine, src=x)
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=out[core], src=theirs if core == 0 else mine if {fills_it} else nl.load(x))
    return out
"""

    def launched(v: Verification) -> None:
        v.call(v.tensor("x", (P, F), float32), grid=2)

    assert Subject.of(tmp_path, HEAD + body, launched).verdict().verdict is expected


SENDS = "nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)"
#: Exchanges by which a core waits for ever.
ALONE = {
    "only one core": f"if core == 0:\n        {SENDS}\n    else:\n        nisa.memset(theirs, 0)",
    "one core once more": f"{SENDS}\n    if core == 0:\n        {SENDS}",
    "as often as the core says": f"for _ in range(core + 1):\n        {SENDS}",
    "another pipe": SENDS.replace("pipe_id=0", "pipe_id=core"),
    "nobody sends to it": SENDS.replace("send_to_rank=1 - core", "send_to_rank=core"),
    "another size": SENDS.replace("=mine,", "=mine[:, : 4 + core],").replace("=theirs,", "=theirs[:, : 4 + core],"),
}


@pytest.mark.parametrize("rows", ["32", "32*m"])
@pytest.mark.parametrize("how", ALONE)
def test_a_program_waits_for_ever_that_the_other_one_exchanges_nothing_with(
    tmp_path: Path, how: str, rows: str
) -> None:
    body = f"""
    nisa.dma_copy(dst=mine, src=x[0:32])
    nisa.memset(theirs, 0)
    {ALONE[how]}
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
"""

    def launched(v: Verification) -> None:
        v.call(v.tensor("x", (32 if rows == "32" else 32 * v.dim("m"), F), float32), grid=2)

    run = Subject.of(tmp_path, HEAD + body, launched).verdict()
    assert run.verdict is Verdict.FAILED
    assert {one.contract for one in run.violations} == {"sendrecv.pipe"}


@pytest.mark.parametrize(
    "how",
    [
        SENDS,
        SENDS.replace("1 - core", "(core + 1) % 2"),
        f"if core == 0:\n        {SENDS}\n    else:\n        {SENDS}",
        f"{SENDS}\n    {SENDS.replace('pipe_id=0', 'pipe_id=1')}",
    ],
)
def test_an_exchange_that_both_programs_come_to_is_right(tmp_path: Path, how: str) -> None:
    body = f"""
    nisa.dma_copy(dst=mine, src=x)
    {how}
    nisa.dma_copy(dst=out[core], src=theirs)
    return out
"""

    def launched(v: Verification) -> None:
        v.call(v.tensor("x", (32, F), float32), grid=2)

    assert Subject.of(tmp_path, HEAD + body, launched).verdict().verdict is Verdict.SUCCESSFUL


@pytest.mark.parametrize(
    ("columns", "ranks", "expected"),
    [
        # Each sends the columns that it has filled, and receives those that it has not.
        ("core * 4", "1 - core", Verdict.SUCCESSFUL),
        # Each sends the columns that it has not filled.
        ("4 - core * 4", "1 - core", Verdict.FAILED),
        # Each sends to itself, what it has filled, over what it has not.
        ("core * 4", "core", Verdict.SUCCESSFUL),
        # Both send to core 0, which sends to itself: core 1 waits for ever.
        ("4 - core * 4", "0", Verdict.FAILED),
    ],
)
def test_what_a_program_receives_is_what_the_other_one_sends(
    tmp_path: Path, columns: str, ranks: str, expected: Verdict
) -> None:
    body = f"""
    filled = core * 4
    nisa.dma_copy(dst=mine[:, filled : filled + 4], src=x[:, filled : filled + 4])
    sent, received = {columns}, 4 - ({columns})
    nisa.sendrecv(
        src=mine[:, sent : sent + 4], dst=mine[:, received : received + 4],
        send_to_rank={ranks}, recv_from_rank={ranks}, pipe_id=0,
    )
    nisa.dma_copy(dst=out[core], src=mine)
    return out
"""

    def launched(v: Verification) -> None:
        v.call(v.tensor("x", (P, F), float32), grid=2)

    assert Subject.of(tmp_path, HEAD + body, launched).verdict().verdict is expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [("pass", Verdict.FAILED), (SENDS, Verdict.UNKNOWN), ("nisa.core_barrier(out, (0, 1))", Verdict.SUCCESSFUL)],
    ids=["nothing", "an exchange", "a barrier"],
)
def test_no_document_says_whether_an_exchange_orders_what_is_stored(
    tmp_path: Path, between: str, expected: Verdict
) -> None:
    body = f"""
    nisa.memset(theirs, 0)
    nisa.dma_copy(dst=mine, src=x)
    nisa.dma_copy(dst=out[0], src=theirs)
    nisa.dma_copy(dst=out[1], src=theirs)
    {between}
    nisa.dma_copy(dst=out[core], src=mine)
    return out
"""

    def launched(v: Verification) -> None:
        v.call(v.tensor("x", (P, F), float32), grid=2)

    assert Subject.of(tmp_path, HEAD + body, launched).verdict().verdict is expected


@pytest.mark.parametrize(("lane", "expected"), [(15, Verdict.SUCCESSFUL), (16, Verdict.UNKNOWN)])
@pytest.mark.parametrize("rows", ["16", "x.shape[0]"])
def test_a_shuffle_takes_nothing_from_beside_its_source(
    tmp_path: Path, lane: int, expected: Verdict, rows: str
) -> None:
    body = f"""
@nki.jit
def kernel(x):
    rows = {rows}
    out = nl.ndarray((rows, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 8), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(tile, nl.load(x[0:rows]), [{lane}] * 32)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""

    def sized(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 16, 16), F), float32))

    assert Subject.of(tmp_path, body, sized).verdict().verdict is expected


@pytest.mark.parametrize(("columns", "expected"), [(8, Verdict.SUCCESSFUL), (7, Verdict.UNKNOWN)])
def test_where_elements_are_written_to_one_place_all_have_to_be_defined(
    tmp_path: Path, columns: int, expected: Verdict
) -> None:
    body = f"""
@nki.jit
def kernel(x):
    out = nl.ndarray((32, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    part = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(part[:, 0:{columns}], 0.0)
    tile = nl.ndarray((32, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(tile.ap([[1, 32], [0, 8]], offset=0), part)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""

    def fixed(v: Verification) -> None:
        v.call(v.tensor("x", (v.dim("R", 32, 32), F), float32))

    assert Subject.of(tmp_path, body, fixed).verdict().verdict is expected


UNCLEAR = {
    "a column written beside a mask over rows": (
        "r = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
        "r = nl.exp(nl.load(x[0:32, 0:1]), mask=(b < 4))\n"
        "nl.store(out, value=nl.add(full, r))"
    ),
    "a column read beside a mask of three axes": (
        "a, b, c = nl.mgrid[0:32, 0:2, 0:4]\n"
        "r = nisa.activation(nl.exp, full[a, 4 * b + c], bias=part, mask=(a < 31))\n"
        "nl.store(out, value=r.reshape((32, 8)))"
    ),
}


@pytest.mark.parametrize("body", UNCLEAR.values(), ids=UNCLEAR.keys())
def test_a_mask_that_fits_no_grid_leaves_the_verdict_open(tmp_path: Path, body: str) -> None:
    head = """
@nki.jit
def kernel(x, n):
    out = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    full = nl.load(x[0:32, 0:8])
    part = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)
    i, j = nl.mgrid[0:32, 0:1]
    part[i, j] = nl.load(x[i, j], mask=(i < 8 * n))
    a, b = nl.mgrid[0:32, 0:8]
"""
    text = head + indent(body, "    ") + "\n    return out\n"
    assert Subject.of(tmp_path, text, domain, legacy=True).verdict().verdict is Verdict.UNKNOWN


#: What is done between making a tile under a mask and assigning it, and whether zeros around it stay.
ASSIGNED = {
    "at once": ("", True),
    "written beside the mask": ("a[p, f] = nl.add(bad, bad, mask=f >= n)", False),
    "written under the mask": ("a[p, f] = nl.multiply(a, 2.0, mask=f < n)", False),
    "written as a whole": ("a[p, f] = nl.load(x[p, f])", True),
    "in a loop": ("for k in nl.sequential_range(n):\n        c[p, f] = a\n        a[p, f] = nl.add(bad, bad)", False),
}


@pytest.mark.parametrize("between", ASSIGNED)
def test_a_tile_is_assigned_under_its_mask_until_something_else_is_written_to_it(between: str, tmp_path: Path) -> None:
    text, right = ASSIGNED[between]
    body = f"""
@nki.jit
def kernel(x, n):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    bad = nl.ndarray((128, 512), dtype=x.dtype)
    c = nl.zeros((128, 512), dtype=x.dtype)
    a = nl.load(x[p, f], mask=f < n)
    {text}
    c[p, f] = a
    nl.store(out[p, f], c)
    return out
"""
    wanted = Verdict.SUCCESSFUL if right else Verdict.FAILED
    for n in (lambda v: v.dim("n", 1, 512), lambda v: 100):
        call = lambda v, n=n: v.call(v.tensor("x", (128, 512), float32), n(v))  # noqa: E731
        assert Subject.of(tmp_path, body, call, legacy=True).verdict().verdict is wanted


@pytest.mark.parametrize("turned", ["nl.transpose(a, mask=p < n)", "nisa.nc_transpose(a, mask=p < n)"])
def test_the_mask_of_a_transpose_is_none_of_its_result(turned: str, tmp_path: Path) -> None:
    body = f"""
@nki.jit
def kernel(x, n):
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:128]
    c = nl.zeros((128, 128), dtype=x.dtype)
    a = nl.load(x[p, f])
    t = {turned}
    c[p, f] = t
    nl.store(out[p, f], c, mask=p >= n)
    nl.store(out[p, f], a, mask=p < n)
    return out
"""
    call = lambda v: v.call(v.tensor("x", (128, 128), float32), v.dim("n", 1, 128))  # noqa: E731
    assert Subject.of(tmp_path, body, call, legacy=True).verdict().verdict is Verdict.UNKNOWN
