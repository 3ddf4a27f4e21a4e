"""D17: what one fixed vector can hold of a sequence, against looking back with attention.

The bottleneck: Cho et al. 2014b (performance falls with length); Sutskever et al. 2014, section 3.3 (reversing the
source). The memory here superposes items as Plate 1995 does, with random signs as keys.
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import (
    Array,
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Figure, Line, Plot, Points, Rule
from engine.nn.softmax import softmax
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text

ALARM = 6e-7
SHARPNESS = 200.0
"""Factor on the attention scores: large enough that nothing but the right item is read."""


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def crosstalk_variance(n: Expr, d: Expr) -> Expr:
    """Variance of the noise that n - 1 other items leave on one item of d numbers, without a leak."""
    return (n - 1) / d


def item_weight(leak: Expr, age: Expr) -> Expr:
    """What is left of an item that went in ``age`` steps before the last."""
    return leak**age


def leaked_variance(leak: Expr, ages: Expr, d: Expr) -> Expr:
    """Crosstalk of ``ages`` items that are 0 … ages - 1 steps old, with leak < 1."""
    return (1 - leak ** (2 * ages)) / (1 - leak**2) / d


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation, Variance

    n, d, age, t, k, j = sp.symbols("n d m t k j", integer=True, positive=True)
    leak, gap, beta = sp.symbols("a g beta", positive=True)
    below = 1 / (1 + gap)
    signs = sp.symbols("e_12 e_13 e_22 e_23", real=True)
    law = dict.fromkeys(signs, (0, 1, 0, 1))
    read = 1 + sum(signs) / 2
    held = sum((1 + signs[2 * i] + signs[2 * i + 1]) ** 2 for i in range(2)) / 2
    return (
        defined(
            "memory",
            r"S = \sum_{i=1}^{n} a^{n-i} R_i c_i, \qquad R_i = \operatorname{diag}(\pm 1), \quad \|c_i\| = 1",
            Text(
                "one vector for all items, each turned by signs of its own; the leak $a$ lets old items fade",
                "所有内容叠加成一个向量，每一项先乘以各自的随机符号；泄漏 $a$ 使旧内容淡去",
            ),
        ),
        equal(
            "read-out",
            Expectation(read, law),
            sp.Integer(1),
            Text(
                r"undoing its signs gives an item back on average: $c_1 \cdot R_1^\top S$ has mean 1",
                r"撤去符号，平均能取回该项：$c_1 \cdot R_1^\top S$ 的均值为 1",
            ),
            bound="n=3, d=2",
        ),
        equal(
            "noise",
            Variance(read, law),
            crosstalk_variance(sp.Integer(3), sp.Integer(2)),
            Text("with noise from every other item", "但其余每一项都带来噪声"),
            bound="n=3, d=2",
        ),
        equal(
            "noise-at-any-size",
            sp.Sum(sp.Sum(1 / d**2, (k, 1, d)), (j, 2, n)),
            crosstalk_variance(n, d),
            Text(
                r"$n - 1$ items, $d$ independent terms of variance $1/d^2$ each: any size",
                r"$n - 1$ 项，每项 $d$ 个方差为 $1/d^2$ 的独立项：任意大小",
            ),
        ),
        equal(
            "length-of-the-memory",
            Expectation(held, law),
            sp.Integer(3),
            Text(
                r"and the vector grows: $\|S\|^2$ is $n$ on average, so the cosine with an item is about $1/\sqrt n$",
                r"而且向量变长：$\|S\|^2$ 平均为 $n$，于是与某一项的余弦约为 $1/\sqrt n$",
            ),
            bound="n=3, d=2",
        ),
        equal(
            "fading",
            sp.Product(leak, (t, 1, age)),
            item_weight(leak, age),
            Text("an item that is $m$ steps old has faded by $a^m$", "$m$ 步之前的内容衰减为 $a^m$"),
        ),
        equal(
            "faded-noise",
            sp.Sum(below ** (2 * t), (t, 0, age - 1)) / d,
            leaked_variance(below, age, d),
            Text(
                r"the noise of the younger ones is a geometric sum (here $a = 1/(1 + g) < 1$)",
                r"较新内容的噪声是几何级数之和（此处 $a = 1/(1 + g) < 1$）",
            ),
        ),
        equal(
            "attention-is-exact",
            sp.Limit(1 / (1 + (n - 1) * sp.exp(-beta * gap)), beta, sp.oo),
            sp.Integer(1),
            Text(
                r"attention keeps the items apart: with any lead $g > 0$ a sharp softmax reads one of them alone",
                r"注意力让各项分开存放：只要领先 $g > 0$，尖锐的 softmax 就只读其中一项",
            ),
        ),
        popular_error(
            "size-is-a-matter-of-bits",
            crosstalk_variance(n, d),
            crosstalk_variance(n + 1, d),
            Text(
                "‘d numbers of 32 bits hold any sentence’: every further item raises the noise on all others",
                "“d 个 32 位的数足以装下任何句子”：每多一项，其余各项的噪声都变大",
            ),
        ),
        cited(
            "setup",
            r"4 \times 1000 \times 2 = 8000",
            Text(
                "the sentence vector of Sutskever et al. held 8,000 numbers: four layers of cells and states",
                "Sutskever 等人的句向量有 8000 个数：四层的细胞与隐藏状态",
            ),
            "Sutskever et al. 2014, section 3.4",
        ),
    )


def source_age(p: Params) -> int:
    """Steps that the first source word lies behind the end of the encoder's reading."""
    return 0 if p.order == "reversed" else p.n - 1


