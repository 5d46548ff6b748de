"""`python -m nkiverify`, and the `nkiverify` command."""

import os
import sys


def console() -> int:
    """The program as it is typed; the exit status."""
    import signal

    _open_standard_streams()
    # Ctrl-C waits until somebody takes it: while modules are loaded it would end in a traceback.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    from nkiverify.cli import main

    return main.console()


def _open_standard_streams() -> None:
    """Open the null device as each standard stream that was closed when the program was started: a file of ours would
    get its descriptor, and with it what is printed, and Python has no object for it."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            # The system gives the lowest descriptor that is free; the programs that we start are to have it as well.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            stream = os.fdopen(descriptor, "w" if descriptor else "r", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    from pathlib import Path

    # Python looks into the working directory first: a module of the user's there would stand for one that we import.
    if sys.path[:1] == [str(Path.cwd())]:
        del sys.path[0]
    sys.exit(console())
