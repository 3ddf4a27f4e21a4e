"""D40: what 15 % and 80/10/10 mean in masked language modelling.

Devlin et al. 2019, section 3.1 and appendices A.1, C.2: 15 % of the tokens are selected; of these 80 % become [MASK],
10 % a random token, 10 % stay. Liu et al. 2019, section 4.1: masks drawn once against masks drawn anew.
"""

from __future__ import annotations

import math

import numpy as np

from engine import tolerance
from engine.demonstration import (
    Check,
    Choice,
    Demonstration,
    Headline,
    Parameter,
    Params,
    Results,
    Samples,
)
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot
from engine.nn.masked_lm import Fate, MaskedBatch, exact_count, mask_tokens, next_sentence_pairs
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text, same

# Devlin et al. 2019, table 8: shares of [MASK], random, kept
SPLITS = {
    "80/10/10": (0.8, 0.1, 0.1),
    "100/0/0": (1.0, 0.0, 0.0),
    "80/0/20": (0.8, 0.0, 0.2),
    "80/20/0": (0.8, 0.2, 0.0),
    "0/20/80": (0.0, 0.2, 0.8),
    "0/0/100": (0.0, 0.0, 1.0),
}
DOCUMENTS_A_TOPIC, SENTENCES_A_DOCUMENT = 2, 5
PAIRS = 10_000
SPLIT_TOKENS = 80_000
ROUNDING = Text("rounding: the number of targets is fixed", "仅舍入误差：目标数是固定的")
REPEATED_TOKENS = 2_560


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers.
def share_of_all(rate: Expr, share: Expr) -> Expr:
    """Of all tokens, those selected and given one fate."""
    return rate * share


def selected_mean(tokens: Expr, rate: Expr) -> Expr:
    return tokens * rate


def selected_variance(tokens: Expr, rate: Expr) -> Expr:
    return tokens * rate * (1 - rate)


def none_selected(tokens: Expr, rate: Expr) -> Expr:
    return (1 - rate) ** tokens


def drawn_given_visible(rate: Expr, masked: Expr, random: Expr) -> Expr:
    """P(a token was drawn at random | it is not [MASK])."""
    return rate * random / (1 - rate * masked)


def ever_selected(rate: Expr, masks: Expr) -> Expr:
    """P(a token is a target under at least one of so many independent masks)."""
    return 1 - (1 - rate) ** masks


