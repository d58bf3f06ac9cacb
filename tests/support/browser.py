# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven by its DevTools protocol, and its pictures. Needs nothing but Python."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.request
import zlib

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def program():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Socket:
    """A WebSocket to a server on this machine (RFC 6455): texts alone."""

    def __init__(self, address):
        host, path = address.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.stream = socket.create_connection((name, int(port)), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.stream.recv(1)

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = (struct.pack("!B", 128 | len(data)) if len(data) < 126 else struct.pack("!BH", 254, len(data)) if len(data) < 65536
                else struct.pack("!BQ", 255, len(data)))
        self.stream.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def exactly(self, n):
        data = b""
        while len(data) < n:
            piece = self.stream.recv(n - len(data))
            if not piece:
                raise EOFError("the browser has closed the connection")
            data += piece
        return data

    def receive(self):
        text, last = b"", False
        while not last:
            first, size = self.exactly(2)
            last, size = bool(first & 128), size & 127
            size = struct.unpack("!H", self.exactly(2))[0] if size == 126 else struct.unpack("!Q", self.exactly(8))[0] if size == 127 else size
            data = self.exactly(size)
            text += data if first & 15 in (0, 1) else b""
        return text.decode()


class Browser:
    """One page. `faults` collects errors of the console and exceptions."""

    def __init__(self, folder):
        options = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                   "--remote-debugging-port=0", "--disable-background-networking", f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen([program(), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = os.path.join(folder, "DevToolsActivePort")
        self.wait(lambda: os.path.exists(port_file) and "\n" in open(port_file).read(), 60, "the browser does not start")
        port = open(port_file).readline().strip()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        self.socket = Socket(next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page"))
        self.number, self.faults, self.fetched = 0, [], []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def wait(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(what)
            time.sleep(0.1)

    def note(self, message):
        method, p = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(p["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.faults.append(json.dumps(p["args"])[:500])
        elif method == "Log.entryAdded" and p["entry"]["level"] == "error":
            self.faults.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.fetched.append(p["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path, address, wide, high, touch=False):
        """Opens a page, and waits until it has drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{path}#{address}")
        self.wait(lambda: self.evaluate("Boolean(window.carom)") or self.faults, 120, f"{path} does not begin")
        if self.faults:
            raise RuntimeError(f"{path}: {self.faults}")
        self.draw()

    def draw(self):
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def seconds(self):
        """Processor time of all its processes so far."""
        parent, total, todo = {}, 0, [self.process.pid]
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                parent[int(name)] = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
        while todo:
            one = todo.pop()
            total += sum(map(int, parent[one][11:13])) if one in parent else 0
            todo += [p for p, fields in parent.items() if int(fields[1]) == one]
        return total / os.sysconf("SC_CLK_TCK")

    def picture(self, path):
        """Writes a PNG; returns it as rows of (red, green, blue)."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as file:
            file.write(data)
        return pixels(data)

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (EOFError, OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def unfilter(kind, line, above, n):
    """A line of a PNG from its differences (PNG specification, section 9)."""
    for i, x in enumerate(line):
        left, up, corner = line[i - n] if i >= n else 0, above[i], above[i - n] if i >= n else 0
        guess = left + up - corner
        paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        line[i] = (x + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
    return line


def pixels(data):
    """The rows of a PNG with 8 bits a colour."""
    at, body, wide, n = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack("!I4s", data[at:at + 8])
        if kind == b"IHDR":
            wide, n = struct.unpack("!I", data[at + 8:at + 12])[0], {2: 3, 6: 4}[data[at + 17]]
        body += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, above = zlib.decompress(body), [], bytearray(wide * n)
    for start in range(0, len(raw), wide * n + 1):
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + wide * n]), above, n)
        rows.append([tuple(above[i:i + 3]) for i in range(0, wide * n, n)])
    return rows
