"""What Python's reader of TOML reports, in words a person can act on, and where.

The reader tells its causes in English sentences only; one that is not known here is quoted as it stands.
"""

from __future__ import annotations

import re

from engine.text import Text
from quizbank.fault import shown

_NO_TOML = Text("this is not TOML: {why}", "不是合法的 TOML：{why}")
_OTHER = Text("this is not TOML: “{why}”", "不是合法的 TOML：“{why}”")
_WORDS = (
    ("Invalid statement", Text(
        "key = value or [table] should stand here; a key in other than Latin letters needs quotes",
        "这里应写“键 = 值”或“[表]”；含中文的键要加引号",
    )),
    ("Expected '=' after a key", Text("an = is missing after the key", "键的后面缺少 =")),
    ("Invalid value", Text(
        "this is no value; text needs straight quotes",
        "这个值的写法不对；文字要放在英文引号里",
    )),
    ("Cannot overwrite a value", Text("a key is written twice", "同一个键写了两次")),
    ("Expected newline or end of document after a statement", Text(
        "the value should end before this", "值应在此之前结束",
    )),
    (r"Unterminated string|Illegal character '\\n'|Expected [\"']+\Z", Text(
        "a text is not closed by its quotes", "字符串缺少结束的引号",
    )),
    ("Unclosed array", Text("a list lacks a comma, or its closing ]", "列表缺少逗号，或缺少结束的 ]")),
    ("Unclosed inline table", Text("an inline table lacks a comma, or its closing }", "行内表缺少逗号，或缺少结束的 }")),
    (r"Expected '\]' at the end", Text("the table's name is not closed by ]", "表名缺少结束的 ]")),
    (r"Expected '\]\]' at the end", Text("the table's name is not closed by ]]", "表名缺少结束的 ]]")),
    ("Cannot declare .* twice", Text("the table is declared twice", "同一张表声明了两次")),
    ("Cannot (mutate immutable|redefine) namespace", Text(
        "nothing can be added to this table: it was written in full before", "这张表前面已经写定，不能再添加",
    )),
    ("Duplicate inline table key", Text(
        "a key is written twice in the inline table", "行内表里同一个键写了两次",
    )),
    (r"Unescaped '\\'|Invalid hex value|Escaped character is not", Text(
        r"a \ in a text is written \\, or the text in single quotes",
        r"字符串里的 \ 要写成 \\，或改用单引号",
    )),
    ("Illegal character|Found invalid character", Text(
        "a control character stands here", "这里有不允许的控制字符",
    )),
    ("Invalid initial character for a key", Text(
        "the name of a key should stand here: Latin letters, digits, - and _, any other name in quotes",
        "这里应是键名：可用英文字母、数字、- 和 _，其他名称要加引号",
    )),
    ("Invalid date or datetime", Text("there is no such date or time", "没有这个日期或时间")),
    ("Exceeds the limit", Text("a number has too many digits", "整数的位数过多")),
    (".*recursion", Text("it is nested too deep", "嵌套过深")),
)  # fmt: skip
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")


def toml_fault(error: Exception, text: str) -> tuple[Text, str]:
    """The cause, and ``line:column`` (empty where it is not told), of what ``tomllib.loads(text)`` raised."""
    message = str(error)
    found = _PLACE.search(message)
    place = ""
    if found:
        message = message[: found.start()]
        last = text.rstrip().rpartition("\n")[2]
        place = (
            f"{found[1]}:{found[2]}" if found[1] else f"{text.rstrip().count(chr(10)) + 1}:{len(last) + 1}"
        )
    for pattern, words in _WORDS:
        if re.match(pattern, message):
            return Text(*(said.format(why=why) for said, why in zip(_NO_TOML, words, strict=True))), place
    return _OTHER.filled(why=shown(message, 120)), place
