# SPDX-License-Identifier: Apache-2.0
"""Looks at live.html, arm.html and robot.html (may be missing) of a folder in a browser, for tests/cli/view_browser_live.long.sh.
Usage: look_live.py FOLDER QPOS PICTURE; QPOS: qpos of live.html after 200 steps, with commas; PICTURE may be empty."""
import os
import sys
import tempfile
import time

import browser
from look import EYE, HIGH, TARGET, WIDE, press, project

CAMERA = ",".join(map(str, EYE + TARGET))
STILL = "window.matchMedia('(prefers-reduced-motion: reduce)').matches"
POSE = "[...carom.player.simulator.numbers('pose')].slice(7, 10)"
CANVAS = "(r => [r.width, r.height])(document.querySelector('canvas').getBoundingClientRect())"


def opened(b, folder, name, wide=WIDE, high=HIGH, touch=False):
    b.open(f"{folder}/{name}.html", f"camera={CAMERA}&theme=light&panel=closed&play", wide, high, touch)


def check_steps(b, folder, expected):
    """200 steps in the browser are those of the command."""
    opened(b, folder, "live")
    seen = b.evaluate("""(() => { carom.state.playing = false; const s = carom.player.simulator, q = s.numbers("qpos").length;
        s.numbers("start").set([0.3, 0.8, 1.2, 3, 2, -4], 1 + q); s.reset(); s.step(200); return [...s.numbers("qpos")]; })()""")
    worst = max(abs(x - y) for x, y in zip(seen, expected, strict=True))
    assert worst < 1e-12, worst


def check_pace(b, folder, name):
    """Faster than real time: the clock keeps up with that on the wall, and the steps alone are faster still."""
    opened(b, folder, name)
    b.evaluate(f"if (!carom.state.playing && {STILL}) document.getElementById('play').click()")
    for _ in range(4):  # other work on the machine may keep frames waiting
        first, begin = b.evaluate("carom.state.time"), time.monotonic()
        time.sleep(4)
        last, pace, slow = b.evaluate("[carom.state.time, carom.player.clock.pace, carom.player.clock.slow]")
        wall = time.monotonic() - begin
        print(f"{name}: {pace:.0f} times real time, {(last - first) / wall:.2f} s a second shown")
        if pace > 2 and not slow and abs(last - first - wall) < 0.6:
            return
    raise AssertionError((first, last, wall, pace, slow))


def drag(b, touch, way, held=None):
    """Moves the pointer along points of the screen; held() is called while it is down."""
    def send(kind, x, y):
        if touch:
            points = [] if kind == "End" else [{"x": x, "y": y, "id": 0}]
            b.call("Input.dispatchTouchEvent", type={"Pressed": "touchStart", "Moved": "touchMove"}.get(kind, "touchEnd"), touchPoints=points)
        else:
            name = "Released" if kind == "End" else kind
            b.call("Input.dispatchMouseEvent", type=f"mouse{name}", x=x, y=y, button="left", buttons=0 if kind == "End" else 1, clickCount=1)
    send("Pressed", *way[0])
    for point in way[1:]:
        send("Moved", *point)
        b.draw()
    result = held and held()
    send("End", *way[-1])
    return result


def check_pull(b, folder, touch, wide, high):
    """The pointer pulls the cube up; beside it, it turns the camera."""
    opened(b, folder, "live", wide, high, touch)
    time.sleep(1.5)
    at, azimuth = b.evaluate(POSE), b.evaluate("carom.camera.azimuth")
    assert abs(at[2] - 0.05) < 0.01, at
    x, y = project(at, *b.evaluate(CANVAS))

    def held():
        time.sleep(1)
        rows = b.picture(f"{folder}/pulled_{wide}.png")
        assert len({pixel for row in rows for pixel in row}) > 200, "the page is blank"
        assert any(pixel[0] > 180 and pixel[1] < 140 and pixel[2] > 140 for row in rows for pixel in row), "no hand is drawn"
        return b.evaluate(POSE)
    pulled = drag(b, touch, [(x + 3 * k, y - 6 * k) for k in range(25)], held)
    assert pulled[2] > at[2] + 0.08, (at, pulled)
    assert b.evaluate("carom.camera.azimuth") == azimuth
    b.wait(lambda: abs(b.evaluate(POSE)[2] - 0.05) < 0.02, 5, "the cube does not fall again")
    drag(b, touch, [(30 + 5 * k, 0.6 * b.evaluate(CANVAS)[1]) for k in range(10)])
    assert abs(b.evaluate("carom.camera.azimuth") - azimuth) > 0.1


