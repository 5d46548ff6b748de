"""Inputs that break things, and what must be true of nkiverify whatever it is given.

`inputs.toml` lists them by kind: kernels that end their process, wait for ever, write files or print what a CI system
takes for a command, each in every command that runs kernels; files that are no Python; settings, manifests, results and
databases that are spoiled; arguments; disks without room; inputs of the Action; programs that say they are ESBMC. Each
is tried in a folder of its own, in a process as a user would start it (`bench`). Whatever it is (`conditions`):

- the exit status is one that is documented, and right for its kind; 0 only where every phase that was asked for is
  SUCCESSFUL, and where what was refused is named;
- something is said, no traceback and no internal error, no control characters, no line that a CI system executes;
- nothing is written but what the command writes, and no process is left;
- it ends within its time limit and a second, beside what starting takes.
"""
