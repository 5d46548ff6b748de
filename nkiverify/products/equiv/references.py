"""A function of NumPy, or of PyTorch, as one of the two sides of a comparison."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from nkiverify.analysis.values.asked_kernel import AskedKernel, Filling, declared_range
from nkiverify.analysis.values.cells import Cells
from nkiverify.analysis.values.created_arrays import creating
from nkiverify.analysis.values.number_arrays import NumberArray
from nkiverify.analysis.values.number_formats import Array
from nkiverify.analysis.values.numbers import Floats
from nkiverify.analysis.values.torch_arrays import TorchArray
from nkiverify.analysis.values.value_run import ValueAllocation, elements_of
from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UnsupportedConstruct, UsageError, described
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.kernel_files import STUB_PACKAGES
from nkiverify.frontend.loader import load_module
from nkiverify.model.dtypes import float32
from nkiverify.model.meaning import Numbers
from nkiverify.model.memory import SHARED_HBM
from nkiverify.model.nki_tensor import NkiTensor
from nkiverify.model.tensor import Storage, Tensor


@dataclass(frozen=True, slots=True)
class Reference:
    """A function of arrays that says what a kernel is to compute, over the real numbers."""

    reference: str
    function: Callable[..., Any]
    #: That it takes tensors of PyTorch.
    torch: bool

    @property
    def name(self) -> str:
        """The function's name."""
        return self.reference.partition("::")[2]

    def execute(self, run: ConcreteExecution, kernel: AskedKernel, fill: Filling) -> AskedKernel:
        """Call it with what `kernel` was called with. Raises `UnsupportedConstruct` for what has no meaning on the
        run's numbers, `UsageError` for what it raises itself."""
        numbers = elements_of(run).numbers
        arguments: dict[str, Tensor] = {}
        stored: dict[str, Array] = {}
        for name, like in kernel.arguments.items():
            stored[name] = fill(name, like)
            arguments[name] = _tensor(numbers, stored[name], tuple(map(int, like.shape)), like)

        def result(double: bool) -> Any:
            given = {
                name: self._entered(numbers, stored[name], like, double) for name, like in kernel.arguments.items()
            }
            with self._creating(numbers, double):
                return self.function(**self._bound({**given, **kernel.others}, set(given)))

        return AskedKernel(run, arguments, kernel.others, self._left(numbers, self._result(numbers, result), "result"))

    def _result(self, numbers: Numbers, result: Callable[[bool], Any]) -> Any:
        """The result in `double` precision; where PyTorch does not mix that with what the function makes, in single."""
        try:
            return result(True)
        except UnsupportedConstruct:
            raise
        except Exception as error:
            if not isinstance(numbers, Floats):
                # It has run on floats: what it wants is not known of these numbers.
                raise UnsupportedConstruct(f"{self.reference} on exact numbers: {described(error)}") from None
            try:
                if self.torch and isinstance(error, RuntimeError):
                    return result(False)
            except Exception as other:
                error = other
            raise UsageError(f"{self.reference} raises {described(error)}") from None

    def _bound(self, given: Mapping[str, Any], tensors: set[str]) -> dict[str, Any]:
        """The arguments it is called with: by name, tensors whose names it has not in the order of its parameters."""
        parameters = list(inspect.signature(self.function).parameters.values())
        bound = {parameter.name: given[parameter.name] for parameter in parameters if parameter.name in given}
        rest = [given[name] for name in given if name in tensors and name not in bound]
        for parameter in parameters:
            if parameter.name not in bound and rest and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                bound[parameter.name] = rest.pop(0)
        return bound

    def _entered(self, numbers: Numbers, elements: Array, like: Tensor, double: bool) -> Any:
        """An argument as the function takes it; integers of a range are what they are."""
        shape = tuple(map(int, like.shape))
        if like.dtype.is_integer and declared_range(like) is not None:
            array: Any = numbers.integers(elements, like.dtype)
        elif isinstance(numbers, Floats):
            array = numbers.exact(elements, like.dtype)[0]
            array = array.astype(np.int64 if like.dtype.is_integer else np.float64 if double else np.float32)
        else:
            made = TorchArray if self.torch else NumberArray
            return made(numbers, numbers.exact(elements, like.dtype).reshape(numbers.lanes, *shape))
        array = array.reshape(shape)
        return sys.modules["torch"].from_numpy(array) if self.torch else array

    @contextmanager
    def _creating(self, numbers: Numbers, double: bool) -> Iterator[None]:
        """Arrays that the function makes are of the precision of its arguments; those that it may write into hold exact
        numbers, where these do."""
        if isinstance(numbers, Floats):
            torch = sys.modules["torch"] if self.torch else None
            usual = None if torch is None else torch.get_default_dtype()
            if torch is not None and double:
                torch.set_default_dtype(torch.float64)
            try:
                yield
            finally:
                if torch is not None:
                    torch.set_default_dtype(usual)
            return
        own = self.function.__globals__
        kind = TorchArray if self.torch else NumberArray
        modules = [sys.modules[name] for name in ("numpy", "torch") if name in sys.modules]
        before = {name: value for name, value in own.items() if any(value is module for module in modules)}
        own.update((name, creating(module, kind, numbers)) for name, module in before.items())
        try:
            yield
        finally:
            own.update(before)

    def _left(self, numbers: Numbers, result: Any, name: str) -> Any:
        """The results, as tensors of the run."""
        if isinstance(result, tuple | list):
            return tuple(self._left(numbers, part, f"{name}_{position}") for position, part in enumerate(result))
        if hasattr(result, "detach") and not isinstance(result, NumberArray):
            result = result.detach().numpy()
        if isinstance(result, NumberArray):
            elements = numbers.convert(result.numbers, float32)
        elif isinstance(result, np.ndarray | np.generic | float | int):
            array = np.asarray(result)
            if array.dtype.kind not in "fiub":
                raise UsageError(f"{self.reference} returns an array of {array.dtype}")
            elements = numbers.entered(array.astype(np.float64 if array.dtype.kind == "f" else np.int64), float32)
        else:
            raise UsageError(f"{self.reference} returns {type(result).__name__}, not arrays")
        shape = elements.shape[1:] or (1,)
        return _tensor(numbers, elements, shape, None, name)


