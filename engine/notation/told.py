"""What math-core finds wrong with a formula, told in both languages. Loaded only when something is."""

from __future__ import annotations

import re

from engine.notation.error import NotationError
from engine.text import Text

_FAULT = re.compile(r"(\d+): (.*)\Z", re.DOTALL)

_CHINESE = (
    (r"Unknown command \"(.+)\"\.", r"未知命令 \1"),
    (r"Unknown environment \"(.+)\"\.", r"未知环境 \1"),
    (r"Unknown color .*", "未知颜色"),
    (r"Expected closing token \"(.+)\", but reached end of input\.", r"缺少 \1"),
    (r"Expected \"?\\end\{(.+?)\}.*", r"缺少 \\end{\1}"),
    (r"Expected argument .*", "缺少参数"),
    (r"Expected column specification.*", "缺少列格式"),
    (r"Expected length with units.*", "缺少带单位的长度"),
    (
        r"Expected parameter.*|Invalid parameter number.*|Macro parameter.*",
        "# 只用于宏定义；要显示它请写作 \\#",
    ),
    (r"Duplicate subscript or superscript\.", "重复的上标或下标"),
    (r"'\^' or '_' directly followed by.*", "上标或下标之后紧跟上标、下标或撇号"),
    (r"Unexpected \"\$\"\.", "多余的 $"),
    (r"Found \"(.+?)\", which may only appear.*", r"\1 不能出现在这里"),
    (r"Found \"(.+?)\".*", r"\1 不能出现在这里"),
    (r"Not valid in (text|math) mode\.", "这里不能这样写"),
    (r"Math mode within text mode.*", r"\\text 中不能再有公式"),
    (r"disallowed character.*", "这里不能有这个字符"),
)


def told(fault: str, latex: str) -> NotationError:
    """math-core's ``offset: message`` as our error; what has no Chinese wording stays in English."""
    match = _FAULT.match(fault)
    offset, english = (int(match[1]), " ".join(match[2].split())) if match else (0, fault)
    chinese = next(
        (re.sub(pattern, words, english) for pattern, words in _CHINESE if re.fullmatch(pattern, english)),
        english,
    )
    return NotationError(Text(english[:1].lower() + english[1:].rstrip("."), chinese), latex, offset)
