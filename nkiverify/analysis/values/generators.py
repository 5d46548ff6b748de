"""The states of generators of random numbers, as kernels save and restore them.

What the elements of a state mean is not documented. A state that has been read is one that numbers go on from as they
did there, and a state that is set is read again until numbers are drawn; nothing else is taken for granted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

State = npt.NDArray[np.uint32]


class GeneratorStates:
    """States that were set or read, with what the generator was then."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[State, dict[str, Any]]] = {}

    def restored(self, state: State) -> np.random.Generator:
        """The generator in a state."""
        known = self._known.get(state.tobytes())
        generator = np.random.default_rng([int(part) for part in state.ravel()])
        if known is not None:
            generator.bit_generator.state = known[1]
        self._known[state.tobytes()] = (state.copy(), dict(generator.bit_generator.state))
        return generator

    def of(self, generator: np.random.Generator, shape: tuple[int, ...]) -> State:
        """The state of a generator, as an array of a shape."""
        current = dict(generator.bit_generator.state)
        for state, known in self._known.values():
            if known == current and state.shape == shape:
                return state
        made = np.random.default_rng(len(self._known)).integers(0, 2**32, shape, dtype=np.uint32)
        self._known[made.tobytes()] = (made, current)
        return made
