"""A first test, without a package: the window of 24 hours closes, and the network is down while a message is sent.
`python3 hello.py` beside the executable, with Python 3.9 or later; WAXWING=PATH names another executable."""

import json
import os
import subprocess
import urllib.error
import urllib.request

words = [os.environ.get("WAXWING", "./waxwing"), "dev", "--json", "--listen", "127.0.0.1:0", "--with-parent"]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
ready = json.loads(server.stdout.readline())
if "error" in ready:
    raise RuntimeError(ready["error"]["message"])


def call(url, token, body):
    request = urllib.request.Request(
        url,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def api(path, body=None):
    return call(ready["base_url"] + path, ready["api_key"], body)


def control(path, body=None):
    return call(ready["control_url"] + path, ready["control_token"], body)


to = "+442079460210"
control("/clock", {"freeze": True})
control("/inbound", {"from": to, "text": "Are you open?"})
assert api("/messages", {"to": to, "text": "Yes, until eight."})[0] == 201
control("/clock", {"advance": "25h"})
assert api("/messages", {"to": to, "text": "We are closed now."})[1]["error"]["code"] == "window_closed"

shipped = {"to": to, "template": "order_shipped", "variables": ["Asha", "A-1042"], "reference": "A-1042"}
control("/rules", {"match": {"to": to}, "then": {"outage": "10 minutes"}})
status, answer = api("/messages", shipped)
assert (answer["error"]["outcome"], answer["error"]["retryable"]) == ("not_sent", True)
control("/clock", {"advance": "11 minutes"})
assert api("/messages", shipped)[1]["data"]["status"] == "sent"

server.stdin.close()
server.wait()
server.stdout.close()
print("the first test passes")
