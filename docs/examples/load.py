"""Loads a file, one animal per line: docs/recipes.md."""
import json, sys
from itertools import islice
from store import STORE, session

def check(number, line):
    try:
        json.loads(line)
        return line
    except ValueError:
        sys.exit(f"Line {number} is no JSON.")

def load(path, key):
    with open(path, "rb") as lines:
        animals, count = (check(*line) for line in enumerate(lines, 1)), 0
        while part := list(islice(animals, 1000)):
            headers = {"Content-Type": "application/json", "Idempotency-Key": f"{key}-{count}"}
            body = b'{"pets":[' + b",".join(part) + b"]}"
            response = session.post(f"{STORE}/pet-batches", data=body, headers=headers)
            if not response.ok:
                sys.exit(f"{count} animals are stored. {response.text}")
            count += len(part)
    return count

print(load(*sys.argv[1:]))