def topic_accuracy(same_topic: Expr) -> Expr:
    """Accuracy of 'it follows if the topics agree', where a negative shares the topic with this probability."""
    return 1 - same_topic / 2


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.moments import Expectation

    p, mask, random = sp.symbols("p m r", positive=True)
    T, V, e = sp.symbols("T V e", integer=True, positive=True)
    z, u = sp.Symbol("z"), sp.Symbol("u", nonnegative=True)
    i = sp.Symbol("i", integer=True, positive=True)
    bert = (sp.Rational(3, 20), sp.Rational(4, 5), sp.Rational(1, 10))

    counting = (1 - p + p * z) ** T
    mean = sp.Subs(sp.Derivative(counting, z), z, 1)
    second = sp.Subs(sp.Derivative(counting, (z, 2)), z, 1)

    picks = sp.symbols("X_1:4")
    bernoulli = dict.fromkeys(picks, (p,) * 4)
    missed_by_all = sp.prod((1 - pick) ** 4 for pick in picks)
    R, S, N, G = sp.symbols("R S N G")
    tenth = sp.Rational(1, 10)
    words = sp.symbols("q_1:5", positive=True)
    law = sp.Matrix([[*words, 1 - sum(words)]])
    g, q = sp.symbols("g s", positive=True)
    half = sp.Rational(1, 2)

    return (
        defined(
            "selection",
            r"u_t \sim U[0,1) \text{ i.i.d.}, \quad \text{token } t \text{ is a target} \iff u_t < p, \quad m + r + k = 1",
            Text(
                "one draw per token decides whether it is a target and, if so, its fate: [MASK] with share $m$, random "
                "with $r$, kept with $k$",
                "每个词元只抽一次随机数：它既决定该词元是否被选为预测目标，也决定选中后的去向——"
                "占比 $m$ 换成 [MASK]，$r$ 换成随机词，$k$ 保持原样",
            ),
        ),
        equal(
            "shares",
            sp.Matrix(
                [
                    [
                        sp.Integral(1, (u, 0, p * mask)),
                        sp.Integral(1, (u, p * mask, p * (mask + random))),
                        sp.Integral(1, (u, p * (mask + random), p)),
                    ]
                ]
            ),
            sp.Matrix([[share_of_all(p, mask), share_of_all(p, random), share_of_all(p, 1 - mask - random)]]),
            Text(
                "each fate is an interval of the draw; its length is $p$ times the share, and the last share is $k$",
                "每种去向对应随机数的一段区间，长度等于 $p$ 乘以占比；最后一段的占比就是 $k$",
            ),
        ),
        equal(
            "bert-shares",
            sp.Subs(
                sp.Matrix([[share_of_all(p, part) for part in (mask, random, 1 - mask - random)]]),
                (p, mask, random),
                bert,
            ),
            sp.Matrix([[sp.Rational(3, 25), sp.Rational(3, 200), sp.Rational(3, 200)]]),
            Text(
                "BERT's figures: 12 %, 1.5 % and 1.5 % of all tokens",
                "代入 BERT 的数值：占全部词元的 12%、1.5%、1.5%",
            ),
        ),
        popular_error(
            "ten-percent-of-all",
            sp.Subs(share_of_all(p, random), (p, random), (bert[0], tenth)),
            tenth,
            Text(
                "'10 % random means 10 % of all tokens': it is 10 % of the selected ones",
                "“10% 随机替换就是全部词元的 10%”：错，是被选中者的 10%",
            ),
        ),
        popular_error(
            "two-draws",
            Expectation((1 - S) * R, {R: (tenth,), S: (tenth,)}),
            tenth,
            Text(
                "two independent draws of chance 1/10, $S$ for 'stays' and $R$ for 'random', the first one having its "
                "way: only 9 % become random, and the code gives 81/10/9",
                "用两次独立抽样（概率各 1/10）：$S$ 表示“保持”，$R$ 表示“随机”，先判 $S$；"
                "这样只有 9% 变成随机词，代码实际给出 81/10/9",
            ),
        ),
        equal(
            "mean",
            mean,
            selected_mean(T, p),
            Text(
                "the number of targets among $T$ tokens has the generating function $(1-p+pz)^T$; its slope at 1 is "
                "the mean",
                "$T$ 个词元中目标数的概率母函数为 $(1-p+pz)^T$；它在 1 处的导数就是均值",
            ),
        ),
        equal(
            "variance",
            second + mean - mean**2,
            selected_variance(T, p),
            Text(
                r"variance from the first two derivatives: $G'' + G' - G'^2$ at 1; 512 tokens at 15 % give 76.8 ± 8.1",
                r"由前两阶导数求方差：1 处的 $G'' + G' - G'^2$；512 个词元、选取率 15% 时为 76.8 ± 8.1",
            ),
        ),
        equal(
            "none",
            sp.Subs(counting, z, 0),
            none_selected(T, p),
            Text(
                "the generating function at 0 is the probability of no target: 61 % for three tokens at 15 %",
                "母函数在 0 处的值是一个目标都没有的概率：三个词元、选取率 15% 时为 61%",
            ),
        ),
        equal(
            "drawn-given-visible",
            p * random / ((1 - p) + p * random + p * (1 - mask - random)),
            drawn_given_visible(p, mask, random),
            Text(
                "Bayes: tokens that are not [MASK] are the unselected, the random and the kept ones",
                "贝叶斯公式：不是 [MASK] 的词元由未选中、随机替换、保持原样三类组成",
            ),
        ),
        equal(
            "bert-drawn-given-visible",
            sp.Subs(drawn_given_visible(p, mask, random), (p, mask, random), bert),
            sp.Rational(3, 176),
            Text(
                "at BERT's figures 1.7 % of the visible words were drawn at random: the model must doubt every word a little",
                "代入 BERT 的数值：可见词中有 1.7% 是随机换上的，模型对每个词都得存一点疑",
            ),
        ),
        equal(
            "same-word",
            sp.MatMul(law / V, sp.ones(5, 1), evaluate=False),
            sp.Matrix([[1 / V]]),
            Text(
                "a random token, uniform over $V$ tokens, is the original with probability $1/V$, however frequent the "
                "original is",
                "在 $V$ 个词元上均匀抽取的随机词恰为原词的概率是 $1/V$，与原词的词频无关",
            ),
            bound="V=5",
        ),
        equal(
            "dynamic",
            1 - sp.Product(1 - p, (i, 1, e)),
            ever_selected(p, e),
            Text(
                "a new mask each epoch: the chances of being missed multiply over $e$ epochs",
                "动态掩码，每个 epoch 重新抽：$e$ 个 epoch 都未被选中的概率相乘",
            ),
        ),
        equal(
            "static",
            Expectation(1 - missed_by_all, bernoulli),
            ever_selected(p, 3),
            Text(
                r"static masks: an indicator is its own power ($X^4 = X$), so using a mask four times covers no more "
                "than using it once; only the number of masks counts",
                r"静态掩码：示性变量的幂等于自身（$X^4 = X$），同一份掩码用四次并不比用一次覆盖更多；只有掩码份数起作用",
            ),
            bound="n=3, e=12",
        ),
        equal(
            "next-sentence-chance",
            Expectation(N * G + (1 - N) * (1 - G), {N: (half,), G: (g,)}),
            half,
            Text(
                "next-sentence labels $N$ are balanced: a rule that ignores the pair and says 'next' ($G$) with "
                "probability $g$ is right half of the time",
                "下一句预测（NSP）的标签 $N$ 正负各半：不看句对、以概率 $g$ 回答“是”（$G$）的规则只有一半正确",
            ),
        ),
        equal(
            "next-sentence-by-topic",
            Expectation(N + (1 - N) * (1 - S), {N: (half,), S: (q,)}),
            topic_accuracy(q),
            Text(
                "negatives come from other documents: comparing topics alone is right on all positives and wrong only "
                "where a negative shares the topic ($S$, probability $s$)",
                "负例取自别的文档：只比较主题，正例全对，仅当负例恰好同主题（$S$，概率 $s$）时才错",
            ),
        ),
        cited(
            "not-optimal",
            r"p = 40\,\% \text{ better than } p = 15\,\% \text{ (BERT-large size, GLUE and SQuAD)}",
            Text(
                "15 % is a choice, not an optimum: a higher rate did better for large models, and [MASK] alone did as "
                "well as 80/10/10",
                "15% 只是一种选择，并非最优：大模型用更高的掩码率效果更好，全部换成 [MASK] 也不输 80/10/10",
            ),
            "Wettig et al. 2023, Should You Mask 15% in Masked Language Modeling?",
        ),
    )


