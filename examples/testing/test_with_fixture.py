"""What a test with the fixture of conftest.py looks like: `WAXWING=./waxwing pytest examples/testing`."""


def test_order_message_leaves_once(waxwing):
    message = {"to": "+442079460210", "template": "order_shipped", "variables": ["Asha", "A-1042"]}
    status, _ = waxwing.api("POST", "/messages", message)
    assert status == 201
    [sent] = waxwing.control("GET", "/sent?count=1&wait=5s")
    assert sent["to"] == message["to"]


def test_nothing_is_left_of_another_test(waxwing):
    assert waxwing.control("GET", "/sent") == []
