# SPDX-License-Identifier: Apache-2.0
"""Looks at toss.html, tosses.html, swing.html, room.html, die.html, soft.html and picture.html of a folder in a browser, for tests/cli/view_browser.long.sh.
Usage: look.py FOLDER PICTURE; PICTURE may be empty."""
import html
import math
import sys
import tempfile
import time

import browser
import page

WIDE, HIGH = 1000, 700
EYE, TARGET = (1.0, -1.2, 0.8), (0.1, 0.3, 0.05)


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    size = math.sqrt(sum(x * x for x in a))
    return [x / size for x in a]


def project(point, wide, high, eye=EYE, target=TARGET):
    """Where a camera with an angle of view of 45 degrees sees a point, in pixels."""
    z = unit(minus(eye, target))
    x = unit(cross([0, 0, 1], z))
    seen = [sum(p * q for p, q in zip(minus(point, eye), axis)) for axis in (x, cross(z, x), z)]
    scale = high / 2 / math.tan(math.pi / 8) / -seen[2]
    return wide / 2 + scale * seen[0], high / 2 - scale * seen[1]


def cube_in(picture, high):
    """The mean position and number of pixels with the colour of the cube: red above blue. The panels are at the top."""
    found = [(c, r) for r, row in enumerate(picture) for c, (red, _, blue) in enumerate(row)
             if r > 60 and r < high - 60 and red > blue + 25]
    n = max(len(found), 1)
    return sum(c for c, _ in found) / n, sum(r for _, r in found) / n, len(found)


def check_cube(b, folder, touch, wide, high):
    """The cube is where the recording says, at several times."""
    motion = page.read(f"{folder}/toss.html")["motions"][0]
    pose = page.rows(motion["pose"], 14)
    camera = ",".join(map(str, EYE + TARGET))
    for frame in (0, 8, 14, 400):
        b.open(f"{folder}/toss.html", f"time={0.02 * frame}&camera={camera}&theme=light&panel=closed&forces=off", wide, high, touch)
        scene = b.evaluate("(r => [r.width, r.height])(document.querySelector('canvas').getBoundingClientRect())")
        c, r, n = cube_in(b.picture(f"{folder}/frame{frame}_{wide}.png"), high)
        x, y = project(pose[frame][7:10], *scene)
        assert n > 300, (frame, n)
        # faces that are seen lie nearer than the centre, so their mean is some pixels off
        assert math.hypot(c - x, r - y) < 0.25 * math.sqrt(n), (frame, (c, r), (x, y), n)


def check_textures(b, folder):
    """Squares of a floor of 4 x 2 m, three pairs of them along x and two along y; a box with one colour for five sides, without a floor too."""
    where = f"time=0&camera={','.join(map(str, EYE + TARGET))}&theme=light&panel=closed"
    b.open(f"{folder}/room.html", where, WIDE, HIGH)
    picture = b.picture(f"{folder}/room.png")
    wrong, seen = [], {True: 0, False: 0}
    for i in range(-5, 6, 2):
        for j in (-3, -1, 1, 3):
            x, y = i / 3, j / 4
            column, row = project((x, y, 0), WIDE, HIGH)
            if 60 < row < HIGH - 60 and 10 < column < WIDE - 10:
                red, _, blue = picture[round(row)][round(column)]
                odd = (i + 5) // 2 % 2 != (3 - j) // 2 % 2
                seen[odd] += 1
                wrong += [(x, y)] if (blue > red) != odd else []
    # the box and its shadow may hide some
    assert min(seen.values()) > 4 and len(wrong) <= 1, (wrong, seen)
    for name in ("room", "die"):
        b.open(f"{folder}/{name}.html", where, WIDE, HIGH)
        column, row = map(round, project((0.1, 0.3, 0.6), WIDE, HIGH))
        red, green, blue = b.picture(f"{folder}/{name}.png")[row][column]
        assert green > red + 60 and green > blue + 60, (name, red, green, blue)


def press(b, key):
    for kind in ("keyDown", "keyUp"):
        b.call("Input.dispatchKeyEvent", type=kind, key=key)