def predict(p: Params) -> Results:
    age = source_age(p)
    return {
        "first_word": item_weight(p.leak, age),
        "crosstalk_variance": crosstalk_variance(p.n, p.d),
        "cosine": 1 / math.sqrt(p.n),
        "attention_recall": 1.0,
        "first_noise": _noise(p, age),
    }


def _noise(p: Params, age: int) -> float:
    """Variance on the item of this age: all items but itself."""
    whole = leaked_variance(p.leak, p.n, p.d) if p.leak < 1 else p.n / p.d
    own = float(p.leak ** (2 * age)) / p.d
    return max(0.0, float(whole) - own)


def random_signs(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Independent entries -1 and 1, shape (rows, columns)."""
    signs: Array = rng.integers(0, 2, (rows, columns), dtype=np.int8).astype(np.float64)
    signs *= 2.0
    signs -= 1.0
    return signs


def remember(codes: Array, signs: Array, leak: float) -> Array:
    """The encoder's last state (…, d), read word by word: S_t = a S_{t-1} + R_t c_t, codes and signs (…, n, d)."""
    bound = signs * codes  # (…, n, d)
    state: Array = np.zeros((*codes.shape[:-2], codes.shape[-1]))
    for word in range(codes.shape[-2]):
        state *= leak
        state += bound[..., word, :]
    return state


def recall(state: Array, signs: Array, codebook: Array) -> Array:
    """The index of the code most like each item, read from the one vector: (n,)."""
    similar = (signs * state) @ codebook.T  # (n, V)
    best: Array = similar.argmax(axis=1)
    return best


def attend_and_recall(keys: Array, codes: Array, codebook: Array) -> Array:
    """The same with attention over the items kept apart: keys (n, n) orthonormal, codes (n, d)."""
    weights = softmax(SHARPNESS * keys @ keys.T)
    best: Array = ((weights @ codes) @ codebook.T).argmax(axis=1)
    return best


def read_back(found: Array, chosen: Array, codebook: Array) -> int:
    """How many of the codes found are those chosen, compared as vectors: a small codebook may hold a code twice."""
    other = found != chosen
    return len(found) - int((codebook[found[other]] != codebook[chosen[other]]).any(axis=1).sum())


def measure(p: Params, rng: np.random.Generator) -> Results:
    trials = min(40, max(1, p.samples // ((p.n + p.V) * p.d)))
    drawn = [
        (random_signs(rng, p.V, p.d) / math.sqrt(p.d), rng.integers(0, p.V, p.n), random_signs(rng, p.n, p.d))
        for _ in range(trials)
    ]
    codes = np.stack([codebook[chosen] for codebook, chosen, _ in drawn])  # (trials, n, d)
    signs = np.stack([keys for _, _, keys in drawn])  # (trials, n, d)
    words = slice(None, None, -1 if p.order == "reversed" else 1)
    states = remember(codes[:, words], signs[:, words], p.leak)  # (trials, d)
    first = (signs[:, 0] * states * codes[:, 0]).sum(axis=1)  # (trials,)
    right, looked, places = 0, 0, np.eye(p.n)
    for trial, (codebook, chosen, keys) in enumerate(drawn):
        right += read_back(recall(states[trial], keys, codebook), chosen, codebook)
        looked += read_back(attend_and_recall(places, codes[trial], codebook), chosen, codebook)
    return {
        "trials": trials,
        "first_word": float(first.mean()),
        "cosine": float((first / np.linalg.norm(states, axis=1)).mean()),
        "recall": right / (trials * p.n),
        "attention_recall": looked / (trials * p.n),
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    deviation = math.sqrt(predicted["first_noise"] / results["trials"])
    return (
        Check(
            "first-word",
            Text("what is left of the first source word in the vector", "向量中第一个源词还剩多少"),
            predicted["first_word"],
            results["first_word"],
            math.sqrt(2 * math.log(2 / ALARM)) * deviation + 1e-12,
            Text(
                "Hoeffding's inequality for a sum of random signs, 6e-7",
                "随机符号之和的 Hoeffding 不等式，6e-7",
            ),
            false_alarm=ALARM,
        ),
        Check(
            "attention-recalls-all",
            Text("share of items that attention reads back", "注意力读回的比例"),
            1.0,
            results["attention_recall"],
            0.0,
            Text(
                "exact: a softmax of 200 leaves $e^{-200}$ to the others",
                "精确：分数 200 的 softmax 只给其他项 $e^{-200}$",
            ),
        ),
        Check(
            "vector-recalls-no-more",
            Text("the fixed vector reads back no more than attention", "固定向量读回的不比注意力多"),
            results["attention_recall"],
            results["recall"],
            None,
            Text("a bound", "上界"),
            "<=",
        ),
    )


def curve(p: Params) -> tuple[Array, Array]:
    """Recall against n for a few lengths, one trial each on one codebook, from a generator of its own: it is context,
    not a check."""
    rng = np.random.default_rng(17)
    lengths = np.array([2, 4, 8, 16, 32, 64])
    codebook = random_signs(rng, p.V, p.d) / math.sqrt(p.d)
    shares = []
    for n in lengths:
        chosen, signs = rng.integers(0, p.V, n), random_signs(rng, n, p.d)
        found = recall(remember(codebook[chosen], signs, p.leak), signs, codebook)
        shares.append(float((found == chosen).mean()))
    return lengths.astype(float), np.array(shares)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    lengths, shares = curve(p)
    ages = np.arange(p.n, dtype=float)
    return (
        Plot(
            Text("Items read back", "读回的比例"),
            Text(
                "the longer the sequence, the less one vector gives back; attention reads every item",
                "序列越长，一个向量能还原的越少；注意力能读回每一项",
            ),
            Axis(Text("items n", "项数 n"), "log"),
            Axis(Text("share", "比例"), low=0.0, high=1.05),
            (
                Line(Text("one vector", "一个向量"), lengths, shares, "other"),
                Points(Text("one vector, at n", "一个向量，所选 n"), np.array([float(p.n)]), np.array([results["recall"]])),
                Rule(Text("attention", "注意力"), results["attention_recall"], "y", "measured"),
            ),
        ),
        Plot(
            Text("What is left of each word", "每个词还剩多少"),
            Text(
                "with a leak, what was read early has faded; reading the source backwards favours its first words",
                "有泄漏时，先读的内容已经淡去；倒着读源句有利于句首的词",
            ),
            Axis(Text("steps before the end", "距结尾的步数")),
            Axis(Text("weight", "权重"), low=0.0),
            (
                Line(Text("predicted", "预测"), ages, item_weight(p.leak, ages), "predicted"),
                Points(Text("first source word", "第一个源词"), np.array([float(source_age(p))]), np.array([results["first_word"]])),
            ),
        ),
    )  # fmt: skip


DEMO = Demonstration(
    id="D17",
    name="fixed-vector",
    title=Text("One fixed vector against attention", "一个固定向量与注意力"),
    shows=Text(
        r"an item in a sum of $n$ is read back under noise of variance $(n-1)/d$; attention reads it exactly",
        r"从 $n$ 项之和里取回一项，要承受方差为 $(n-1)/d$ 的噪声；注意力可以精确读取",
    ),
    kills=Text("“the bottleneck is a matter of bits”", "“瓶颈只是比特数的问题”"),
    parameters=(
        Parameter("n", "n", Text("items in the sequence", "序列的项数"), 16, 1, 128, 1.0, "int", "log"),
        Parameter("d", "d", Text("numbers in the vector", "向量的维度"), 256, 16, 1024, 1.0, "int", "log"),
        Parameter("V", "V", Text("words in the codebook", "码本的词数"), 200, 2, 1000, 0.5, "int", "log"),
        Parameter("leak", "a", Text("what a step leaves of the state", "每步保留的比例"), 1.0, 0.8, 1.0, 0.01),
        Parameter(
            "order", r"\text{order}", Text("direction of reading", "读取方向"), "forward", kind="choice",
            choices=(Choice("forward", Text("forward", "正序")), Choice("reversed", Text("reversed", "倒序"))),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline("recall", Text("share of items the vector gives back", "向量能还原的比例"), Text("", ""), 0.0, 1.0),
    samples=Samples(rest=800_000, drag=300_000),
)  # fmt: skip
