"""D62: what denoising objectives ask for: masked tokens, replaced tokens, hidden spans.

Devlin et al. 2019, section 3.1 (loss at the selected tokens); Clark et al. 2020, sections 2 and 3.2 (ELECTRA);
Raffel et al. 2020, section 3.3.4 (T5). One context stands for all: its tokens are independent, of law p.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import tolerance
from engine.demonstration import (
    Array,
    Check,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.masked_lm import BERT_SPLIT, Fate, mask_tokens
from engine.nn.replaced_token import corrupt, detection_loss
from engine.nn.span_corruption import Ids, corrupt_spans, noise_counts, restore
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def copied_everywhere(rate: Expr, random: Expr, kept: Expr, V: Expr) -> Expr:
    """Accuracy, over all positions, of repeating whatever stands there."""
    return 1 - rate * (1 - kept - random / V)


def copied_targets(random: Expr, kept: Expr, V: Expr) -> Expr:
    """The same over the selected positions alone."""
    return kept + random / V


def replaced(rate: Expr, agreement: Expr) -> Expr:
    """Share of tokens that end up as another one; agreement: sum of p_v q_v."""
    return rate * (1 - agreement)


def shown(p: Expr, q: Expr, rate: Expr) -> Expr:
    """Share of tokens shown to the detector as this one."""
    return (1 - rate) * p + rate * q


def replaced_given_shown(p: Expr, q: Expr, rate: Expr) -> Expr:
    """P(a token is another one's replacement | it is shown as this one)."""
    return rate * q * (1 - p) / shown(p, q, rate)


def span_input(T: Expr, noise: Expr, spans: Expr) -> Expr:
    return T - noise + spans


def span_target(noise: Expr, spans: Expr) -> Expr:
    return noise + spans + 1


def derive() -> tuple[Step, ...]:
    return (*_copying(), *_detecting(), *_spans())


def _copying() -> tuple[Step, ...]:
    import sympy as sp

    rho, r, k = sp.symbols("rho r k", positive=True)
    V = sp.Symbol("V", integer=True, positive=True)
    right = sp.Matrix([0, 1 / V, 1])
    bert = {rho: sp.Rational(3, 20), r: sp.Rational(1, 10), k: sp.Rational(1, 10)}
    return (
        defined(
            "copier",
            r"\hat{x}_t = \tilde{x}_t",
            Text(
                "a copier repeats the token it sees; of the selected tokens a share $r$ is random, $k$ is kept and the rest is [MASK]",
                "复读机：看到什么词元就输出什么；选中的词元中，占比 $r$ 换成随机词，$k$ 保持原样，其余换成 [MASK]",
            ),
        ),
        equal(
            "copier-at-targets",
            sp.MatMul(sp.Matrix([[1 - r - k, r, k]]), right, evaluate=False),
            sp.Matrix([[copied_targets(r, k, V)]]),
            Text(
                "at a target it is right where the token was kept, and where the random token is the original",
                "在目标位置，它只在词元保持原样、或随机词恰为原词时答对",
            ),
        ),
        equal(
            "copier-everywhere",
            sp.MatMul(
                sp.Matrix([[1 - rho, rho * (1 - r - k), rho * r, rho * k]]),
                sp.Matrix([1, *right]),
                evaluate=False,
            ),
            sp.Matrix([[copied_everywhere(rho, r, k, V)]]),
            Text(
                "over all positions it is also right at every unselected token",
                "对所有位置统计时，未选中的词元它全部答对",
            ),
        ),
        popular_error(
            "accuracy-everywhere-is-skill",
            sp.Subs(copied_everywhere(rho, r, k, V), tuple(bert), tuple(bert.values())),
            sp.Subs(copied_targets(r, k, V), (r, k), (bert[r], bert[k])),
            Text(
                "'accuracy over all positions measures the model': a copier that knows no language scores above 86% there, about 10% at the targets",
                "“在所有位置上统计的准确率反映模型水平”：不懂语言的复读机也能得 86% 以上，在目标位置只有约 10%",
            ),
        ),
    )  # fmt: skip


def _detecting() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.entropy import Entropy

    rho, p, q = sp.symbols("rho p q", positive=True)
    p_1, p_2, q_1, q_2 = sp.symbols("p_1 p_2 q_1 q_2", positive=True)
    law, other = (p_1, p_2, 1 - p_1 - p_2), (q_1, q_2, 1 - q_1 - q_2)

    def cells(truth: tuple[Expr, ...], generator: tuple[Expr, ...]) -> dict[Any, Expr]:
        """The joint law of the token shown (x_1) and of whether it is a replacement (x_2)."""
        at = sp.Rational(3, 20)
        law: dict[Any, Expr] = {}
        for v, (a, b) in enumerate(zip(truth, generator, strict=True)):
            law[v, 0], law[v, 1] = (1 - at) * a + at * b * a, at * b * (1 - a)
        return law

    truth = (sp.Rational(7, 10), sp.Rational(1, 5), sp.Rational(1, 10))
    perfect, blind = cells(truth, truth), cells(truth, (sp.Rational(1, 3),) * 3)
    both = {(*a, *b): perfect[a] * blind[b] for a in perfect for b in blind}
    return (
        equal(
            "replaced-share",
            sum(rho * b * (1 - a) for a, b in zip(law, other, strict=True)),
            replaced(rho, sum(a * b for a, b in zip(law, other, strict=True))),
            Text(
                "a selected place gets a draw from the generator $q$; where it hits the original the label is 'original'",
                "选中的位置换成生成器 $q$ 的采样；若恰好采到原词，标签仍是“原词”",
            ),
            bound="V=3",
        ),
        equal(
            "shown-as",
            (1 - rho) * p + rho * q * p + rho * q * (1 - p),
            shown(p, q, rho),
            Text(
                "the three ways in which a token comes to be shown: not selected, drawn and right, drawn and wrong",
                "一个词元出现的三种途径：未被选中；被采样且采对；被采样但采错",
            ),
        ),
        equal(
            "with-a-perfect-generator",
            sp.Subs(replaced_given_shown(p, q, rho), q, p),
            rho * (1 - p),
            Text(
                "Bayes at $q = p$: nothing but the rarity of the token speaks of replacement",
                "$q = p$ 时的贝叶斯后验：只有词元的罕见程度还透露一点信息",
            ),
        ),
        popular_error(
            "best-generator-teaches-most",
            Entropy(both, (2,)) - Entropy(both, (2,), (1,)),
            Entropy(both, (4,)) - Entropy(both, (4,), (3,)),
            Text(
                "'the better the generator, the more the detector can learn': $x_1$ is the token shown and $x_2$ its label with a perfect "
                "generator, $x_3$ and $x_4$ with blind draws, which leave more to detect",
                "“生成器越强，判别器学到的越多”：$x_1$、$x_2$ 是生成器完美时看到的词元及其标签，$x_3$、$x_4$ 是均匀乱抽时的；后者可检测的信息更多",
            ),
            op=">",
            bound="V=3",
        ),
        cited(
            "generator-size",
            r"\text{generator} = \tfrac14 \ldots \tfrac12\ \text{of the discriminator}",
            Text(
                "the best generators were smaller than the discriminator; too strong a generator hurt",
                "效果最好的生成器比判别器小；生成器太强反而有害",
            ),
            "Clark et al. 2020, section 3.2",
        ),
    )  # fmt: skip


def _spans() -> tuple[Step, ...]:
    import sympy as sp

    T, N, S = sp.symbols("T N S", integer=True, positive=True)
    i = sp.Symbol("i", integer=True, positive=True)
    return (
        equal(
            "span-target",
            sp.Sum(1 + N / S, (i, 1, S)) + 1,
            span_target(N, S),
            Text(
                "$N$ hidden tokens in $S$ spans: the target has a sentinel before each span and one at the end",
                "$N$ 个被遮住的词元分成 $S$ 段：目标序列在每段之前有一个哨兵，末尾再加一个",
            ),
        ),
        equal(
            "span-both",
            sp.UnevaluatedExpr(span_input(T, N, S)) + span_target(N, S),
            T + 2 * S + 1,
            Text(
                "every token stands once, in the input or in the target; the rest are sentinels",
                "每个词元只出现一次，不在输入里就在目标里；其余都是哨兵",
            ),
        ),
        cited(
            "span-length",
            r"\text{T5}: 15\,\%,\ \text{mean span } 3",
            Text(
                "spans shorten both sequences at little change in quality, so T5 hides spans of mean length 3",
                "按段遮住使两个序列都变短，质量变化不大，所以 T5 取平均段长 3",
            ),
            "Raffel et al. 2020, section 3.3.4",
        ),
    )


def token_law(V: int) -> Array:
    """What the context allows, (V,): p_v in proportion to 1/v."""
    weights = 1 / np.arange(1.0, V + 1)
    return np.asarray(weights / weights.sum())


def generator_law(p: Params) -> Array:
    """(V,): the true law with weight lambda, else blind draws."""
    return np.asarray(p.quality * token_law(p.V) + (1 - p.quality) / p.V)


def entropy(share: Any) -> Any:
    """Bits of a yes or no of this probability."""
    return -(share * np.log2(share) + (1 - share) * np.log2(1 - share))


def predict(p: Params) -> Results:
    _, random, kept = BERT_SPLIT
    law, generator = token_law(p.V), generator_law(p)
    share = replaced(p.rate, float(law @ generator))
    bits = float(shown(law, generator, p.rate) @ entropy(replaced_given_shown(law, generator, p.rate)))
    noise, spans = noise_counts(p.T, p.rate, p.span)
    return {
        "copied_everywhere": copied_everywhere(p.rate, random, kept, p.V),
        "copied_targets": copied_targets(random, kept, p.V),
        "replaced_share": share,
        "says_original": 1 - share,
        "detection_bits": bits,
        "label_bits": float(entropy(share)),
        "learnable_bits": float(entropy(share)) - bits,
        "hidden": noise,
        "spans": spans,
        "input_length": span_input(p.T, noise, spans),
        "target_length": span_target(noise, spans),
    }


def detector_logits(ids: Ids, p: Params) -> Array:
    """The best detector for these laws: log-odds that the token shown is a replacement, same shape."""
    law, generator = token_law(p.V), generator_law(p)
    wrong, right = p.rate * generator * (1 - law), (1 - p.rate) * law + p.rate * generator * law
    return np.asarray(np.log(wrong / right)[ids])


def measure(p: Params, rng: np.random.Generator) -> Results:
    shape = (max(1, p.samples // p.T), p.T)
    law, generator = token_law(p.V), generator_law(p)
    ids = rng.choice(p.V, size=shape, p=law)
    batch = mask_tokens(ids, rng, vocab_size=p.V, mask_id=p.V, rate=p.rate)
    copied, target = batch.input_ids == ids, batch.fate != Fate.UNSELECTED

    selected = rng.random(shape) < p.rate
    made = corrupt(ids, selected, np.log(generator)[None, None], rng)
    loss = detection_loss(detector_logits(made.ids, p), made.replaced)
    sequence = rng.integers(p.V, size=p.T)
    denoising = corrupt_spans(sequence, rng, rate=p.rate, mean_span=p.span, first_sentinel=p.V)
    whole = restore(denoising, p.V)
    return {
        "tokens": ids.size,
        "targets": int(target.sum()),
        "copied_everywhere": float(copied.mean()),
        "copied_targets": float(copied[target].mean()) if target.any() else 0.0,
        "replaced_share": float(made.replaced.mean()),
        "says_original": float(1 - made.replaced.mean()),
        "detection_bits": loss / math.log(2),
        "spans": int((denoising.inputs >= p.V).sum()),
        "input_length": len(denoising.inputs),
        "target_length": len(denoising.targets),
        "lost": int((whole != sequence).sum()) if len(whole) == p.T else p.T,
    }


def _loss_band(p: Params, tokens: int) -> float:
    """Band of the mean detection loss in bits, from the exact law of token and label."""
    law, generator = token_law(p.V), generator_law(p)
    wrong = p.rate * generator * (1 - law)
    right = shown(law, generator, p.rate) - wrong
    chance = np.concatenate((wrong, right))
    loss = -np.log2(chance / np.tile(wrong + right, 2))
    deviation = loss - chance @ loss
    spread = math.sqrt(chance @ deviation**2)
    # 1e-12: rounding of the mean
    return tolerance.mean(spread, float(chance @ deviation**3) / spread**3, tokens) + 1e-12


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("tokens, counted", "清点词元")
    binomial = Text(
        "exact binomial law: 5 standard errors and the skewness term",
        "精确的二项分布：5 个标准误，外加偏度项",
    )

    def share(name: str, claim: Text, key: str, draws: int) -> Check:
        band = tolerance.proportion(float(predicted[key]), draws)
        return Check(
            name,
            claim,
            float(predicted[key]),
            float(results[key]),
            band,
            binomial,
            false_alarm=tolerance.FALSE_ALARM,
        )

    def exactly(name: str, claim: Text, expected: float, key: str) -> Check:
        return Check(name, claim, float(expected), float(results[key]), None, counted)

    return (
        share("copied-everywhere", Text("accuracy of a copier over all positions", "复读机在所有位置上的准确率"), "copied_everywhere", results["tokens"]),
        share("copied-targets", Text("accuracy of a copier at the targets", "复读机在目标位置的准确率"), "copied_targets", max(1, results["targets"])),
        share("replaced", Text("share of tokens that are replacements", "被替换成别的词的词元比例"), "replaced_share", results["tokens"]),
        Check(
            "detection-bits",
            Text("bits of the best detector's loss per token", "最优判别器每个词元的损失（比特）"),
            predicted["detection_bits"],
            results["detection_bits"],
            _loss_band(p, results["tokens"]),
            Text("5 standard errors of a mean and its skewness term, from the exact law of token and label", "均值的 5 个标准误，外加偏度项，由词元与标签的精确分布算出"),
            false_alarm=9e-7,
        ),
        exactly("input-length", Text("tokens that the encoder reads", "编码器读入的词元数"), predicted["input_length"], "input_length"),
        exactly("target-length", Text("tokens that the decoder writes", "解码器写出的词元数"), predicted["target_length"], "target_length"),
        exactly("nothing-lost", Text("tokens not recovered from input and target", "由输入与目标拼不回来的词元数"), 0.0, "lost"),
    )  # fmt: skip


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    qualities = np.linspace(0.0, 1.0, 41)
    law = token_law(p.V)
    learnable = []
    for quality in qualities:
        generator = quality * law + (1 - quality) / p.V
        posterior = replaced_given_shown(law, generator, p.rate)
        of_label = entropy(replaced(p.rate, float(law @ generator)))
        learnable.append(float(of_label - shown(law, generator, p.rate) @ entropy(posterior)))
    measured = float(entropy(results["replaced_share"])) - results["detection_bits"]
    return (
        Bars(
            Text("A copier that knows no language", "一个不懂语言的复读机"),
            Text(
                "over all positions it is credited with the tokens it was shown; at the targets it is not",
                "按所有位置统计，没遮住的词元也算它的功劳；只看目标位置就露馅",
            ),
            Axis(Text("accuracy", "准确率"), low=0.0, high=1.0),
            (
                Bar(Text("all positions", "所有位置"), results["copied_everywhere"], "popular"),
                Bar(Text("targets", "目标位置"), results["copied_targets"], "measured"),
            ),
        ),
        Plot(
            Text("What there is to detect", "还剩多少可检测"),
            Text(
                "as the generator comes closer to the true law, less tells a replacement from an original",
                "生成器越接近真实分布，替换与原词就越难区分",
            ),
            Axis(Text("generator: 0 blind, 1 perfect", "生成器：0 为乱抽，1 为完美")),
            Axis(Text("bits per token", "每个词元的比特数"), low=0.0),
            (
                Line(Text("predicted", "预测"), qualities, np.array(learnable), "predicted"),
                Points(Text("measured", "实测"), np.array([p.quality]), np.array([measured]), "measured"),
                Rule(Text("chosen generator", "所选生成器"), p.quality, "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D62",
    name="denoising-objectives",
    title=Text("Denoising: masks, replacements, spans", "去噪目标：掩码、替换与分段"),
    shows=Text(
        "outside the targets copying suffices; a detector has a target everywhere, but a perfect generator leaves it little to detect; "
        "hidden spans shorten what is read and what is written",
        "目标之外，照抄就够了；判别器处处有目标，但生成器若完美，就几乎没有可检测的；按段遮住使读入与写出都变短",
    ),
    kills=Text(
        "“accuracy over all positions measures a masked language model”, “the stronger ELECTRA's generator, the better”",
        "“掩码语言模型看所有位置的准确率”“ELECTRA 的生成器越强越好”",
    ),
    parameters=(
        Parameter("rate", r"\rho", Text("share of tokens selected or hidden", "选中（遮住）的词元比例"), 0.15, 0.05, 0.8, 0.05),
        Parameter("V", "V", Text("tokens that the context allows", "上下文容许的词元数"), 16, 2, 64, 1.0, "int", "log"),
        Parameter("quality", r"\lambda", Text("generator: 0 blind, 1 perfect", "生成器：0 为乱抽，1 为完美"), 0.8, 0.0, 1.0, 0.05),
        Parameter("T", "T", Text("tokens in a sequence", "序列长度"), 512, 2, 1024, 1.0, "int", "log"),
        Parameter("span", r"\mu", Text("mean length of a span", "平均段长"), 3.0, 1.0, 10.0, 0.5),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "copied_everywhere",
        Text("accuracy of a copier over all positions", "复读机在所有位置上的准确率"),
        Text("", ""),
        0.0,
        1.0,
    ),
    samples=Samples(rest=16_000),
)  # fmt: skip