def _rate(p: Params) -> float:
    """The chance of one token to be selected: a whole number of tokens a sequence where the count is exact."""
    return exact_count(p.T, p.rate) / p.T if p.selection == "exact" else p.rate


def predict(p: Params) -> Results:
    masked, random, kept = SPLITS[p.split]
    rate, independent = _rate(p), p.selection == "bernoulli"
    epochs = np.arange(1, p.epochs + 1)
    same_topic = (DOCUMENTS_A_TOPIC - 1) / (DOCUMENTS_A_TOPIC * p.topics - 1)
    # with every token masked nothing is visible, and nothing visible is wrong
    drawn = drawn_given_visible(rate, masked, random) if rate * masked < 1 else 0.0
    return {
        "mask_share": share_of_all(rate, masked),
        "random_share": share_of_all(rate, random),
        "kept_share": share_of_all(rate, kept),
        "split": np.array([masked, random, kept]),
        "selected_mean": selected_mean(p.T, rate),
        "selected_variance": selected_variance(p.T, rate) if independent else 0.0,
        "none_selected": none_selected(p.T, rate) if independent else 0.0,
        "wrong_given_visible": drawn * (1 - 1 / p.V),
        "same_word": 1 / p.V,
        "dynamic_coverage": ever_selected(rate, epochs),
        "static_coverage": ever_selected(rate, np.minimum(epochs, p.static_masks)),
        "topic_accuracy": topic_accuracy(same_topic),
    }


def masked_once(
    input_ids: np.ndarray, p: Params, rng: np.random.Generator, rate: float | None = None
) -> MaskedBatch:
    """One masking of a batch as the parameters say; [MASK] has the id after the vocabulary."""
    return mask_tokens(
        input_ids,
        rng,
        vocab_size=p.V,
        mask_id=p.V,
        rate=p.rate if rate is None else rate,
        split=SPLITS[p.split],
        selection=p.selection,
    )


def draw_tokens(shape: tuple[int, int], p: Params, rng: np.random.Generator) -> np.ndarray:
    """Ids of very unequal frequency: half of the text is the first eighth of the vocabulary."""
    u = rng.random(shape)
    return (p.V * (u * u * u)).astype(np.int64)


