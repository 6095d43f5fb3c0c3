"""A throwaway Waxwing in a container, with Docker's or Podman's command and the OCI image of a release:
`podman load --input waxwing-oci.tar`, or `skopeo copy oci-archive:waxwing-oci.tar docker-daemon:waxwing:0.1.0`. Copy it
with `waxwing_server.py`; it needs nothing but the standard library. `python3 waxwing_container.py` runs a first test."""

import os
import socket

from waxwing_server import Waxwing


class WaxwingContainer(Waxwing):
    """`options`: of `waxwing dev`. `engine`: the command, `docker` or `podman`."""

    def __init__(self, image=None, options=(), engine=None):
        image = image or os.environ.get("IMAGE", "waxwing:0.1.0")
        engine = engine or os.environ.get("ENGINE", "docker")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # The suite comes from outside the container; the token of the test control still keeps others out.
        admitted = "WAXWING_SIMULATOR_CONTROL_FROM=0.0.0.0/0,::/0"
        outside = [engine, "run", "--rm", "--interactive", "--publish", f"127.0.0.1:{port}:8080", "--env", admitted]
        self._start([*outside, image, "dev", "--json", "--listen", "0.0.0.0:8080", "--with-parent", *options])
        for name in ("base_url", "control_url"):
            self.ready[name] = self.ready[name].replace("127.0.0.1:8080", f"127.0.0.1:{port}")


if __name__ == "__main__":
    waxwing = WaxwingContainer()
    to = "+442079460210"
    message = {"to": to, "template": "order_shipped", "variables": ["Asha", "A-1042"]}
    status, _ = waxwing.api("POST", "/messages", message)
    assert status == 201
    assert [one["to"] for one in waxwing.control("GET", "/sent?count=1&wait=5s")] == [to]
    # A day passes, and the window is closed.
    waxwing.control("POST", "/clock", {"advance": "25h"})
    _, late = waxwing.api("POST", "/messages", {"to": to, "text": "Are you there?"})
    assert late["error"]["code"] == "window_closed"
    waxwing.stop()
    print("the first test passes")