def _tensor(
    numbers: Numbers, elements: Array, shape: tuple[int, ...], like: Tensor | None, name: str = "argument"
) -> Tensor:
    """A tensor with these stored elements; of the dtype and the range of another one."""
    dtype = float32 if like is None else like.dtype
    content_range = None if like is None else like.storage.content_range
    made = Storage(ValueAllocation(), shape, dtype, SHARED_HBM, name, content_range=content_range)
    cells = Cells(numbers, int(np.prod(shape)), dtype, written=True)
    numbers.flat(cells.buffer, dtype, dtype)[...] = elements.reshape(numbers.lanes, -1)
    identity = made.identity
    assert isinstance(identity, ValueAllocation)
    identity.cells = cells
    return NkiTensor.whole(made)


def load_reference(reference: str, base: Path) -> Reference:
    """The function `path::name`. Raises `UsageError` where there is none, or a module it imports is not installed."""
    path, separator, name = reference.partition("::")
    file = (base / path).resolve()
    if not separator or not name:
        raise UsageError(f"a reference is written path/to/file.py::function, not {reference!r}")
    if not file.is_file():
        raise UsageError(f"no file {path} with a reference")
    spec = importlib.util.spec_from_file_location(f"nkiverify_reference_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in STUB_PACKAGES:
            # It stands in a file of kernels.
            return _reference(reference, path, name, load_module(path, base)[0])
        advice = " (pip install 'nkiverify[torch]'), or write the reference with NumPy" if error.name == "torch" else ""
        raise UsageError(f"{path} imports {error.name}, which is not installed: install it{advice}") from None
    except Exception as error:
        raise UsageError(f"importing {path} raises {described(error)}") from None
    return _reference(reference, path, name, module)


def _reference(reference: str, path: str, name: str, module: ModuleType) -> Reference:
    function = getattr(module, name, None)
    if not inspect.isfunction(function):
        raise UsageError(f"{path} has no function {name}")
    uses = any(
        str(getattr(value, name, "")).partition(".")[0] == "torch"
        for value in vars(module).values()
        for name in ("__name__", "__module__")
    )
    return Reference(reference, function, uses and "torch" in sys.modules)
