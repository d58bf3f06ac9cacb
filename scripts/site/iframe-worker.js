// SPDX-License-Identifier: Apache-2.0
// Browsers start no Worker for a page that was opened as a file. There the search of the site runs in a hidden frame
// instead, which offers what a Worker offers to it: importScripts, postMessage and messages.
(function () {
  if (location.protocol !== "file:" || !window.Worker) return;
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      const frame = (this.frame = document.createElement("iframe"));
      frame.hidden = true;
      frame.srcdoc = "<!doctype html>";
      frame.onload = () => this.begin(frame.contentWindow, new URL(url, document.baseURI));
      document.body.appendChild(frame);
    }
    begin(inside, url) {
      const load = (address) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, url).href;
        script.onload = done;
        script.onerror = failed;
        inside.document.head.appendChild(script);
      });
      // names are loaded one after the other, as importScripts does
      inside.importScripts = (...names) => names.reduce((before, name) => before.then(() => load(name)), Promise.resolve());
      inside.postMessage = (data) => this.tell("message", data);
      load(url.href).then(() => {
        this.inside = inside;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      }, () => this.tell("error", null));
    }
    tell(kind, data) {
      const event = new MessageEvent(kind, { data });
      this.dispatchEvent(event);
      if (typeof this["on" + kind] === "function") this["on" + kind](event);
    }
    postMessage(data) {
      if (!this.inside) return void this.waiting.push(data);
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  }
  window.Worker = FrameWorker;
})();
