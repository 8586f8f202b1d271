"""A browser for the tests: headless Chromium by its WebDriver, over HTTP, with nothing but Python's own library."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def missing():
    """What of the browser is not installed; empty if nothing."""
    return " and ".join(name for name in ("chromium", "chromedriver") if not shutil.which(name))


class Unresponsive(Exception):
    """The browser did not answer a command at all, which says nothing of the page: no script of a page takes so long."""


class Browser:
    """One window. Use as a context manager."""

    answers_within_s = 120

    def __enter__(self):
        self.hangs = False
        self.folder = tempfile.TemporaryDirectory(prefix="gpuproj_browser_")
        self.downloads = pathlib.Path(self.folder.name) / "downloads"
        self.downloads.mkdir()
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       env=os.environ | {"HOME": self.folder.name})
        for line in self.driver.stdout:
            if "successfully on port " in line:
                self.base = "http://127.0.0.1:" + line.rsplit("on port ", 1)[1].strip().rstrip(".")
                break
        options = {"binary": shutil.which("chromium"),
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
                            "--disable-background-networking", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--no-first-run", "--font-render-hinting=none", f"--user-data-dir={self.folder.name}/profile"],
                   "prefs": {"download.default_directory": str(self.downloads), "download.prompt_for_download": False}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        begun = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session, self.process = begun["sessionId"], begun["capabilities"].get("goog:processID")
        self.call("POST", f"/session/{self.session}/timeouts", {"script": 110000})
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        return self

    def __exit__(self, *_):
        try:
            if not self.hangs:
                self.call("DELETE", f"/session/{self.session}")
        except (OSError, Unresponsive):
            pass
        if self.hangs and self.process:
            with contextlib.suppress(ProcessLookupError):  # it may have crashed
                os.kill(self.process, signal.SIGKILL)
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder.name, ignore_errors=True)  # what Chromium's last processes still write does not matter

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.answers_within_s) as answer:
                return json.load(answer)["value"]
        except TimeoutError:
            self.hangs = True
            raise Unresponsive(f"no answer to {path.rsplit('/', 1)[-1]} within {self.answers_within_s} s") from None
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self.call("POST", f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script, *arguments):
        """Runs a function body on the page and waits for its promise."""
        body = "const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);" \
               f"(async (...arguments_) => {{ {script} }})(...given).then((value) => done({{value}}), (error) => done({{error: String(error && error.stack || error)}}));"
        answer = self.call("POST", f"/session/{self.session}/execute/async", {"script": body.replace("arguments_", "args"), "args": list(arguments)})
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("value")

    def until(self, condition, seconds=100):
        """Waits until an expression holds on the page, as long as a busy machine may take; gives whether it does."""
        return self.run(f"""const end = performance.now() + args[0] * 1000;
            while (!({condition}) && performance.now() < end) await new Promise((next) => setTimeout(next, 30));
            return Boolean({condition});""", seconds)

    def size(self, width, height=900, dark=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, file):
        """Opens a file; logs of earlier pages are forgotten. Gives the seconds until the load event had run."""
        self.log("browser"), self.log("performance")
        begin = time.perf_counter()
        self.call("POST", f"/session/{self.session}/url", {"url": pathlib.Path(file).resolve().as_uri()})
        return time.perf_counter() - begin

    def log(self, kind):
        return self.call("POST", f"/session/{self.session}/se/log", {"type": kind})

    def console(self):
        """Messages of the console since the page was opened."""
        return [entry["message"] for entry in self.log("browser")]

    def requests(self):
        """Addresses the page asked for since it was opened, without blobs and data of its own."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        urls = [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("blob:", "data:"))]

    def click(self, selector):
        """A real click, at the element's place, as a reader makes it."""
        found = self.call("POST", f"/session/{self.session}/element", {"using": "css selector", "value": selector})
        element = next(iter(found.values()))
        self.run("const element = document.querySelector(args[0]); element.scrollIntoView({block: 'center', behavior: 'instant'});", selector)
        self.call("POST", f"/session/{self.session}/element/{element}/click")

    def keys(self, selector, text):
        found = self.call("POST", f"/session/{self.session}/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/session/{self.session}/element/{next(iter(found.values()))}/value", {"text": text})

    def downloaded(self, seconds=15):
        """The next file that was saved: its name and bytes; it is removed. While it is written, Chromium has another file
        beside it and keeps its name by an empty one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            all_files = list(self.downloads.iterdir())
            files = [file for file in all_files if not file.name.endswith((".crdownload", ".tmp")) and not file.name.startswith(".")]
            if files and len(files) == len(all_files) and files[0].stat().st_size > 0:
                name, content = files[0].name, files[0].read_bytes()
                files[0].unlink()
                return name, content
            time.sleep(0.05)
        raise RuntimeError("no file was saved")

    def draw_all(self):
        """Scrolls through the page until every chart is drawn. Headless Chromium sometimes makes no frame until it is asked
        for one, and tells no page meanwhile that a chart has come into view."""
        for figure in range(self.run("return document.querySelectorAll('figure').length;")):
            for _ in range(10):
                if self.run("""
                        const end = performance.now() + 9000, figure = document.querySelectorAll('figure')[args[0]];
                        const is_drawn = () => figure.querySelector('.plot[hidden]') || figure.querySelector('.plot[data-drawn]');
                        figure.scrollIntoView({block: 'center', behavior: 'instant'});
                        while (!is_drawn() && performance.now() < end) await new Promise((next) => setTimeout(next, 30));
                        return Boolean(is_drawn());""", figure):
                    break
                self.ask_for_frame()
        self.run("scrollTo({top: 0, behavior: 'instant'});")
        self.ask_for_frame()
        self.run("await new Promise((next) => setTimeout(next, 60));")

    def ask_for_frame(self):
        self.cdp("Page.captureScreenshot", format="jpeg", quality=1)

    def screenshot(self, file, whole=True):
        size = self.run("return [document.documentElement.clientWidth, document.documentElement.scrollHeight];")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 16000), "scale": 1}
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **({"clip": clip} if whole else {}))
        pathlib.Path(file).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.cdp("Page.printToPDF", printBackground=True)["data"]))
