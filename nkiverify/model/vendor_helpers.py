"""The names that tests of kernels import of the vendor's packages besides NKI: comparing, converting, sizes of dtypes.

No page documents them; published tests use them. They work on arrays of the host, and no kernel calls them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nkiverify.foundation.late import ml_dtypes
from nkiverify.foundation.late import numpy as np
from nkiverify.model.dtypes import DType

if TYPE_CHECKING:
    import numpy.typing as npt


def allclose(
    actual: npt.ArrayLike,
    expected: npt.ArrayLike,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    *,
    equal_nan: bool = False,
    verbose: int = 0,
) -> bool:
    """As `numpy.allclose`, of any dtypes; `verbose` prints the greatest difference where it is too great."""
    one, two = (np.asarray(value).astype(np.float64) for value in (actual, expected))
    close = np.allclose(one, two, rtol, atol, equal_nan)
    if verbose and not close and one.shape == two.shape and one.size:
        print(f"not close: greatest difference {np.nanmax(np.abs(one - two)):g} (rtol={rtol:g}, atol={atol:g})")
    return close


def static_cast(data: npt.ArrayLike, dtype: Any) -> npt.NDArray[Any]:
    """An array with the elements converted to another dtype."""
    return np.asarray(data).astype(dtype)


def sizeinbytes(dtype: Any) -> int:
    """The bytes of an element."""
    return dtype.itemsize if isinstance(dtype, DType) else np.dtype(dtype).itemsize


def finfo(dtype: Any) -> Any:
    """The limits of a float dtype."""
    return ml_dtypes.finfo(np.dtype(dtype))  # type: ignore[no-untyped-call]
