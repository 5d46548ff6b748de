"""Functions of one number on intervals: a table of how each of them goes, read by runs and by the docs.

Functions are taken to be computed as the simulator does it: in float64 and rounded to float32 once, or (`single`) in
float32. What the table gives for the ends is moved outwards by more than the error of NumPy's functions.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping

from nkiverify.foundation.dataclass import dataclass

#: Relative error of functions in float64, and in float32, at most.
SLACK, SINGLE_SLACK = 1e-13, 2.0**-21


class Course(enum.Enum):
    """How a function goes."""

    INCREASING = "increasing"
    #: It falls to its least value, at `least_at`, and rises from there.
    VALLEY = "falls, then rises"
    #: Nothing but that its values lie in `within`.
    BOUNDED = "bounded"
    #: 1/x and the like: it falls on each side of 0, where it is not defined.
    POLE = "falls on each side of 0"
    FALLING = "falling"


@dataclass(frozen=True, slots=True)
class Function:
    """How a function goes. It is defined for numbers of at least `domain`, without that number itself where `open`.

    `within` are the least and the greatest value that it can have, `at_infinities` its values for -inf and inf (None:
    it has none).
    """

    course: Course
    within: tuple[float, float] = (-math.inf, math.inf)
    at_infinities: tuple[float | None, float | None] = (None, None)
    domain: float = -math.inf
    open: bool = False
    least_at: float = 0.0
    #: Whether it is its own value with the opposite sign for the negative of a number.
    odd: bool = False
    #: Whether it is computed in float32.
    single: bool = False
    #: A number that has this value exactly, which other numbers do not pass.
    through: tuple[float, float] | None = None
    #: The absolute error of computing it, besides `SLACK`.
    noise: float = 0.0

    @property
    def slack(self) -> float:
        """The relative error of computing it."""
        return SINGLE_SLACK if self.single else SLACK


_UP = Course.INCREASING
_INF = math.inf
#: Of functions that multiply by 1 + erf(x), or the like, which is 0 and some rounding for small x.
_NOISE = 1e-13

#: By the operator's name.
FUNCTIONS: Mapping[str, Function] = {
    "exp": Function(_UP, (0.0, _INF), (0.0, _INF), single=True, through=(0.0, 1.0)),
    "log": Function(_UP, (-_INF, _INF), (None, _INF), domain=0.0, open=True),
    "sqrt": Function(_UP, (0.0, _INF), (None, _INF), domain=0.0),
    "rsqrt": Function(Course.FALLING, (0.0, _INF), (None, 0.0), domain=0.0, open=True),
    "reciprocal": Function(Course.POLE, (-_INF, _INF), (0.0, 0.0)),
    "tanh": Function(_UP, (-1.0, 1.0), (-1.0, 1.0), odd=True),
    "sigmoid": Function(_UP, (0.0, 1.0), (0.0, 1.0)),
    "softplus": Function(_UP, (0.0, _INF), (0.0, _INF)),
    "erf": Function(_UP, (-1.0, 1.0), (-1.0, 1.0), odd=True),
    "arctan": Function(_UP, (-1.5707964, 1.5707964), (-1.5707964, 1.5707964), odd=True),
    "relu": Function(_UP, (0.0, _INF), (0.0, _INF)),
    "sign": Function(_UP, (-1.0, 1.0), (-1.0, 1.0), odd=True),
    "ceil": Function(_UP, (-_INF, _INF), (-_INF, _INF)),
    "floor": Function(_UP, (-_INF, _INF), (-_INF, _INF)),
    "trunc": Function(_UP, (-_INF, _INF), (-_INF, _INF), odd=True),
    "abs": Function(Course.VALLEY, (0.0, _INF), (_INF, _INF)),
    "square": Function(Course.VALLEY, (0.0, _INF), (_INF, _INF)),
    "silu": Function(Course.VALLEY, (-0.2784646, _INF), least_at=-1.2784645, noise=_NOISE),
    "gelu": Function(Course.VALLEY, (-0.1699713, _INF), least_at=-0.7517915, noise=_NOISE),
    "gelu_apprx_tanh": Function(Course.VALLEY, (-0.1700408, _INF), least_at=-0.7524614, noise=_NOISE),
    "gelu_apprx_sigmoid": Function(Course.VALLEY, (-0.1636103, _INF), least_at=-0.7511542, noise=_NOISE),
    "mish": Function(Course.VALLEY, (-0.3088436, _INF), least_at=-1.1924312, noise=_NOISE),
    "sin": Function(Course.BOUNDED, (-1.0, 1.0)),
    "cos": Function(Course.BOUNDED, (-1.0, 1.0)),
    "erf_dx": Function(Course.BOUNDED, (0.0, 1.1283792), (0.0, 0.0)),
    "silu_dx": Function(Course.BOUNDED, (-0.0998394, 1.0998394)),
    "gelu_dx": Function(Course.BOUNDED, (-0.1289042, 1.1289042)),
    "gelu_apprx_sigmoid_dx": Function(Course.BOUNDED, (-0.0998394, 1.0998394)),
    "logical_not": Function(Course.BOUNDED, (0.0, 1.0), (0.0, 0.0)),
}
