# SPDX-License-Identifier: Apache-2.0
"""Runs a command at a terminal of so many columns, and prints what it writes there. Usage: terminal.py COLUMNS COMMAND..."""
import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # the command has ended
        break
    if not part:
        break
    seen += part
_, status = os.waitpid(pid, 0)
sys.stdout.write(seen.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n"))
sys.exit(os.waitstatus_to_exitcode(status))