def check_keys_and_touch(b, folder):
    b.open(f"{folder}/toss.html", "time=1", WIDE, HIGH)
    read = "[carom.state.time, carom.state.playing, carom.camera.azimuth, carom.camera.distance]"
    before = b.evaluate(read)
    press(b, "ArrowRight")
    assert abs(b.evaluate(read)[0] - before[0] - 0.02) < 1e-6
    press(b, " ")
    assert b.evaluate(read)[1]
    press(b, " ")
    assert not b.evaluate(read)[1]
    b.open(f"{folder}/toss.html", "time=1", 390, 844, True)
    before = b.evaluate(read)
    touch = lambda kind, *points: b.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
    touch("touchStart", (200, 400))
    touch("touchMove", (260, 400))
    touch("touchEnd")
    turned = b.evaluate(read)
    assert abs(turned[2] - before[2]) > 0.1, (before, turned)
    touch("touchStart", (180, 400), (220, 400))
    touch("touchMove", (120, 400), (280, 400))
    touch("touchEnd")
    assert b.evaluate(read)[3] < 0.7 * turned[3]


def check_inside(b, folder):
    """In another page, as in a notebook, a page has no address; data-look says what is seen first."""
    text = open(f"{folder}/toss.html", encoding="utf-8").read()
    text = text.replace('<html lang="en">', '<html lang="en" data-look="time=0.5&amp;theme=dark&amp;panel=closed">', 1)
    with open(f"{folder}/around.html", "w", encoding="utf-8") as file:
        file.write(f'<iframe id="inside" style="width: 900px; height: 500px" srcdoc="{html.escape(text)}"></iframe>'
                   '<script>Object.defineProperty(window, "carom", { get: () => document.getElementById("inside").contentWindow.carom })</script>')
    b.open(f"{folder}/around.html", "time=1", WIDE, HIGH)
    assert b.evaluate("[carom.state.time, carom.state.playing, carom.state.theme]") == [0.5, False, "dark"]


def check_speed(b, folder, name, limit):
    """Ten seconds at 30 frames a second; on a machine that others use, what a whole core would do. Returns seconds of processor time a frame,
    which may be up to `limit`."""
    b.open(f"{folder}/{name}.html", "time=0", 1280, 800)
    b.evaluate("window.drawn = 0; (function count() { window.drawn++; requestAnimationFrame(count); })()")
    press(b, " ")
    first, begin, used = b.evaluate("drawn"), time.monotonic(), b.seconds()
    time.sleep(8)
    frames, wall, used = b.evaluate("drawn") - first, time.monotonic() - begin, b.seconds() - used
    playing, at = b.evaluate("[carom.state.playing, carom.state.time]")
    assert playing and abs(at - wall) < 0.7, (playing, at, wall)
    print(f"{name}: {frames / wall:.1f} frames a second, {1000 * used / frames:.1f} ms of processor time each")
    assert frames / wall >= 30 or used / frames <= limit, f"{name} is too slow"
    return used / frames


def check_surface(b, folder):
    """A soft ball in the floor: the surface between them shines through, blue at its rim and lighter inside; a switch hides it."""
    for forces, least, most in (("on", 300, 1e9), ("off", 0, 0)):
        b.open(f"{folder}/soft.html", f"camera=0.3,-0.3,0.3,0,0,0&theme=light&panel=closed&forces={forces}", WIDE, HIGH)
        rows = b.picture(f"{folder}/soft_{forces}.png")
        rim = sum(b_ > r + 60 and r < 80 for row in rows[80:-80] for r, g, b_ in row)
        inside = sum(r > b_ + 60 for row in rows[80:-80] for r, g, b_ in row)
        assert least <= rim <= most and least <= inside <= most, (forces, rim, inside)


def main():
    folder, picture = sys.argv[1:]
    with tempfile.TemporaryDirectory() as profile:
        b = browser.Browser(profile)
        try:
            check_cube(b, folder, False, WIDE, HIGH)
            check_cube(b, folder, True, 390, 844)
            check_textures(b, folder)
            check_keys_and_touch(b, folder)
            check_inside(b, folder)
            check_surface(b, folder)
            plain = check_speed(b, folder, "tosses", 1 / 30)
            # others on the machine slow both pages
            check_speed(b, folder, "swing", max(1 / 30, 2 * plain))
            b.open(f"{folder}/picture.html", "time=0.36&theme=light&camera=0.5,-0.3,0.36,0.15,0.27,0.04", 1280, 720)
            seen = {pixel for row in b.picture(picture or f"{folder}/picture.png") for pixel in row}
            assert len(seen) > 300, "the page is blank"
            outside = [url for url in b.fetched if not url.startswith(("file:", "about:", "data:"))]
            assert not b.faults and not outside, (b.faults, outside)
        finally:
            b.close()


if __name__ == "__main__":
    main()
