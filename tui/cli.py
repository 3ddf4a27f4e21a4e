"""The `proofdeck` command: the way in, and what becomes of errors.

Data goes to stdout, narration to stderr. Exit status: 0 done; 1 a check or comparison failed;
2 the call or its input was wrong (one line, no traceback).
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from engine.errors import InputError
from engine.text import Text
from tui.shell.language import language_of

if TYPE_CHECKING:
    from engine.text import Language


def console() -> NoReturn:
    """The console script: run the command and end the process."""
    end(main())


def end(status: int) -> NoReturn:
    """End the process, whatever its threads are still at.

    Work that was asked for and is no longer wanted may still run in daemon threads. Python stops such a thread where it
    next asks for the interpreter, and a library not written in Python may take the whole process down there. So where
    one is left, the process ends without that last round, after all others.
    """
    if any(thread.daemon for thread in threading.enumerate()):
        import atexit

        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    language: Language = "en"
    try:
        language = language_of(arguments, os.environ, _chosen_language)
        if not arguments:
            # the app itself needs no command-line library: its import would delay the first paint
            from tui.shell.start import open_app

            return open_app("home", language)
        from tui.shell.group import run_group

        if sys.stdout is None:
            # closed by the caller (`>&-`): there is nowhere to write to, and that is as asked
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        status = run_group(arguments, language)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"proofdeck: {printable(error.line(language))}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # the reader went away (`proofdeck list | head`): nothing is left to say
        _give_up_stdout()
        return 0
    except OSError as error:
        said = Text("cannot be read or written: {why}", "无法读写：{why}").filled(
            why=error.strerror or str(error)
        )
        where = str(error.filename) if error.filename is not None else "stdout"
        print(f"proofdeck: {printable(InputError(said, where).line(language))}", file=sys.stderr)
        _give_up_stdout()
        return 2
    except KeyboardInterrupt:
        return 130


def _chosen_language() -> str:
    """The language of the settings; a fault in them is told by the call that needs them."""
    from quizbank.home import Home
    from quizbank.settings import read_settings

    try:
        return read_settings(Home.from_environment().config)[0].language
    except InputError:
        return "auto"


def _give_up_stdout() -> None:
    """What is still to be flushed at the end goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def printable(line: str) -> str:
    """One line for a terminal: no control characters, whatever a path or a deck held."""
    return "".join(character if character.isprintable() else "�" for character in line)


if __name__ == "__main__":
    console()
