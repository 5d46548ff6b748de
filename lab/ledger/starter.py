"""The process that runs subjects: it loads the tool of a checkout once, and forks for each command.

    python lab/ledger/starter.py CHECKOUT        one command a line on stdin, what came of it a line on stdout

The tool is the one of CHECKOUT, of whatever revision: nothing is imported here but what it declares as its program.
"""

import importlib
import json
import mmap
import os
import resource
import runpy
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

#: What is imported before anything is timed, as far as a revision has it: a kernel and commands that load most.
WARM_UP = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copy(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
COMMANDS = (
    ("check", "{file}", "--no-cache"),
    ("check", "{file}::copy", "--arg", "x=f32[P:1..200,8]", "--no-cache"),
    ("check", "{file}::copy", "--arg", "x=f32[16,8]", "--no-cache"),
    ("equiv", "{file}::copy", "{file}::copy", "--arg", "x=f32[16,8]"),
    ("grad", "{file}::copy", "{file}::copy", "--arg", "x=f32[16,8]", "--pair", "x=out"),
)
#: Seconds of the wall's clock that a command may take for each of its processor time, on a machine with other work.
DEADLINE = 6


def main() -> None:
    """Answer until there are no more commands."""
    checkout = Path(sys.argv[1]).resolve()
    sys.path[0] = str(checkout)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import nkiverify

    assert Path(nkiverify.__file__).is_relative_to(checkout), nkiverify.__file__
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _load()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(_answered(asked)), file=answers, flush=True)


def _load() -> None:
    """Import what commands import, also in processes that they fork: each would import it anew."""
    import contextlib
    import io
    import tempfile

    from nkiverify.cli.main import main as program

    leave = os._exit
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "warm_up.py"
        file.write_text(WARM_UP, encoding="utf-8")
        # In memory: processes that run kernels can write to nothing else.
        imported = mmap.mmap(-1, 1 << 22)

        def tell_and_leave(status: int) -> NoReturn:
            names = " ".join(sys.modules).encode() + b" "
            end = imported.find(b"\0")
            imported[end : end + len(names)] = names
            leave(status)

        os._exit = tell_and_leave
        for command in COMMANDS:
            with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
                program([word.format(file=file) for word in command])
        os._exit = leave
    for name in dict.fromkeys(imported[: imported.find(b"\0")].decode().split()):
        # Kernels, and what they import of the library, are there for kernels alone.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _answered(asked: dict[str, object]) -> dict[str, object]:
    """Run one command in a child: its exit status, and the processor time of all its processes."""
    child = os.fork()
    if not child:
        try:
            os.setsid()
            os.chdir(str(asked["folder"]))
            output = os.open(str(asked["output"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.argv = ["nkiverify", *asked["words"]]  # type: ignore[misc]
            status = 4
            try:
                runpy.run_module("nkiverify", run_name="__main__")
            except SystemExit as ended:
                status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        finally:
            os._exit(70)
    limit = time.monotonic() + DEADLINE * float(asked["seconds"]) + 30  # type: ignore[arg-type]
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            seconds = usage.ru_utime + usage.ru_stime
            return {"status": os.waitstatus_to_exitcode(status), "seconds": round(seconds, 3), "peak": usage.ru_maxrss}
        if time.monotonic() > limit:
            os.killpg(child, signal.SIGKILL)
            limit = float("inf")
        time.sleep(0.002)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
