"""D41: what a causal and a masked language model learn from one sequence, and what they define.

The chain rule makes next-token predictions a joint law; masked predictions are none (Wang & Cho 2019). The source is a
stationary Markov chain on the tokens A and B, for which every law has a closed form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import tolerance
from engine.demonstration import Check, Demonstration, Headline, Parameter, Params, Results, Samples
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.loss import IGNORED
from engine.nn.masked_lm import causal_labels, mask_tokens
from engine.nn.softmax import log_softmax
from engine.proof.step import Expr, Step, cited, equal, let, ordered, popular_error
from engine.text import Text, same

COUNTED_TOKENS = 40_000
LOGITS, FRESH_TARGETS = 150_000, 40_000
NUDGE = 1e-5


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers. A stays A with
# probability a and is left with q = 1 - a; B stays B with b and is left with t = 1 - b.
def stationary(q: Expr, t: Expr) -> Expr:
    """P(A); P(B) with the arguments exchanged."""
    return t / (q + t)


def pseudo_mass(a: Expr, b: Expr) -> Expr:
    """Sum over pairs of p(x1|x2) p(x2|x1)."""
    return 1 + (a + b - 1) ** 2


def next_entropy(a: Expr, b: Expr, q: Expr, t: Expr, log: Any) -> Expr:
    """H(x2 | x1)."""
    return -stationary(q, t) * (a * log(a) + q * log(q)) - stationary(t, q) * (b * log(b) + t * log(t))


def two_steps(a: Expr, b: Expr, q: Expr, t: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    """a, b, q, t of two steps taken as one."""
    return a**2 + q * t, b**2 + q * t, q * (a + b), t * (a + b)


def between_entropy(a: Expr, b: Expr, q: Expr, t: Expr, log: Any) -> Expr:
    """H(x2 | x1, x3)."""
    return 2 * next_entropy(a, b, q, t, log) - next_entropy(*two_steps(a, b, q, t), log)


def next_information(a: Expr, q: Expr, t: Expr) -> Expr:
    """Fisher information about a in one prediction of x2 from x1."""
    return stationary(q, t) / (a * q)


def between_information(a: Expr, b: Expr, q: Expr, t: Expr) -> Expr:
    """Fisher information about a in one prediction of x2 from x1 and x3."""
    both_a = t * (1 + q) ** 2 / (q * (a**2 + q * t))
    mixed = 2 * q * b / (a * (a + b))
    both_b = b**2 / (q * t + b**2)
    return stationary(q, t) * (both_a + mixed + both_b)


def efficiency_ratio(a: Expr, b: Expr, q: Expr, t: Expr, rate: Expr) -> Expr:
    """Information about a in one token: all of them predicted from the left, against a share from both sides."""
    return next_information(a, q, t) / (rate * between_information(a, b, q, t))


def initial_loss(V: Expr, sigma: Expr, log: Any) -> Expr:
    """Expected cross-entropy of V normal logits of this standard deviation, V large."""
    return log(V) + sigma**2 / 2


def derive() -> tuple[Step, ...]:
    import sympy as sp

    from engine.proof.entropy import Entropy

    a, b, q, t, rho, sigma = sp.symbols("a b q t rho sigma", positive=True)
    n, k, V, T = sp.symbols("n k V T", integer=True, positive=True)
    L = sp.Function("L", real=True)
    z, c = sp.symbols("z c", real=True)
    p, m, u, v = sp.symbols("p m u v", positive=True)
    du, dv = sp.symbols("u' v'", real=True)
    I_AA, I_AB, I_BA, I_BB = sp.symbols("I_AA I_AB I_BA I_BB", positive=True)

    leaves = ((q, 1 - a), (t, 1 - b))
    outcomes = [(i, j, h) for i in (0, 1) for j in (0, 1) for h in (0, 1)]
    cells = {(i, j, h): sp.Symbol(f"p_{{{i}{j}{h}}}", positive=True) for i, j, h in outcomes}
    first = sum(cells[0, j, h] for j in (0, 1) for h in (0, 1))
    first_two = cells[0, 0, 0] + cells[0, 0, 1]

    kernel = sp.Matrix([[a, q], [t, b]])
    start = sp.Matrix([[stationary(q, t), stationary(t, q)]])
    a_2, b_2, q_2, t_2 = two_steps(a, b, q, t)
    starts = sp.symbols("s_A s_B", positive=True)
    chain = {(i, j, h): starts[i] * kernel[i, j] * kernel[j, h] for i, j, h in outcomes}
    pairs = {(i, j): start[i] * kernel[i, j] for i in (0, 1) for j in (0, 1)}

    tenths = {a: sp.Rational(9, 10), b: sp.Rational(4, 5), q: sp.Rational(1, 10), t: sp.Rational(1, 5)}
    numbers = {(i, j, h): (start[i] * kernel[i, j] * kernel[j, h]).subs(tenths) for i, j, h in outcomes}
    halves = {symbol: sp.Rational(1, 2) for symbol in (a, b, q, t)}
    independent = {(i, j, h): (start[i] * kernel[i, j] * kernel[j, h]).subs(halves) for i, j, h in outcomes}
    bert = {**tenths, rho: sp.Rational(3, 20)}

    def information(here: Expr, there: Expr, score: Expr) -> Expr:
        """Of a choice of two with these weights, given d ln (here / there) / da."""
        return here * there / (here + there) * score**2

    contexts = (
        (I_AA, information(a * a, q * t, 2 / a + 1 / q)),
        (I_AB, information(a * q, q * b, 1 / a)),
        (I_BA, information(t * a, b * t, 1 / a)),
        (I_BB, information(t * q, b * b, -1 / q)),
    )

    return (
        equal(
            "chain-rule",
            sp.Sum(L(k) - L(k - 1), (k, 1, n)),
            L(n) - L(0),
            Text(
                r"with $L(k) = \ln p(x_1, \dots, x_k)$ and $L(0) = 0$: the log-probabilities of each token given its "
                "prefix telescope to that of the whole sequence",
                r"记 $L(k) = \ln p(x_1, \dots, x_k)$，$L(0) = 0$：每个词元在其前缀下的对数概率逐项相消，"
                "恰好得到整个序列的对数概率",
            ),
        ),
        equal(
            "three-tokens",
            sp.Mul(first, first_two / first, cells[0, 0, 0] / first_two, evaluate=False),
            cells[0, 0, 0],
            Text(
                "the same for any joint law of three binary tokens: $p(x_1)\\, p(x_2|x_1)\\, p(x_3|x_1,x_2)$ is the "
                "joint probability, so a causal model defines a law and can be sampled token by token",
                "对三个二值词元的任意联合分布同样成立：$p(x_1)\\, p(x_2|x_1)\\, p(x_3|x_1,x_2)$ 就是联合概率，"
                "因此因果模型定义了一个分布，可以逐个词元采样",
            ),
            bound="T=3, V=2",
        ),
        equal(
            "pseudo-cell",
            p**2 / m,
            (p - m) ** 2 / m + 2 * p - m,
            Text(
                "for a pair of tokens, $p(x_1|x_2)\\,p(x_2|x_1)$ is $p^2/m$ with $p$ the joint and $m$ the product of the "
                r"marginals; both sum to 1, so the products sum to $1 + \chi^2$",
                "对一对词元，$p(x_1|x_2)\\,p(x_2|x_1)$ 等于 $p^2/m$，其中 $p$ 为联合概率，$m$ 为两个边缘概率之积；"
                r"二者各自求和为 1，所以这些乘积之和为 $1 + \chi^2$",
            ),
        ),
        let(
            "leaves-A",
            q,
            1 - a,
            Text(
                "the source of this demonstration is a Markov chain: A stays A with probability $a$ and is left with $q$",
                "本演示的语料源是一条马尔可夫链：A 以概率 $a$ 保持为 A，以概率 $q$ 离开",
            ),
        ),
        let(
            "leaves-B",
            t,
            1 - b,
            Text(
                "B stays B with probability $b$ and is left with $t$",
                "B 以概率 $b$ 保持为 B，以概率 $t$ 离开",
            ),
        ),
        equal(
            "stationary",
            sp.MatMul(start, kernel, evaluate=False),
            start,
            Text("the stationary law of the chain", "该马尔可夫链的平稳分布"),
            using=leaves,
        ),
        equal(
            "reversible",
            start[0] * q / (start[0] * q + start[1] * b),
            t,
            Text(
                "Bayes: seen backwards, from $x_2$ = B to $x_1$ = A, the chain moves by the same matrix",
                "贝叶斯公式：倒着看，从 $x_2$ = B 回到 $x_1$ = A，转移概率仍由同一个矩阵给出",
            ),
            using=leaves,
        ),
        equal(
            "pseudo-sum",
            sp.Trace(sp.MatPow(kernel, 2, evaluate=False)),
            pseudo_mass(a, b),
            Text(
                r"the products sum to the trace of the squared matrix: $\chi^2$ is the square of the second eigenvalue "
                "$a + b - 1$, and the masked predictions are no law unless the tokens are independent",
                r"这些乘积之和就是转移矩阵平方的迹：$\chi^2$ 等于第二特征值 $a + b - 1$ 的平方；"
                "除非各词元独立，否则掩码预测构不成分布",
            ),
            using=leaves,
        ),
        popular_error(
            "masked-predictions-are-a-law",
            sp.Subs(pseudo_mass(a, b), (a, b), (tenths[a], tenths[b])),
            sp.Integer(1),
            Text(
                "'multiply the masked predictions and you have the probability of the sentence': over all sentences "
                "these products do not add up to one",
                "“把掩码预测乘起来就是句子的概率”：错，对所有句子求和并不等于 1",
            ),
        ),
        equal(
            "uniform-logits",
            sp.log(sp.Sum(sp.exp(c), (k, 1, V))) - c,
            sp.log(V),
            Text(
                r"equal logits $c$ cost $\ln V$ per token: 10.82 nats for GPT-2's 50,257 tokens",
                r"logits 全等于 $c$ 时，每个词元的损失为 $\ln V$：GPT-2 的词表 50,257 对应 10.82 nat",
            ),
        ),
        equal(
            "normal-logits",
            z - z**2 / (2 * sigma**2),
            (initial_loss(V, sigma, sp.log) - sp.log(V)) - (z - sigma**2) ** 2 / (2 * sigma**2),
            Text(
                r"completing the square under the normal density gives $E[e^z] = e^{\sigma^2/2}$: a fresh model starts at "
                r"$\ln V + \sigma^2/2$, a little worse than uniform",
                r"在正态密度下配方，得到 $E[e^z] = e^{\sigma^2/2}$：刚初始化的模型损失为 $\ln V + \sigma^2/2$，"
                "略差于均匀分布",
            ),
        ),
        equal(
            "signals",
            sp.Mul(T, sp.Pow(bert[rho] * T, -1, evaluate=False), evaluate=False),
            sp.Rational(20, 3),
            Text(
                "targets in a sequence: $T$ for the causal loss (with a start token), $0.15\\,T$ for the masked one",
                "一个序列里的预测目标数：因果语言模型（带起始符）为 $T$，掩码语言模型为 $0.15\\,T$",
            ),
        ),
        equal(
            "gap",
            Entropy(cells, (2,), (1,)) - Entropy(cells, (2,), (1, 3)),
            Entropy(cells, (3,), (1,)) - Entropy(cells, (3,), (1, 2)),
            Text(
                "what the right neighbour tells about a token is what the token tells about it: both are the mutual "
                "information of $x_2$ and $x_3$ given $x_1$",
                "右邻对该词元提供的信息，等于该词元对右邻提供的信息：两者都是给定 $x_1$ 时 $x_2$ 与 $x_3$ 的互信息",
            ),
            bound="T=3, V=2",
        ),
        cited(
            "gap-sign",
            r"I(x_2; x_3 \mid x_1) \geq 0",
            Text(
                "so a prediction from both sides is never harder: it is at most as many bits",
                "所以看两侧的预测不会更难：每次预测的比特数至多相等",
            ),
            "Cover & Thomas 2006, section 2.6",
        ),
        equal(
            "between",
            Entropy(chain, (2,), (1, 3)),
            Entropy(chain, (2,), (1,)) + Entropy(chain, (3,), (2,)) - Entropy(chain, (3,), (1,)),
            Text(
                "in a Markov chain, whatever its start, the token between is two single steps less the far one",
                "在马尔可夫链中，无论初始分布如何，中间词元的熵等于两次单步的熵减去跨两步的熵",
            ),
            bound="T=3, V=2",
        ),
        equal(
            "one-step-entropy",
            Entropy(pairs, (2,), (1,)),
            next_entropy(a, b, q, t, sp.log),
            Text(
                "one step of the stationary chain, the same at every position",
                "平稳链的单步熵，在每个位置都相同",
            ),
            using=leaves,
        ),
        equal(
            "two-steps",
            sp.MatPow(kernel, 2, evaluate=False),
            sp.Matrix([[a_2, q_2], [t_2, b_2]]),
            Text(
                "two steps are one step of the squared matrix",
                "走两步相当于用平方矩阵走一步",
            ),
        ),
        equal(
            "same-stationary",
            stationary(q_2, t_2),
            stationary(q, t),
            Text("with the same stationary law", "平稳分布不变"),
        ),
        ordered(
            "both-sides-easier",
            Entropy(numbers, (2,), (1, 3)),
            "<",
            Entropy(numbers, (2,), (1,)),
            Text(
                "at $a = 0.9$, $b = 0.8$: 0.360 against 0.553 bits per prediction",
                "取 $a = 0.9$，$b = 0.8$：每次预测 0.360 比特，对 0.553 比特",
            ),
            bound="a=0.9, b=0.8",
        ),
        popular_error(
            "both-sides-always-needed",
            Entropy(independent, (2,), (1, 3)),
            Entropy(independent, (2,), (1,)),
            Text(
                "'a masked token is always easier with both sides': at $a = b = 1/2$ the tokens are independent and "
                "neither side says anything",
                "“有了两侧，被遮的词元总是更好猜”：取 $a = b = 1/2$，词元相互独立，两侧都不提供信息",
            ),
            op="<",
        ),
        equal(
            "two-way-score",
            u * (du / u - (du + dv) / (u + v)) ** 2 + v * (dv / v - (du + dv) / (u + v)) ** 2,
            u * v / (u + v) * (du / u - dv / v) ** 2,
            Text(
                r"Fisher information, the expected square of $\partial_a \ln$ probability, of a choice of two with "
                "weights $u$ and $v$",
                r"权重为 $u$、$v$ 的二选一的 Fisher 信息，即 $\partial_a \ln$ 概率的平方的期望",
            ),
        ),
        equal(
            "score-between-A",
            sp.Derivative(sp.log(a * a / ((1 - a) * (1 - b))), a),
            2 / a + 1 / q,
            Text(
                "between A and A the weights are $a^2$ and $qt$: both moves speak of $a$",
                "夹在 A 与 A 之间时，权重为 $a^2$ 与 $qt$：两次转移都与 $a$ 有关",
            ),
            using=leaves,
        ),
        equal(
            "score-between-B",
            sp.Derivative(sp.log((1 - b) * (1 - a) / b**2), a),
            -1 / q,
            Text(
                "between B and B only the way back from A does; between unlike tokens the score is $1/a$",
                "夹在 B 与 B 之间时，只有从 A 返回那一步与 $a$ 有关；两侧不同时得分为 $1/a$",
            ),
            using=leaves,
        ),
        *(
            let(
                f"information-{sides}",
                symbol,
                value,
                Text(
                    f"information in a token between {sides[0]} and {sides[1]}",
                    f"夹在 {sides[0]} 与 {sides[1]} 之间的词元所含的信息",
                ),
            )
            for (symbol, value), sides in zip(contexts, ("AA", "AB", "BA", "BB"), strict=True)
        ),
        equal(
            "information-between",
            (t * (I_AA + I_AB) + q * (I_BA + I_BB)) / (q + t),
            between_information(a, b, q, t),
            Text(
                "averaged over the left neighbour: what one masked prediction teaches about $a$, both neighbours being visible",
                "对左邻取平均：在两侧邻居都可见时，一次掩码预测能教给模型多少关于 $a$ 的信息",
            ),
            using=(*contexts, leaves[0]),
        ),
        equal(
            "information-next",
            stationary(q, t) * (a / a**2 + q / q**2),
            next_information(a, q, t),
            Text(
                r"a prediction from the left speaks of $a$ after an A only; the scores are $1/a$ and $-1/q$",
                r"只看左侧的预测，仅当左邻为 A 时与 $a$ 有关；得分为 $1/a$ 与 $-1/q$",
            ),
            using=leaves,
        ),
        popular_error(
            "count-is-efficiency",
            sp.Subs(efficiency_ratio(a, b, q, t, rho), tuple(bert), tuple(bert.values())),
            sp.Rational(20, 3),
            Text(
                "'6.67 times the targets is 6.67 times the efficiency': targets differ in what they teach; here the "
                "information about $a$ is 18.6 times, at $a = b = 1/2$ it is 4.4 times",
                "“目标数是 6.67 倍，效率就是 6.67 倍”：错，每个目标教给模型的信息不同；"
                "此处关于 $a$ 的信息是 18.6 倍，而 $a = b = 1/2$ 时是 4.4 倍",
            ),
        ),
        cited(
            "electra",
            r"\text{GLUE: } 85.0 \text{ (loss on all tokens)}, \quad 82.4 \text{ (loss on 15\%)}",
            Text(
                "a bidirectional encoder can have a loss on every token too: ELECTRA asks of each whether it was replaced",
                "双向编码器同样可以在每个词元上计算损失：ELECTRA 判断每个词元是否被替换过",
            ),
            "Clark et al. 2020, section 3.4, table 5",
        ),
    )


def predict(p: Params) -> Results:
    a, b, q, t = p.stay_a, p.stay_b, 1 - p.stay_a, 1 - p.stay_b
    start = np.array([stationary(q, t), stationary(t, q)])
    kernel = np.array([[a, q], [t, b]])
    return {
        "joint": start[:, None, None] * kernel[:, :, None] * kernel[None, :, :],
        "pseudo_mass": pseudo_mass(a, b),
        "next_bits": next_entropy(a, b, q, t, math.log2),
        "between_bits": between_entropy(a, b, q, t, math.log2),
        "next_information": next_information(a, q, t),
        "between_information": between_information(a, b, q, t),
        "efficiency_ratio": efficiency_ratio(a, b, q, t, p.rate),
        "causal_targets": p.T,
        "masked_targets": p.rate * p.T,
        "signal_ratio": 1 / p.rate,
        "initial_loss": initial_loss(p.V, p.logit_sd, math.log),
    }


def sample_triples(a: float, b: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Ancestral sampling: how often each (x1, x2, x3) came up, shape (2, 2, 2); 0 is A and 1 is B."""
    # started far back, the chain has forgotten its start: P^512 has equal rows
    start = np.linalg.matrix_power(np.array([[a, 1 - a], [1 - b, b]]), 512)[0, 0]
    draws = rng.random((3, count))
    first = draws[0] >= start
    second = draws[1] >= np.where(first, 1 - b, a)
    third = draws[2] >= np.where(second, 1 - b, a)
    counts = np.bincount(4 * first + 2 * second + third, minlength=8)
    return counts.reshape(2, 2, 2)


