"""What is installed, and in which language and encoding this shell speaks."""

from __future__ import annotations

import locale
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version

from engine.text import Language, Text, same
from quizbank.fault import shown
from tui.doctor.finding import Finding, composed

_EXTRAS = {
    "pdf": Text("sheets as PDF", "PDF 答案册"),
    "serve": Text("the app in a browser", "在浏览器中使用"),
    "fit": Text("fitting the schedule to your own reviews", "按自己的复习记录拟合排期"),
    "oracle": Text("comparing the layers with PyTorch live", "与 PyTorch 实时对照"),
}
_INSTALL = Text(
    "for {what}: pip install 'proofdeck[{extra}]'", "需要时安装（{what}）：pip install 'proofdeck[{extra}]'"
)
_MISSING = Text("not installed", "未安装")
_REINSTALL = Text(
    "install it again: pip install --force-reinstall proofdeck",
    "请重新安装：pip install --force-reinstall proofdeck",
)
_UTF_8 = Text(
    "what is not ASCII will be lost: set a UTF-8 locale, e.g. export LANG=C.UTF-8",
    "非 ASCII 字符会丢失：请使用 UTF-8 区域设置，例如 export LANG=C.UTF-8",
)
_SPOKEN = {
    "en": Text("English ({why})", "英文（{why}）"),
    "zh": Text("Chinese ({why})", "中文（{why}）"),
}
_BY_LOCALE = Text("by the settings or the locale", "取自设置或系统区域")
_REQUIREMENT = re.compile(
    r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?[^;]*?(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?\s*$"
)


def findings(language: Language, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Versions, extras, encoding, language."""
    said = same(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    yield Finding("machine.python", same("Python"), "good", said, platform.python_version())
    needed, extras = _requirements()
    yield _packages(needed)
    for extra, names in extras.items():
        if extra in _EXTRAS:
            yield _extra(extra, names)
    yield _encoding()
    variable = "PROOFDECK_LANG"
    why = same(f"{variable}={environ[variable]}") if environ.get(variable) else _BY_LOCALE
    yield Finding(
        "machine.language",
        Text("language", "语言"),
        "good",
        composed(_SPOKEN[language], why=why),
        {"language": language, "locale": shown(environ.get("LC_ALL") or environ.get("LANG", ""))},
    )


def _requirements() -> tuple[list[str], dict[str, list[str]]]:
    """The packages a plain install brings, and those of each extra."""
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    for line in requires("proofdeck") or ():
        if found := _REQUIREMENT.match(line):
            (extras.setdefault(found[2], []) if found[2] else needed).append(found[1])
    return needed, extras


def _installed(name: str) -> str:
    """The version; empty where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _packages(needed: list[str]) -> Finding:
    found = {name: _installed(name) for name in ("proofdeck", *needed)}
    missing = [name for name, number in found.items() if not number]
    said = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    name = Text("packages", "软件包")
    if missing:
        return Finding(
            "machine.packages",
            name,
            "bad",
            composed(
                Text("{names}: {missing}", "{names}：{missing}"), names=", ".join(missing), missing=_MISSING
            ),
            found,
            _REINSTALL,
        )
    return Finding("machine.packages", name, "good", same(said), found)


def _extra(extra: str, names: list[str]) -> Finding:
    found = {name: _installed(name) for name in names}
    # fsrs itself is always there: its optimizer is what needs torch
    lacking = not all(found.values()) or (extra == "fit" and not _installed("torch"))
    name = same(f"[{extra}]")
    if lacking:
        advice = composed(_INSTALL, what=_EXTRAS[extra], extra=extra)
        return Finding(f"machine.extra-{extra}", name, "note", _MISSING, None, advice)
    said = same(", ".join(f"{name} {number}" for name, number in found.items()))
    return Finding(f"machine.extra-{extra}", name, "good", said, found)


def _encoding() -> Finding:
    """A terminal that is written to in another encoding shows neither hanzi nor formulas."""
    encoding = (getattr(sys.__stdout__, "encoding", None) or locale.getpreferredencoding(False)).lower()
    fits = encoding.replace("-", "").replace("_", "") == "utf8"
    return Finding(
        "machine.encoding",
        Text("encoding", "编码"),
        "good" if fits else "bad",
        same(encoding),
        encoding,
        None if fits else _UTF_8,
    )
