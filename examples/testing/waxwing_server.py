"""A throwaway Waxwing for a test suite: starts `waxwing dev`, calls its API and its test control, and ends with the
suite. Copy it; it needs nothing but the standard library. Python 3.9 and up."""

import http.client
import json
import subprocess
import threading
import urllib.parse


class Waxwing:
    """`executable`: the path of the program. `options`: of `waxwing dev`."""

    def __init__(self, executable, options=()):
        # Port 0 finds a free one, so that suites run side by side. The server ends when its standard input does.
        self._start([executable, "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent", *options])

    def _start(self, words):
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        if line == "":
            raise RuntimeError(f"waxwing dev ended with {self._process.wait()}")
        self.ready = json.loads(line)
        self._connections = threading.local()

    @property
    def number(self):
        return self.ready["number"]

    def api(self, method, path, body=None):
        """The API, as the shop's own code calls it. Returns the status and the answer."""
        return self._call(self.ready["base_url"] + path, self.ready["api_key"], method, body)

    def control(self, method, path, body=None):
        """The test control. Returns the answer; a refusal is an error of the test."""
        status, answer = self._call(self.ready["control_url"] + path, self.ready["control_token"], method, body)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {answer}")
        return answer

    def stop(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        connection = getattr(self._connections, "open", None)
        if connection is not None:
            connection.close()

    def _call(self, url, token, method, body):
        parts = urllib.parse.urlsplit(url)
        connection = getattr(self._connections, "open", None)
        if connection is None:
            connection = self._connections.open = http.client.HTTPConnection(parts.netloc, timeout=60)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
