"""Receives webhooks, and keeps each event once: docs/recipes.md."""
import base64, hashlib, hmac, json, os, sqlite3, time
from http.server import BaseHTTPRequestHandler, HTTPServer

# Of whsec_ and the base64 of the key. During a rotation there are two, with a space between them.
KEYS = [base64.b64decode(secret[6:]) for secret in os.environ.get("SECRET", "").split()]
inbox = sqlite3.connect("inbox.db", isolation_level=None)
inbox.execute("CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT)")

def is_genuine(headers, body):
    time_sent = headers.get("webhook-timestamp", "")
    if not time_sent.isdigit() or abs(time.time() - int(time_sent)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{time_sent}.".encode() + body
    macs = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in KEYS]
    sent = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(one, b"v1," + mac) for one in sent for mac in macs)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not KEYS:
            # A new endpoint is asked before its secret is known. The service repeats everything else.
            self.respond(204 if json.loads(body)["type"] == "ping" else 503)
        elif not is_genuine(self.headers, body):
            self.respond(400)
        else:
            event = json.loads(body)
            inbox.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", (event["id"], body.decode()))
            self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
