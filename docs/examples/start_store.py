"""Starts a real service for a test: docs/recipes.md."""
import os, re, subprocess, tempfile
from contextlib import contextmanager

@contextmanager
def start_store():
    with tempfile.TemporaryDirectory() as folder:
        program = "node_modules/.bin/animal-store"
        command = [program, "serve", "--port", "0", "--database", f"{folder}/test.db"]
        # Settings of the environment would change the test, or lead it to another store.
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        service = subprocess.Popen(command, env={"PATH": os.environ["PATH"], "HOME": folder}, text=True, **pipes)
        try:
            output = ""
            for line in service.stderr:
                output += line
                if "  curl" in line:
                    break
            else:
                raise RuntimeError(output)
            yield re.search(r" serves (\S+)", output)[1], re.search(r"ask_\w+", output)[0]
        finally:
            service.terminate()
            service.wait()
