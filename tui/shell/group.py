"""The command-line grammar: every call with its options, in the language of the person.

The bodies live beside this file, one module a family, and are imported when their call runs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from quizbank.card import KINDS, LEVELS, TOPICS, VERDICTS
from quizbank.sheets.formats import FLAVOURS, FORMATS, SIZES
from tui.shell.grammar import AtLeast, Call, Calls, OneOf, formatter, shown


def run_group(arguments: Sequence[str], language: Language) -> int:
    """Parse and run one call; usage errors become an :class:`InputError`."""
    group = build(language)
    click.Context.formatter_class = formatter(language)
    try:
        status = group.main(list(arguments), prog_name="proofdeck", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.Abort:
        return 130
    except SystemExit as leaving:
        if leaving.code != 1:
            # told to end from outside, by a signal
            raise
        # how the library ends a call whose reader went away (`proofdeck list | head`)
        raise BrokenPipeError from leaving
    except click.ClickException as error:
        raise InputError(_usage_text(error)) from error
    return status if isinstance(status, int) else 0


def _usage_text(error: click.ClickException) -> Text:
    """The library's usage errors in both languages, with the call whose --help explains it."""
    context = getattr(error, "ctx", None)
    call = context.command_path if context is not None else "proofdeck"
    match error:
        case click.NoSuchOption():
            said = Text(f"no such option: {error.option_name}", f"没有选项 {error.option_name}")
            if error.possibilities:
                near = ", ".join(error.possibilities)
                said = Text(f"{said.en} (did you mean {near}?)", f"{said.zh}（是否指 {near}？）")
        case click.MissingParameter():
            param = error.param
            name = (
                "/".join(param.opts)
                if isinstance(param, click.Option)
                else param and param.human_readable_name
            )
            name = name or error.param_hint
            said = Text(f"missing: {name}", f"缺少参数 {name}")
        case click.exceptions.NoSuchCommand():
            said = Text(
                f"no such call: {shown(error.command_name)}", f"没有子命令 {shown(error.command_name)}"
            )
            if error.possibilities:
                near = ", ".join(error.possibilities)
                said = Text(f"{said.en} (did you mean {near}?)", f"{said.zh}（是否指 {near}？）")
        case click.BadOptionUsage() if "requires an argument" in error.message:
            said = Text(f"{error.option_name}: needs a value", f"{error.option_name}：须给出取值")
        case click.exceptions.NoArgsIsHelpError() if isinstance(context, click.Context):
            names = ", ".join(context.command.list_commands(context))  # type: ignore[attr-defined]
            said = Text(f"needs one of {names}", f"须指定其中之一：{names}")
        case click.UsageError() if "unexpected extra argument" in error.message:
            extra = error.message.rpartition("(")[2].rstrip(")")
            said = Text(f"unexpected: {shown(extra)}", f"多余的参数：{shown(extra)}")
        case _:
            said = Text(error.format_message(), f"用法有误：{error.format_message()}")
    return Text(f"{said.en.rstrip('.')} ({call} --help)", f"{said.zh.rstrip('。.')}（{call} --help）")


