# SPDX-License-Identifier: Apache-2.0
"""A built site, opened as files in a browser: its search finds a function, nothing is fetched, the console is silent, and a
page is no wider than a phone. Usage: look_site.py SITE"""
import sys
import tempfile

import browser

SEARCH = """(() => {
  document.querySelector('#__search').checked = true;
  document.querySelector('#__search').dispatchEvent(new Event('change'));
  const input = document.querySelector('.md-search__input');
  input.focus();
  input.value = 'cr_rollout_set_memory';
  input.dispatchEvent(new Event('input'));
  input.dispatchEvent(new Event('keyup'));
})()"""
FOUND = "[...document.querySelectorAll('.md-search-result__link')].map(a => a.href.split('?')[0]).join(' ')"

site = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    b = browser.Browser(folder)
    try:
        b.call("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        b.call("Page.navigate", url=f"file://{site}/index.html")
        b.wait(lambda: b.evaluate("document.readyState") == "complete", 60, "the page does not load")
        b.evaluate(SEARCH)
        b.wait(lambda: "reference/c/rollout.html" in (b.evaluate(FOUND) or ""), 60, "the search finds nothing")
        b.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
        for page in ("docs/tutorial", "docs/fields", "docs/comparison", "reference/c/rollout", "reference/python/data", "reference/commands/grad"):
            b.call("Page.navigate", url=f"file://{site}/{page}.html")
            b.wait(lambda: b.evaluate("document.readyState") == "complete", 60, f"{page} does not load")
            wide = b.evaluate("document.documentElement.scrollWidth")
            assert wide <= 400, f"{page} is {wide} pixels wide on a phone of 400"
        assert not b.faults, b.faults
        elsewhere = [u for u in b.fetched if not u.startswith(("file:", "data:", "about:"))]
        assert not elsewhere, elsewhere
    finally:
        b.process.kill()
print("the search works in files, on a phone pages are no wider than the screen")
