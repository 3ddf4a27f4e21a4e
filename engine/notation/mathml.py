"""A formula as MathML Core for a sheet: well-formed, and only elements and attributes that we know."""

from __future__ import annotations

from functools import lru_cache
from xml.etree import ElementTree

from engine.notation.error import NotationError
from engine.notation.reader import read
from engine.notation.tree import mathml_element
from engine.text import Text

NAMESPACE = "http://www.w3.org/1998/Math/MathML"

_ATTRIBUTES = frozenset(
    (
        "accent",
        "accentunder",
        "display",
        "displaystyle",
        "form",
        "linethickness",
        "lspace",
        "mathvariant",
        "maxsize",
        "minsize",
        "movablelimits",
        "rspace",
        "scriptlevel",
        "stretchy",
        "style",
        "symmetric",
        "width",
    )
)

# math-core writes an overline as a combining low line, which browsers draw under the body
_OVERLINE = {"\u0332": "\u203e"}

_SCRIPTED = frozenset(("msub", "msup", "msubsup", "munder", "mover", "munderover"))


@lru_cache(maxsize=4096)
def mathml(latex: str, display: bool = False) -> str:
    """The formula as one ``<math>`` element, ready to stand in an HTML5 or XHTML document.

    Text is escaped; the result parses as XML. What the other outputs cannot draw is refused here
    too, so that a sheet never shows what the terminal could not.

    Raises:
        NotationError: the formula is outside the subset.
    """
    element = mathml_element(latex, display)
    read(element, latex)
    for node in element.iter():
        strange = set(node.attrib) - _ATTRIBUTES
        if strange:
            name = sorted(strange)[0]
            raise NotationError(
                Text(f"this formula needs the attribute {name}", f"公式需要属性 {name}"), latex, 0
            )
        if node.tag == "mover" and node.get("accent") == "true" and node[1].text in _OVERLINE:
            node[1].text = _OVERLINE[node[1].text]
        if node.tag in _SCRIPTED:
            for script in node[1:]:
                for table in script.iter("mtable"):
                    # the lines of \\substack keep the size of the script they stand in
                    table.attrib.pop("scriptlevel", None)
    element.set("xmlns", NAMESPACE)
    return ElementTree.tostring(element, encoding="unicode")
