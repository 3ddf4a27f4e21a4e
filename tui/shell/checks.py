"""`check`, `lint` and `schema`: what the program says of its own content, and of a person's."""

from __future__ import annotations

import sys
from pathlib import Path

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from quizbank.bank import load_bank
from quizbank.home import Home
from quizbank.settings import check_settings
from tui.shell.emit import emit
from tui.shell.progress import PROVING, shown_progress

_OTHER_COPY = Text(
    "is of a clone, and what runs here is the copy in {place}: `pip install -e .` in the clone makes it what runs",
    "属于一份克隆的源码，而当前运行的是 {place} 中的副本：请先在克隆目录中执行 `pip install -e .`",
)
COUNTED = {
    "cards": Text("cards", "卡片"),
    "topics": Text("topics", "主题"),
    "follow_ups": Text("follow-ups", "追问"),
    "drills": Text("drills", "练习"),
    "demos": Text("demonstrations used", "用到的演示"),
    "claims": Text("claims", "论断"),
    "sources": Text("sources", "来源"),
    "slots": Text("computed numbers", "计算值"),
}
"""What is counted of the cards, beside the kinds of drills."""


def check(deep: bool, as_json: bool, decks: tuple[Path, ...], lang: Language) -> int:
    """Everything proved, measured and compiled again; exit status 1 when anything does not hold."""
    from quizbank.verify import verify

    home = Home.from_environment()
    own = check_settings(home.config).decks
    bank = load_bank(home, tuple(dict.fromkeys((*own, *decks))), lenient=True)
    with shown_progress(PROVING, lang) as told:
        verification = verify(bank, home, deep, told=told)
    if as_json:
        emit(verification.to_json(lang))
        return 0 if verification.ok else 1
    for fault in verification.faults:
        print(fault.line(lang))
    steps = sum(sum(demo.steps.values()) for demo in verification.demos)
    checks = sum(demo.checks_ok + demo.checks_failed for demo in verification.demos)
    counted = {**labels.KIND, **COUNTED}
    counts = [(counted[name].of(lang), count) for name, count in verification.cards.items()]
    faults = len(verification.faults)
    print(
        {
            "en": f"{len(verification.demos)} demonstrations, {steps} steps, {checks} checks; "
            + ", ".join(f"{name} {count}" for name, count in counts)
            + f"; {faults} fault{'' if faults == 1 else 's'}",
            "zh": f"{len(verification.demos)} 个演示，{steps} 步推导，{checks} 项检验；"
            + "，".join(f"{name} {count}" for name, count in counts)
            + f"；{faults} 处错误",
        }[lang],
        file=sys.stderr,
    )
    return 0 if verification.ok else 1


def lint(files: tuple[Path, ...], lang: Language) -> int:
    """Every fault of the named files, cards or what they refer to; exit status 1 when there is any.

    Raises:
        InputError: a path that is not there; a shipped file in a clone other than the one that runs.
    """
    from engine.proof.derivation import ProofCache
    from quizbank.bank import REFERRED_TO, SHIPPED, shipped_deck
    from quizbank.check import check_bank
    from quizbank.slots import Quantities

    home = Home.from_environment()
    shipped = shipped_deck()
    ours = {file.resolve(): shipped.label(file) for file in shipped.files}
    ours |= {(SHIPPED / name).resolve(): f"{SHIPPED.name}/{name}" for name in REFERRED_TO}
    own = [path for path in files if path.resolve() not in ours]
    for path in own:
        if path.resolve().parts[-3:] in {(SHIPPED.name, "cards", file.name) for file in shipped.files}:
            raise InputError(_OTHER_COPY.filled(place=SHIPPED), str(path))
    bank = load_bank(home, own, lenient=True)
    places = tuple(ours.get(path.resolve(), str(path)) for path in files)
    faults = check_bank(
        bank, Quantities(home.cache / "quantities"), ProofCache(home.cache / "proofs"), places
    )
    for line in dict.fromkeys(fault.line(lang) for fault in faults):
        print(line)
    return 1 if faults else 0


def schema(sheet: bool, stats: bool, lang: Language) -> int:
    """The JSON Schema of a card file, for editors; or of a sheet in JSON, or of the statistics."""
    if stats:
        from quizbank.statistics.document import document_schema

        emit(document_schema())
    elif sheet:
        from quizbank.sheets.data import sheet_schema

        emit(sheet_schema())
    else:
        from quizbank.schema import json_schema

        emit(json_schema())
    return 0
