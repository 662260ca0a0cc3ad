"""Copies all animals into a file, and reads only pages that have changed: docs/recipes.md."""
import json, os, sys
from store import STORE, session

def replace(path, lines):
    with open(path + ".new", "w") as copy:
        copy.writelines(line + "\n" for line in lines)
        copy.flush()
        os.fsync(copy.fileno())
    os.replace(path + ".new", path)

def mirror(path):
    before = json.load(open(path + ".pages")) if os.path.exists(path + ".pages") else {}
    pages, query = {}, "?limit=100"
    while query:
        page = before.get(query)
        response = session.get(f"{STORE}/pets{query}", headers={"If-None-Match": page["etag"]} if page else {})
        response.raise_for_status()
        if response.status_code == 200:
            link = response.links.get("next", {}).get("url", "")
            page = {"etag": response.headers["ETag"], "next": link[link.find("?"):], "animals": response.json()}
        pages[query], query = page, page["next"]
    replace(path, (json.dumps(animal) for page in pages.values() for animal in page["animals"]))
    replace(path + ".pages", [json.dumps(pages)])

mirror(sys.argv[1])
