"""The same seed gives the same bytes in two processes, whatever the order in which Python hashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from engine.demos import catalogue

SCRIPT = """
import hashlib, json
from engine.demos import catalogue, load
from engine.report import run_json
found = {}
for entry in catalogue():
    run = load(entry.id).run(seed=7)
    shown = json.dumps(run_json(run, ()), default=str) + repr(run.figures())
    arrays = b"".join(
        getattr(value, "tobytes", repr(value).encode)() for _, value in sorted(run.results.items())
    )
    found[entry.id] = hashlib.sha256(shown.encode() + arrays).hexdigest()
print(json.dumps(found))
"""


@pytest.mark.slow
def test_a_run_is_the_same_in_two_processes() -> None:
    def digests(hash_seed: str) -> dict[str, str]:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
        )
        found: dict[str, str] = json.loads(done.stdout)
        return found

    first, second = digests("1"), digests("2")
    assert len(first) == len(catalogue())
    assert {name for name in first if first[name] != second[name]} == set()
