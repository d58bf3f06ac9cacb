#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the man pages and the shell completions of a carom command, from the rows that
`carom --help=rows` and `carom COMMAND --help=rows` print. Usage: make_manual.py CAROM FOLDER

Below FOLDER: man1/carom.1 and man1/carom-COMMAND.1, bash/carom, zsh/_carom, fish/carom.fish.
"""
import os
import re
import subprocess
import sys
import textwrap
import time
from collections import namedtuple
from pathlib import Path

# kind: command, flag, integer, count, number, positive, text, list, word, example or exit
Row = namedtuple("Row", "kind name argument help")
Command = namedtuple("Command", "name brief summary positional options words examples exits")


def rows(carom, *arguments):
    done = subprocess.run([carom, *arguments, "--help=rows"], capture_output=True, text=True,
                          check=True)
    return [Row(*line.split("\t")) for line in done.stdout.splitlines()]


def command_of(carom, name, brief):
    table = rows(carom, name)
    # the positional argument has no name
    known = [r for r in table if r.kind not in ("command", "word", "example", "exit")]
    return Command(name, brief, next(r.help for r in table if r.kind == "command"),
                   next((r for r in known if not r.name), None),
                   [r for r in known if r.name] + [Row("flag", "--help", "", "print the options that matter most"),
                                                   Row("flag", "--help-all", "", "print all options")],
                   [r for r in table if r.kind == "word"],
                   [r.help for r in table if r.kind == "example"],
                   next(r.help for r in table if r.kind == "exit"))


def takes_file(row):
    """Does an argument name a file or a folder?"""
    return re.search(r"\b(FILE|DIR|MODEL|CONFIG)\b", row.argument) is not None


def values(row):
    """The words an argument may be: those of a|b, or a help text that is nothing but a list of words."""
    if re.fullmatch(r"[a-z-]+(\|[a-z-]+)+", row.argument):
        return row.argument.split("|")
    if re.fullmatch(r"[\w-]+([,;] [\w-]+)+", row.help):
        return re.split("[,;] ", row.help)
    return []


# ---- man pages

def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    return "\\&" + text if text.startswith(".") else text


def prose(text):
    return [escape(line) for line in textwrap.wrap(text, 70, break_long_words=False,
                                                   break_on_hyphens=False)]


def page(name, version, title, body):
    """One page; a body is a list of lines, of which headings begin with #."""
    day = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    lines = [f'.TH {escape(name.upper())} 1 "{day}" "carom {version}" "Carom"',
             ".SH NAME", *prose(f"{name} - {title}")]
    for line in body:
        lines.append(f".SH {line[1:]}" if line.startswith("#") else line)
    return "\n".join(lines) + "\n"


def tagged(head, text):
    return [".TP", head, *prose(text)]


def option_head(row):
    return f"\\fB{escape(row.name)}\\fR" + (f" \\fI{escape(row.argument)}\\fR" if row.argument else "")


def exit_status(text):
    return [line for part in text.split(", ") for line in tagged(*part.split(" ", 1))]


def command_page(c, version):
    argument = f" \\fI{escape(c.positional.argument)}\\fR" if c.positional else ""
    body = ["#SYNOPSIS", f"\\fBcarom {c.name}\\fR{argument} [\\fIoptions\\fR]",
            "#DESCRIPTION", *prose(c.summary)]
    if c.positional:
        body += tagged(f"\\fI{escape(c.positional.argument)}\\fR", c.positional.help)
    body += ["#OPTIONS"]
    for row in c.options:
        body += tagged(option_head(row), row.help + (" (may be given again)" if row.kind == "list" else ""))
    if c.words:
        body += [f"#VALUES OF {c.positional.argument}"]
        for row in c.words:
            body += tagged(f"\\fB{escape(row.name)}\\fR", row.help)
    body += ["#EXAMPLES"]
    for example in c.examples:
        body += [".PP", ".nf", escape(example), ".fi"]
    body += ["#EXIT STATUS", *exit_status(c.exits), "#SEE ALSO", ".BR carom (1)"]
    return page(f"carom-{c.name}", version, c.brief, body)


def main_page(commands, version, about):
    body = ["#SYNOPSIS", "\\fBcarom\\fR \\fICOMMAND\\fR ...", ".br",
            "\\fBcarom help\\fR [\\fICOMMAND\\fR]", ".br", "\\fBcarom version\\fR", "#COMMANDS"]
    for c in commands:
        body += tagged(f"\\fB{c.name}\\fR", c.brief)
    body += ["#EXIT STATUS", *exit_status(commands[0].exits), "#SEE ALSO"]
    last = commands[-1].name
    body += [f".BR carom\\-{c.name} (1){'' if c.name == last else ','}" for c in commands]
    return page("carom", version, about, body)


# ---- completion

def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


