"""`keys`: every command of the app with its keys, as the keymap file that would set them so."""

from __future__ import annotations

import json
import sys
from itertools import groupby

from engine.text import Language, Text
from tui.commands import Command
from tui.shell.emit import emit

_HEAD = Text(
    "# Keys of Proofdeck. Lines of this file, changed, in {path}, are your own keys.",
    "# Proofdeck 的按键。把其中几行改好放进 {path}，就是你自己的按键。",
)


def keys(as_json: bool, lang: Language) -> int:
    """What can be done and by which keys; exit status 1 where a line of the person's own file cannot be used."""
    from quizbank.home import Home
    from tui.keymap import commands, keymap_path, read_keymap

    config = Home.from_environment().config
    own, faults = read_keymap(config)
    known = commands()
    if as_json:
        emit(
            {
                "file": str(keymap_path(config)),
                "keys": [_json(name, command, own.get(name)) for name, command in known.items()],
                "faults": [{"where": fault.where, "what": _both(fault.what)} for fault in faults],
            }
        )
    else:
        print(_HEAD.filled(path=keymap_path(config)).of(lang))
        for scope, names in groupby(sorted(known), lambda name: name.partition(".")[0]):
            print(f"\n[{scope}]")
            for name in names:
                command = known[name]
                print(f"# {command.name.of(lang)}{'：' if lang == 'zh' else ': '}{command.help.of(lang)}")
                print(f"{name.partition('.')[2]} = {_toml(own.get(name, command.keys))}")
    for fault in faults:
        print(fault.line(lang), file=sys.stderr)
    return 1 if faults else 0


def _toml(keys: tuple[str, ...]) -> str:
    # the names of keys are plain ASCII or letters, which JSON and TOML write alike
    return json.dumps(keys[0] if len(keys) == 1 else list(keys), ensure_ascii=False)


def _json(name: str, command: Command, own: tuple[str, ...] | None) -> dict[str, object]:
    return {
        "id": name,
        "keys": list(own or command.keys),
        "usual": list(command.keys),
        "name": _both(command.name),
        "help": _both(command.help),
    }


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
