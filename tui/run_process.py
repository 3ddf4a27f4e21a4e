"""Runs of a demonstration in a process of their own, while a slider moves.

The threads of one Python process take turns: beside a run of 30 ms the event loop paints half as fast, and the run takes
longer by as much. A second process takes no turns. It computes and draws what the lab would compute and draw itself;
until it is there, where none can be started, and where it fails, the lab does so.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, cast

from engine.errors import InputError
from engine.own_process import own_environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from engine.demonstration import Check, Demonstration, Results, Run, Value
    from engine.figure import Figure
    from tui.drawing import Row
    from tui.drawing.framed import Frame


PATIENCE = 5.0
"""Seconds after which a process that has not begun to answer is done without: it was stopped, or is out of breath."""


MOST_STARTS = 3
"""After so many that failed, runs are left to the lab: the fourth would fail as well."""


class Asked(NamedTuple):
    """A run, and the picture wanted of it: which of its figures, over which pinned one. No frame: no picture."""

    values: Mapping[str, Value]
    seed: int
    dragging: bool
    place: int = 0
    pinned: Figure | None = None
    frame: Frame | None = None


class Computed(NamedTuple):
    """A run with its figures, and the rows of the one that was asked for."""

    run: Run
    figures: tuple[Figure, ...]
    rows: list[Row] | None


class Parts(NamedTuple):
    """What is :class:`Computed` without the demonstration: its functions stay where they are."""

    values: dict[str, Value]
    samples: int
    predicted: Results
    results: Results
    checks: tuple[Check, ...]
    figures: tuple[Figure, ...]
    rows: list[Row] | None


def computed(demo: Demonstration, asked: Asked) -> Computed:
    """The run, here and now. Whatever the demonstration raises passes through."""
    run = demo.run(asked.values, asked.seed, asked.dragging)
    figures = run.figures()
    if asked.frame is None or not figures:
        return Computed(run, figures, None)
    from tui.drawing.framed import framed_rows

    figure = figures[asked.place % len(figures)]
    return Computed(run, figures, framed_rows(figure, asked.pinned, asked.frame))


class RunProcess:
    """A warm process for runs. Any thread may call any method."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._beginning = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._begun = False
        self._starts = 0
        self._ready = False
        self._asking = False
        self._closed = False

    @property
    def ready(self) -> bool:
        return self._ready

    @property
    def can_interrupt(self) -> bool:
        """Not on Windows, where no signal ends a computation and nothing else."""
        return self._ready and os.name == "posix"

    def interrupt(self) -> None:
        """End the run that the process is at, whoever asked for it: :meth:`computed` raises ``StoppedError`` there.

        Nothing happens where it is at none, or is loading a library for it.
        """
        process = self._process
        if self._asking and self.can_interrupt and process is not None:
            process.send_signal(signal.SIGINT)

    def begin(self) -> None:
        """Start it where there is none, without waiting: it is :attr:`ready` some tenths of a second later, or never.

        One that failed is replaced, ``MOST_STARTS`` times at most.
        """
        with self._beginning:
            if self._begun or self._closed or self._starts == MOST_STARTS:
                return
            self._begun = True
            self._starts += 1
        Thread(target=self._start, daemon=True, name="run process").start()

    def computed(self, demo: Demonstration, asked: Asked) -> Computed:
        """The run, by the process if it is ready and knows this demonstration, else here.

        Raises:
            StoppedError: on :meth:`interrupt`. Whatever the demonstration raises passes through as well.
        """
        parts = self._answer(demo.id, asked) if self._ready and _is_known(demo) else None
        if parts is None:
            return computed(demo, asked)
        from engine.demonstration import Params, Run

        params = Params(parts.values, parts.samples)
        run = Run(demo, params, asked.seed, parts.predicted, parts.results, parts.checks)
        return Computed(run, parts.figures, parts.rows)

    def close(self) -> None:
        """End it, whatever it is doing; a thread that waits for it goes on at once. No other is started."""
        self._closed = True
        self._ready = False
        if self._process is not None:
            _end(self._process)

    def _start(self) -> None:
        with suppress(OSError, ValueError):
            process = self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from tui.run_process import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=own_environment(),
            )
            if self._closed:
                _end(process)
            assert process.stdout is not None
            self._ready = process.stdout.read(len(_READY)) == _READY and not self._closed

    def _answer(self, demo: str, asked: Asked) -> Parts | None:
        """None where it cannot say: the demonstration failed there, or the process did, and another may begin."""
        process = self._process
        if process is None:
            return None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with self._turn:
                self._asking = True
                process.stdin.write(_packed((demo, asked)))
                process.stdin.flush()
                # on Windows a pipe cannot be waited for in this way
                if os.name == "posix" and not select.select([process.stdout], [], [], PATIENCE)[0]:
                    raise TimeoutError
                answer: Parts | str | None = pickle.load(process.stdout)
                self._asking = False
        except Exception:  # an answer that is cut off, or that another version of us wrote, raises anything
            self._do_without(process)
            return None
        if answer == _INTERRUPTED:
            from tui.background import StoppedError

            raise StoppedError
        return cast("Parts | None", answer)

    def _do_without(self, process: subprocess.Popen[bytes]) -> None:
        """It failed. Several threads may find that out, and the last when another has begun: that one stays."""
        with self._beginning:
            if process is self._process and not self._closed:
                self._process, self._ready, self._begun, self._asking = None, False, False, False
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    # whoever reads from it has come to the end now
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _is_known(demo: Demonstration) -> bool:
    """Whether loading it by its number gives this very demonstration."""
    from engine.demos import load

    try:
        return load(demo.id) is demo
    except InputError:
        return False


