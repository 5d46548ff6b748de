"""NumPy, or PyTorch, whose new arrays are arrays of numbers: a reference writes into them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from nkiverify.analysis.values.number_arrays import NumberArray, float_only
from nkiverify.model.meaning import Numbers

#: An element of an array that is made to be written into: no function of an argument is this number.
_ARBITRARY = 0.7310585786300049


def creating(module: ModuleType, kind: type[NumberArray], numbers: Numbers) -> ModuleType:
    """NumPy, or a module like it, whose new arrays of floats hold `numbers`, as they may be written into."""
    like = kind(numbers, numbers.constant(0.0, 1))
    seen = ModuleType(module.__name__)

    def made(name: str) -> Callable[..., Any]:
        def create(*args: Any, **options: Any) -> Any:
            found = getattr(module, name)(*args, **options)
            if isinstance(found, NumberArray) or np.asarray(found).dtype.kind != "f":
                return found
            return like.of(np.full(found.shape, _ARBITRARY) if "empty" in name else found)

        return create

    def entered(name: str) -> Callable[..., Any]:
        def enter(value: Any, *args: Any, **options: Any) -> Any:
            parts = [value]
            while parts:
                part = parts.pop()
                if isinstance(part, NumberArray):
                    # Of one, or of a list of some.
                    found = value if isinstance(value, NumberArray) else like.stacked(value)
                    float_only(options.pop("dtype", args[0] if args else None))
                    return found if name.startswith("as") else found.copy()
                parts += part if isinstance(part, list | tuple) else []
            return getattr(module, name)(value, *args, **options)

        return enter

    vars(seen).update({name: made(name) for name in ("zeros", "empty", "zeros_like", "empty_like")})
    vars(seen).update({name: entered(name) for name in ("array", "asarray", "tensor", "as_tensor")})
    vars(seen)["__getattr__"] = lambda name: getattr(module, name)
    return seen
