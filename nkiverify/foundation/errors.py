"""The ways a run can end other than well, by whose fault it is.

`UsageError`            the user's: one line, exit status 2.
`ContractViolation`     the kernel's: what a concrete run raises where a symbolic run records a claim.
`UnsupportedConstruct`  ours, known: the verdict is UNKNOWN, with the construct and its place.
`InternalError`         ours, unknown: the verdict is ERROR.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from nkiverify.foundation.kernel_text import harmless
from nkiverify.foundation.source import is_exception_of_kernel

if TYPE_CHECKING:
    from nkiverify.foundation.source import Site


#: The packages that have what a kernel uses of NKI.
_OF_NKI = ("nki", "neuronxcc", "nkiverify")


class UsageError(Exception):
    """Something the user typed or wrote cannot be used. Change what the message names."""

    def excerpt(self) -> str:
        """The text that was typed, with carets under the mistake; empty where there is none to show."""
        return ""


class CalledOutsideRun(UsageError):
    """A function of NKI was called while no kernel runs."""


class NkiValidationError(Exception):
    """The exception of the vendor's simulator where an instruction's rules are broken: kernels may catch it by name."""


NkiValidationError.__module__ = "nki.isa"


class ContractViolation(NkiValidationError):
    """A documented contract is broken in a concrete run: fix the kernel, or the shapes it is called with."""

    def __init__(self, contract: str, message: str, site: Site | None = None) -> None:
        super().__init__(f"{contract}: {message}")
        self.contract = contract
        self.message = message
        self.site = site


class UnsupportedConstruct(BaseException):
    """The verifier does not understand something the kernel does, so it can conclude nothing.

    Derives from BaseException, so that a kernel's `except Exception` does not swallow it. The run it is raised in
    remembers it as well: a handler that catches everything cannot turn it into a pass either.
    """

    def __init__(self, construct: str, advice: str = "", site: Site | None = None) -> None:
        super().__init__(construct)
        self.construct = construct
        self.advice = advice
        self.site = site


class RaisedByKernel(Exception):
    """Stands for an exception of the kernel's that is no `Exception`, with the traceback of that."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(text_of(error))
        self.kind = type(error).__name__
        self.with_traceback(error.__traceback__)


def described(error: BaseException) -> str:
    """An exception in a line: its class, and its text if it has any, harmless wherever they are shown."""
    kind = error.kind if isinstance(error, RaisedByKernel) else type(error).__name__
    text = text_of(error)
    return harmless(f"{kind}: {text}{_meant(error)}" if text else kind)


def _meant(error: BaseException) -> str:
    """The attributes of NKI that may have been meant by one that is not there."""
    if not isinstance(error, AttributeError) or error.obj is None or not error.name:
        return ""
    owner = error.obj if isinstance(error.obj, ModuleType) else type(error.obj)
    if (owner.__name__ if owner is error.obj else owner.__module__).partition(".")[0] not in _OF_NKI:
        # Of an object of the kernel's only Python itself may ask anything.
        return ""
    from nkiverify.foundation.near_names import did_you_mean  # as late as this: few kernels raise anything

    return did_you_mean(error.name, (one for one in dir(owner) if not one.startswith("_")))


def text_of(error: BaseException) -> str:
    """The text of an exception; of one whose class is the kernel's and fails at it, that it does."""
    try:
        return str(error)
    except BaseException as failed:
        if not isinstance(failed, Exception | SystemExit) and not is_exception_of_kernel(failed):
            raise
        return f"(its __str__ raises {type(failed).__name__})"


class InternalError(Exception):
    """The verifier contradicts itself. Please report it, with what `--debug` prints."""
