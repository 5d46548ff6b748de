"""Kernels and their launches: what `nki.jit` makes of a function, launch grids, program ids.

In a symbolic run one program stands for all: its id is an arbitrary element of the grid. In a concrete run every
program of the grid runs in turn.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import MethodType
from typing import Any

from nkiverify.foundation.dataclass import dataclass
from nkiverify.foundation.errors import UsageError
from nkiverify.foundation.source import assigned_name
from nkiverify.model.allocation import argument_again
from nkiverify.model.contracts import about, require
from nkiverify.model.current_execution import current_execution, execution_in_progress
from nkiverify.model.extents import as_extent, as_number, is_sequence
from nkiverify.model.memory import MemoryRegion
from nkiverify.model.returned import tensors_in
from nkiverify.model.state import Launch, Program
from nkiverify.model.tensor import Tensor, claim_bounds, free_elements
from nkiverify.symbolic import Extent, all_of, any_of, equal
from nkiverify.symbolic.atoms import Index
from nkiverify.symbolic.execution import unsupported

#: The legacy documentation describes gen2 and gen3.
LAST_LEGACY_GENERATION = 3

#: What stands for a launch where there is none.
_NO_LAUNCH = Launch((), ())
#: The name of the index that stands for any coordinate of a program.
_PROGRAM = "program_id"


def current_launch() -> Launch:
    """The launch in progress; a kernel called without a launch has no grid."""
    run = execution_in_progress()
    launch = None if run is None else run.model.launch
    return _NO_LAUNCH if launch is None else launch


def _launched() -> bool:
    """True if a kernel is being executed."""
    return current_execution().model.launch is not None


class _GridExtent:
    """A grid extent that can be multiplied: `nl.nc(2) * 2` is `nl.spmd_dim(nl.nc(2), 2)`."""

    __slots__ = ()

    def __mul__(self, other: object) -> SpmdDimension:
        return spmd_dimension(self, other)

    def __rmul__(self, other: object) -> SpmdDimension:
        return spmd_dimension(other, self)


@dataclass(frozen=True, slots=True)
class Cores(_GridExtent):
    """`nl.nc(count)`: a grid extent that spans cores (legacy)."""

    count: Extent


@dataclass(frozen=True, slots=True)
class SpmdDimension(_GridExtent):
    """`nl.spmd_dim(…)`: a grid extent made of several, cores and programs (legacy)."""

    parts: tuple[Extent, ...]


def spmd_dimension(*parts: object) -> SpmdDimension:
    """A grid extent that is the product of its parts."""
    return SpmdDimension(tuple(_grid_extent(part) for part in parts))


def _grid_extent(part: object) -> Extent:
    if isinstance(part, Cores):
        return part.count
    if isinstance(part, SpmdDimension):
        return free_elements(part.parts)
    extent = as_extent(part)
    if extent is None:
        require("leg.spmd", False, extent=part)
        raise TypeError(f"a launch grid needs integers, not {part!r}")
    return extent


Simulate = Callable[["Kernel", tuple[Any, ...], dict[str, Any]], Any]
_simulate: Simulate


def simulate_by(simulate: Simulate) -> None:
    """Kernels called outside a run are run by `simulate`: the stubs know the simulator."""
    global _simulate
    _simulate = simulate


def on_arrays(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a kernel for arrays, outside a run."""
    return _simulate(kernel, args, kwargs)


