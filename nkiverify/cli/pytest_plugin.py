"""The pytest plugin: targets in collected files are tests, which fail where a verdict is not the expected one.

With `pytest --nki-simulator`, tests of kernels import the simulator as `nki` and `neuronxcc.nki`.

pytest finds it by the entry point `pytest11`. Manifests (`nkiverify_targets.py`, and those that `[tool.nkiverify]`
names) are collected wherever pytest looks, and so are functions decorated with `@target` in test files. The verifier
is imported when there is something to verify.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nkiverify.foundation.budget import TargetBudget
from nkiverify.verify.options import MANIFEST_FILE

if TYPE_CHECKING:
    from nkiverify.foundation.records import Run
    from nkiverify.frontend.target import Target
    from nkiverify.project.settings import Settings
    from nkiverify.verify.options import Options


class _Refused(Exception):
    """The target did not end as it expects; the text is the report."""


class _Worker:
    """Verifies the targets of a file in a worker process, so that no kernel ends pytest, or keeps it.

    The worker knows the targets where it is forked, and loads the file again where it is not, as this process has
    threads.
    """

    def __init__(self, root: Path, file: Path, targets: Sequence[Target], options: Options) -> None:
        from nkiverify.run.confinement import Confinement
        from nkiverify.run.executors.jobs import verify_target
        from nkiverify.run.executors.processes import WorkerProcesses

        self.file = file
        load = partial(_targets_of, root, file, targets[0].function.__module__)
        confinement = Confinement.of(options.allowed, programs=options.engine != "embedded")
        memory = confinement.memory
        self._executor = WorkerProcesses(targets, verify_target, load, 1, memory=memory, confinement=confinement)

    def verified(self, name: str, target: Target, options: Options) -> list[Run]:
        """The runs of the target, of the test `name`."""
        from nkiverify.run.executors.jobs import Job, whole

        job = Job(name, target, options)
        future = self._executor.submit(job)
        while not future.done():
            self._executor.wait()
        return whole(job, future.result())

    def close(self) -> list[str]:
        """End the worker process; the tests whose answers do not count, as there was more than one."""
        withdrawn = [*self._executor.withdrawn()]
        self._executor.shutdown()
        return withdrawn


def _targets_of(root: Path, file: Path, module: str) -> dict[str, Target]:
    """The targets of a manifest, or of a test file, which pytest imported as `module`; of one in a package, that is how
    it is imported here as well."""
    from nkiverify.project.manifest_targets import load_targets, target_of

    if not (file.parent / "__init__.py").is_file():
        return {target.name: target for target in load_targets(root, [file])}
    parts = vars(importlib.import_module(module)).values()
    found = [target_of(part, root, _settings(root), file.parent) for part in parts]
    return {target.name: target for target in found if target is not None and target.file == str(file)}


#: The worker of the manifest whose targets are verified now.
_worker = pytest.StashKey[_Worker]()

#: The tests that have passed, or failed, by an answer that does not count.
_withdrawn = pytest.StashKey[list[str]]()

#: The manifests that the settings of the repository name.
_manifests = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that simulates kernels."""
    parser.addoption(
        "--nki-simulator",
        action="store_true",
        help="import nkiverify's simulator as nki and neuronxcc.nki: kernels called with arrays run on the CPU",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Put the stubs on the path before anything of the user's is imported."""
    if early_config.known_args_namespace.nki_simulator:
        from nkiverify.foundation import resources

        sys.path[:0] = resources.import_paths()


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings: what is wrong with them is said at once, in a line."""
    from nkiverify.foundation.errors import UsageError
    from nkiverify.project.repository import manifests_in

    try:
        settings = _settings(config.rootpath)
        named = manifests_in(config.rootpath, settings) if settings.manifests is not None else []
    except UsageError as error:
        raise pytest.UsageError(f"nkiverify: {error}") from None
    config.stash[_manifests] = frozenset(named)
    config.stash[_withdrawn] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the worker; no success where an answer does not count."""
    _end_worker(session.config)
    if session.config.stash[_withdrawn] and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Tell of answers that do not count."""
    for name in config.stash[_withdrawn]:
        terminalreporter.line(f"ERROR {name}: its worker process answered more than once: none of the answers counts")


def _end_worker(config: pytest.Config) -> None:
    worker = config.stash.get(_worker, None)
    if worker is not None:
        del config.stash[_worker]
        config.stash[_withdrawn] += worker.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect manifests."""
    if file_path.name == MANIFEST_FILE or file_path in parent.config.stash[_manifests]:
        return Manifest.from_parent(parent, path=file_path)
    return None


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> pytest.Item | None:
    """Make tests of the targets in test files."""
    if not hasattr(obj, "__nkiverify_target__") or _is_manifest(collector):
        return None
    from nkiverify.project.manifest_targets import target_of

    root = collector.config.rootpath
    found = target_of(obj, root, _settings(root), collector.path.parent)
    if found is None or found.file != str(collector.path):
        # Imported from another module, which has it.
        return None
    return TargetItem.from_parent(collector, name=name, target=found)


class Manifest(pytest.File):
    """A file with targets."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its targets, as tests."""
        from nkiverify.foundation.errors import UsageError
        from nkiverify.project.manifest_targets import load_targets

        try:
            found = load_targets(self.config.rootpath, [self.path])
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        for target in found:
            yield TargetItem.from_parent(self, name=target.name, target=target)


class TargetItem(pytest.Item):
    """A target, in all its phases. Its tags are keywords for `-k`."""

    def __init__(self, *, target: Target, **options: Any) -> None:
        super().__init__(**options)
        self._target = target
        self.extra_keyword_matches.update((*target.tags, target.family))

    def runtest(self) -> None:
        """Verify the target; the report of what is not as expected is the failure."""
        from nkiverify.cli.allowing import allowed_by
        from nkiverify.cli.rule_options import configured
        from nkiverify.frontend.guard import warning
        from nkiverify.report import terminal
        from nkiverify.results import wording
        from nkiverify.results.session import ExitStatus, Session
        from nkiverify.verify.options import QUICK_ENGINE, Options

        settings = _settings(self._target.root)
        options = Options(
            root=self._target.root,
            timeout=settings.timeout or TargetBudget.SECONDS,
            engine=settings.engine or QUICK_ENGINE,
            policy=configured(settings),
            allowed=allowed_by((), settings),
        )
        started, clock = datetime.now(timezone.utc), time.perf_counter()
        runs = tuple(self._worker(options).verified(self.nodeid, self._target, options))
        seconds = time.perf_counter() - clock
        session = Session(runs, self._target.root, started, seconds, 1)
        for reported in session.refused:
            self.warn(pytest.PytestWarning(warning(reported)))
        if session.exit_status is not ExitStatus.AS_EXPECTED:
            wrong = ", ".join(
                f"phase {run.phase} {wording.ending(run)}{f', expected {run.expected.value}' if run.expected else ''}"
                for run in session.unexpected
            )
            raise _Refused(f"{wrong}\n\n{terminal.report(session, detail_expected=False, debug=False)}")

    def _worker(self, options: Options) -> _Worker:
        stash = self.config.stash
        worker = stash.get(_worker, None)
        if worker is None or worker.file != self.path:
            _end_worker(self.config)
            attached = [item._target for item in self.session.items if isinstance(item, TargetItem)]
            targets = [target for target in attached if target.file == self._target.file]
            worker = stash[_worker] = _Worker(self.config.rootpath, self.path, targets, options)
        return worker

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of nkiverify, instead of a traceback of it."""
        if isinstance(excinfo.value, _Refused):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the target is written."""
        return Path(self._target.file), self._target.line - 1, self.name


def _settings(root: Path) -> Settings:
    from nkiverify.project.repository import settings_for

    return settings_for(root)


def _is_manifest(collector: pytest.Collector) -> bool:
    return collector.path.name == MANIFEST_FILE or collector.path in collector.config.stash[_manifests]