_READY = b"ready"
_INTERRUPTED = "interrupted"


def _packed(told: object) -> bytes:
    return pickle.dumps(told, protocol=pickle.HIGHEST_PROTOCOL)


class _Stop(BaseException):
    """Raised amid a run: nothing that a demonstration catches."""


class _Interruptible:
    """Within it, and only there, an interrupt raises ``_Stop``; not amid an import, for some of NumPy's modules
    that were half loaded once can never be loaded again.
    """

    def __init__(self) -> None:
        self.within = False
        signal.signal(signal.SIGINT, self._stop)

    def __enter__(self) -> None:
        self.within = True

    def __exit__(self, *_: object) -> None:
        self.within = False

    def _stop(self, _: int, frame: FrameType | None) -> None:
        if self.within and not _imports(frame):
            self.within = False
            raise _Stop


def _imports(frame: FrameType | None) -> bool:
    """Whether what runs in this frame is part of an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def serve() -> None:
    """The process: a request on stdin, an answer on stdout, until the app has gone."""
    import tui.drawing.plot  # noqa: F401 (here, so that the first run does not wait for it)
    from engine.demos import load

    interruptible = _Interruptible()
    # of a writer that keeps nothing back (PYTHONUNBUFFERED), an interrupt amid an answer would cut off the rest
    requests, answers = sys.stdin.buffer, open(sys.stdout.fileno(), "wb", closefd=False)  # noqa: SIM115
    # what a library prints is no answer
    sys.stdout = sys.stderr
    answers.write(_READY)
    answers.flush()
    while True:
        try:
            number, asked = pickle.load(requests)
        except EOFError:
            return
        answer: Parts | str | None = None
        # a demonstration that fails fails again in the app, where it is shown
        with suppress(Exception):
            try:
                demo = load(number)
                with interruptible:
                    run, figures, rows = computed(demo, asked)
                    params = run.params
                    told = (
                        params.as_dict(),
                        params.samples,
                        run.predicted,
                        run.results,
                        run.checks,
                        figures,
                        rows,
                    )
                    answer = Parts(*told)
            except _Stop:
                answer = _INTERRUPTED
        answers.write(_packed(answer))
        answers.flush()
