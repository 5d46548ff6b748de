"""`nkiverify completion SHELL`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

DESCRIPTION = """\
Print what a shell needs to complete commands, options and the values of
options. For bash, in ~/.bashrc:

  eval "$(nkiverify completion bash)"

for zsh the same in ~/.zshrc, with `zsh`; for fish:

  nkiverify completion fish > ~/.config/fish/completions/nkiverify.fish"""

#: Words are completed by files where no option's values are.
_BASH = """\
_nkiverify() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  case "$command $before" in
{values}
  esac
  if [ -z "$words" ]; then
    if [ "$COMP_CWORD" -eq 1 ]; then words={commands}
    else case "$command" in
{options}
    esac fi
    case "$word" in -*) ;; *) [ "$COMP_CWORD" -eq 1 ] || words= ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word") $([ -n "$words" ] || compgen -f -- "$word"))
}}
complete -o filenames -F _nkiverify nkiverify
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def execute(arguments: argparse.Namespace) -> int:
    """Print the text for the shell; the exit status."""
    print(_fish() if arguments.shell == "fish" else _bash(zsh=arguments.shell == "zsh"), end="")
    return 0


def _bash(*, zsh: bool) -> str:
    from nkiverify.cli.main import COMMANDS

    options, values = [], []
    for command in COMMANDS:
        found = list(_options(command))
        every = shlex.quote(" ".join(name for names, _, _ in found for name in names))
        options.append(f"    {command}) words={every};;")
        for names, choices, _ in found:
            if choices:
                patterns = "|".join(shlex.quote(f"{command} {name}") for name in names)
                values.append(f"    {patterns}) words={shlex.quote(' '.join(choices))};;")
    text = _BASH.format(commands=shlex.quote(" ".join(COMMANDS)), options="\n".join(options), values="\n".join(values))
    return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + text if zsh else text


def _fish() -> str:
    from nkiverify.cli.main import COMMANDS

    lines = [f"complete -c nkiverify -n __fish_use_subcommand -f -a {shlex.quote(' '.join(COMMANDS))}"]
    for command in COMMANDS:
        for names, choices, words in _options(command):
            parts = [f"complete -c nkiverify -n '__fish_seen_subcommand_from {command}'"]
            parts += [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in names]
            parts += [f"-x -a {shlex.quote(' '.join(choices))}"] if choices else []
            lines.append(" ".join([*parts, f"-d {shlex.quote(words)}"]))
    return "\n".join(lines) + "\n"


def _options(command: str) -> Iterator[tuple[list[str], list[str], str]]:
    """The options of a command: their names, the values they can have if these are listed, what they are for."""
    from nkiverify.cli.main import parser_of

    for action in parser_of(command)._actions:
        if action.option_strings:
            words = " ".join((action.help or "").replace("%%", "%").split())
            yield list(action.option_strings), [str(one) for one in action.choices or ()], words.partition(";")[0]
