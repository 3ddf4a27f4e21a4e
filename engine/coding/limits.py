"""What a typed program may take from the machine, kept by the system where it can."""

from __future__ import annotations

import contextlib
import sys

from engine.text import Text

FILE_BYTES = 32 * 2**20
_FILES = 64

_NONE = Text(
    "this system limits neither memory nor processor time of a typed program; its deadline is kept all the same",
    "本系统无法限制所写程序的内存与处理器时间；时限仍然有效",
)
_NO_MEMORY = Text(
    "this system does not limit the memory of a typed program; its deadline is kept all the same",
    "本系统无法限制所写程序的内存；时限仍然有效",
)


def apply(memory: int, cpu: int) -> None:
    """Limit this process: address space in bytes, processor time in seconds, files, no further processes."""
    if sys.platform == "win32":
        return
    import resource

    for name, value in (
        ("RLIMIT_AS", memory),
        ("RLIMIT_CPU", cpu),
        ("RLIMIT_FSIZE", FILE_BYTES),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_NOFILE", _FILES),
        ("RLIMIT_CORE", 0),
    ):
        # a system without one of them has the others
        with contextlib.suppress(AttributeError, ValueError, OSError):
            limit = getattr(resource, name)
            hard = resource.getrlimit(limit)[1]
            highest = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (highest, highest))


def missing() -> Text | None:
    """What this system cannot limit, None where it limits all."""
    if sys.platform == "win32":
        return _NONE
    return _NO_MEMORY if sys.platform == "darwin" else None