BASH = """# bash completion of carom {version}, made by scripts/make_manual.py

_carom() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= files=
  # bash takes --option=value for three words
  if [[ $current == = ]]; then
    current=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  if ((COMP_CWORD == 1)); then
    words={commands_and_help}
  else
    case ${{COMP_WORDS[1]}} in
{cases}
    help) ((COMP_CWORD == 2)) && words={commands} ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # where nothing is found and files may stand, readline completes them
  [[ $files ]] || compopt +o default 2> /dev/null
}}
complete -o default -F _carom carom
"""


def bash_case(c):
    lines = [f"    {c.name})", "      case $before in"]
    texts = [r for r in c.options if r.kind != "flag"]
    for row in texts:
        if values(row):
            lines.append(f"      {row.name}) words={quoted(' '.join(values(row)))} ;;")
    of_files = [r.name for r in texts if not values(r) and takes_file(r)]
    others = [r.name for r in texts if not values(r) and not takes_file(r)]
    if of_files:
        lines.append(f"      {' | '.join(of_files)}) files=1 ;;".replace(" | ", "|"))
    if others:
        lines.append(f"      {'|'.join(others)}) ;;")
    names = [r.name for r in c.options]
    plain = f"words={quoted(' '.join(r.name for r in c.words))}" if c.words else "files=1"
    lines += ["      *)", "        if [[ $current == -* ]]; then",
              f"          words={quoted(' '.join(names))}",
              "        else", f"          {plain}", "        fi", "        ;;", "      esac", "      ;;"]
    return "\n".join(lines)


def bash(commands, version):
    names = " ".join(c.name for c in commands)
    return BASH.format(version=version, cases="\n".join(bash_case(c) for c in commands),
                       commands=quoted(names),
                       commands_and_help=quoted(names + " help version --help --version"))


def zsh_value(row):
    if row.kind == "flag":
        return ""
    name = re.sub(r"[:\[\]]", "", row.argument)
    action = f"({' '.join(values(row))})" if values(row) else "_files" if takes_file(row) else " "
    return f":{name}:{action}"


def zsh(commands, version):
    lines = ["#compdef carom", f"# zsh completion of carom {version}, made by scripts/make_manual.py", "",
             "if (( CURRENT == 2 )); then", "  local -a commands=("]
    lines += [f"    {quoted(c.name + ':' + c.brief)}" for c in commands]
    lines += ["    'help:say what there is'", "    'version:print the version'", "  )",
              "  _describe command commands", "  return", "fi",
              "local command=$words[2]", "shift words", "(( CURRENT-- ))", "case $command in"]
    for c in commands:
        lines += [f"{c.name})", "  _arguments \\"]
        for row in c.options:
            again = "*" if row.kind == "list" else ""
            text = row.help.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
            lines.append(f"    {quoted(again + row.name + '[' + text + ']' + zsh_value(row))} \\")
        action = f"({' '.join(r.name for r in c.words)})" if c.words else "_files"
        lines += [f"    {quoted('*:' + c.positional.argument + ':' + action)}", "  ;;"]
    lines += ["help)", f"  _arguments '1:command:({' '.join(c.name for c in commands)})'", "  ;;", "esac"]
    return "\n".join(lines) + "\n"


def fish(commands, version):
    quote = lambda text: "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    names = " ".join(c.name for c in commands)
    lines = [f"# fish completion of carom {version}, made by scripts/make_manual.py", "",
             "# the command has to be the first word: an argument may be called like one",
             "function __carom_command", "  set -l words (commandline -opc)",
             '  test "$words[2]" = $argv[1]', "end"]
    for name, text in [(c.name, c.brief) for c in commands] + [("help", "say what there is"),
                                                               ("version", "print the version")]:
        lines.append(f"complete -c carom -f -n __fish_use_subcommand -a {name} -d {quote(text)}")
    lines.append(f"complete -c carom -f -n '__carom_command help' -a {quote(names)}")
    for c in commands:
        begin = f"complete -c carom -n '__carom_command {c.name}'"
        for row in c.options:
            value = "" if row.kind == "flag" else " -r" if takes_file(row) else " -x"
            value += f" -a {quote(' '.join(values(row)))}" if values(row) else ""
            lines.append(f"{begin} -l {row.name[2:]}{value} -d {quote(row.help)}")
        if c.words:
            lines += [f"{begin} -f -a {r.name} -d {quote(r.help)}" for r in c.words]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    carom, folder = sys.argv[1], Path(sys.argv[2])
    first, *listed = rows(carom)
    commands = [command_of(carom, r.name, r.help) for r in listed]
    version, about = first.name, first.help
    files = {"man1/carom.1": main_page(commands, version, about),
             "bash/carom": bash(commands, version),
             "zsh/_carom": zsh(commands, version),
             "fish/carom.fish": fish(commands, version)}
    for c in commands:
        files[f"man1/carom-{c.name}.1"] = command_page(c, version)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
