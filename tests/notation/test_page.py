"""Prose as it appears in the terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rich.cells import cell_len

from engine.notation.error import NotationError
from engine.notation.page import inline, page, plain

ANSWER = r"""为什么要除以 $\sqrt{d_k}$？设 $q$ 与 $k$ 的分量独立、均值为 0、方差为 1，则 $q \cdot k$ 的方差为 $d_k$。

$$\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$

- `[MASK]` 与 h[t-1] 原样保留；显存为 16 GB。
- $c_t = f_t \odot c_{t-1} + i_t \odot \tilde c_t$ keeps the gradient: $\partial c_t / \partial c_{t-1} = f_t$.

```python
scores = q @ k.T / np.sqrt(d_k)

return scores
```
"""


def test_an_answer_at_sixty_cells() -> None:
    assert plain(ANSWER, 60) == [
        "为什么要除以 √dₖ？设 q 与 k 的分量独立、均值为 0、方差为 1，",
        "则 q ⋅ k 的方差为 dₖ。",
        "",
        "         ⎛QKᵀ⎞",
        "  softmax⎜───⎟V",
        "         ⎝√dₖ⎠",
        "",
        "• [MASK] 与 h[t-1] 原样保留；显存为 16 GB。",
        "• cₜ = fₜ ⊙ cₜ₋₁ + iₜ ⊙ c̃ₜ keeps the gradient:",
        "  ∂cₜ/∂cₜ₋₁ = fₜ.",
        "",
        "  scores = q @ k.T / np.sqrt(d_k)",
        "",
        "  return scores",
    ]


def test_rows_carry_kinds() -> None:
    rows = page("设 $d_k$ 与 `x[0]`", 40)
    assert rows == ((("设 ", "text"), ("dₖ", "math"), (" 与 ", "text"), ("x[0]", "code")),)
    assert page("a\n\nb", 40) == ((("a", "text"),), (), (("b", "text"),))


def test_items_hang_under_their_bullet() -> None:
    assert plain("- one two three four five\n- six", 12) == ["• one two", "  three four", "  five", "• six"]


def test_a_display_formula_is_indented_and_keeps_its_rectangle() -> None:
    rows = page(r"$$\frac{a+b}{c} = d$$", 40)
    assert {sum(cell_len(part) for part, _ in row) for row in rows} == {11}
    assert [row[0] for row in rows] == [("  ", "text")] * 3


def test_an_inline_formula_breaks_before_an_operator() -> None:
    assert plain("we have $x_1 + x_2 = y_1 + y_2$ here", 17) == ["we have x₁ + x₂", "= y₁ + y₂ here"]


def test_long_code_goes_on_behind_a_mark() -> None:
    assert plain("```\nalpha = beta + gamma + delta\n```", 20) == ["  alpha = beta +", "  ↳ gamma + delta"]
    assert plain("```\n" + "x" * 30 + "\n```", 20) == ["  " + "x" * 18, "  ↳ " + "x" * 12]


@pytest.mark.parametrize("width", range(1, 90))
def test_no_row_is_wider_than_asked_for(width: int) -> None:
    for line in plain(ANSWER, width):
        assert cell_len(line) <= max(width, 2)


def test_inline_is_one_line() -> None:
    assert inline("Why $\\sqrt{d_k}$\n and [MASK], $5?") == "Why √dₖ and [MASK], $5?"
    assert inline("第 $T$ 步的\n梯度") == "第 T 步的梯度"
    assert inline("到此为止。\nBERT 用掩码，\n$p = 1$") == "到此为止。BERT 用掩码，p = 1"


def test_a_short_formula_stays_on_one_line() -> None:
    assert plain("the mask leaves half of all targets at $T = 512$ tokens", 48) == [
        "the mask leaves half of all targets at",
        "T = 512 tokens",
    ]


def test_a_formula_that_cannot_be_read_is_an_error_with_its_place() -> None:
    with pytest.raises(NotationError) as caught:
        page("so $\\unknown$ it is", 40)
    assert caught.value.text.en == 'unknown command "\\unknown"'
    assert caught.value.text.zh == "未知命令 \\unknown"


def test_prose_and_wrapping_do_not_import_the_formula_reader() -> None:
    script = (
        "import sys, engine.notation.wrap, engine.notation.prose, engine.notation.page as p;"
        "p.plain('只有文字 only', 20);"
        "assert not {'math_core', 'sympy', 'numpy', 'textual', 'xml.etree.ElementTree'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
