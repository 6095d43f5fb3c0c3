"""The tests that a shop would write for its own messages, with the time in its hands: a day of retries takes
milliseconds. Run it with the path of the executable: `WAXWING=./waxwing python3 examples/testing/shop_test.py`."""

import base64
import datetime
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import threading
import time
import unittest
import urllib.parse
import urllib.request

from waxwing_server import Waxwing

ASHA = "+442079460210"
VIKRAM = "+442079460345"
FATIMA = "+442079460233"
SHIPPED = {"template": "order_shipped", "variables": ["Asha", "A-1042"]}
OFFER = {"template": "weekend_offer", "variables": [{"field": "first_name", "fallback": "there"}, "20"]}
DAY = datetime.timedelta(days=1)


class Receiver(http.server.ThreadingHTTPServer):
    """A receiver of webhooks that the test breaks and mends."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.bodies = []
        self.is_broken = True
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


class ReceiverHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(500 if self.server.is_broken else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class ShopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        seed = pathlib.Path(__file__).with_name("shop.seed.json")
        cls.waxwing = Waxwing(os.environ.get("WAXWING", "./waxwing"), ["--seed", str(seed)])

    @classmethod
    def tearDownClass(cls):
        cls.waxwing.stop()

    def setUp(self):
        """Every test begins on this day at ten in India, after quiet hours, with the shop as its seed describes it."""
        self.api, self.control = self.waxwing.api, self.waxwing.control
        self.control("POST", "/reset", {"now": "2026-12-24T10:00:00+05:30", "freeze": True})
        self.today = datetime.date(2026, 12, 24)

    def move_to(self, day, time_of_day):
        self.control("POST", "/clock", {"now": f"{day}T{time_of_day}:00+05:30"})

    def advance(self, duration):
        self.control("POST", "/clock", {"advance": duration})

    def sent_to(self):
        return [one["to"] for one in self.control("GET", "/sent")]

    def group_id(self, name):
        _, answer = self.api("GET", "/groups")
        return next(group["id"] for group in answer["data"] if group["name"] == name)

    def test_window_closes_24_hours_after_the_customer_wrote(self):
        self.control("POST", "/inbound", {"from": VIKRAM, "text": "Are you open?"})
        self.advance("23h")
        self.assertEqual(self.api("POST", "/messages", {"to": VIKRAM, "text": "Yes, until eight."})[0], 201)
        self.advance("61m")
        status, late = self.api("POST", "/messages", {"to": VIKRAM, "text": "Still open."})
        self.assertEqual((status, late["error"]["code"]), (422, "window_closed"))
        self.assertEqual(self.api("POST", "/messages", {"to": VIKRAM, **SHIPPED})[0], 201)

    def test_fridays_broadcast_leaves_on_friday_once_to_each_person(self):
        friday = self.today + DAY * ((4 - self.today.weekday()) % 7 or 7)
        group = self.group_id("Regulars")
        sale = {"name": "Friday", "group": group, "send_at": f"{friday}T11:00:00+05:30", **OFFER}
        status, broadcast = self.api("POST", "/broadcasts", sale)
        self.assertEqual(status, 202, broadcast)
        self.move_to(friday, "10:59")
        self.assertEqual(self.sent_to(), [])
        self.advance("2m")
        self.assertEqual(sorted(self.sent_to()), sorted([ASHA, VIKRAM, FATIMA]))
        _, shown = self.api("GET", f"/broadcasts/{broadcast['data']['id']}")
        self.assertEqual(shown["data"]["status"], "completed")

    def test_birthday_greeting_goes_to_the_one_whose_birthday_it_is(self):
        day = self.today + 3 * DAY
        self.api("PUT", f"/contacts/{ASHA}", {"birthday": f"1990-{day:%m-%d}"})
        self.api("PUT", f"/contacts/{VIKRAM}", {"birthday": f"1985-{day + DAY:%m-%d}"})
        group = self.group_id("Birthdays")
        greeting = {"name": "Birthdays", "group": group, "send_at": f"{day}T10:30:00+05:30", **OFFER}
        self.assertEqual(self.api("POST", "/broadcasts", greeting)[0], 202)
        self.advance("96h")
        self.assertEqual(self.sent_to(), [ASHA])

    def test_webhook_is_tried_again_for_a_day_with_the_same_bytes(self):
        receiver = Receiver()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        secret = self.control("PUT", "/webhook", {"url": receiver.url})["secret"]
        self.control("POST", "/inbound", {"from": VIKRAM, "text": "Hello?"})
        self.advance("9h")
        self.assertGreaterEqual(len(receiver.bodies), 4)
        receiver.is_broken = False
        self.advance("48h")
        self.assertEqual(len(set(receiver.bodies)), 1)
        attempts = self.control("GET", f"/webhooks?url={urllib.parse.quote(receiver.url, safe='')}")
        self.assertEqual([one["status"] for one in attempts], [500] * (len(attempts) - 1) + [200])
        last = attempts[-1]
        t, v1 = (part.split("=")[1] for part in last["signature"].split(","))
        signed = hmac.new(secret.encode(), f"{t}.{last['body']}".encode(), hashlib.sha256).hexdigest()
        self.assertEqual(signed, v1)
        self.assertLess(abs(time.time() - int(t)), 60, "the signature's time is the real one")

    def test_outage_in_the_middle_of_a_broadcast(self):
        to = [f"+442079460{400 + index}" for index in range(40)]
        for phone in to:
            self.api("PUT", f"/contacts/{phone}", {"consent": "opted_in"})
        self.control("POST", "/rules", {"then": {"latency": "200ms"}})
        status, answer = self.api("POST", "/broadcasts", {"name": "Sale", "to": to, **OFFER})
        self.assertEqual(status, 202, answer)
        self.advance("300ms")
        before = len(self.sent_to())
        self.control("DELETE", "/rules")
        self.control("POST", "/rules", {"then": {"outage": "30s"}})
        self.advance("20s")
        during = len(self.sent_to())
        self.assertTrue(0 < before <= during < 40, f"{before} before, {during} during the outage")
        self.advance("2h")
        self.assertEqual(sorted(self.sent_to()), sorted(to), "everybody got it, nobody twice")

    def test_lost_answer_is_never_sent_again_and_its_status_settles_the_matter(self):
        rule = {"match": {"to": ASHA}, "times": 1, "then": {"unknown": True, "arrives": True}}
        self.control("POST", "/rules", rule)
        _, answer = self.api("POST", "/messages", {"to": ASHA, **SHIPPED})
        self.assertEqual(answer["error"]["outcome"], "unknown")
        self.advance("1h")
        attempts = self.control("GET", f"/sent?to={urllib.parse.quote(ASHA)}&attempts=true")
        self.assertEqual(len(attempts), 1)
        _, shown = self.api("GET", f"/messages/{attempts[0]['message_id']}")
        self.assertEqual(shown["data"]["status"], "read")

    def test_photo_from_a_customer_arrives_with_its_caption_and_its_file(self):
        photo = base64.b64decode("/9j/2Q==")
        media = {"content": base64.b64encode(photo).decode()}
        inbound = {"from": ASHA, "type": "image", "text": "It came broken", "media": media}
        self.control("POST", "/inbound", inbound)
        [webhook] = self.control("GET", "/webhooks?type=message.received&count=1&wait=30s")
        message = json.loads(webhook["body"])["data"]["message"]
        self.assertEqual((message["type"], message["text"]), ("image", "It came broken"))
        [stored] = self.control("GET", "/webhooks?type=media.stored&count=1&wait=30s")
        with urllib.request.urlopen(json.loads(stored["body"])["data"]["media"]["url"]) as file:
            self.assertEqual(file.read(), photo)


if __name__ == "__main__":
    unittest.main()
