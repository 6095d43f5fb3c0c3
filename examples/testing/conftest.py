"""Fixtures for pytest: `waxwing_server` is one server for the whole run, and `waxwing` the same with its first state for
each test. The executable is `WAXWING`, or `waxwing` on the path; the options of `waxwing dev` are `DEV_OPTIONS`."""

import os
import shlex

import pytest

from waxwing_server import Waxwing


@pytest.fixture(scope="session")
def waxwing_server():
    server = Waxwing(os.environ.get("WAXWING", "waxwing"), shlex.split(os.environ.get("DEV_OPTIONS", "")))
    yield server
    server.stop()


@pytest.fixture
def waxwing(waxwing_server):
    waxwing_server.control("POST", "/reset", {})
    return waxwing_server