def move_slider(b, text, value):
    b.evaluate(f"""(() => {{ const row = [...document.querySelectorAll(".slider")].find((l) => l.textContent.includes("{text}"));
        const input = row.querySelector("input"); input.value = {value}; input.dispatchEvent(new Event("input")); }})()""")


def check_sliders(b, folder):
    """Sliders change the model and the controls; the gradient is there, and follows."""
    opened(b, folder, "live")
    move_slider(b, "gravity[2]", 0)
    assert b.evaluate("carom.player.simulator.numbers('parameter')[2]") == 0
    press(b, "Home")
    time.sleep(0.6)
    assert abs(b.evaluate(POSE)[2] - 0.2) < 1e-9, "without gravity the cube stays"
    slope = "[...document.querySelectorAll('.slope')].map((row) => row.textContent)"
    # z + t^2 / 2: 45 steps, at the end of a step the velocity is that of the new state
    t = 45 / 148
    free = b.evaluate("carom.player.simulator.numbers('byParameter')[2]")
    assert abs(free - t * t * (45 + 1) / 45 / 2) < 1e-9, free
    assert b.evaluate(slope)[2] == f"\u2202z {free:.3g}", b.evaluate(slope)
    opened(b, folder, "arm")
    time.sleep(0.3)
    move_slider(b, "elbow", 1)
    assert b.evaluate("carom.player.simulator.numbers('ctrl')[1]") == 1
    time.sleep(0.5)
    by = b.evaluate("[...carom.player.simulator.numbers('byCtrl')]")
    assert len(by) == 2 and all(abs(x) > 1e-6 for x in by), by
    move_slider(b, "seconds ahead", 20)
    time.sleep(0.5)
    assert b.evaluate("carom.player.simulator.numbers('ahead').length") == 60


def check_keys(b, folder):
    opened(b, folder, "live")
    press(b, " ")
    assert not b.evaluate("carom.state.playing")
    b.draw()
    before = b.evaluate("carom.state.time")
    press(b, "ArrowRight")
    b.draw()
    assert abs(b.evaluate("carom.state.time") - before - 1 / 148) < 1e-9
    press(b, "Home")
    b.draw()
    assert b.evaluate("carom.state.time") == 0


def check_failure(b, folder):
    """A simulation that fails stops with a sentence, and begins again."""
    opened(b, folder, "live")
    b.evaluate("carom.player.simulator.numbers('qvel').fill(1e12)")
    b.wait(lambda: b.evaluate("!document.getElementById('fault').hidden"), 5, "no sentence")
    said = b.evaluate("document.getElementById('fault').textContent")
    assert "stopped" in said and "qvel" in said, said
    assert not b.evaluate("carom.state.playing")
    press(b, "Home")
    b.draw()
    assert b.evaluate("document.getElementById('fault').hidden")


def main():
    folder, qpos, picture = sys.argv[1:]
    with tempfile.TemporaryDirectory() as profile:
        b = browser.Browser(profile)
        try:
            check_steps(b, folder, [float(x) for x in qpos.split(",")])
            for name in ("live", "arm", "robot"):
                if os.path.exists(f"{folder}/{name}.html"):
                    check_pace(b, folder, name)
            check_pull(b, folder, False, WIDE, HIGH)
            check_pull(b, folder, True, 390, 844)
            check_sliders(b, folder)
            check_keys(b, folder)
            check_failure(b, folder)
            if picture:
                draw_picture(b, folder, picture)
            outside = [url for url in b.fetched if not url.startswith(("file:", "about:", "data:", "blob:"))]
            assert not b.faults and not outside, (b.faults, outside)
        finally:
            b.close()


def draw_picture(b, folder, picture):
    """The picture of docs/view.md: the cube while it is pulled."""
    eye, target = (0.42, -0.5, 0.36), (0.02, 0.03, 0.11)
    b.open(f"{folder}/live.html", f"theme=light&camera={','.join(map(str, eye + target))}&panel=closed&play", 1280, 720)
    time.sleep(1.5)
    x, y = project(b.evaluate(POSE), *b.evaluate(CANVAS), eye, target)

    def held():
        time.sleep(0.25)
        b.picture(picture)
    drag(b, False, [(x + 20 + 5 * k, y - 45 - 5 * k) for k in range(22)], held)


main()
