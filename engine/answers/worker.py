"""Judging in a process of its own, with a deadline and a memory limit; a worker that fails is replaced.

A signal does not interrupt a long computation in C, and a thread cannot be killed: so the deadline is kept
by the parent, which kills the process.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any

from engine.answers.judge import Case, case_of, judge
from engine.answers.verdict import Counterexample, Verdict
from engine.errors import InputError
from engine.own_process import own_environment
from engine.text import Text

DEADLINE_SECONDS = 1.0
MEMORY_BYTES = 512 * 2**20
_START_SECONDS = 30.0
_READY = "ready"


class Judge:
    """A warm worker process. Not to be shared between threads, but that any may call :meth:`close` and :meth:`end`.

    Use as a context manager, or call :meth:`close`.
    """

    def __init__(self, deadline: float = DEADLINE_SECONDS) -> None:
        self.deadline = deadline
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._ended = False

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __call__(self, case: Case) -> Verdict:
        """Judge a case; ``unsafe`` where it takes longer than the deadline or more memory than the limit.

        Raises:
            InputError: the case is at fault, not the answer; or no worker can be started.
        """
        process = self._started()
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(_document(case)) + "\n")
            process.stdin.flush()
            line = self.lines.get(timeout=self.deadline)
        except (queue.Empty, OSError):
            line = ""
        if not line:
            self.close()
            return Verdict(
                "unsafe",
                Text(
                    "refused: it takes too long or too much memory to judge",
                    "拒绝判定：所需时间或内存超出限制",
                ),
            )
        return _verdict(json.loads(line))

    def close(self) -> None:
        """End the worker, whatever it is doing."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        with contextlib.suppress(OSError):
            if process.stdin:
                process.stdin.close()
        process.wait()

    def end(self) -> None:
        """As :meth:`close`, and no other is started: whoever waits for one, or asks from now on, gets an InputError."""
        self._ended = True
        self.close()

    def _started(self) -> subprocess.Popen[str]:
        # another thread may close this one at any moment, and self.process is None then
        running = self.process
        if running is not None and running.poll() is None:
            return running
        self.close()
        # lines of a worker that was killed must not answer for the next one
        self.lines = queue.SimpleQueue()
        process = self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from engine.answers.worker import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=own_environment(),
        )
        threading.Thread(target=_forward, args=(process, self.lines), daemon=True).start()
        if self._ended:
            # before there was a process to end
            self.close()
        try:
            ready = self.lines.get(timeout=_START_SECONDS)
        except queue.Empty:
            ready = ""
        if ready.strip() != _READY:
            self.close()
            raise InputError(Text("the process that judges answers does not start", "判题进程无法启动"))
        return process


def _forward(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    """Every line the worker writes; an empty one when it has ended."""
    assert process.stdout is not None
    with process.stdout, contextlib.suppress(ValueError):
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def _document(case: Case) -> dict[str, object]:
    """The case as a line of ``proofdeck grade``."""
    slips = [{"value": slip.value, "name": slip.name._asdict()} for slip in case.slips]
    return {
        "mode": case.mode,
        "input": case.input,
        "reference": case.reference,
        "symbols": dict(case.symbols),
        "options": dict(case.options),
        "slips": slips,
    }


def _verdict(document: dict[str, Any]) -> Verdict:
    """The verdict that a worker wrote. Raises InputError where it wrote a fault of the case."""
    if "fault" in document:
        raise InputError(Text(**document["fault"]))
    shown = document["counterexample"]
    return Verdict(
        document["verdict"],
        Text(**document["reason"]),
        document["reading"],
        None if shown is None else Counterexample(**shown),
        document["line"],
        document.get("slip"),
    )


def serve() -> None:
    """The worker: a case a line on stdin, a verdict a line on stdout."""
    _limit_memory()
    print(_READY, flush=True)
    for line in sys.stdin:
        try:
            answer = judge(case_of(line)).as_json()
        except InputError as error:
            answer = {"fault": error.text._asdict()}
        print(json.dumps(answer, allow_nan=False), flush=True)


def _limit_memory() -> None:
    """Where the system can: not on Windows, and macOS refuses it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
