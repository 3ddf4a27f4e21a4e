"""YAML as a bounded tree that remembers its places, read strictly.

PyYAML's event parser (the C one where it is built) does the scanning; everything above it is ours:

- scalars are resolved by the YAML 1.2 core schema, so ``no`` is a string, ``1e-5`` a number, ``010``
  ten and ``12:30`` a string;
- a duplicate key, an anchor, an alias, a tag and a second document are faults;
- a backslash in a double-quoted text is a fault, because YAML turns ``"\\nabla"`` into a line break and
  ``abla``; formulas go into single quotes or a block (``|``);
- size and nesting are limited before anything is built.

Every fault is collected, with its place; only a syntax error ends the reading, because what follows
it cannot be told apart.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from engine.text import Text
from quizbank.fault import Fault, shown

LARGEST_FILE = 5_000_000
"""Bytes."""
DEEPEST = 32
"""Nested lists and mappings."""
MOST_NODES = 100_000
"""Values in one file: some five hundred cards."""
MOST_FAULTS = 100
"""Faults told of one file."""

Scalar: TypeAlias = str | int | float | bool | None
Loc: TypeAlias = tuple[str | int, ...]
"""Keys and positions from the root of the file to a value."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CORE: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"(?:~|null|Null|NULL|)"), lambda text: None),
    (re.compile(r"(?:true|True|TRUE)"), lambda text: True),
    (re.compile(r"(?:false|False|FALSE)"), lambda text: False),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.(?:nan|NaN|NAN)"), lambda text: float("nan")),
)

_UNREADABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no YAML file may hold."""
_REFUSED = re.compile(
    _UNREADABLE.pattern
    + r"|[\r\x85\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
"""The same, and what steers a terminal or the order of a line without being seen."""


TOO_MANY = Text(
    f"there are more than {MOST_FAULTS} faults; the rest is not told",
    f"错误超过 {MOST_FAULTS} 处，其余不再列出",
)


class UnreadableError(Exception):
    """A fault after which nothing more of a file can be read. It stays in this package."""


@dataclass
class Node:
    """A scalar, a list (``items``) or a mapping (``entries``), and where it begins.

    ``value`` is the scalar's value; ``line`` and ``column`` count from 1.
    """

    line: int
    column: int
    kind: str
    value: Scalar = None
    style: str = ""
    items: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[Node, Node]] = field(default_factory=dict)

    def plain(self) -> Any:
        """The node as Python lists, dicts and scalars."""
        if self.kind == "list":
            return [item.plain() for item in self.items]
        if self.kind == "mapping":
            return {key: value.plain() for key, (_, value) in self.entries.items()}
        return self.value


@dataclass
class Document:
    """A file as read: its name in messages, its lines, its tree (None where there is none) and its faults."""

    name: str
    lines: list[str]
    root: Node | None
    faults: list[Fault] = field(default_factory=list)
    faulty_lines: list[int] = field(default_factory=list)

    def fault(self, line: int, column: int, what: Text) -> None:
        """Add a fault of the YAML itself.

        Raises:
            UnreadableError: there are so many that the rest is not worth reading.
        """
        if len(self.faults) >= MOST_FAULTS:
            self.faults.append(Fault(self.name, TOO_MANY))
            raise UnreadableError
        self.faults.append(Fault(f"{self.name}:{line}:{column}", what))
        self.faulty_lines.append(line)

    def find(self, loc: Loc) -> tuple[Node, Node | None]:
        """The node at ``loc`` and the key that holds it.

        Steps that name no key or position of the node at hand are skipped: a validator also names the
        member of a union there.
        """
        assert self.root is not None
        node, key = self.root, None
        for step in loc:
            if node.kind == "mapping" and isinstance(step, str) and step in node.entries:
                key, node = node.entries[step]
            elif node.kind == "list" and isinstance(step, int) and step < len(node.items):
                key, node = None, node.items[step]
        return node, key

    def place(self, loc: Loc, offset: int | None = None) -> str:
        """``file:line:column`` of the value at ``loc``, or of a character of the text it is."""
        node, _ = self.find(loc)
        line, column = node.line, node.column
        if offset is not None and isinstance(node.value, str):
            line, column = self._character(node, node.value, offset)
        return f"{self.name}:{line}:{column}"

    def _character(self, node: Node, text: str, offset: int) -> tuple[int, int]:
        """Exact in a literal block and in a text on one line; else where the text begins."""
        before = text[:offset]
        row, into = before.count("\n"), offset - (before.rfind("\n") + 1)
        part = text.split("\n")[row]
        if node.style == "|":
            number = node.line + 1 + row
            source = self.lines[number - 1] if number <= len(self.lines) else ""
            if source.endswith(part):
                return number, len(source) - len(part) + into + 1
        elif node.style != ">" and "\n" not in text:
            start = node.column - 1 + (1 if node.style in ("'", '"') else 0)
            # a doubled quote or a folded line moves what follows it
            if self.lines[node.line - 1][start:].startswith(before):
                return node.line, start + into + 1
        return node.line, node.column


def read_document(path: Path, name: str = "") -> Document:
    """Read one YAML file; every fault found is in ``faults``, and none is raised."""
    name = name or shown(path, 300)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise IsADirectoryError
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return _unread(name, Text("there is no such file", "文件不存在"))
    except IsADirectoryError:
        return _unread(name, Text("this is not a file", "这不是一个文件"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return _unread(name, Text("it cannot be read: {r}", "无法读取：{r}").filled(r=shown(reason)))
    if len(data) > LARGEST_FILE:
        limit = LARGEST_FILE // 1_000_000
        return _unread(name, Text(f"the file is larger than {limit} MB", f"文件超过 {limit} MB"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        return _unread(f"{name}:{line}:{column}", Text("the file is not UTF-8", "文件不是 UTF-8 编码"))
    return read_text(text, name)


def _unread(where: str, what: Text) -> Document:
    return Document(where, [], None, [Fault(where, what)])


def read_text(text: str, name: str) -> Document:
    """Read YAML from a string; ``name`` stands for the file in places."""
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    document = Document(name, lines, None)
    try:
        _refuse_invisible(document, text)
        if not _UNREADABLE.search(text):
            document.root = _Builder(document, text).build()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        document.faults.append(_syntax_fault(document, mark, error.problem or error.context or ""))
    except UnreadableError:
        pass
    return document


def _refuse_invisible(document: Document, text: str) -> None:
    for match in _REFUSED.finditer(text):
        row = text.count("\n", 0, match.start()) + 1
        column = match.start() - text.rfind("\n", 0, match.start())
        what = Text(
            "the control or invisible character U+{c:04X} is not allowed",
            "不允许使用控制或不可见字符 U+{c:04X}",
        )
        document.fault(row, column, what.filled(c=ord(match[0])))


def _syntax_fault(document: Document, mark: Any, problem: str) -> Fault:
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    source = document.lines[line - 1] if line <= len(document.lines) else ""
    indent = source[: len(source) - len(source.lstrip())]
    if "\t" in indent:
        what = Text("a tab in the indentation; use spaces", "缩进中有制表符；请改用空格")
    else:
        what = Text("not valid YAML: {p}", "不是合法的 YAML：{p}").filled(p=shown(problem, 120))
    return Fault(f"{document.name}:{line}:{column}", what)


class _Builder:
    """Builds nodes from the parser's events, without recursion."""

    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self.text = text

    def fault(self, mark: Any, what: Text) -> None:
        self.document.fault(mark.line + 1, mark.column + 1, what)

    def build(self) -> Node | None:
        root: Node | None = None
        open_nodes: list[tuple[Node, list[Node]]] = []
        documents = nodes = 0
        for event in self._events():
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fault(event.start_mark, Text("a second document in the file", "文件中有第二个文档"))
                    raise UnreadableError
                continue
            if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                node, children = open_nodes.pop()
                self._close(node, children)
                continue
            made = self._made(event)
            if made is None:
                continue
            nodes += 1
            if nodes > MOST_NODES:
                self.fault(
                    event.start_mark, Text(f"more than {MOST_NODES} values", f"值的数量超过 {MOST_NODES}")
                )
                raise UnreadableError
            if open_nodes:
                open_nodes[-1][1].append(made)
            else:
                root = made
            if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
                open_nodes.append((made, []))
                if len(open_nodes) > DEEPEST:
                    self.fault(
                        event.start_mark,
                        Text(f"nested deeper than {DEEPEST} levels", f"嵌套超过 {DEEPEST} 层"),
                    )
                    raise UnreadableError
        return root

    def _events(self) -> Iterator[Any]:
        loader = _LOADER(self.text)
        try:
            while loader.check_event():
                yield loader.get_event()
        finally:
            loader.dispose()

    def _made(self, event: Any) -> Node | None:
        """A node for an event that begins one."""
        if isinstance(event, yaml.AliasEvent):
            self.fault(event.start_mark, _NO_ALIAS)
            return self._node(event, "scalar")
        if not isinstance(event, yaml.ScalarEvent | yaml.SequenceStartEvent | yaml.MappingStartEvent):
            return None
        if event.anchor is not None:
            self.fault(event.start_mark, _NO_ALIAS)
        if event.tag is not None:
            self.fault(event.start_mark, Text("tags (!…) are not allowed", "不允许使用标签（!…）"))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._node(event, "list")
        if isinstance(event, yaml.MappingStartEvent):
            return self._node(event, "mapping")
        node = self._node(event, "scalar")
        node.style = event.style or ""
        node.value = self._resolved(event)
        return node

    def _node(self, event: Any, kind: str) -> Node:
        return Node(event.start_mark.line + 1, event.start_mark.column + 1, kind)

    def _resolved(self, event: Any) -> Scalar:
        text: str = event.value
        if event.style == '"' and "\\" in self.text[event.start_mark.index : event.end_mark.index]:
            self.fault(
                event.start_mark,
                Text(
                    'a backslash in a double-quoted text: YAML would change it; use single quotes or a "|" block',
                    "双引号文本中有反斜杠，YAML 会改写它；请用单引号或“|”块",
                ),
            )
        if event.style:
            return text
        for pattern, convert in _CORE:
            if pattern.fullmatch(text):
                try:
                    value: Scalar = convert(text)
                    str(value)  # Python reads a number in hexadecimal that it will not write out again
                except ValueError:
                    self.fault(event.start_mark, Text("the number is too long", "数字过长"))
                    return None
                return value
        return text

    def _close(self, node: Node, children: list[Node]) -> None:
        if node.kind == "list":
            node.items = children
            return
        for key, value in zip(children[::2], children[1::2], strict=True):
            if key.kind != "scalar" or not isinstance(key.value, str):
                self._fault_at(key, Text("a key must be a text", "键必须是文本"))
            elif key.value in node.entries:
                first = node.entries[key.value][0]
                self._fault_at(
                    key,
                    Text(
                        "the key {k} stands here for the second time; first in line {n}",
                        "键 {k} 重复出现；首次出现在第 {n} 行",
                    ).filled(k=shown(key.value), n=first.line),
                )
            else:
                node.entries[key.value] = (key, value)

    def _fault_at(self, node: Node, what: Text) -> None:
        self.document.fault(node.line, node.column, what)


_NO_ALIAS = Text("anchors and aliases (&…, *…) are not allowed", "不允许使用锚点与别名（&…、*…）")
