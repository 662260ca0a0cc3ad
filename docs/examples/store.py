"""Repeats requests as docs/retries.md says. Each POST needs an Idempotency-Key."""
import os, random, time
import requests

STORE = os.environ["STORE"]
LOST = requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError

def may_repeat(response):
    if response.status_code == 409:
        return "idempotency_in_progress" in response.text
    return response.status_code in (429, 502, 503, 504) and "webhooks_unavailable" not in response.text

class Store(requests.Session):
    def request(self, *args, **options):
        for attempt in range(6):
            is_last, wait = attempt == 5, "0"
            try:
                response = super().request(*args, **{"timeout": 35, **options})
                if is_last or not may_repeat(response):
                    return response
                wait = response.headers.get("Retry-After", "0")
            except LOST:
                if is_last:
                    raise
            time.sleep(max(int(wait) if wait.isdigit() else 0, random.uniform(0, 2**attempt)))

session = Store()
session.headers["Authorization"] = f"Bearer {os.environ['KEY']}"