class Kernel:
    """A function decorated with `nki.jit`. `kernel[grid]` is the kernel with a launch grid.

    A `helper` is a function that kernels call, launched by itself: it may be given tensors on chip, of which each
    program has its own, and return some. `by_parameter`: its decorator is one whose kernels take their outputs as
    arguments and return nothing.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        legacy: bool,
        options: dict[str, object] | None = None,
        grid: tuple[object, ...] = (),
        argument_view: Callable[[Tensor], Tensor] = lambda tensor: tensor,
        helper: bool = False,
        by_parameter: bool = False,
    ) -> None:
        functools.update_wrapper(self, function)
        self.name = getattr(function, "__name__", repr(function))
        self.function = function
        self.legacy = legacy
        self.options = options or {}
        self.grid = grid
        self.helper = helper
        self._by_parameter = by_parameter
        self._argument_view = argument_view

    def __getitem__(self, grid: object) -> Kernel:
        return Kernel(
            self.function,
            legacy=self.legacy,
            options=self.options,
            grid=grid if isinstance(grid, tuple) else (grid,),
            argument_view=self._argument_view,
            helper=self.helper,
            by_parameter=self._by_parameter,
        )

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        # A decorated method is a method, as the function in it would be.
        return self if instance is None else MethodType(self, instance)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the kernel's parameters."""
        return tuple(inspect.signature(self.function).parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if execution_in_progress() is None:
            # Outside a run a kernel is called as on a device, with arrays: what is decorated to run on one as well.
            return _simulate(self, args, kwargs)
        self._claim_not_nested()
        if _launched() and not self.grid:
            # A helper that is a kernel as well: it runs in the program that calls it.
            return self.function(*args, **kwargs)
        stated = () if _launched() else current_execution().model.launch_grid
        if stated and self.grid:
            raise UsageError(f"--grid: {self.name} is launched on a grid of its own by the function that is checked")
        if stated:
            self = self[stated]
        grid = self._claimed_grid()
        args = tuple(self._argument(value) for value in args)
        kwargs = {name: self._argument(value) for name, value in kwargs.items()}
        model = current_execution().model
        outer = model.launch
        mine = _of_this_program if self.helper else _unchanged

        def body(program: Program) -> Any:
            model.launch = Launch(grid, program, self.legacy)
            try:
                return self.function(*map(mine, args), **{name: mine(value) for name, value in kwargs.items()})
            finally:
                model.launch = outer

        results = current_execution().elements.results_of(_programs(grid, self.function), body)
        self._claim_results(results)
        return results[-1] if results else None

    @property
    def benchmark_result(self) -> Any:
        """A measurement on hardware, which there is none of: raises `NotImplementedError`."""
        raise NotImplementedError(f"nki.benchmark measures {self.name} on a Neuron device, and nkiverify has none")

    def _claimed_grid(self) -> tuple[Extent, ...]:
        """The extents of the launch grid, claimed to be legal."""
        if not self.grid:
            return ()
        if self.legacy:
            extents = tuple(_grid_extent(part) for part in self.grid)
            require("leg.spmd", all_of(*(extent >= 1 for extent in extents)), grid=extents)
            return extents
        cores = as_extent(self.grid[0]) if len(self.grid) == 1 else None
        require("lnc.bracket", False if cores is None else any_of(equal(cores, 1), equal(cores, 2)), grid=self.grid)
        if cores is None:
            raise TypeError(f"a kernel takes one number of cores in brackets, not {self.grid!r}")
        return (cores,)

    def _claim_not_nested(self) -> None:
        if not self.legacy:
            target = self.options.get("platform_target")
            require("lang.target", "platform_target" not in self.options, platform_target=target)
            if self.grid:
                require("lang.no_nested_grid", not _launched(), kernel=self.name)
            require("lang.no_nested_jit", not _launched(), kernel=self.name)
            return
        hardware = current_execution().hardware
        require("leg.generation", hardware.generation <= LAST_LEGACY_GENERATION, target=str(hardware))
        if self.grid:
            require("leg.spmd", not _launched(), kernel=self.name)

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            if not _launched() and not self.helper:
                require("mem.io_hbm", not value.on_chip, tensor=value.label, buffer=value.buffer)
            return self._argument_view(value)
        if is_sequence(value) and not isinstance(value, tuple) and not self.legacy:
            require("lang.no_list_args", False)
        if isinstance(value, tuple) and any(isinstance(part, Tensor) for part in value):
            return _with_parts(value, [self._argument(part) for part in value])
        return value

    def _claim_results(self, results: Sequence[Any]) -> None:
        """Claim that what each program returned is a legal result."""
        if _launched():
            return
        returned = [tuple(tensors_in(result)) for result in results]
        claim_bounds(*returned)
        current_execution().returned(*returned, by_parameter=self._by_parameter)
        if self.helper:
            return
        for tensor in {id(tensor): tensor for tensors in returned for tensor in tensors}.values():
            made = tensor.storage.site
            with about(made):
                name = tensor.label or assigned_name(made) or "the result"
                require("mem.io_hbm", not tensor.on_chip, tensor=name, buffer=tensor.buffer)
                if not self.legacy and not tensor.on_chip:
                    shared = tensor.buffer is MemoryRegion.shared_hbm
                    require("mem.output_shared_hbm", shared, tensor=name, buffer=tensor.buffer)


def _unchanged(value: Any) -> Any:
    return value


def _of_this_program(value: Any) -> Any:
    """An argument of a helper as the running program has it: SBUF and PSUM are of one core."""
    if isinstance(value, Tensor):
        return argument_again(value) if value.on_chip else value
    return _with_parts(value, [_of_this_program(part) for part in value]) if isinstance(value, tuple) else value


def _with_parts(value: tuple[Any, ...], parts: Sequence[Any]) -> tuple[Any, ...]:
    """A tuple of other parts: a named one keeps its class, and what it has besides."""
    if all(new is old for new, old in zip(parts, value, strict=True)):
        return value
    found: tuple[Any, ...] = tuple.__new__(type(value), parts)
    if hasattr(value, "__dict__"):
        vars(found).update(vars(value))
    return found


def _programs(grid: tuple[Extent, ...], kernel: Callable[..., Any]) -> Iterator[tuple[Extent, ...]]:
    run = current_execution()
    if run.symbolic:
        with run.one_for_all_programs(grid, kernel):
            yield tuple(run.fresh_index(_PROGRAM, extent) for extent in grid)
    else:
        yield from run.programs(tuple(int(extent) for extent in grid))


def is_program(atom: Index) -> bool:
    """True if an index stands for any coordinate of a program."""
    return atom.representative and atom.name == _PROGRAM


def program_id(axis: object = 0) -> Extent:
    """Coordinate of the running program along an axis of the launch grid; 0 where there is no grid."""
    launch = current_launch()
    if not launch.grid:
        return 0
    return launch.program[_grid_axis(axis, launch)]


def _grid_axis(axis: object, launch: Launch) -> int:
    number = as_number(axis)
    valid = number is not None and 0 <= number < len(launch.grid)
    require("lnc.ids", valid, axis=axis, grid=launch.grid)
    if number is None or not valid:
        raise IndexError(f"axis {axis} of a launch grid of {len(launch.grid)} dimensions")
    return number


def num_programs(axes: int | Sequence[int] | None) -> Extent:
    """Programs along the given axes of the launch grid, along all of them for None; 1 where there is no grid."""
    launch = current_launch()
    if not launch.grid:
        return 1
    if axes is None:
        return free_elements(launch.grid)
    chosen = axes if is_sequence(axes) else (axes,)
    return free_elements([launch.grid[_grid_axis(axis, launch)] for axis in chosen])


def program_ndim() -> int:
    """Dimensions of the launch grid, 0 where there is none."""
    return len(current_launch().grid)


def jit_kernel(function: Callable[..., Any], *, legacy: bool, options: dict[str, object], **extra: Any) -> Kernel:
    """The kernel a jit decorator makes of `function`; of a kernel, the same one with other options."""
    if isinstance(function, Kernel):
        if function.legacy is not legacy:
            raise unsupported("nki.jit of a kernel that the other API has decorated")
        return Kernel(function.function, legacy=legacy, options=options, grid=function.grid, **extra)
    return Kernel(function, legacy=legacy, options=options, **extra)