def conditionals(a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """p(x2|x1) and p(x2|x1,x3), each (2, 2, 2) over (x1, x2, x3), by summing the table of the joint law."""
    kernel = np.array([[a, 1 - a], [1 - b, b]])
    start = np.linalg.matrix_power(kernel, 512)[0]
    joint = np.einsum("i,ij,jk->ijk", start, kernel, kernel)
    pair = joint.sum(axis=2, keepdims=True)
    from_left = np.broadcast_to(pair / pair.sum(axis=1, keepdims=True), joint.shape)
    from_both = joint / joint.sum(axis=1, keepdims=True)
    return from_left, from_both


def pseudo_products(a: float, b: float) -> np.ndarray:
    """p(x1|x2) p(x2|x1) of a pair, (2, 2), from the table of the pair's law."""
    kernel = np.array([[a, 1 - a], [1 - b, b]])
    pair = np.linalg.matrix_power(kernel, 512)[0][:, None] * kernel
    return pair / pair.sum(axis=0) * (pair / pair.sum(axis=1, keepdims=True))


def squared_scores(a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """(d ln p / da)² of the two predictions, each (2, 2, 2), by differences of the conditional laws."""
    higher, lower = conditionals(a + NUDGE, b), conditionals(a - NUDGE, b)
    scores = [(np.log(up) - np.log(down)) / (2 * NUDGE) for up, down in zip(higher, lower, strict=True)]
    return scores[0] ** 2, scores[1] ** 2


def count_targets(p: Params, rng: np.random.Generator) -> tuple[int, int, int]:
    """Sequences, and the targets that the causal and the masked loss count in all of them."""
    sequences = max(1, COUNTED_TOKENS // p.T)
    input_ids = rng.integers(p.V, size=(sequences, p.T))
    with_start = np.concatenate([np.full((sequences, 1), p.V), input_ids], axis=1)
    causal = int((causal_labels(with_start) != IGNORED).sum())
    batch = mask_tokens(input_ids, rng, vocab_size=p.V, mask_id=p.V, rate=p.rate)
    return sequences, causal, int((batch.labels != IGNORED).sum())


def fresh_loss(p: Params, rng: np.random.Generator) -> tuple[int, int, float]:
    """Noises, tokens predicted from them, and their mean loss: a model whose logits are still noise."""
    noises = max(1, LOGITS // p.V)
    log_p = log_softmax(p.logit_sd * rng.standard_normal((noises, p.V)))  # (noises, V)
    targets = rng.integers(p.V, size=(noises, FRESH_TARGETS // noises))  # (noises, tokens)
    return noises, targets.size, float(-np.take_along_axis(log_p, targets, axis=1).mean())


def measure(p: Params, rng: np.random.Generator) -> Results:
    counts = sample_triples(p.stay_a, p.stay_b, p.samples, rng)
    from_left, from_both = conditionals(p.stay_a, p.stay_b)
    left_scores, both_scores = squared_scores(p.stay_a, p.stay_b)
    products = pseudo_products(p.stay_a, p.stay_b)
    sequences, causal, masked = count_targets(p, rng)
    noises, fresh_targets, loss = fresh_loss(p, rng)

    def average(table: np.ndarray) -> float:
        return float((counts * table).sum() / counts.sum())

    next_information, between_information = average(left_scores), average(both_scores)
    return {
        "counts": counts,
        "products": products,
        "pseudo_mass": products.sum(),
        "surprise_left": -np.log2(from_left),
        "surprise_both": -np.log2(from_both),
        "scores_left": left_scores,
        "scores_both": both_scores,
        "next_bits": average(-np.log2(from_left)),
        "between_bits": average(-np.log2(from_both)),
        "next_information": next_information,
        "between_information": between_information,
        "efficiency_ratio": next_information / (masked / causal * between_information)
        if masked
        else math.inf,
        "sequences": sequences,
        "causal_targets": causal / sequences,
        "masked_targets": masked / sequences,
        "signal_ratio": causal / masked if masked else math.inf,
        "noises": noises,
        "fresh_targets": fresh_targets,
        "initial_loss": loss,
    }


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    joint, counts = predicted["joint"], results["counts"]
    draws = int(counts.sum())
    expected = joint * draws

    def average(name: str, result: str, claim: Text, table: str) -> Check:
        """A mean over the sampled triples; spread and skewness from the law of the triples."""
        values = results[table]
        deviation = values - (joint * values).sum()
        spread = math.sqrt((joint * deviation**2).sum())
        skewness = float((joint * deviation**3).sum() / spread**3) if spread else 0.0
        rounding = 1e-8 * predicted[result]
        return Check(
            name,
            claim,
            predicted=predicted[result],
            measured=results[result],
            tolerance=tolerance.mean(spread, skewness, draws) + rounding,
            law=Text(
                "5 standard errors of a mean and its skewness term, from the exact law of the three tokens",
                "均值的 5 个标准误，外加偏度项，由三个词元的精确分布算出",
            ),
            false_alarm=9e-7,
        )

    tokens = results["sequences"] * p.T
    # of the target's logit, and of the logarithm of a mean of V exponentials
    target_variance, mean_variance = p.logit_sd**2, math.expm1(p.logit_sd**2) / p.V
    return (
        Check(
            "ancestral-sampling",
            Text("sampling token by token follows the joint law", "逐词元采样服从联合分布"),
            predicted=tolerance.chi_square_limit(7),
            measured=float(((counts - expected) ** 2 / expected).sum()),
            tolerance=None,
            law=Text(
                "Pearson's chi-square of the 8 outcomes below its 1e-7 quantile",
                "8 种结果的皮尔逊卡方统计量低于上侧 1e-7 分位数",
            ),
            relation="<=",
            false_alarm=9e-7,
        ),
        Check(
            "pseudo-mass",
            Text(
                "the products of the masked predictions, summed over all pairs",
                "掩码预测之积对所有词元对求和",
            ),
            predicted=predicted["pseudo_mass"],
            measured=float(results["pseudo_mass"]),
            tolerance=1e-12,
            law=Text("rounding of four products", "仅四个乘积的舍入误差"),
        ),
        average(
            "next-bits",
            "next_bits",
            Text("bits in one prediction from the left", "只看左侧时一次预测的比特数"),
            "surprise_left",
        ),
        average(
            "between-bits",
            "between_bits",
            Text("bits in one prediction from both sides", "看两侧时一次预测的比特数"),
            "surprise_both",
        ),
        average(
            "next-information",
            "next_information",
            Text("Fisher information in one prediction from the left", "只看左侧时一次预测的 Fisher 信息"),
            "scores_left",
        ),
        average(
            "between-information",
            "between_information",
            Text("Fisher information in one prediction from both sides", "看两侧时一次预测的 Fisher 信息"),
            "scores_both",
        ),
        Check(
            "causal-targets",
            Text("targets of the causal loss in a sequence", "因果语言模型每个序列的目标数"),
            predicted=predicted["causal_targets"],
            measured=results["causal_targets"],
            tolerance=0.0,
            law=Text("a count: exact", "计数：精确相等"),
        ),
        Check(
            "masked-targets",
            Text("targets of the masked loss in a sequence", "掩码语言模型每个序列的目标数"),
            predicted=predicted["masked_targets"],
            measured=results["masked_targets"],
            tolerance=p.T * tolerance.proportion(p.rate, tokens),
            law=Text(
                "exact binomial law: 5 standard errors and the skewness term",
                "精确的二项分布：5 个标准误，外加偏度项",
            ),
            false_alarm=tolerance.FALSE_ALARM,
        ),
        Check(
            "initial-loss",
            Text("loss of a model whose logits are still noise", "logits 仍是噪声时模型的损失"),
            predicted=predicted["initial_loss"],
            measured=results["initial_loss"],
            tolerance=tolerance.STANDARD_ERRORS
            * math.sqrt(target_variance / results["fresh_targets"] + 2 * mean_variance / results["noises"])
            + mean_variance
            + 1e-12,
            law=Text(
                "5 standard errors of the mean loss, and the term in 1/V that a finite vocabulary adds",
                "平均损失的 5 个标准误，外加有限词表带来的 1/V 项",
            ),
            false_alarm=tolerance.FALSE_ALARM,
        ),
    )


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    pair = results["counts"].sum(axis=2) / results["counts"].sum()
    bars = []
    for i, j in np.ndindex(2, 2):
        name = "AB"[i] + "AB"[j]
        bars += [
            Bar(Text(f"p({name}), sampled", f"p({name})，采样"), float(pair[i, j]), "measured"),
            Bar(
                Text(f"masked product of {name}", f"{name} 的掩码预测之积"),
                float(results["products"][i, j]),
                "popular",
            ),
        ]
    stays = np.linspace(0.05, 0.95, 91)
    return (
        Bars(
            Text("A law, and what is none", "什么是分布，什么不是"),
            Text(
                f"the sampled pairs add up to 1, the products of the masked predictions to {results['pseudo_mass']:.3f}",
                f"采样得到的各对之和为 1，掩码预测之积的总和为 {results['pseudo_mass']:.3f}",
            ),
            Axis(Text("probability, or what is taken for it", "概率（或被当作概率的量）"), low=0.0),
            tuple(bars),
        ),
        Plot(
            Text("What a token teaches: causal over masked", "一个词元教给模型的信息：因果／掩码"),
            Text(
                "the ratio of information is not the ratio of target counts: it lies above or below, as the source has it",
                "信息量之比并不等于目标数之比：随语料源不同，可高可低",
            ),
            Axis(Text("a, probability that A stays A", "a，A 保持为 A 的概率")),
            Axis(Text("information ratio per token", "每个词元的信息量之比"), "log"),
            (
                Line(
                    Text("predicted", "预测"),
                    stays,
                    efficiency_ratio(stays, p.stay_b, 1 - stays, 1 - p.stay_b, p.rate),
                    "predicted",
                ),
                Points(
                    Text("measured", "实测"),
                    np.array([p.stay_a]),
                    np.array([results["efficiency_ratio"]]),
                    "measured",
                ),
                Rule(Text("ratio of target counts", "目标数之比"), 1 / p.rate, "y", "popular"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D41",
    name="signal-density",
    title=Text(
        "Causal and masked prediction: law, targets, information", "因果预测与掩码预测：分布、目标数与信息量"
    ),
    shows=Text(
        "next-token predictions multiply to a joint law, masked ones do not; at 15 % masked a causal loss has 6.67 times the targets, "
        "but a target is no unit of information",
        "逐词元预测相乘得到联合分布，掩码预测则不行；掩码率 15% 时因果损失的目标数是 6.67 倍，但“一个目标”并不是信息的单位",
    ),
    kills=Text(
        "6.67 times the targets is 6.67 times the efficiency; masked predictions give sentence probabilities",
        "目标数 6.67 倍就是效率 6.67 倍；掩码预测能给出句子概率",
    ),
    parameters=(
        Parameter(
            "stay_a", "a", Text("probability that A stays A", "A 保持为 A 的概率"), 0.9, 0.05, 0.95, 0.05
        ),
        Parameter(
            "stay_b", "b", Text("probability that B stays B", "B 保持为 B 的概率"), 0.8, 0.05, 0.95, 0.05
        ),
        Parameter("rate", r"\rho", Text("share of tokens masked", "掩码率"), 0.15, 0.05, 0.8, 0.05),
        Parameter("T", "T", Text("tokens in a sequence", "序列长度"), 512, 1, 1024, 1.0, "int", "log"),
        Parameter("V", "V", Text("vocabulary size", "词表大小"), 50257, 100, 150_000, 1.0, "int", "log"),
        Parameter(
            "logit_sd",
            r"\sigma",
            Text("standard deviation of the first logits", "初始 logits 的标准差"),
            0.55,
            0.0,
            1.0,
            0.05,
        ),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "pseudo_mass",
        Text("sum over all pairs of p(x1|x2) p(x2|x1)", "p(x1|x2) p(x2|x1) 对所有词元对求和"),
        same(""),
        0.5,
        2.5,
    ),
    samples=Samples(rest=100_000),
)
