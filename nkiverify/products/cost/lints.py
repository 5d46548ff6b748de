"""Warnings about what costs more than it has to. None is about right or wrong, and none moves a verdict.

Each is stated where it is sure for all shapes of the domain; where it is not known, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from nkiverify.analysis.sets.keys import Key, key_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.source import Site
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.model.tensor import Tensor
from nkiverify.products.cost.counting import (
    ONE,
    CostFigures,
    UnknownCost,
    descriptors_of,
    hbm_views,
    is_transfer,
    runs_on_scalar,
    term_of,
)
from nkiverify.products.cost.formulas import Around, Cost
from nkiverify.products.cost.sums import surely
from nkiverify.symbolic.atoms import Term, render
from nkiverify.symbolic.terms import add, all_atoms, constant, multiply, scale
from nkiverify.symbolic.values import as_term

#: Bytes of a descriptor from which on DMA engines are used well ("Trainium2 architecture guide: DMA").
_LEAST_DESCRIPTOR = 512
_HALF_OF_PARTITIONS = 64
#: Bytes between elements of a row of SBUF or PSUM up to which NeuronCore-v2 reads at its full rate ("mem.stride16B").
_FULL_RATE_STRIDE, _STRIDES_OF_GENERATION = 16, 2
#: Instructions beyond which the compiler gives up ("NCC_EBVF030"; the number: aws-neuron-sdk, issue 819).
_MOST_INSTRUCTIONS = 5_000_000


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
    find: Callable[[Cost, Hardware], Iterator[CostWarning]]
    wrong: str
    right: str


def lints(cost: Cost, hardware: Hardware) -> tuple[CostWarning, ...]:
    """The warnings of a program, each once for its place."""
    found = [one for lint in LINTS for one in lint.find(cost, hardware)]
    return tuple({(one.id, one.site): one for one in found}.values())


# --- a load that is repeated --------------------------------------------------------------------------------------


def _repeated(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
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


def _small(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    for executed, _ in cost.nests:
        operation = executed.operation
        if not is_transfer(operation) or not any(True for _ in hbm_views(operation)):
            continue
        try:
            count, size = descriptors_of(operation)
        except UnknownCost:
            continue
        small = surely(add(size, constant(_LEAST_DESCRIPTOR - 1), -1), cost.prover)
        if small and not surely(add(count.high, ONE, -1), cost.prover):
            yield CostWarning(
                "cost.small_descriptors",
                executed.site,
                f"{render(count.high)} descriptors of {render(size)} bytes, less than {_LEAST_DESCRIPTOR}",
            )


def _few(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    for executed, _ in cost.nests:
        operation = executed.operation
        if (
            operation.declared.engine in ("dma", "none")
            or operation.declared.host
            or operation.declared.behaviour.assigns
        ):
            continue
        used = [term_of(view.partitions) for view in operation.views if view.on_chip]
        if used and all(surely(add(one, constant(_HALF_OF_PARTITIONS - 1), -1), cost.prover) for one in used):
            most = max(used, key=lambda one: one.constant or 0)
            yield CostWarning("cost.few_partitions", executed.site, f"{render(most)} of 128 partitions are used")


# --- transposes ---------------------------------------------------------------------------------------------------


def _transposed(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
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


# --- engines ----------------------------------------------------------------------------------------------------------


def _narrow(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    half = hardware.gemm_moving_fmax // 2
    for executed, nest in cost.nests:
        moving = executed.operation.reads.get("moving")
        if moving is None or not any(around.loop is not None for around in nest):
            continue
        width = term_of(moving.free_size)
        if surely(add(width, constant(half - 1), -1), cost.prover):
            yield CostWarning(
                "cost.narrow_moving",
                executed.site,
                f"the moving tile has {render(width)} columns; a matmul takes {hardware.gemm_moving_fmax}, and loading "
                "the stationary tile takes as long for few as for many",
            )


def _strided(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    if hardware.generation != _STRIDES_OF_GENERATION:
        return
    for executed, _ in cost.nests:
        operation = executed.operation
        if operation.declared.host or is_transfer(operation) or operation.declared.engine == "none":
            continue
        for view in operation.views:
            if not view.on_chip or len(view.shape) < 2:
                continue
            extent, stride = term_of(view.shape[-1]), scale(term_of(view.strides[-1]), view.itemsize)
            several = surely(add(constant(2), extent, -1), cost.prover)
            if several and surely(add(constant(_FULL_RATE_STRIDE + 1), stride, -1), cost.prover):
                yield CostWarning(
                    "cost.strided",
                    executed.site,
                    f"elements of a row of {view.label or 'a tile'} are {render(stride)} bytes apart: beyond "
                    f"{_FULL_RATE_STRIDE} bytes the memory is read at half its rate",
                )


def _many(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    total = _least_of(cost, *(figure for figure in CostFigures if figure.value.endswith("_instructions")))
    if total is None or not surely(add(constant(_MOST_INSTRUCTIONS + 1), total, -1), cost.prover):
        return
    executed, _ = max(cost.nests, key=lambda one: len(one[1]))
    yield CostWarning(
        "cost.many_instructions",
        executed.site,
        f"at least {render(total)} instructions are made of the loops around this line: the compiler gives up at "
        f"{_MOST_INSTRUCTIONS:,}, and takes hours before",
    )


def _idle_engine(cost: Cost, hardware: Hardware) -> Iterator[CostWarning]:
    for engine, other, instructions, cycles, hertz in (
        ("vector", "scalar", CostFigures.SCALAR_INSTRUCTIONS, CostFigures.VECTOR_CYCLES, hardware.rates.vector_hertz),
        ("scalar", "vector", CostFigures.VECTOR_INSTRUCTIONS, CostFigures.SCALAR_CYCLES, hardware.rates.scalar_hertz),
    ):
        left_open = (CostFigures.OPEN_INSTRUCTIONS, instructions)
        if any(True for figure in left_open for _ in cost.of(figure)) or not _bounds(cost, cycles, hertz, hardware):
            continue
        for executed, _ in cost.nests:
            if executed.operation.engine == engine and runs_on_scalar(executed.operation):
                yield CostWarning(
                    "cost.idle_engine",
                    executed.site,
                    f"runs on the {engine} engine, which takes longest, while the {other} engine does nothing: it can "
                    "take some of this",
                )


def _bounds(cost: Cost, cycles: CostFigures, hertz: float, hardware: Hardware) -> bool:
    """True if an engine surely takes longer, as documented, than transfers and matmuls do, for all shapes."""
    least = _least_of(cost, cycles)
    moved = [cost.formula(figure)[1] for figure in (CostFigures.HBM_READ, CostFigures.HBM_WRITTEN)]
    columns = cost.formula(CostFigures.TENSOR_COLUMNS)[1]
    if least is None or None in moved or columns is None:
        return False
    for other, rate in ((add(moved[0], moved[1]), hardware.rates.dma_bytes), (columns, hardware.rates.columns)):  # type: ignore[arg-type]
        times = Fraction(rate) / Fraction(hertz)
        longer = add(scale(other, times.denominator), multiply(least, constant(times.numerator)), -1)
        if not surely(add(longer, ONE), cost.prover):
            return False
    return True


def _least_of(cost: Cost, *figures: CostFigures) -> Term | None:
    """The sum of figures, at least; None where it has no closed form."""
    total = constant(0)
    for figure in figures:
        low, _ = cost.formula(figure)
        if low is None:
            return None
        total = add(total, low)
    return total


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

_MULTIPLIED = """\
def kernel(x, y):
    out = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x[:, :])
    for i in range(1024 // {columns}):
        right = nl.ndarray((128, {columns}), dtype=y.dtype, buffer=nl.sbuf)
        product = nl.ndarray((128, {columns}), dtype=nl.float32, buffer=nl.psum)
        done = nl.ndarray((128, {columns}), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=right, src=y[:, i * {columns}:(i + 1) * {columns}])
        nisa.nc_matmul(dst=product, stationary=left, moving=right)
        nisa.tensor_copy(dst=done, src=product)
        nisa.dma_copy(dst=out[:, i * {columns}:(i + 1) * {columns}], src=done)
    return out
"""

_PICKED = """\
def kernel(x):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 2048), dtype=nl.float32, buffer=nl.sbuf)
    picked = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, :])
    nisa.tensor_scalar(dst=picked, data=tile[:, {picked}], op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out[:, :], src=picked)
    return out
