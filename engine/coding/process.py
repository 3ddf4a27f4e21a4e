"""Programs run on cases in a process of their own, with a deadline that the parent keeps.

The program is the person's own: the limits are against accidents (an endless loop, an array of a
terabyte, a file that fills the disk), not against an attacker. What comes back is read as data only.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

import engine
from engine.coding.child import ANSWER, JOB, PRINTED, PRINTED_CHARACTERS, RESULTS
from engine.coding.limits import FILE_BYTES
from engine.coding.specification import Arguments
from engine.coding.wire import encode
from engine.errors import InputError
from engine.notation.prose import clean
from engine.text import Text

MEMORY_BYTES = 512 * 2**20
_START_SECONDS = 30.0
_POLL_SECONDS = 0.005
_START = (
    "import sys; sys.path += sys.argv[2:]\n"
    "from pathlib import Path\n"
    "from engine.coding.child import main\n"
    "main(Path(sys.argv[1]))\n"
)

Ended = Literal["done", "timeout", "died"]


@dataclass(frozen=True)
class Execution:
    """``records`` of each program, in the order they were written; ``printed`` is cleaned and bounded."""

    records: tuple[tuple[Mapping[str, Any], ...], ...]
    printed: str
    ended: Ended
    status: int
    """What the process ended with; below 0 the number of a signal."""


def execute(
    function: str,
    outputs: int,
    programs: Sequence[str],
    cases: Sequence[Arguments],
    deadline: float,
) -> Execution:
    """Run each program on every case, all within ``deadline`` seconds after the process has started.

    Raises:
        InputError: the process cannot be started.
    """
    try:
        return _execute(function, outputs, programs, cases, deadline)
    except OSError as error:
        raise _not_started(error) from error


def _execute(
    function: str, outputs: int, programs: Sequence[str], cases: Sequence[Arguments], deadline: float
) -> Execution:
    with tempfile.TemporaryDirectory(prefix="proofdeck-code-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        job, desk = folder / "job", folder / "desk"
        job.mkdir()
        desk.mkdir()
        document = {
            "function": function,
            "outputs": outputs,
            "programs": list(programs),
            "cases": [{key: _written(value) for key, value in case.items()} for case in cases],
            "memory": MEMORY_BYTES,
            # the deadline is the parent's; this ends what outlives the parent
            "cpu": int(deadline) + 2,
        }
        (job / JOB).write_text(json.dumps(document), encoding="utf-8")
        ended, status, fault = _wait(job, desk, deadline)
        if not (job / PRINTED).exists():
            raise _not_started(fault or status)
        return Execution(_records(job / RESULTS, len(programs)), _printed(job / PRINTED), ended, status)


def _not_started(fault: object) -> InputError:
    return InputError(
        Text(
            "the process that runs programs does not start: {fault}", "运行程序的进程无法启动：{fault}"
        ).filled(fault=clean(str(fault)))
    )


def _wait(job: Path, desk: Path, deadline: float) -> tuple[Ended, int, str]:
    paths = [str(Path(module.__file__ or "").parents[1]) for module in (engine, np)]
    with (job / "errors.txt").open("w+b") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _START, str(job), *paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=desk,
            env=_environment(desk),
            start_new_session=True,
        )
        try:
            _until_started(process, job / PRINTED)
            status = process.wait(deadline)
            ended: Ended = "done" if status == 0 else "died"
        except subprocess.TimeoutExpired:
            ended, status = "timeout", 0
        finally:
            _end(process)
        errors.seek(0)
        lines = clean(errors.read(20_000).decode("utf-8", "replace")).strip().splitlines()
    return ended, status, lines[-1][:200] if lines else ""


def _until_started(process: subprocess.Popen[bytes], sign: Path) -> None:
    """Wait for the first file the process makes: a busy machine's slow start is not the program's time.

    Raises:
        subprocess.TimeoutExpired: it does not come.
    """
    latest = time.monotonic() + _START_SECONDS
    while not sign.exists() and process.poll() is None:
        if time.monotonic() > latest:
            raise subprocess.TimeoutExpired(process.args, _START_SECONDS)
        time.sleep(_POLL_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _environment(desk: Path) -> dict[str, str]:
    """Nothing of the person's own environment but what a process needs to start."""
    kept = {
        name: os.environ[name] for name in ("SYSTEMROOT", "PATH", "LD_LIBRARY_PATH") if name in os.environ
    }
    one = dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
    )
    return {**kept, **one, "HOME": str(desk), "TMPDIR": str(desk), "TEMP": str(desk), "TMP": str(desk)}


def _written(value: Any) -> Any:
    return encode(value) if isinstance(value, np.ndarray) else value


def _records(path: Path, programs: int) -> tuple[tuple[Mapping[str, Any], ...], ...]:
    """The lines that were written whole; a last one that was cut is as if it had not been."""
    with path.open("rb") as file:
        raw = file.read(FILE_BYTES)
    records: list[list[Mapping[str, Any]]] = [[] for _ in range(programs)]
    for line in raw.split(b"\n")[:-1]:
        try:
            record = json.loads(line)
        except ValueError:
            break
        number = record.get("program") if isinstance(record, dict) else None
        if type(number) is not int or not 0 <= number < programs:
            break
        records[number].append(record)
    return tuple(map(tuple, records))


def _printed(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return clean(file.read(PRINTED_CHARACTERS)).expandtabs(4)


__all__ = ["ANSWER", "MEMORY_BYTES", "Execution", "execute"]
