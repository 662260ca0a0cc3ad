"""Loads a file, one animal per line: docs/recipes.md."""
import json, sys
from itertools import islice
from store import STORE, session

def parse(number, line):
    try:
        return json.loads(line)
    except ValueError:
        sys.exit(f"Line {number} is no JSON.")

def load(path, key):
    with open(path) as lines:
        animals, count = (parse(*line) for line in enumerate(lines, 1)), 0
        while part := list(islice(animals, 1000)):
            headers = {"Idempotency-Key": f"{key}-{count}"}
            response = session.post(f"{STORE}/pet-batches", json={"pets": part}, headers=headers)
            if not response.ok:
                sys.exit(f"{count} animals are stored. {response.text}")
            count += len(part)
    return count

print(load(*sys.argv[1:]))
