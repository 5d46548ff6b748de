"""Launches of kernels that others have published, and what `check` says about them: `python -m lab.published`.

A family of kernels is a file beside this one, `<family>.toml`, of facts alone: the repository, the folder that its
kernels import from, and launches. A launch has a name, a kernel (`path/from/that/folder.py::function`), `args` as
`--arg` takes them, and where it needs them `grid`, `target`, `where`, `options` and `seconds` of the time limit. It
is expected to be SUCCESSFUL in all phases; `expected` names the phases that are not (`expected = {1 = "FAILED"}`),
and `why` argues that they are right. A table `symbolic` in a launch says what differs where its dimensions are
symbolic.
"""
