"""The one warm process that judges what is typed, shared by the screens."""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text

if TYPE_CHECKING:
    from engine.answers.judge import Case
    from engine.answers.verdict import Verdict
    from engine.answers.worker import Judge


class SharedJudge:
    """Judges one case at a time in a worker process, which is started when it is first needed.

    Call it in a thread: a case may take as long as the worker's deadline, and waits for those before it.
    """

    def __init__(self, deadline: float | None = None) -> None:
        self._deadline = deadline
        self._turn = Lock()
        self._worker: Judge | None = None
        self._closed = False

    def __call__(self, case: Case) -> Verdict:
        """Judge a case; ``unsafe`` where it takes too long or too much memory.

        Raises:
            InputError: the case is at fault, not the answer; or no worker can be started; or the app has ended.
        """
        with self._turn:
            verdict = self._judged(case)
            cold = self._worker is not None and self._worker.process is None
        if cold:
            # it was killed at its deadline: the next answer should not wait for its successor to start
            self.warm()
        return verdict

    def warm(self) -> None:
        """Start the worker in the background, so that the first answer does not wait for it."""
        Thread(target=self._warm, daemon=True, name="judge").start()

    def _warm(self) -> None:
        from contextlib import suppress

        from engine.answers.judge import Case

        with suppress(InputError), self._turn:
            self._judged(Case("symbolic", "1", "1"))

    def close(self) -> None:
        """End the worker, whatever it is doing; a thread that waits for it goes on at once."""
        self._closed = True
        if self._worker is not None:
            self._worker.end()

    def _judged(self, case: Case) -> Verdict:
        try:
            return self._judge()(case)
        except (ValueError, InputError):
            # its pipes were closed under it, or it was ended while it was being started
            if self._closed:
                raise _ending() from None
            raise
        finally:
            if self._closed and self._worker is not None:
                # closed before there was one
                self._worker.end()

    def _judge(self) -> Judge:
        if self._closed:
            raise _ending()
        if self._worker is None:
            from engine.answers.worker import DEADLINE_SECONDS, Judge

            self._worker = Judge(self._deadline or DEADLINE_SECONDS)
        return self._worker


def _ending() -> InputError:
    return InputError(Text("the app is ending", "程序正在退出"))
