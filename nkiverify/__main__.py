"""`python -m nkiverify`, and the `nkiverify` command."""

import sys


def console() -> int:
    """The program as it is typed; the exit status."""
    import signal

    # Ctrl-C waits until somebody takes it: while modules are loaded it would end in a traceback.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    from nkiverify.cli import main

    return main.console()


if __name__ == "__main__":
    from pathlib import Path

    # Python looks into the working directory first: a module of the user's there would stand for one that we import.
    if sys.path[:1] == [str(Path.cwd())]:
        del sys.path[0]
    sys.exit(console())
