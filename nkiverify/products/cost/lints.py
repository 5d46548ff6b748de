"""Warnings about what costs more than it has to. None is about right or wrong, and none moves a verdict.

Each is stated where it is sure for all shapes of the domain; where it is not known, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.foundation.budget import CostingBudget
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.products.cost.counting import ONE, UnknownCost, descriptors_of, hbm_views, is_transfer, term_of
from nkiverify.products.cost.formulas import Around, Cost
from nkiverify.products.cost.sums import surely
from nkiverify.symbolic.atoms import render
from nkiverify.symbolic.prover import Prover
from nkiverify.symbolic.terms import add, all_atoms, constant
from nkiverify.symbolic.values import as_term

#: Bytes of a descriptor from which on DMA engines are used well ("Trainium2 architecture guide: DMA").
_LEAST_DESCRIPTOR = 512
_HALF_OF_PARTITIONS = 64


@dataclass(frozen=True, slots=True)
class CostWarning:
    """A warning at a place."""

    id: str
    site: Site | None
    message: str


@dataclass(frozen=True, slots=True)
class Lint:
    """A kind of warning: what it says, its source, a kernel that has it, and the same without."""

    id: str
    text: str
    source: str
    find: Callable[[Cost], Iterator[CostWarning]]
    wrong: str
    right: str


def lints(cost: Cost) -> tuple[CostWarning, ...]:
    """The warnings of a program, each once for its place."""
    found = [one for lint in LINTS for one in lint.find(cost)]
    return tuple({(one.id, one.site): one for one in found}.values())


# --- a load that is repeated --------------------------------------------------------------------------------------


def _repeated(cost: Cost) -> Iterator[CostWarning]:
    for executed, nest in cost.nests:
        operation = executed.operation
        if not is_transfer(operation):
            continue
        for writes, _, view in hbm_views(operation):
            if writes or view.indirect_by is not None:
                continue
            for around in _idle(operation, view, nest):
                if not _written_in(cost, view, around):
                    loop = around.loop
                    assert loop is not None
                    line = f" at line {loop.site.line}" if loop.site is not None else ""
                    name = view.label or "a tensor"
                    times = render(around.extent)
                    yield CostWarning(
                        "cost.repeated_load",
                        executed.site,
                        f"loads the same elements of {name} in each of {times} iterations of the loop over "
                        f"{loop.index}{line}",
                    )


def _idle(operation: Operation, view: Tensor, nest: Sequence[Around]) -> Iterator[Around]:
    """The loops around an operation that go round twice, perhaps, and that what it reads does not depend on."""
    terms = [view.offset, *view.shape, *view.strides]
    for part in operation.mask.terms if operation.mask is not None else ():
        terms += (part.difference.base, *part.difference.coefficients)
    atoms = {atom for value in terms if (term := as_term(value)) is not None for atom in all_atoms(term)}
    for around in nest:
        number = around.extent.constant
        if around.loop is not None and around.index not in atoms and (number is None or number > 1):
            yield around


def _written_in(cost: Cost, view: Tensor, around: Around) -> bool:
    """True if the tensor is written in a loop: what is loaded there may be something else each time."""
    return any(
        writes and key_of(other.storage) == key_of(view.storage) and any(one.index is around.index for one in nest)
        for executed, nest in cost.nests
        for writes, _, other in hbm_views(executed.operation)
    )


# --- descriptors, partitions ------------------------------------------------------------------------------------------


def _small(cost: Cost) -> Iterator[CostWarning]:
    prover = Prover(cost.program.assumed, CostingBudget.MILLISECONDS)
    for executed, _ in cost.nests:
        operation = executed.operation
        if not is_transfer(operation) or not any(True for _ in hbm_views(operation)):
            continue
        try:
            count, size = descriptors_of(operation)
        except UnknownCost:
            continue
        small = surely(add(size, constant(_LEAST_DESCRIPTOR - 1), -1), prover)
        if small and not surely(add(count.high, ONE, -1), prover):
            yield CostWarning(
                "cost.small_descriptors",
                executed.site,
                f"{render(count.high)} descriptors of {render(size)} bytes, less than {_LEAST_DESCRIPTOR}",
            )


def _few(cost: Cost) -> Iterator[CostWarning]:
    prover = Prover(cost.program.assumed, CostingBudget.MILLISECONDS)
    for executed, _ in cost.nests:
        operation = executed.operation
        if (
            operation.declared.engine in ("dma", "none")
            or operation.declared.host
            or operation.declared.behaviour.assigns
        ):
            continue
        used = [term_of(view.partitions) for view in operation.views if view.on_chip]
        if used and all(surely(add(one, constant(_HALF_OF_PARTITIONS - 1), -1), prover) for one in used):
            most = max(used, key=lambda one: one.constant or 0)
            yield CostWarning("cost.few_partitions", executed.site, f"{render(most)} of 128 partitions are used")


# --- transposes ---------------------------------------------------------------------------------------------------


def _transposed(cost: Cost) -> Iterator[CostWarning]:
    loaded = _loaded(cost)
    for executed, _ in cost.nests:
        operation = executed.operation
        turned = _turned(operation)
        if turned is not None and loaded.get(key_of(turned.storage)) is True:
            yield CostWarning(
                "cost.transpose",
                executed.site,
                f"{turned.label or 'a tile'} is transposed on the chip as it was loaded: "
                "a DMA, or another layout in HBM, gives it transposed",
            )


def _turned(operation: Operation) -> Tensor | None:
    """The tile that an operation transposes on the chip, if it does."""
    reads = operation.reads
    if operation.name == "nisa.nc_transpose":
        return reads.get("data")
    if operation.name == "nl.transpose":
        return reads.get("x")
    if operation.name == "nisa.nc_matmul" and operation.attributes.get("is_transpose") is True:
        return reads.get("stationary") if operation.attributes.get("is_moving_onezero") else reads.get("moving")
    if operation.name == "nl.matmul" and operation.attributes.get("transpose_x") is not True:
        return reads.get("x")
    return None


def _loaded(cost: Cost) -> dict[Key, bool]:
    """For each tensor on the chip whether all that is written to it is loaded as it is."""
    found: dict[Key, bool] = {}

    def note(view: Tensor, loads: bool) -> None:
        found[key_of(view.storage)] = found.get(key_of(view.storage), True) and loads

    for executed, _ in cost.nests:
        operation = executed.operation
        for view in operation.writes.values():
            if not view.on_chip:
                continue
            value = operation.reads.get("value")
            if operation.declared.behaviour.assigns and value is not None:
                note(view, found.get(key_of(value.storage), False))
            else:
                note(view, _loads(operation))
    return found


def _loads(operation: Operation) -> bool:
    return operation.name in ("nl.load", "nisa.dma_copy") and any(not view.on_chip for view in operation.reads.values())


_HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\n"

_REPEATED = """\
def kernel(x, w):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
{before}    for i in range(x.shape[0] // 128):
{within}        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128:(i + 1) * 128, :])
        nisa.tensor_tensor(dst=tile, data1=tile, data2=weight, op=nl.multiply)
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, :], src=tile)
    return out