def build(language: Language) -> click.Group:
    """The whole grammar with help texts in one language."""

    def say(en: str, zh: str) -> str:
        return Text(en, zh).of(language)

    def body(module: str, name: str) -> Callable[..., Any]:
        """The call's body, imported when it runs."""

        def run(**options: Any) -> Any:
            return getattr(importlib.import_module(f"tui.shell.{module}"), name)(**options)

        return run

    def option(*names: str, en: str, zh: str, **rest: Any) -> click.Option:
        return click.Option(list(names), help=say(en, zh), **rest)

    def command(
        name: str,
        module: str,
        function: str,
        params: list[click.Parameter],
        en: str,
        zh: str,
        into: click.Group | None = None,
    ) -> None:
        call = Call(name, callback=body(module, function), params=params, help=say(en, zh))
        call.language = language
        (into or group).add_command(call)

    def lang() -> click.Option:
        return option(
            "--lang",
            type=OneOf(["zh", "en"]),
            default=language,
            en="zh or en (else the locale)",
            zh="zh 或 en（默认随系统）",
        )

    def decks() -> click.Option:
        return option(
            "--deck", "decks", multiple=True, type=click.Path(path_type=Path),
            en="also the cards of this folder or file", zh="另外载入该文件夹或文件中的卡片",
        )  # fmt: skip

    def as_json() -> click.Option:
        return option(
            "--json",
            "as_json",
            is_flag=True,
            en="one JSON document on stdout",
            zh="在标准输出给出一个 JSON 文档",
        )

    def topics(multiple: bool = True) -> click.Option:
        return option(
            "--topic", "topics", multiple=multiple, type=OneOf(TOPICS, labels.TOPIC), metavar="TOPIC",
            en="only this topic (repeatable): " + " ".join(TOPICS), zh="只取该主题（可重复）：" + " ".join(TOPICS),
        )  # fmt: skip

    def level() -> click.Option:
        return option("--level", type=OneOf(LEVELS), en="only this level", zh="只取该难度")

    def verdict() -> click.Option:
        return option(
            "--verdict",
            type=OneOf(VERDICTS),
            en="only where the popular claim is this",
            zh="只取通行答案属于该判定的卡片",
        )

    def card_set() -> click.Option:
        return option(
            "--set", "card_set", default=None, metavar="ID",
            en="only the cards of this set, in its order: thirty-most-asked, last-evening",
            zh="只取该卡片集，按其顺序：thirty-most-asked、last-evening",
        )  # fmt: skip

    def by_lines() -> click.Option:
        return option(
            "--plain",
            is_flag=True,
            en="line by line, without the app: for screen readers",
            zh="不打开界面，逐行进行：适合读屏软件",
        )

    def seed() -> click.Option:
        return option("--seed", type=AtLeast(0), default=None, en="random seed", zh="随机种子")

    def drawing() -> list[click.Parameter]:
        """How a paper is drawn."""
        return [
            topics(),
            option("--kind", "kinds", multiple=True, type=OneOf(KINDS), en="only this kind (repeatable)", zh="只取该题型（可重复）"),
            option("--level", "levels", multiple=True, type=OneOf(LEVELS), en="only this level (repeatable)", zh="只取该难度（可重复）"),
            option("--count", type=AtLeast(1), default=None, en="number of questions (else 10)", zh="题数（默认 10）"),
            option("--minutes", type=AtLeast(1), default=None, en="time limit in minutes (else none)", zh="限时（分钟，默认不限）"),
            seed(),
            option("--weak", is_flag=True, en="more questions on weak topics, by what was answered so far", zh="按以往作答给薄弱主题多出题"),
        ]  # fmt: skip

    group = Calls(
        "proofdeck",
        help=say(
            "Interview questions on deep-learning architectures, with a live proof behind every answer. "
            "Without a call: the app.",
            "深度学习架构面试题，每个答案背后都有可运行的证明。不带子命令则打开应用。",
        ),
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        params=[
            click.Option(
                ["--version"], is_flag=True, is_eager=True, expose_value=False,
                callback=_print_version, help=say("print the version", "显示版本号"),
            ),
            option("--lang", type=OneOf(["zh", "en"]), expose_value=False, en="zh or en", zh="zh 或 en"),
        ],
        no_args_is_help=False,
        invoke_without_command=True,
        callback=click.pass_context(lambda context, **_: _app_when_bare(context, language)),
    )  # fmt: skip
    group.language = language

    command(
        "study", "apps", "study",
        [
            topics(), level(), verdict(),
            option("--limit", type=AtLeast(1), default=None, en="at most so many cards", zh="最多多少张卡片"),
            option("--cram", is_flag=True, en="review without touching the schedule", zh="突击复习，不改动排期"),
            card_set(), by_lines(), decks(), lang(),
        ],
        "Straight into review.", "直接开始复习。",
    )  # fmt: skip
    command(
        "test", "apps", "self_test",
        [
            *drawing(),
            option("--resume", is_flag=True, en="take up the unfinished paper", zh="继续未完成的试卷"),
            by_lines(), decks(), lang(),
        ],
        "Straight into a self-test.", "直接开始自测。",
    )  # fmt: skip
    command(
        "paper", "papers", "paper",
        [
            *drawing(),
            option("--force", is_flag=True, en="overwrite an existing file", zh="覆盖已有文件"),
            option("-o", "--output", type=click.Path(path_type=Path), required=True, en="the file to write; - for stdout", zh="输出文件；- 表示标准输出"),
            decks(), lang(),
        ],
        "Draw a paper without sitting it, as JSON for `sheet --paper`.", "只组卷不作答，写成 JSON，供 `sheet --paper` 使用。",
    )  # fmt: skip
    command(
        "results", "papers", "results",
        [click.Argument(["sitting"], required=False, metavar="[ID]"), as_json(), decks(), lang()],
        "The self-tests sat so far, or one of them in full; the beginning of its id is enough.",
        "以往自测的成绩，或其中一份的详情；编号写出开头即可。",
    )  # fmt: skip
    command(
        "stats", "stats", "stats",
        [
            option("--days", type=AtLeast(1), default=None, metavar="N", en="reviews of the last N days (else 365)", zh="最近 N 天的复习（默认 365）"),
            topics(),
            option("--plain", is_flag=True, en="numbers and sentences without drawing", zh="只输出数字和文字，不画图"),
            as_json(), decks(), lang(),
        ],
        "Progress: reviews, retention, forecast, calendar, weak topics, time per card.",
        "学习统计：复习次数、记忆保持率、到期预测、日历、薄弱主题、用时。",
    )  # fmt: skip
    command(
        "fit", "fit", "fit",
        [
            option("--apply", is_flag=True, en="use the new weights where they are better", zh="新参数更优时采用"),
            option("--reset", is_flag=True, en="back to the usual weights", zh="恢复默认参数"),
            as_json(), lang(),
        ],
        "Fit the scheduler to your own reviews; before and after, on reviews it has not seen.",
        "用你自己的复习记录拟合排期参数，并在未参与拟合的复习上对比前后。",
    )  # fmt: skip
    command(
        "plan", "plan", "plan",
        [
            option("--date", "interview", default=None, metavar="YYYY-MM-DD", en="the day of the interview (else that of the settings)", zh="面试日期（默认取自设置）"),
            option("--minutes", type=AtLeast(1), default=None, en="minutes a day (else those of the settings)", zh="每天的分钟数（默认取自设置）"),
            option("--most-a-day", type=AtLeast(1), default=None, metavar="MINUTES", en="the minutes may be moved from day to day, at most so many on one", zh="分钟数可在各天之间挪动，单日最多这么多"),
            topics(), as_json(), decks(), lang(),
        ],
        "Which cards to see on which day so that most is recalled on the day of the interview.",
        "为面试当天记住最多而安排：哪天看哪些卡片。",
    )  # fmt: skip
    command(
        "interview", "apps", "interview",
        [
            topics(),
            option("--card", default=None, metavar="ID", en="the card to start from", zh="开场的卡片"),
            seed(), by_lines(), decks(), lang(),
        ],
        "Straight into an interview: a core card, then why, what if, prove it.",
        "直接开始模拟面试：从一张基础卡片问起，层层追问。",
    )  # fmt: skip
    command(
        "derive", "derive", "derive",
        [
            click.Argument(["drill"], required=False, metavar="[DRILL]"),
            option("--start", default=None, metavar="FORMULA", en="your own start, with --goal", zh="自拟的起始式，与 --goal 同用"),
            option("--goal", default=None, metavar="FORMULA", en="your own goal, with --start", zh="自拟的目标式，与 --start 同用"),
            option("--symbol", "symbols", multiple=True, metavar="NAME=KIND",
                   en="declare a name (repeatable): real pos prob posint nat0 dim index vec:KIND mat:r,c",
                   zh="声明名称（可重复）：real pos prob posint nat0 dim index vec:类型 mat:行,列"),
            option("--where", "wheres", multiple=True, metavar="NAME=simplex", en="a vector that sums to one (repeatable)", zh="各分量之和为 1 的向量（可重复）"),
            option("--mode", type=OneOf(["symbolic", "matrix"]), default="symbolic", en="symbolic or matrix lines", zh="symbolic（标量式）或 matrix（矩阵式）"),
            option("--list", "listing", is_flag=True, en="list the derivations there are", zh="列出全部推导题"),
            option("--kept", "show_kept", is_flag=True, en="show the derivations kept", zh="显示已保存的推导"),
            option("--keep", is_flag=True, en="judge the lines on stdin and keep them", zh="判定标准输入中的推导并保存"),
            as_json(), decks(), lang(),
        ],
        "The derivation workbench: each line judged as it is written. Without a terminal, the lines on stdin; "
        "exit status 0 where they join start and goal, else 1.",
        "动手推导：每写一行，当场判定。不在终端中时判定标准输入的各行；从起始式推到目标式则退出码为 0，否则为 1。",
    )  # fmt: skip
    command(
        "list", "cards", "list_cards",
        [
            topics(), level(), verdict(),
            option("--demo", default=None, en="only cards backed by this demonstration", zh="只取由该演示支撑的卡片"),
            option("--search", default=None, metavar="TEXT", en="words to find, in either language", zh="要查找的文字，中英文均可"),
            option("--vanished", is_flag=True, en="only cards with a history that are in no loaded deck", zh="只列出有学习记录、却不在已载入题库中的卡片"),
            option("--marked", type=OneOf(tuple(labels.MARK)), default=None, en="only cards so marked", zh="只取带该标记的卡片"),
            card_set(), as_json(), decks(), lang(),
        ],
        "List the cards.", "列出卡片。",
    )  # fmt: skip
    command(
        "show", "cards", "show_card",
        [click.Argument(["card"]), as_json(), decks(), lang()],
        "One card in plain text, formulas laid out.", "以纯文本显示一张卡片，公式按二维排版。",
    )  # fmt: skip
    command(
        "mark", "marks", "mark",
        [
            click.Argument(["card"]),
            option("--bookmark/--no-bookmark", default=None, en="put a bookmark on it, or take it off", zh="加上或去掉书签"),
            option("--suspend", is_flag=True, en="ask it no more until it is resumed", zh="暂停，恢复之前不再提问"),
            option("--resume", is_flag=True, en="ask it again as its schedule says", zh="恢复，按日程提问"),
            option("--bury", is_flag=True, en="ask it no more today", zh="搁置，今天不再提问"),
            option("--note", default=None, metavar="TEXT", en="your note on it; an empty one takes it away", zh="你的笔记；留空则去掉"),
            option("--report", default=None, metavar="TEXT", en="what is wrong with it, kept for its author", zh="哪里有误，留给卡片作者"),
            as_json(), decks(), lang(),
        ],
        "Mark a card; without an option, which marks it bears.", "给卡片作标记；不带选项则显示它的标记。",
    )  # fmt: skip
    command(
        "reports", "marks", "reports", [as_json(), decks(), lang()],
        "What was reported as wrong with cards: place, words, edition of the card, the bank's fingerprint.",
        "卡片报错清单：位置、内容、卡片版本、题库版本。",
    )  # fmt: skip
    command(
        "glossary", "glossary", "glossary",
        [click.Argument(["text"], nargs=-1, required=False, metavar="[TEXT]…"), as_json(), lang()],
        "The terms of the field in both languages, each explained.", "领域术语的中英对照与解释。",
    )  # fmt: skip
    command(
        "demo", "demos", "demo",
        [
            click.Argument(["demo_id"], required=False, metavar="[DEMO]"),
            option("--list", "listing", is_flag=True, en="list the demonstrations", zh="列出全部演示"),
            option("--set", "settings", multiple=True, metavar="NAME=VALUE", en="set a parameter (repeatable)", zh="设置参数（可重复）"),
            option("--sweep", "swept", default=None, metavar="NAME", en="the headline over this parameter's range", zh="让该参数走遍取值范围，看主要结果"),
            option("--plain", is_flag=True, en="without drawing the plot", zh="不画图"),
            seed(), as_json(), lang(),
        ],
        "A demonstration: derivation with badges, predicted against measured, plot.",
        "运行一个演示：带判定标记的推导、预测与实测对照、图。",
    )  # fmt: skip
    command(
        "serve", "serve", "serve",
        [
            option("--host", default="127.0.0.1", en="the address to serve on (else this machine alone)", zh="提供服务的地址（默认仅限本机）"),
            option("--port", type=AtLeast(1, most=65535), default=8000, en="the port (else 8000)", zh="端口（默认 8000）"),
            option("--public-url", default=None, metavar="URL", en="how browsers reach it, behind a proxy", zh="经代理访问时浏览器所用的地址"),
            lang(),
        ],
        "The app in a browser, for those who cannot open it in a terminal.",
        "在浏览器中打开应用，供无法使用终端的人使用。",
    )  # fmt: skip
    command(
        "check", "checks", "check",
        [
            option("--deep", is_flag=True, en="ignore kept proofs; run seeds 0 to 99", zh="不用缓存的证明；种子 0 到 99 全部运行"),
            as_json(), decks(), lang(),
        ],
        "Prove and measure the whole bank again, and compile its content.", "重新证明并测量整个题库，并检查其内容。",
    )  # fmt: skip
    command(
        "import", "importing", "import_",
        [
            click.Argument(["file"], type=click.Path(path_type=Path)),
            option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="DECK.yaml", en="the card file to write", zh="要写入的卡片文件"),
            option("--topic", type=OneOf(TOPICS, labels.TOPIC), default="own", metavar="TOPIC", en="the topic of the cards (own)", zh="卡片的主题（默认为 own）"),
            option("--force", is_flag=True, en="overwrite an existing file", zh="覆盖已有文件"),
            lang(),
        ],
        "Questions and answers from CSV, TSV, Markdown or Anki (.apkg) as a deck of your own; each line is accounted for.",
        "把 CSV、TSV、Markdown 或 Anki（.apkg）中的问答导入为自己的卡片文件，逐行说明结果。",
    )  # fmt: skip
    command(
        "lint", "checks", "lint",
        [click.Argument(["files"], nargs=-1, required=True, type=click.Path(path_type=Path)), lang()],
        "Every fault in a card file, as file:line:column: message.", "列出卡片文件中的每个错误：文件:行:列: 说明。",
    )  # fmt: skip
    command(
        "schema", "checks", "schema",
        [
            option("--sheet", is_flag=True, en="of a sheet in JSON instead", zh="改为输出 JSON 答案册的 Schema"),
            option("--stats", is_flag=True, en="of `stats --json` instead", zh="改为输出 `stats --json` 的 Schema"),
            lang(),
        ],
        "The JSON Schema of a card file.", "卡片文件的 JSON Schema。",
    )  # fmt: skip
    command(
        "grade", "grade", "grade", [lang()],
        "Judge typed answers: a JSON object per line in, a verdict per line out.",
        "判定作答：标准输入每行一个 JSON 对象，逐行输出判定。",
    )  # fmt: skip
    command(
        "doctor", "doctor", "doctor", [as_json(), lang()],
        "What this terminal can show, what is installed, whether your files are sound; exit status 1 where something is wrong.",
        "检查终端能显示什么、装了什么、你的文件是否完好；有问题时退出码为 1。",
    )  # fmt: skip
    command(
        "keys", "keys", "keys", [as_json(), lang()],
        "Every command of the app with its keys, as a keymap.toml; exit status 1 where a line of yours cannot be used.",
        "列出应用的全部命令与按键，格式即 keymap.toml；你的按键文件有错时退出码为 1。",
    )  # fmt: skip
    command(
        "sheet", "sheets", "sheet",
        [
            topics(), level(), verdict(),
            option("--demo", default=None, metavar="ID", en="only what this demonstration backs", zh="只取该演示支撑的卡片"),
            card_set(),
            option("--card", "cards", multiple=True, metavar="ID", en="this card (repeatable)", zh="指定卡片（可重复）"),
            option("--paper", type=click.Path(path_type=Path), default=None, metavar="FILE", en="the questions of this paper (proofdeck paper)", zh="该试卷中的题目（proofdeck paper）"),
            option("--session", default=None, metavar="ID", en="a self-test with what was answered (proofdeck results)", zh="一份自测及其作答（proofdeck results）"),
            option("--mode", type=OneOf(["paper", "embedded", "key"]), default=None,
                   en="questions only, answers after each, or the key alone (else embedded)", zh="只有题目、答案紧随题后，或仅答案（默认 embedded）"),
            option("--lang", "sheet_lang", type=OneOf(["zh", "en", "both"]), default="both", en="language of the sheet (else both)", zh="答案册的语言（默认为双语）"),
            option("--format", "format_", type=OneOf(list(FORMATS)), default=None,
                   en=f"{', '.join(FORMATS)} (else by the ending of the file)", zh=f"{'、'.join(FORMATS)}（默认依文件扩展名）"),
            option("--flavour", type=OneOf(FLAVOURS), default=None,
                   en="Markdown maths for GitHub, or plain dollars (else github)", zh="Markdown 公式写法：GitHub 或纯美元符（默认 github）"),
            option("--size", type=OneOf(SIZES), default=None, en="the paper of a PDF (else a4)", zh="PDF 的纸张（默认 a4）"),
            option("--seed", type=AtLeast(0), default=None, en="draws the variants of the drills (else 0)", zh="抽取练习变式的随机种子（默认 0）"),
            option("--date", default=None, metavar="YYYY-MM-DD", en="the date printed on it (else the bank's)", zh="印在卷面上的日期（默认取题库的日期）"),
            option("--force", is_flag=True, en="overwrite an existing file", zh="覆盖已有文件"),
            option("-o", "--output", type=click.Path(path_type=Path), required=True, en="the file to write; - for stdout (not md)", zh="输出文件；- 表示标准输出（md 除外）"),
            decks(),
        ],
        "Write an answer sheet.", "导出答案册。",
    )  # fmt: skip
    _add_log(group, language, command, option, as_json, lang)
    return group


