"""Control flow of the exploration itself. A kernel must not catch these, so they are no `Exception`."""

from __future__ import annotations

from nkiverify.foundation.source import Site


class PathEnded(BaseException):
    """This path cannot be continued: an assumption does not hold on it, or it ended in a claim that must fail."""


class LoopNotSummarised(BaseException):
    """A loop carries state that has no closed form: explore again, unrolling it."""

    def __init__(self, site: Site, reason: str) -> None:
        super().__init__(reason)
        self.site = site
        self.reason = reason