"""

_BY_COLUMNS = """\
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[1] // 512):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * 512:(i + 1) * 512])
        for j in range(512 // {columns}):
            part = tile[:, j * {columns}:(j + 1) * {columns}]
            nisa.tensor_scalar(dst=part, data=part, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=out[:, i * 512:(i + 1) * 512], src=tile)
    return out
"""

_REPEATEDLY = """\
def kernel(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, :])
    for i in range(16):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0, engine=nisa.vector_engine)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0, engine=nisa.{engine}_engine)
    nisa.dma_copy(dst=out[:, :], src=tile)
    return out
"""

LINTS: tuple[Lint, ...] = (
    Lint(
        "cost.repeated_load",
        "A load in a loop reads the same elements in each iteration: it can stand before the loop, if they fit.",
        "NKI Performance Optimizations, Opt #1: exploit temporal locality to minimise input data reloading",
        _repeated,
        _HEAD + _REPEATED.format(before="", within=_WEIGHT.format(" " * 8)),
        _HEAD + _REPEATED.format(before=_WEIGHT.format(" " * 4), within=""),
    ),
    Lint(
        "cost.small_descriptors",
        "A transfer is made of contiguous runs of less than 512 bytes, which DMA engines move at a part of their rate.",
        "Introduction to DMA with NKI, performance considerations; NKI DMA bandwidth guide: both ask for 4 KiB of each "
        "partition. The 512 bytes are an assumption of this warning: an eighth of that.",
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
        "A tile is transposed on the chip as it was loaded: another layout in HBM saves that; so does a DMA transpose, "
        "where transfers are not what bounds the kernel.",
        "NKI Performance Optimizations, Opt #8 and #10: minimise transposes, and those by DMA; Trainium2 architecture "
        "guide: DMA transpose",
        _transposed,
        _HEAD + _TURNED.format(turn=_TURN, stationary="stationary"),
        _HEAD + _TURNED.format(turn="", stationary="left"),
    ),
    Lint(
        "cost.narrow_moving",
        "A matmul in a loop takes less than half of the columns that it could: stationary tiles are loaded more often.",
        "nki.isa.nc_matmul: tile size, estimated instruction cost",
        _narrow,
        _HEAD + _MULTIPLIED.format(columns=128),
        _HEAD + _MULTIPLIED.format(columns=512),
    ),
    Lint(
        "cost.strided",
        "Elements of a row are more than 16 bytes apart in SBUF or PSUM, which trn1 reads at half its rate.",
        "Trainium/Inferentia2 architecture guide (mem.stride16B)",
        _strided,
        _HEAD + _PICKED.format(picked="0:2048:8"),
        _HEAD + _PICKED.format(picked="0:256"),
    ),
    Lint(
        "cost.many_instructions",
        "The loops are unrolled to more instructions than the compiler takes: larger tiles, or loops of the device.",
        "Neuron compiler error codes: NCC_EBVF030; the number: aws-neuron-sdk, issue 819",
        _many,
        _HEAD + _BY_COLUMNS.format(columns=1),
        _HEAD + _BY_COLUMNS.format(columns=512),
    ),
    Lint(
        "cost.idle_engine",
        "One engine takes longer than all else, and another one that can do the same does nothing.",
        "nki.isa.tensor_scalar, tensor_copy: engines",
        _idle_engine,
        _HEAD + _REPEATEDLY.format(engine="vector"),
        _HEAD + _REPEATEDLY.format(engine="scalar"),
    ),
)