def static_mask(epoch: int, masks: int) -> int:
    """Which of so many static masks serves an epoch: they are used in turn."""
    return epoch % masks


def coverage(p: Params, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Share of tokens that were a target by the end of each epoch: with a new mask each, with static masks."""
    sequences = max(1, REPEATED_TOKENS // p.T)
    input_ids = draw_tokens((sequences, p.T), p, rng)
    drawn = [masked_once(input_ids, p, rng).fate != Fate.UNSELECTED for _ in range(p.epochs)]
    reused = [drawn[static_mask(epoch, p.static_masks)] for epoch in range(p.epochs)]
    dynamic, static = (np.logical_or.accumulate(masks).mean(axis=(1, 2)) for masks in (drawn, reused))
    return dynamic, static


def measure(p: Params, rng: np.random.Generator) -> Results:
    sequences = max(200, p.samples // p.T)
    input_ids = draw_tokens((sequences, p.T), p, rng)
    batch = masked_once(input_ids, p, rng)
    tokens = batch.fate.size
    counts = np.bincount(batch.fate.ravel(), minlength=len(Fate))
    selected = (batch.fate != Fate.UNSELECTED).sum(axis=1)
    visible = batch.input_ids != p.V
    changed = batch.input_ids != input_ids
    random = int(counts[Fate.RANDOM])
    # with every token selected the split shows at its sharpest
    all_selected = masked_once(draw_tokens((SPLIT_TOKENS // p.T, p.T), p, rng), p, rng, rate=1.0)

    document_of = np.repeat(np.arange(DOCUMENTS_A_TOPIC * p.topics), SENTENCES_A_DOCUMENT)
    pairs = next_sentence_pairs(document_of, PAIRS, rng)
    topic_of = document_of % p.topics
    dynamic, static = coverage(p, rng)
    says_next = topic_of[pairs.first] == topic_of[pairs.second]
    return {
        "tokens": tokens,
        "sequences": sequences,
        "fates": counts,
        "split_fates": np.bincount(all_selected.fate.ravel(), minlength=len(Fate))[1:],
        "mask_share": counts[Fate.MASKED] / tokens,
        "random_share": counts[Fate.RANDOM] / tokens,
        "kept_share": counts[Fate.KEPT] / tokens,
        "selected_mean": float(selected.mean()),
        "selected_variance": float(selected.var(ddof=1)),
        "none_selected": float((selected == 0).mean()),
        "visible": int(visible.sum()),
        "wrong_given_visible": float((visible & changed).sum() / max(1, visible.sum())),
        "random": random,
        "same_word": 1 - (visible & changed).sum() / random if random else 1 / p.V,
        "dynamic_coverage": dynamic,
        "static_coverage": static,
        "repeated_tokens": max(1, REPEATED_TOKENS // p.T) * p.T,
        "next_share": float(pairs.is_next.mean()),
        "topic_accuracy": float((says_next == pairs.is_next).mean()),
    }


def _split_statistic(p: Params, predicted: Results, results: Results) -> tuple[float, int]:
    """Pearson's chi-square of the three fates against the split, and its degrees of freedom."""
    counts = results["split_fates"]
    shares = predicted["split"]
    expected = shares[shares > 0] * counts.sum()
    return float(((counts[shares > 0] - expected) ** 2 / expected).sum()), len(expected) - 1


def _variance_band(tokens: int, rate: float, sequences: int) -> float:
    """Band of a sample variance of binomial counts, from the exact law of the squared deviation."""
    count = np.arange(tokens + 1)
    log_choose = np.array(
        [math.lgamma(tokens + 1) - math.lgamma(n + 1) - math.lgamma(tokens - n + 1) for n in count]
    )
    log_law = log_choose + count * math.log(rate) + (tokens - count) * math.log1p(-rate)
    law = np.exp(np.maximum(log_law, -700.0))
    squared = (count - tokens * rate) ** 2
    deviation = squared - law @ squared
    spread = math.sqrt(law @ deviation**2)
    return tolerance.mean(spread, law @ deviation**3 / spread**3, sequences) if spread else 0.0


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    rate, tokens, sequences = _rate(p), results["tokens"], results["sequences"]
    binomial = Text(
        "exact binomial law: 5 standard errors and the skewness term",
        "精确的二项分布：5 个标准误，外加偏度项",
    )

    def proportion(name: str, result: str, claim: Text, draws: int, at: int | None = None) -> Check:
        expected, found = predicted[result], results[result]
        if at is not None:
            expected, found = expected[at], found[at]
        band = tolerance.proportion(float(expected), draws)
        alarm = tolerance.FALSE_ALARM if band else 0.0
        return Check(name, claim, float(expected), float(found), band, binomial, false_alarm=alarm)

    checks = [
        proportion(
            "mask-share",
            "mask_share",
            Text("share of all tokens that become [MASK]", "换成 [MASK] 的占全部词元的比例"),
            tokens,
        ),
        proportion(
            "random-share",
            "random_share",
            Text("share of all tokens that become a random token", "换成随机词的占全部词元的比例"),
            tokens,
        ),
        proportion(
            "kept-share",
            "kept_share",
            Text("share of all tokens that are targets and stay", "被选中但保持原样的占全部词元的比例"),
            tokens,
        ),
    ]
    statistic, freedom = _split_statistic(p, predicted, results)
    if freedom:
        checks.append(
            Check(
                "split",
                Text(
                    "the three fates follow the split, every token being selected",
                    "令全部词元都被选中时，三种去向符合设定的比例",
                ),
                predicted=tolerance.chi_square_limit(freedom),
                measured=statistic,
                tolerance=None,
                law=Text(
                    "Pearson's chi-square below its 1e-7 quantile", "皮尔逊卡方统计量低于上侧 1e-7 分位数"
                ),
                relation="<=",
                false_alarm=2e-7,
            )
        )
    checks += [
        Check(
            "mean-selected",
            Text("mean number of targets in a sequence", "每个序列目标数的均值"),
            predicted=predicted["selected_mean"],
            measured=results["selected_mean"],
            tolerance=p.T * (tolerance.proportion(rate, tokens) if p.selection == "bernoulli" else 1e-15),
            law=binomial if p.selection == "bernoulli" else ROUNDING,
            false_alarm=tolerance.FALSE_ALARM if p.selection == "bernoulli" else 0.0,
        ),
        Check(
            "variance-selected",
            Text("variance of the number of targets", "每个序列目标数的方差"),
            predicted=predicted["selected_variance"],
            measured=results["selected_variance"],
            tolerance=_variance_band(p.T, rate, sequences) if p.selection == "bernoulli" else 0.0,
            law=Text(
                "5 standard errors of a sample variance, with kurtosis and skewness from the binomial law",
                "样本方差的 5 个标准误，峰度与偏度取自二项分布",
            )
            if p.selection == "bernoulli"
            else ROUNDING,
            false_alarm=9e-7 if p.selection == "bernoulli" else 0.0,
        ),
        proportion(
            "none-selected",
            "none_selected",
            Text("share of sequences without any target", "一个目标都没有的序列所占比例"),
            sequences,
        ),
        proportion(
            "wrong-given-visible",
            "wrong_given_visible",
            Text("share of the visible tokens that are wrong", "可见词元中被替换成别的词的比例"),
            results["visible"],
        ),
        proportion(
            "random-is-original",
            "same_word",
            Text("share of random tokens that are the original", "随机替换恰为原词的比例"),
            max(1, results["random"]),
        ),
        proportion(
            "dynamic-coverage",
            "dynamic_coverage",
            Text("tokens ever predicted under new masks each epoch", "动态掩码下曾被预测过的词元比例"),
            results["repeated_tokens"],
            -1,
        ),
        proportion(
            "static-coverage",
            "static_coverage",
            Text("tokens ever predicted under static masks", "静态掩码下曾被预测过的词元比例"),
            results["repeated_tokens"],
            -1,
        ),
        proportion(
            "topic-accuracy",
            "topic_accuracy",
            Text(
                "accuracy of next-sentence prediction by topic alone",
                "只看主题做下一句预测（NSP）的准确率",
            ),
            PAIRS,
        ),
        Check(
            "balanced-pairs",
            Text("half of the sentence pairs are true successors", "句对中一半是真正的下一句"),
            predicted=0.5,
            measured=results["next_share"],
            tolerance=tolerance.proportion(0.5, PAIRS),
            law=binomial,
            false_alarm=tolerance.FALSE_ALARM,
        ),
    ]
    return tuple(checks)


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    names = {
        "mask_share": Text("[MASK]", "[MASK]"),
        "random_share": Text("random", "随机词"),
        "kept_share": Text("kept", "保持原样"),
    }
    bars = []
    for name, label in names.items():
        at = float(predicted[name])
        error = tolerance.proportion(at, results["tokens"])
        bars += [
            Bar(Text(f"{label.en}, measured", f"{label.zh}，实测"), float(results[name]), "measured", error),
            Bar(Text(f"{label.en}, predicted", f"{label.zh}，预测"), at, "predicted"),
        ]
    random = float(predicted["split"][1])
    bars.append(Bar(Text("random, as often told", "随机词，常见误解"), random, "popular"))
    epochs = np.arange(1, p.epochs + 1, dtype=float)

    def curve(name: str, label: Text, role_measured: str) -> tuple[Line, Line]:
        expected = np.asarray(predicted[name], dtype=float)
        band = np.array([tolerance.proportion(float(x), results["repeated_tokens"]) for x in expected])
        return (
            Line(
                Text(f"{label.en}, predicted", f"{label.zh}，预测"),
                epochs,
                expected,
                "predicted",
                (expected - band, expected + band),
            ),
            Line(
                Text(f"{label.en}, measured", f"{label.zh}，实测"),
                epochs,
                results[name],
                "measured" if role_measured == "measured" else "other",
            ),
        )

    return (
        Bars(
            Text("What becomes of all tokens", "全部词元的去向"),
            Text(
                "the split applies to the selected tokens: of all tokens each fate has the split's figure times the rate",
                "比例只针对被选中的词元：每种去向占全部词元的比例，是比例里写的数再乘以掩码率",
            ),
            Axis(Text("share of all tokens", "占全部词元的比例"), low=0.0),
            tuple(bars),
        ),
        Plot(
            Text("Tokens that were ever a target", "曾作为预测目标的词元"),
            Text(
                "new masks keep reaching new tokens; static masks stop when the last of them has been used",
                "动态掩码不断覆盖新的词元；静态掩码用完最后一份就不再增加",
            ),
            Axis(Text("epochs", "训练轮数（epoch）")),
            Axis(Text("share of tokens", "词元比例"), low=0.0, high=1.0),
            (
                *curve("dynamic_coverage", Text("dynamic", "动态"), "measured"),
                *curve("static_coverage", Text("static", "静态"), "other"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D40",
    name="mlm-masking",
    title=Text("What 15 % and 80/10/10 mean in BERT", "BERT 的 15% 与 80/10/10 究竟是什么意思"),
    shows=Text(
        "80/10/10 divides the selected tokens: 12 %, 1.5 % and 1.5 % of all; the number of targets varies, and masks "
        "drawn anew reach nearly every token",
        "80/10/10 划分的是被选中的词元：占全部的 12%、1.5%、1.5%；目标数本身是随机的，动态掩码几乎能覆盖每个词元",
    ),
    kills=Text(
        "10 % random means 10 % of all tokens; 15 % is the optimum",
        "10% 随机替换就是全部词元的 10%；15% 是最优掩码率",
    ),
    parameters=(
        Parameter("rate", "p", Text("share of tokens selected", "选取率"), 0.15, 0.05, 0.8, 0.05),
        Parameter(
            "split",
            r"m/r/k",
            Text("selected tokens: [MASK] / random / kept", "选中后的去向：[MASK]／随机／保持"),
            "80/10/10",
            kind="choice",
            choices=tuple(Choice(name, same(name)) for name in SPLITS),
        ),
        Parameter("T", "T", Text("tokens in a sequence", "序列长度"), 128, 1, 512, 1.0, "int", "log"),
        Parameter("V", "V", Text("vocabulary size", "词表大小"), 30522, 10, 200_000, 1.0, "int", "log"),
        Parameter("epochs", "e", Text("epochs", "训练轮数"), 40, 1, 40, 1.0, "int"),
        Parameter(
            "static_masks",
            "n",
            Text("static masks used in turn", "轮流使用的静态掩码份数"),
            10,
            1,
            10,
            1.0,
            "int",
        ),
        Parameter("topics", "K", Text("topics of the documents", "文档主题数"), 8, 1, 64, 1.0, "int", "log"),
        Parameter(
            "selection",
            r"\text{selection}",
            Text("how targets are selected", "如何选取目标"),
            "bernoulli",
            kind="choice",
            choices=(
                Choice("bernoulli", Text("each token on its own", "逐个独立抽取")),
                Choice("exact", Text("a fixed number per sequence", "每个序列固定个数")),
            ),
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "random_share",
        Text("share of all tokens that become a random token", "换成随机词的占全部词元的比例"),
        Text("of all tokens", "（占全部词元）"),
        0.0,
        0.25,
    ),
    samples=Samples(rest=160_000),
)
