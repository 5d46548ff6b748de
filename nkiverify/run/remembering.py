"""Remembering verdicts as they are found, so that a session that is killed loses none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.target import Target
    from nkiverify.results.cache.remembered_runs import VerdictCache
    from nkiverify.run.executors.jobs import Listener


class Remembering:
    """A listener that remembers the runs of each target as it finishes, and passes on what it hears. Runs that are
    given in place of earlier ones take their place here too."""

    def __init__(self, cache: VerdictCache, targets: Sequence[Target], listener: Listener) -> None:
        self._cache = cache
        self._targets = {target.name: target for target in targets}
        self._listener = listener

    def started(self, job: str) -> None:
        """A target has begun."""
        self._listener.started(job)

    def finished(self, job: str, runs: Sequence[Run]) -> None:
        """A target has its verdicts."""
        self._cache.remember(self._targets[job], runs)
        self._listener.finished(job, runs)

    def waiting(self) -> None:
        """Time has passed."""
        self._listener.waiting()
