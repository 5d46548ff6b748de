"""The call that a target makes for given values, as source code: what a test needs to make it again by itself."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from nkiverify.execute.runner import Source, start
from nkiverify.foundation.errors import UnsupportedConstruct
from nkiverify.foundation.kernel_text import quoted
from nkiverify.frontend.binding import ConcreteBinding
from nkiverify.frontend.concrete import ConcreteExecution
from nkiverify.frontend.target import Target, Verification
from nkiverify.model.dtypes import DType
from nkiverify.model.hardware import REVISION, Hardware
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.register_contents import VirtualRegister
from nkiverify.model.tensor import Tensor
from nkiverify.symbolic import Extent

#: Values that are written as Python writes them.
_PLAIN = (bool, int, float, str, bytes, type(None))


class NotWritable(Exception):
    """The target cannot be written as source code: it takes objects that only the target can make."""


class _Recording(Verification):
    """Runs a target and writes down, statement by statement, what it does with its kernel."""

    def __init__(self, binding: ConcreteBinding, kernel: Any) -> None:
        super().__init__(binding, kernel)
        self.lines: list[str] = []
        self.imports: set[str] = set()
        #: How each object is written that a statement has made. The objects are kept: no other has their identity.
        self._made: dict[int, tuple[object, str]] = {}
        self._names: set[str] = {"v"}

    def tensor(
        self,
        name: str,
        shape: Sequence[Extent],
        dtype: DType,
        buffer: MemoryRegion = MemoryRegion.shared_hbm,
        *,
        values: tuple[Extent, Extent] | tuple[float, float] | None = None,
        elements: Any = None,
    ) -> Tensor:
        if elements is not None:
            # What is written names a file of its own for nothing: the range of its numbers is what counts.
            values = (int(elements.min()), int(elements.max())) if dtype.is_integer else values
        made = super().tensor(name, shape, dtype, buffer, values=values)
        if values is not None and made.storage.elements is not None:
            values = (int(made.storage.elements.flat[0]),) * 2
        words = [quoted(name), self._written(tuple(shape)), self._written(dtype)]
        if buffer is not MemoryRegion.shared_hbm:
            self.imports.add("from nkiverify.model.memory import MemoryRegion")
            words.append(f"MemoryRegion.{buffer.name}")
        if values is not None:
            words.append(f"values={self._written(values)}")
        self._make(made, name, f"v.tensor({', '.join(words)})")
        return made

    def register(self, name: str, low: Extent, high: Extent) -> VirtualRegister:
        number = self._binding.integers(name, low, high)
        low, high = (low, high) if number is None else (number, number)
        made = super().register(name, low, high)
        self._make(made, name, f"v.register({quoted(name)}, {self._written(low)}, {self._written(high)})")
        return made

    def call(self, *arguments: Any, grid: Any = None, **options: Any) -> Any:
        words = [self._written(argument) for argument in arguments]
        words += [f"{name}={self._written(value)}" for name, value in options.items()]
        if grid is not None:
            words.append(f"grid={self._written(grid)}")
        text = f"v.call({', '.join(words)})"
        try:
            result = super().call(*arguments, grid=grid, **options)
        except BaseException:
            self.lines.append(text)
            raise
        name = self._make(result, "out", text)
        for number, part in enumerate(result) if isinstance(result, tuple | list) else ():
            self._made[id(part)] = (part, f"{name}[{number}]")
        return result

    def returns(self, value: object, *, shape: Sequence[Extent], dtype: DType | None = None) -> None:
        words = [self._written(value), f"shape={self._written(tuple(shape))}"]
        words += [f"dtype={self._written(dtype)}"] if dtype is not None else []
        self.lines.append(f"v.returns({', '.join(words)})")
        super().returns(value, shape=shape, dtype=dtype)

    def _make(self, made: object, wish: str, text: str) -> str:
        """The statement that makes an object, and the name it has from there on."""
        wish = wish if wish.isidentifier() and not keyword.iskeyword(wish) else "argument"
        name, number = wish, 2
        while name in self._names:
            name, number = f"{wish}_{number}", number + 1
        self._names.add(name)
        self._made[id(made)] = (made, name)
        self.lines.append(f"{name} = {text}")
        return name

    def _written(self, value: object) -> str:
        known = self._made.get(id(value))
        if known is not None and not isinstance(value, _PLAIN):
            return known[1]
        if isinstance(value, DType):
            self.imports.add(f"from nkiverify.model.dtypes import {value.name}")
            return value.name
        if type(value) is str:
            return quoted(value)
        if type(value) in _PLAIN:
            return repr(value)
        if type(value) is tuple:
            parts = ", ".join(map(self._written, value))
            return f"({parts},)" if len(value) == 1 else f"({parts})"
        if type(value) is list:
            return f"[{', '.join(map(self._written, value))}]"
        if type(value) is dict:
            return f"{{{', '.join(f'{self._written(key)}: {self._written(one)}' for key, one in value.items())}}}"
        raise NotWritable(f"a {type(value).__name__}")


def call_source(
    target: Target, values: Mapping[str, int], hardware: Hardware, contract: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The import statements, and the statements that do with a `Verification` called v what `target` does for `values`.

    Raises `NotWritable` where that takes objects without source code, or where `contract` is a claim of the target's.
    """
    if REVISION in values:
        raise NotWritable("a silicon revision")
    run = ConcreteExecution(hardware, stop_at_first=False)
    made: list[_Recording] = []

    def call(v: _Recording) -> None:
        made.append(v)
        target.function(v)

    try:
        start(Source(target.kernel, target.root), values, run, call, _Recording)
    except NotWritable:
        raise
    except (Exception, SystemExit, UnsupportedConstruct):
        # Where the kernel fails, the target goes no further with these values.
        if not made:
            raise
    (recording,) = made
    if not recording.called:
        raise NotWritable("more than a call of the kernel")
    if contract == "target.claim":
        raise NotWritable("a condition that the target states")
    return tuple(sorted(recording.imports)), tuple(recording.lines)
