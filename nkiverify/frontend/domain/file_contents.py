"""Contents of an argument from a file: `ids=@ids.npy`, `ids='i32[B,T] in @ids.npy'`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nkiverify.foundation.errors import UsageError
from nkiverify.model.dtypes import DTYPES, DType, DTypeKind, numpy_name
from nkiverify.model.known_numbers import whole_range


def loaded(option: str, file: str) -> Any:
    """The array in a file. Raises `UsageError` where there is none."""
    import numpy as np  # as late as this: nothing else of a run needs it

    try:
        array = np.load(Path(file), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        strange = not isinstance(error, OSError) or not error.strerror
        why = "it holds no array in NumPy's format" if strange else error.strerror  # type: ignore[union-attr]
        raise UsageError(f"{option}: {file} cannot be read: {why}") from None
    if not isinstance(array, np.ndarray) or array.ndim == 0 or array.size == 0:
        raise UsageError(f"{option}: {file} holds no array of at least one element and dimension")
    return array


def described_by(option: str, file: str, array: Any) -> str:
    """The description of the tensor that an array is. Raises `UsageError` where NKI has no such dtype."""
    dtype = DTYPES.get(numpy_name(array.dtype) or "")
    shape = ", ".join(map(str, array.shape))
    if dtype is None:
        example = f"{option.split()[-1]}='int32[{shape}] in @{file}'"
        raise UsageError(f"{option}: {file} holds {array.dtype}, which is no NKI dtype; write for example {example}")
    return f"{dtype}[{shape}]"


def as_dtype(option: str, file: str, array: Any, dtype: DType) -> Any:
    """The array with elements of a dtype. Raises `UsageError` where they are not all numbers of it."""
    if numpy_name(array.dtype) == str(dtype):
        return array
    whole = whole_range(dtype)
    if whole is None or array.dtype.kind not in "iub" or dtype.kind is DTypeKind.BOOL:
        raise UsageError(f"{option}: {file} holds {array.dtype}, not {dtype}")
    least, most = int(array.min()), int(array.max())
    if not whole.low <= least <= most <= whole.high:
        raise UsageError(f"{option}: {file} holds numbers from {least} to {most}, which are not all {dtype} ({whole})")
    return array.astype(str(dtype))
