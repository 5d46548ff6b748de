"""Arrays from files for the arguments of a simulation: `x=data.npy`, `x=bf16:data.npy`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nkiverify.analysis.values import number_formats
from nkiverify.analysis.values.number_formats import Array
from nkiverify.foundation.errors import UsageError
from nkiverify.frontend.domain.argument_text import dtype_called
from nkiverify.model.dtypes import DTYPES, DType, numpy_name


def described(given: Sequence[str]) -> tuple[list[str], dict[str, Array]]:
    """Arguments with every file replaced by the description of its array, and the arrays by parameter.

    Raises `UsageError` where a file cannot be read or its elements have no NKI dtype.
    """
    texts: list[str] = []
    arrays: dict[str, Array] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not value.strip().endswith(".npy"):
            texts.append(text)
            continue
        wanted, colon, file = value.strip().rpartition(":")
        array, dtype = _loaded(Path(file), wanted if colon else "", name.strip())
        extents = ", ".join(map(str, array.shape))
        texts.append(f"{name}={dtype}[{extents}]")
        arrays[name.strip()] = array
    return texts, arrays


def _loaded(file: Path, wanted: str, name: str) -> tuple[Array, DType]:
    try:
        array = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"--arg {name}: {file} cannot be read: {why}") from None
    if not isinstance(array, np.ndarray) or array.ndim == 0:
        raise UsageError(f"--arg {name}: {file} holds no array of at least one dimension")
    dtype = dtype_called(wanted) if wanted else DTYPES.get(numpy_name(array.dtype) or "")
    if dtype is None:
        known = f"{wanted!r} is no dtype" if wanted else f"arrays of {array.dtype} have no NKI dtype"
        raise UsageError(f"--arg {name}: {known}; write for example {name}=bf16:{file}")
    if array.dtype != number_formats.STORED[dtype]:
        if array.dtype.kind not in "fiub":
            raise UsageError(f"--arg {name}: {file} holds {array.dtype}, which is not converted to {dtype}")
        array = number_formats.stored(array if array.dtype.kind in "iu" else array.astype(np.float32), dtype)
    return array, dtype
