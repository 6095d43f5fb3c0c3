"""Receives webhooks on PORT and prints them: python receive.py"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from waxwing import WebhookError, read_webhook

SECRET = os.environ["WAXWING_WEBHOOK_SECRET"]
# A real program keeps the ids in its database, in the same transaction as what it does with the event.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        try:
            event = read_webhook(body, self.headers["Service-Signature"], SECRET)
        except WebhookError:
            self.answer(400)
            return
        self.answer(204)
        # Events can arrive more than once.
        if event["id"] in seen:
            return
        seen.add(event["id"])
        if event["type"] == "message.received":
            print(f"{event['type']} {event['data']['contact']['phone']}: {event['data']['message']['text']}", flush=True)
        else:
            print(f"{event['type']} {event['id']}", flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print(f"http://127.0.0.1:{server.server_port}/hook", flush=True)
server.serve_forever()
