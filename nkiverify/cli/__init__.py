"""The subcommands, one module each: `configure(parser)` for its arguments, `execute(arguments)` for its work.

A command's module is imported when the command is used, and imports what it needs when it works: the command line
answers `--version` and `--help` at once.
"""