def _add_log(
    group: click.Group,
    language: Language,
    command: Callable[..., None],
    option: Callable[..., click.Option],
    as_json: Callable[[], click.Option],
    lang: Callable[[], click.Option],
) -> None:
    """`proofdeck log …`: what can be done with the log of reviews."""
    log = Calls(
        "log",
        help=Text("The log of reviews: export, import, merge, check, undo, restore.",
                  "复习记录：导出、导入、合并、检查、撤销、从备份补回。").of(language),
        params=[option("--lang", type=OneOf(["zh", "en"]), expose_value=False, en="zh or en", zh="zh 或 en")],
    )  # fmt: skip
    log.language = language
    group.add_command(log)
    command(
        "check", "log", "check",
        [
            option("--mend", is_flag=True, en="make schedule and indexes anew from the entries where they are wrong", zh="排期或索引有误时，由各条记录重新生成"),
            as_json(), lang(),
        ],
        "Check that the schedule is the replay of the log and that the file is sound; exit status 0 or 1.",
        "检查排期是否与记录重放的结果一致、文件是否完好；退出码为 0 或 1。", into=log,
    )  # fmt: skip
    command(
        "export", "log", "export",
        [
            option("-o", "--output", type=click.Path(path_type=Path), default=Path("-"), en="the file to write (else stdout)", zh="输出文件（默认为标准输出）"),
            option("--force", is_flag=True, en="overwrite an existing file", zh="覆盖已有文件"),
            lang(),
        ],
        "Write the log as JSON lines, an entry per line, in the order of their ids.",
        "把记录写成 JSON 行：每行一条，按编号排序。", into=log,
    )  # fmt: skip
    command(
        "import", "log", "import_", [click.Argument(["file"], type=click.Path(path_type=Path)), lang()],
        "Add the entries of an export; every line is checked first, and all are taken or none.",
        "导入导出文件中的条目：先逐行检查，全部导入或全部不导入。", into=log,
    )  # fmt: skip
    command(
        "merge", "log", "merge",
        [click.Argument(["files"], nargs=-1, required=True, type=click.Path(path_type=Path)), lang()],
        "Join the logs of other machines (reviews.db or exports) into this one; in any order, as often as you like.",
        "把其他机器的记录（reviews.db 或导出文件）并入本机；次序不限，可重复执行。", into=log,
    )  # fmt: skip
    command(
        "undo", "log", "undo", [click.Argument(["review"], required=False, metavar="[ID]"), lang()],
        "Take back the latest review, or the entry of any kind whose id begins so.",
        "撤销最近一次复习，或编号以此开头的任意一条记录。", into=log,
    )  # fmt: skip
    command(
        "restore", "log", "restore",
        [
            click.Argument(["backup"], required=False, metavar="[BACKUP]", type=click.Path(path_type=Path)),
            option("--list", "listing", is_flag=True, en="list the backups", zh="列出备份"),
            lang(),
        ],
        "Add what a backup holds and the log lacks (the newest good one where none is named); nothing is removed.",
        "补回备份中有而记录中缺的条目（不指定则取最新的完好备份）；不会删除任何内容。", into=log,
    )  # fmt: skip


def _print_version(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    if given:
        click.echo(f"proofdeck {version('proofdeck')}")
        context.exit()


def _app_when_bare(context: click.Context, language: Language) -> int | None:
    """`proofdeck --lang zh` alone opens the app."""
    if context.invoked_subcommand is not None:
        return None
    from tui.shell.start import open_app

    return open_app("home", language)