"""
_WEIGHT = (
    "{0}weight = nl.ndarray((128, 512), dtype=w.dtype, buffer=nl.sbuf)\n{0}nisa.dma_copy(dst=weight, src=w[:, :])\n"
)

_COPIED = """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(({rows}, {columns}), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:{rows}, 0:{columns}])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out[0:{rows}, 0:{columns}], src=tile)
    return out
"""

_TURNED = """\
def kernel(x, y):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    right = nl.ndarray((128, 512), dtype=y.dtype, buffer=nl.sbuf)
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    done = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x[:, :])
    nisa.dma_copy(dst=right, src=y[:, :])
{turn}    nisa.nc_matmul(dst=product, stationary={stationary}, moving=right)
    nisa.tensor_copy(dst=done, src=product)
    nisa.dma_copy(dst=out[:, :], src=done)
    return out
"""
_TURN = """\
    turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=left)
    stationary = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=stationary, src=turned)
"""

LINTS: tuple[Lint, ...] = (
    Lint(
        "cost.repeated_load",
        "A load in a loop reads the same elements in each iteration: it can stand before the loop, if they fit.",
        "NKI performance guide: hoist loads; nki-samples, matrix multiplication",
        _repeated,
        _HEAD + _REPEATED.format(before="", within=_WEIGHT.format(" " * 8)),
        _HEAD + _REPEATED.format(before=_WEIGHT.format(" " * 4), within=""),
    ),
    Lint(
        "cost.small_descriptors",
        "A transfer is made of contiguous runs of less than 512 bytes, which DMA engines move at a part of their rate.",
        "Trainium2 architecture guide: DMA; NKI DMA bandwidth guide",
        _small,
        _HEAD + _COPIED.format(rows=128, columns=64),
        _HEAD + _COPIED.format(rows=128, columns=512),
    ),
    Lint(
        "cost.few_partitions",
        "An instruction works on less than half of the partitions: engines take as long for 1 as for 128.",
        "Trainium/Inferentia2 architecture guide: compute engines",
        _few,
        _HEAD + _COPIED.format(rows=32, columns=512),
        _HEAD + _COPIED.format(rows=64, columns=512),
    ),
    Lint(
        "cost.transpose",
        "A tile is transposed on the chip as it was loaded: a DMA transpose, or another layout in HBM, saves that.",
        "nki.isa.dma_transpose; Trainium/Inferentia2 architecture guide: tensor engine",
        _transposed,
        _HEAD + _TURNED.format(turn=_TURN, stationary="stationary"),
        _HEAD + _TURNED.format(turn="", stationary="left"),
    ),
)
