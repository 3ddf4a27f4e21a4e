"""Why a number is not the reference: the usual slips by name, else how far off it is."""

from __future__ import annotations

from fractions import Fraction

from engine.answers import exact
from engine.answers.arithmetic import Reading
from engine.answers.exact import Number
from engine.answers.tolerance import Tolerance, gap
from engine.answers.units import NONE, described
from engine.text import Text

_FACTORS: tuple[tuple[Fraction, bool, Text], ...] = (
    (Fraction(100), False, Text("{side} by a factor of 100: a per cent sign?", "{side} 100 倍：是不是百分号的问题？")),
    *(
        (Fraction(1000**n), False, Text(f"{{side}} by a factor of {words}", f"{{side}} {digits} 倍"))
        for n, words, digits in ((1, "1000", "1000"), (2, "10⁶", "10⁶"), (3, "10⁹", "10⁹"))
    ),
    *(
        (
            Fraction(1024**n, 1000**n),
            True,
            Text(f"off by 1024/1000: {small} is not {large}", f"差在 1024 与 1000 之分：{small} 不是 {large}"),
        )
        for n, small, large in ((1, "kB", "KiB"), (2, "MB", "MiB"), (3, "GB", "GiB"), (4, "TB", "TiB"))
    ),
    *(
        (Fraction(1024**n), True, Text(f"{{side}} by a factor of {words}", f"{{side}} {words} 倍"))
        for n, words in ((1, "1024"), (2, "1024²"), (3, "1024³"))
    ),
    (Fraction(8), True, Text("{side} by a factor of 8: bits are not bytes", "{side} 8 倍：位（bit）不是字节（byte）")),
    (Fraction(10), False, Text("{side} by a factor of 10", "{side} 10 倍")),
    (Fraction(2), False, Text("{side} by a factor of 2", "{side} 2 倍")),
)  # fmt: skip


def near_miss(answer: Reading, expected: Reading, tolerance: Tolerance) -> Text | None:
    """The slip that explains the difference, if one of the usual ones does."""
    typed, reference = answer.value.number, expected.value.number
    if reference == Fraction(0) or typed == Fraction(0):
        return None
    if tolerance.accepts(exact.negate(typed), reference):
        return Text("the sign is wrong", "符号反了")
    of_bytes = any(name == "byte" for name, _ in expected.value.dimensions)
    explained = []
    for factor, for_bytes, words in _FACTORS:
        if for_bytes and not of_bytes:
            continue
        for scale, side in ((1 / factor, _TOO_LARGE), (factor, _TOO_SMALL)):
            mended = exact.multiply(typed, scale)
            if tolerance.accepts(mended, reference):
                left_over = exact.bounds(gap(mended, reference)).high
                explained.append(
                    (left_over, Text(words.en.format(side=side.en), words.zh.format(side=side.zh)))
                )
    # a wide tolerance lets several factors explain it; the nearest is the slip
    return min(explained, key=lambda pair: pair[0])[1] if explained else None


_TOO_LARGE, _TOO_SMALL = Text("too large", "偏大"), Text("too small", "偏小")


def distance(typed: Number, reference: Number, tolerance: Tolerance) -> Text:
    if tolerance.sigfigs is not None:
        return Text(
            f"differs within the first {tolerance.sigfigs} significant figures",
            f"前 {tolerance.sigfigs} 位有效数字内就不同",
        )
    if not (tolerance.rel or tolerance.abs):
        return Text("another number; the comparison is exact", "不是同一个数；这里要求精确相等")
    if reference == Fraction(0):
        return Text("outside the tolerance", "超出容差")
    share = exact.divide(gap(typed, reference), exact.absolute(reference))
    if exact.middle(share) > 10**6:
        return Text("far outside the tolerance", "远超容差")
    percent = f"{float(exact.middle(share)) * 100:.4g}%"
    return Text(f"{percent} away from the answer, outside the tolerance", f"与答案相差 {percent}，超出容差")


def units_differ(answer: Reading, expected: Reading) -> Text:
    """What is wrong with the unit."""
    found = described(answer.value.dimensions)
    if answer.value.dimensions == NONE:
        wanted = " ".join(expected.units)
        return Text(f"the unit is missing: the answer is in {wanted}", f"缺少单位：答案以 {wanted} 计")
    if expected.value.dimensions == NONE:
        return Text(
            f"the answer is a plain number; the unit {found.en} is one too many",
            f"答案是纯数，不应带单位 {found.zh}",
        )
    wanted_kind = described(expected.value.dimensions)
    return Text(
        f"another unit: {found.en} where {wanted_kind.en} is asked",
        f"单位不对：要求 {wanted_kind.zh}，写的是 {found.zh}",
    )


def figures_differ(answer: Reading, tolerance: Tolerance) -> Text:
    if answer.figures is None:
        return Text(
            f"the value is right; type it as one decimal number with {tolerance.sigfigs} significant figures",
            f"数值正确，但请写成一个保留 {tolerance.sigfigs} 位有效数字的小数",
        )
    return Text(
        f"the value is right, but {answer.figures} significant figures were typed where {tolerance.sigfigs} are asked",
        f"数值正确，但要求 {tolerance.sigfigs} 位有效数字，写了 {answer.figures} 位",
    )
