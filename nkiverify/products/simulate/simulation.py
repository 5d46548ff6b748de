"""One simulation on the command line: inputs, trace, debugger, comparison with a reference."""

from __future__ import annotations

import importlib
import json
import pdb
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.asked_kernel import AskedKernel, declared_range, execute, random_array
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.value_run import ComputedElements
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import ContractViolation, UnsupportedConstruct, UsageError, described
from nkiverify.foundation.source import Site
from nkiverify.foundation.threads import one_thread
from nkiverify.frontend.concrete import innermost_kernel_site
from nkiverify.frontend.tracebacks import in_simulator
from nkiverify.model.dtypes import DType, float32
from nkiverify.model.hardware import Hardware
from nkiverify.model.operation import Operation
from nkiverify.model.returned import Leaf, PathStep, StepKind
from nkiverify.model.returned import Path as Way
from nkiverify.model.tensor import Tensor
from nkiverify.products.simulate.simulator import UndefinedElements, array_of, undefined_parts
from nkiverify.project.request import Request
from nkiverify.report.style import Style
from nkiverify.results import wording
from nkiverify.results.session import ExitStatus

Reference = Callable[..., Any]


def reference_function(named: str) -> Reference:
    """The function `module:name` names; modules of the current folder are found. Raises `UsageError`."""
    module_name, separator, name = named.partition(":")
    if not separator or not name:
        raise UsageError(f"--reference is written module:function, not {named!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module_name), name)
    except ImportError as error:
        raise UsageError(f"--reference: {error}") from None
    except AttributeError:
        raise UsageError(f"--reference: the module {module_name} has no {name}") from None
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(found):
        raise UsageError(f"--reference: {named} is no function")
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """A result next to its reference: the greatest difference, where it is, and how much is tolerated."""

    name: str
    worst: float
    place: tuple[int, ...]
    got: float
    expected: float
    tolerance: float
    #: The coarsest dtype in which the kernel keeps values in between, and the difference that its roundings may make.
    coarsest: str
    of_roundings: float

    @property
    def differs(self) -> bool:
        """True if the difference is beyond the tolerance."""
        return not self.worst <= self.tolerance

    @property
    def hint(self) -> str:
        """The explanation of a difference beyond the tolerance."""
        if not self.differs or not self.worst <= self.of_roundings:
            return ""
        return f"; no more than roundings to {self.coarsest} make, in which the kernel keeps values: see --tolerance"


@dataclass(frozen=True, slots=True)
class ArraySummary:
    """An array as a report describes it: its dtype and shape, the least, the greatest and the mean of its finite
    elements, if there are any, and how many others it has."""

    dtype: str
    shape: tuple[int, ...]
    finite: tuple[float, float, float] | None
    others: int

    @staticmethod
    def of(array: Array) -> ArraySummary:
        """That of `array`."""
        values = array.astype(np.float64)
        finite = values[np.isfinite(values)]
        numbers = (float(finite.min()), float(finite.max()), float(finite.mean())) if finite.size else None
        return ArraySummary(str(array.dtype), tuple(map(int, array.shape)), numbers, values.size - finite.size)

    def __str__(self) -> str:
        shown = f"{self.dtype} {list(self.shape)}"
        if self.finite is not None:
            low, high, mean = self.finite
            shown += f", from {low:.6g} to {high:.6g}, mean {mean:.6g}"
        return shown + (f", {self.others} not finite" if self.others else "")


@dataclass(slots=True)
class Simulated:
    """The result of a simulation."""

    results: dict[str, ArraySummary] = field(default_factory=dict)
    undefined: list[UndefinedElements] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    mismatch: str = ""
    violation: str = ""
    unsupported: str = ""
    operations: int = 0

    @property
    def failed(self) -> bool:
        """True if anything is wrong with the kernel."""
        return bool(self.violation or self.mismatch or self.undefined) or any(part.differs for part in self.compared)

    @property
    def status(self) -> ExitStatus:
        """The exit status that it asks for."""
        if self.unsupported:
            return ExitStatus.UNKNOWN
        return ExitStatus.MISMATCH if self.failed else ExitStatus.AS_EXPECTED

    def text(self, kernel: str, base: Path, style: Style) -> str:
        """The report."""
        lines = [style.head(kernel)]
        if self.unsupported:
            return "\n".join([*lines, f"  {style.warn('not simulated')}: {wording.text(self.unsupported, base)}"])
        if self.violation:
            return "\n".join([*lines, f"  {style.bad('failed')}: {wording.text(self.violation, base)}"])
        lines += [f"  {name}: {result}" for name, result in self.results.items()]
        lines += [f"  {style.bad('undefined')}: {wording.text(str(found), base)}" for found in self.undefined]
        for part in self.compared:
            word = style.bad("differs") if part.differs else style.good("agrees")
            place = ", ".join(map(str, part.place))
            lines.append(
                f"  {part.name} {word}: greatest difference {part.worst:.3g}, at [{place}] "
                f"({part.got:.9g}, reference {part.expected:.9g}), tolerance {part.tolerance:.3g}{part.hint}"
            )
        if self.mismatch:
            lines.append(f"  {style.bad('differs')}: {self.mismatch}")
        lines.append(style.faint(f"  {wording.counted(self.operations, 'operation')}"))
        return "\n".join(lines)


class Simulation:
    """A kernel that is to be simulated once."""

    def __init__(
        self,
        asked: Request,
        hardware: Hardware,
        seed: int,
        arrays: Mapping[str, Array],
        *,
        trace: Path | None = None,
        stop: tuple[str, int] | None = None,
    ) -> None:
        self._asked = asked
        self._hardware = hardware
        self._seed = seed
        self._arrays = arrays
        self._trace = trace
        self._stop = stop
        self._inputs: dict[str, Array] = {}
        self._operations = 0
        #: The results of the kernel.
        self.arrays: dict[str, Array] = {}

    def run(self, reference: Reference | None, tolerance: float | None) -> Simulated:
        """Simulate the kernel, and compare it with `reference` if there is one."""
        outcome = Simulated()
        with ExitStack() as stack:
            stack.enter_context(one_thread())
            writer = self._writer(stack)
            elements = ComputedElements(Floats(), watch=partial(self._watched, writer))
            elements.random = np.random.default_rng(self._seed)
            try:
                if self._stop is not None:
                    stack.enter_context(_debugger(*self._stop))
                execution = execute(self._asked, elements.execution(self._hardware), {}, self._fill)
                outputs = execution.outputs()
            except ContractViolation as violation:
                where = f" at {violation.site}" if violation.site is not None else ""
                outcome.violation = f"{violation}{where}"
            except UnsupportedConstruct as limit:
                where = f" at {limit.site}" if limit.site is not None else ""
                outcome.unsupported = f"{limit.construct}{where}"
            except UsageError:
                raise
            except (Exception, SystemExit) as error:
                if in_simulator(error):
                    raise
                site = innermost_kernel_site(error)
                where = f" at {site}" if site is not None else ""
                outcome.violation = f"{described(error)}{where}"
            else:
                self._conclude(outcome, execution, outputs, reference, tolerance)
        outcome.operations = self._operations
        return outcome

    def save(self, folder: Path) -> None:
        """Write each result to a file of NumPy. Raises `UsageError`."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, array in self.arrays.items():
                np.save(folder / f"{name}.npy", array)
        except OSError as error:
            raise UsageError(f"--save: {folder} cannot be written: {error.strerror or error}") from None

    def _fill(self, name: str, tensor: Tensor) -> Array:
        shape = tuple(map(int, tensor.shape))
        array = self._arrays.get(name)
        if array is None:
            random = np.random.default_rng((self._seed, len(self._inputs)))
            array = random_array(random, shape, tensor.dtype, declared_range(tensor))
        entered = Floats().entered(array, tensor.dtype)
        self._inputs[name] = entered[0].copy()
        return entered

    # --- trace --------------------------------------------------------------------------------------------------------

    def _writer(self, stack: ExitStack) -> TextIO | None:
        if self._trace is None:
            return None
        try:
            return stack.enter_context(self._trace.open("w", encoding="utf-8"))
        except OSError as error:
            raise UsageError(f"--trace: {self._trace} cannot be written: {error.strerror or error}") from None

    def _watched(self, writer: TextIO | None, operation: Operation, site: Site | None) -> None:
        self._operations += 1
        if writer is not None:
            writer.write(json.dumps(trace_line(self._operations, operation, site)) + "\n")

    # --- results ------------------------------------------------------------------------------------------------------

    def _conclude(
        self,
        outcome: Simulated,
        execution: AskedKernel,
        outputs: Sequence[tuple[str, Tensor]],
        reference: Reference | None,
        tolerance: float | None,
    ) -> None:
        self.arrays = {name: array_of(execution.elements, tensor) for name, tensor in outputs}
        outcome.results = {name: ArraySummary.of(array) for name, array in self.arrays.items()}
        for name, tensor in outputs:
            outcome.undefined += undefined_parts(execution.elements, tensor, name)
        if reference is None:
            return
        expected = reference(**self._inputs, **execution.others)
        arrays = _of_reference(expected, self.arrays)
        if isinstance(arrays, str):
            outcome.mismatch = arrays
            return
        # What the kernel keeps in between is its own choice: only its arguments and results have to be rounded.
        given = [tensor.dtype for tensor in (*execution.arguments.values(), *(tensor for _, tensor in outputs))]
        relative = number_formats.tolerance(given) if tolerance is None else tolerance
        within = max(execution.elements.dtypes, key=number_formats.unit_roundoff, default=float32)
        for (name, got), wanted in zip(self.arrays.items(), arrays, strict=True):
            array = np.asarray(wanted, dtype=np.float64)
            if array.shape != got.shape:
                outcome.mismatch = f"{name} has the shape {list(got.shape)}, the reference {list(array.shape)}"
                return
            outcome.compared.append(_compared(name, got.astype(np.float64), array, relative, within))


def _of_reference(expected: Any, results: Mapping[str, Array]) -> list[Any] | str:
    """The values of a reference for each result, in their order; as text, why that cannot be said.

    It returns what the kernel returns, with arrays for tensors, or a tuple of arrays, one for each result.
    """
    named = {leaf.called("result"): leaf.value for leaf in _arrays_in((), expected)}
    if named.keys() == results.keys():
        return [named[name] for name in results]
    arrays = list(expected) if isinstance(expected, tuple | list) else [expected]
    if isinstance(expected, dict) or any(isinstance(array, dict) for array in arrays):
        return f"the results are {', '.join(results)}, those of the reference {', '.join(named)}"
    if len(arrays) != len(results):
        return f"{len(results)} results, and {len(arrays)} of the reference"
    return arrays


def _arrays_in(path: Way, value: Any) -> Iterator[Leaf]:
    """Whatever is no container of Python is an array."""
    if isinstance(value, tuple | list):
        for position, part in enumerate(value):
            yield from _arrays_in((*path, PathStep(StepKind.ITEM, position)), part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _arrays_in((*path, PathStep(StepKind.KEY, key)), part)
    else:
        yield Leaf(path, value)


def _compared(name: str, got: Array, expected: Array, relative: float, within: DType) -> Compared:
    with np.errstate(invalid="ignore"):
        apart = np.where((got == expected) | (np.isnan(got) & np.isnan(expected)), 0.0, np.abs(got - expected))
    apart = np.where(np.isnan(apart), np.inf, apart)
    place = np.unravel_index(int(apart.argmax()), apart.shape)
    scale = max(float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)), 1e-30)
    return Compared(
        name,
        float(apart[place]),
        tuple(int(part) for part in place),
        float(got[place]),
        float(expected[place]),
        relative * scale,
        str(within),
        number_formats.tolerance([within]) * scale,
    )


def trace_line(number: int, operation: Operation, site: Site | None) -> dict[str, Any]:
    """An operation as a JSON object: its operands with their regions, where it is, and the elements it writes."""

    def operands(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
        return {
            name: {
                "tensor": view.label,
                "memory": view.buffer.name,
                "dtype": str(view.dtype),
                "shape": [int(extent) for extent in view.shape],
                "strides": [int(stride) for stride in view.strides],
                "offset": int(view.offset),
            }
            for name, view in tensors.items()
        }

    return {
        "number": number,
        "operation": operation.name,
        "engine": operation.engine,
        "file": None if site is None else site.file,
        "line": None if site is None else site.line,
        "reads": operands(operation.reads),
        "writes": operands(operation.writes),
        "elements": sum(int(view.size) for view in operation.writes.values()),
    }


# --- debugger ---------------------------------------------------------------------------------------------------------


def stop_at(text: str) -> tuple[str, int]:
    """The file and the line of `--break`. Raises `UsageError`."""
    file, separator, line = text.rpartition(":")
    if not separator or not line.isdecimal() or not Path(file).is_file():
        raise UsageError(f"--break is written FILE:LINE, with a file that exists, not {text!r}")
    return str(Path(file).resolve()), int(line)


class _debugger:  # noqa: N801 (used as a context)
    """The debugger stops at a line while the context lasts."""

    def __init__(self, file: str, line: int) -> None:
        self._debugger = pdb.Pdb()
        refused = self._debugger.set_break(file, line)
        if refused:
            raise UsageError(f"--break: {refused}")

    def __enter__(self) -> None:
        # What pdb does first is to stop; its first command is to go on.
        self._debugger.rcLines.append("continue")
        self._debugger.reset()
        sys.settrace(self._debugger.trace_dispatch)

    def __exit__(self, *raised: object) -> None:
        sys.settrace(None)
