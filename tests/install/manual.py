#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and shell completion name every command and option that the command's help names, and no
other; groff has nothing to say against the pages; bash, asked as a person asks it, completes."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

CAROM = os.environ["CAROM"]
MANUAL = Path(os.environ["CAROM_BUILD_DIR"]) / "manual"
problems = []


def check(right, sentence):
    if not right:
        problems.append(sentence)


def say(*arguments):
    return subprocess.run([CAROM, *arguments], capture_output=True, text=True, check=True).stdout


def options_of(text):
    """The options that a help text lists, and those that ask for it, which it does not."""
    return set(re.findall(r"^  (--[\w-]+)", text, re.M)) | {"--help", "--help-all"}


def rendered(page):
    """A page as people see it, in lines that no hyphen breaks."""
    groff = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-c", "-rLL=2000n", str(page)],
                           capture_output=True, text=True, check=False)
    check(groff.returncode == 0 and not groff.stderr, f"groff on {page.name}: {groff.stderr}")
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-Tlint", str(page)], capture_output=True, text=True, check=False)
        check(not lint.stdout, f"mandoc on {page.name}: {lint.stdout}")
    return re.sub(r".\x08", "", groff.stdout)


# ---- the pages

def check_pages(commands):
    pages = {f"carom-{name}.1" for name in commands} | {"carom.1"}
    check({p.name for p in (MANUAL / "man1").iterdir()} == pages, "other man pages than commands")
    main = rendered(MANUAL / "man1/carom.1")
    for name in commands:
        text = say(name, "--help-all")
        page = rendered(MANUAL / f"man1/carom-{name}.1")
        check(re.search(rf"^ +{name}( |$)", main, re.M) and f"carom-{name}(1)" in main,
              f"carom.1 does not have {name}")
        check(page.count("\nNAME") == 1 and f"carom-{name} - " in page, f"carom-{name}.1: NAME")
        listed = set(re.findall(r"^ +(--[\w-]+)", page, re.M))
        check(listed == options_of(text), f"carom-{name}.1: not {listed ^ options_of(text)}")
        # what help says of an option, word for word
        for row in say(name, "--help=rows").splitlines():
            kind, option, _, sentence = row.split("\t")
            check(sentence in page or kind in ("exit", "command"),
                  f"carom-{name}.1 says something else of {option} than '{sentence}'")


# ---- bash, its function called as bash calls it

ASK = r"""
source "$1"; shift
specification=$(complete -p carom)
[[ $specification =~ -F\ ([^ ]+) ]] || exit 1
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
"${BASH_REMATCH[1]}" carom "${!#}" "${@:$#-1:1}"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


def completions(*words):
    done = subprocess.run(["bash", "--norc", "--noprofile", "-c", ASK, "bash", str(MANUAL / "bash/carom"),
                           *words], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and not done.stderr, f"bash on {words}: {done.stderr}")
    return done.stdout.split()


def expect(words, answer):
    got = completions(*words)
    check(got == answer, f"bash completes {' '.join(words)} to {got}, not {answer}")


def check_bash(commands):
    check(set(completions("carom", "")) == set(commands) | {"help", "version", "--help", "--version"},
          "bash does not complete the commands")
    for name in commands:
        check(set(completions("carom", name, "--")) == options_of(say(name, "--help-all")),
              f"bash does not complete the options of {name}")
    expect(["carom", "gr"], ["grad"])
    expect(["carom", "help", "gr"], ["grad"])
    expect(["carom", "grad", "--in"], ["--integrator"])
    expect(["carom", "grad", "model.xml", "--integrator", "ts"], ["tsit5"])
    expect(["carom", "grad", "model.xml", "--collision", "=", "s"], ["soft", "smooth"])
    expect(["carom", "grad", "model.xml", "--collision", "="], ["hard", "soft", "smooth"])
    expect(["carom", "study", "bil"], ["billiard"])
    expect(["carom", "grad", "model.xml", "--rtol", "-"], [])


def types(text, wanted, folder):
    """Does a bash at a terminal make what is wanted of the keys?"""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], dict(os.environ, TERM="dumb", PS1="> "))
    seen = ""
    os.write(terminal, f"source '{MANUAL}/bash/carom'; echo re''ady\n".encode())
    sent, end = False, time.time() + 20
    while time.time() < end and wanted not in seen:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 4096).decode(errors="replace")
            except OSError:  # bash is gone
                break
        if not sent and "ready" in seen:
            os.write(terminal, text.encode())
            sent = True
    os.close(terminal)
    os.waitpid(pid, 0)
    check(wanted in seen, f"at a terminal, {text!r} becomes {seen[-200:]!r}, not {wanted!r}")


# ---- zsh and fish: their files name all there is, and where the shells are installed they read them

def check_others(commands):
    zsh, fish = (MANUAL / "zsh/_carom").read_text(), (MANUAL / "fish/carom.fish").read_text()
    for name in commands:
        part = re.search(rf"^{name}\)\n(.*?);;", zsh, re.S | re.M)
        listed = set(re.findall(r"^    '\*?(--[\w-]+)\[", part[1] if part else "", re.M))
        check(listed == options_of(say(name, "--help-all")), f"zsh: other options of {name}")
        listed = {"--" + o for o in re.findall(rf"__carom_command {name}' -l (\S+)", fish)}
        check(listed == options_of(say(name, "--help-all")), f"fish: other options of {name}")
    for shell, file in (("zsh", "zsh/_carom"), ("fish", "fish/carom.fish")):
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", str(MANUAL / file)], capture_output=True, text=True, check=False)
            check(done.returncode == 0 and not done.stderr, f"{shell}: {done.stderr}")


def main():
    commands = re.findall(r"^  (\w+) +\w", say("help"), re.M)
    check(len(commands) >= 8, f"carom help lists {commands}")
    check_pages(commands)
    check_bash(commands)
    check_others(commands)
    types("carom gr\t", "carom grad ", ".")
    types("carom grad --in\t", "carom grad --integrator ", ".")
    types("carom rollout examples/cube_to\t", "examples/cube_toss.xml ", os.environ["CAROM_SOURCE_DIR"])
    print("\n".join(problems) or f"manual: {len(commands)} commands, as their help has them")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
