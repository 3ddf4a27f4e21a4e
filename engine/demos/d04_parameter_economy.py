"""D04: what locality saves, what sharing saves on top, and what sharing does and does not do about overfitting.

Goodfellow, Bengio, Courville 2016, section 9.2 (sparse connections, shared parameters); Hastie, Montanari, Rosset, Tibshirani 2022,
section 3 (least squares with more weights than samples); Zhang et al. 2017, section 2 (random labels).
"""

from __future__ import annotations

import math

import numpy as np

from engine.demonstration import Check, Demonstration, Headline, Parameter, Params, Results
from engine.deviation import ALARM, chi_square_band
from engine.figure import Axis, Bar, Bars, Figure, Line, Plot, Points, Rule
from engine.nn.convolution import correlate, unfold
from engine.nn.pooling import max_pool
from engine.nn.recurrent import activate
from engine.nn.windows import Floats
from engine.proof.step import Expr, Step, cited, defined, equal, popular_error
from engine.text import Text

ROUNDING = float(np.finfo(float).eps)
SIGNAL = 64
"""Samples of a signal in the learning experiment; an unconstrained layer has their square of weights."""
NOISE = 0.5
"""Standard deviation of the noise on the observed outputs; the true filter has norm 1."""
SIZES = (8, 16, 24, 32, 40, 48, 56, 60, 64, 68, 72, 80, 96, 128, 192, 256, 384, 512)
"""Numbers of samples on the curve."""
CLEAR = 32
"""So far from as many samples as inputs the noise term has a law that deviations describe."""
DEVIATIONS, NOISE_DEVIATIONS = 8.0, 10.0
"""Widths of two bands, the second for a skew statistic: 100 000 simulated runs reached 4.5 and 6.6."""
MEMORISED = 32
"""Most samples whose random labels are learned by heart."""
NOISE_DRAWS = 65_536


# The formulas: the proof checks them with SymPy symbols, the prediction evaluates them with numbers. Maps are square.
def dense_weights(side: Expr, c_in: Expr, c_out: Expr) -> Expr:
    return side**4 * c_in * c_out


def local_weights(side: Expr, k: Expr, c_in: Expr, c_out: Expr) -> Expr:
    """A window of k x k for each output, each with weights of its own."""
    return side**2 * k**2 * c_in * c_out


def shared_weights(k: Expr, c_in: Expr, c_out: Expr) -> Expr:
    return k**2 * c_in * c_out


def unseen_share(n: Expr, samples: Expr) -> Expr:
    """Share of a weight vector of n entries that fewer samples than n leave unlearned."""
    return 1 - samples / n


def dense_noise(more: Expr, fewer: Expr) -> Expr:
    """E tr of the inverse of a Gaussian Gram matrix of ``fewer`` vectors in ``more`` dimensions."""
    return fewer / (more - fewer - 1)


def shared_noise(k: Expr, n: Expr, samples: Expr) -> Expr:
    """The same for a shared filter, which every one of n outputs of every sample speaks of; to leading order."""
    return k / (n * samples)


def dense_error(n: Expr, samples: Expr, variance: Expr) -> Expr:
    """Expected test error of the least-norm fit with fewer samples than n - 1."""
    return unseen_share(n, samples) + variance * dense_noise(n, samples)


def derive() -> tuple[Step, ...]:
    return (*_counts(), *_learning())


def _counts() -> tuple[Step, ...]:
    import sympy as sp

    side, k, c_in, c_out = sp.symbols("H k C_in C_out", positive=True)
    i, o = sp.symbols("i o", integer=True, positive=True)
    places = sp.Symbol("P", integer=True, positive=True)

    def over(numerator: Expr, denominator: Expr) -> Expr:
        return sp.Mul(numerator, sp.Pow(denominator, -1, evaluate=False), evaluate=False)

    dense, local = dense_weights(side, c_in, c_out), local_weights(side, k, c_in, c_out)
    shared = shared_weights(k, c_in, c_out)
    return (
        equal(
            "dense",
            sp.Sum(sp.Sum(c_in * c_out, (i, 1, places)), (o, 1, places)),
            sp.Subs(dense, side, sp.sqrt(places)),
            Text(
                "a fully connected layer: a weight from each of $P = H^2$ places to each, for every pair of channels",
                "全连接层：对每一对通道，从 $P = H^2$ 个位置到每个位置各有一个权重",
            ),
        ),
        equal(
            "by-locality",
            over(dense, local),
            side**2 / k**2,
            Text("a window of $k × k$ instead of the whole map", "只看 $k × k$ 的窗口，而不是整张图"),
        ),
        equal(
            "by-sharing",
            over(local, shared),
            side**2,
            Text(
                "the same window everywhere instead of one for each place",
                "处处用同一个窗口，而不是每个位置各用一个",
            ),
        ),
        equal(
            "by-both",
            over(dense, shared),
            side**4 / k**2,
            Text("two savings, one on top of the other", "两项节省相乘"),
        ),
        popular_error(
            "local-connectivity-does-it-all",
            over(dense, local),
            over(dense, shared),
            Text(
                "'a convolution is small because it is local': that is the smaller of the two savings as soon as $k > 1$",
                "“卷积参数少是因为局部连接”：只要 $k > 1$，那只是两项节省中较小的一项",
            ),
        ),
    )


def _learning() -> tuple[Step, ...]:
    import sympy as sp

    n, samples, i = sp.symbols("n N i", integer=True, positive=True)
    k = sp.Symbol("k", positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    features, labels = sp.MatrixSymbol("F", m, m), sp.MatrixSymbol("y", m, 1)
    variance = sp.Rational(NOISE) ** 2
    return (
        defined(
            "task",
            r"y = w \star x + \sigma \varepsilon, \qquad x, \varepsilon \sim N(0, I_n), \quad |w| = 1",
            Text(
                "learn a filter $w$ of width $k$ from $N$ noisy pairs: as a filter, or as an unconstrained matrix of $n × n$ weights",
                "从 $N$ 对带噪声的数据学一个宽 $k$ 的滤波器 $w$：要么就学滤波器，要么学一个无约束的 $n × n$ 矩阵",
            ),
        ),
        equal(
            "unseen",
            sp.Sum(1 / n, (i, 1, n)) - sp.Sum(1 / n, (i, 1, samples)),
            unseen_share(n, samples),
            Text(
                "unconstrained: $N < n$ samples show $N$ of $n$ directions, all alike; what is seen in none stays at zero",
                "无约束：$N < n$ 个样本只展示 $n$ 个方向中的 $N$ 个，各方向机会均等；没见过的方向保持为零",
            ),
        ),
        cited(
            "noise",
            r"E \operatorname{tr} (X X^\top)^{-1} = \frac{N}{n - N - 1} \quad (N < n - 1)",
            Text(
                "and each seen direction carries noise, the more the closer $N$ comes to $n$; beyond $n$ the two change places",
                "见过的方向都带噪声，$N$ 越接近 $n$ 越严重；超过 $n$ 后两者互换",
            ),
            "Muirhead 1982, section 3.2 (mean of an inverse Wishart matrix)",
        ),
        popular_error(
            "more-data-never-hurts",
            dense_error(sp.Integer(SIGNAL), sp.Integer(SIGNAL - 2), variance),
            dense_error(sp.Integer(SIGNAL), sp.Integer(SIGNAL // 2), variance),
            Text(
                "'more data never hurts': without the constraint 62 samples do far worse than 32 (double descent)",
                "“数据越多越好”：没有约束时，62 个样本远不如 32 个（双下降）",
            ),
            op="<=",
            bound="n=64",
        ),
        equal(
            "variance-saved",
            sp.Mul(
                dense_noise(samples, n),
                sp.Pow(shared_noise(k, n, samples), -1, evaluate=False),
                evaluate=False,
            ),
            n**2 * samples / (k * (samples - n - 1)),
            Text(
                "shared, all $n$ outputs of a sample teach the same $k$ weights: the variance is smaller by about $n^2 / k$",
                "共享时，每个样本的 $n$ 个输出都在教同样的 $k$ 个权重：方差约缩小 $n^2 / k$ 倍",
            ),
        ),
        equal(
            "by-heart",
            sp.MatMul(features, sp.Inverse(features), labels),
            labels,
            Text(
                "but sharing forbids nothing: with as many maps as samples, and their features $F$ independent, some readout "
                "$F^{-1} y$ fits any labels",
                "但共享并不禁止死记硬背：特征图数与样本数一样多、特征 $F$ 线性无关时，读出 $F^{-1} y$ 能拟合任意标签",
            ),
        ),
        cited(
            "random-labels",
            r"\text{training error on random labels: } 0",
            Text(
                "convolutional networks that generalise also fit random labels perfectly: sharing lowers variance, it does not "
                "prevent overfitting",
                "泛化良好的卷积网络同样能完美拟合随机标签：共享降低方差，但并不能防止过拟合",
            ),
            "Zhang et al. 2017, section 2.1 and table 1",
        ),
    )


def small_layer(p: Params) -> tuple[int, int, int]:
    """Side and channels of the layer that is counted one connection at a time: just large enough for the window not to meet itself."""
    most = 2 if p.k <= 5 else 1
    return max(6, int(p.k) + 1), min(int(p.c_in), most), min(int(p.c_out), most)


def expected_noise(n: int, samples: int) -> float:
    """Of the unconstrained fit, in units of the noise's variance; infinite where there are about as many samples as inputs."""
    if abs(n - samples) <= 1:
        return math.inf
    return dense_noise(max(n, samples), min(n, samples))


def predict(p: Params) -> Results:
    side, k, c_in, c_out, samples = int(p.side), int(p.k), int(p.c_in), int(p.c_out), int(p.train)
    small = small_layer(p)
    unseen = unseen_share(SIGNAL, min(samples, SIGNAL))
    return {
        "dense_weights": dense_weights(side, c_in, c_out),
        "local_weights": local_weights(side, k, c_in, c_out),
        "shared_weights": shared_weights(k, c_in, c_out),
        "small_dense": dense_weights(*small),
        "small_local": local_weights(small[0], k, *small[1:]),
        "small_shared": shared_weights(k, *small[1:]),
        "unseen": unseen,
        "dense_noise": expected_noise(SIGNAL, samples),
        "dense_error": unseen + NOISE**2 * expected_noise(SIGNAL, samples),
        "shared_noise": shared_noise(k, SIGNAL, samples),
        "shared_error": NOISE**2 * shared_noise(k, SIGNAL, samples),
    }


def layer_jacobian(p: Params, rng: np.random.Generator) -> Floats:
    """d outputs / d inputs of a small two-dimensional layer, an impulse at a time: (inputs, outputs)."""
    side, c_in, c_out = small_layer(p)
    weight = rng.standard_normal((c_out, c_in, p.k, p.k))
    impulses = np.eye(c_in * side * side).reshape(-1, c_in, side, side)
    response = correlate(impulses, weight, padding="same", fill="circular")
    return response.reshape(len(impulses), -1)


def filtered(x: Floats, kernel: Floats) -> Floats:
    """x (samples, n) through one filter (k,) on a circle."""
    return correlate(x[:, None], kernel[None, None], padding="same", fill="circular")[:, 0]


def fit_dense(x: Floats, y: Floats) -> Floats:
    """The matrix (inputs, outputs) of least norm among those of least squares."""
    # W = X^T (X X^T)^{-1} Y with fewer samples than inputs, else (X^T X)^{-1} X^T Y
    if len(x) < x.shape[1]:
        return x.T @ np.linalg.solve(x @ x.T, y)
    fitted: Floats = np.linalg.solve(x.T @ x, x.T @ y)
    return fitted


def window_products(x: Floats, y: Floats, k: int) -> tuple[Floats, Floats]:
    """Z^T Z (samples, k, k) and Z^T y (samples, k, draws) of each sample's windows Z, from x (samples, n), y (samples, n, draws)."""
    rows = unfold(x[:, None], (k,), padding="same", fill="circular")  # (samples, n, k)
    return rows.swapaxes(1, 2) @ rows, rows.swapaxes(1, 2) @ y


def fit_shared(gram: Floats, moments: Floats) -> Floats:
    """One filter (k, draws) for all places, from the sums of :func:`window_products`."""
    # w = (Z^T Z)^{-1} Z^T y over all windows Z
    return np.linalg.solve(gram, moments)


def memorise(samples: int, k: int, rng: np.random.Generator) -> tuple[float, float]:
    """Largest training error on random labels of a convolutional network with a fitted readout, and its condition number."""
    count = min(samples, MEMORISED)
    x = rng.standard_normal((count, 1, SIGNAL))
    kernels = rng.standard_normal((2 * count, 1, k))
    maps = activate(correlate(x, kernels, rng.standard_normal(2 * count), padding="same"), "relu")
    features = max_pool(maps, (SIGNAL,)).y[..., 0]
    labels = rng.choice([-1.0, 1.0], count)
    readout = np.linalg.lstsq(features, labels, rcond=None)[0]
    return float(np.abs(features @ readout - labels).max()), float(np.linalg.cond(features))


def measure(p: Params, rng: np.random.Generator) -> Results:
    k, samples = int(p.k), int(p.train)
    jacobian = layer_jacobian(p, rng)
    connections = jacobian[jacobian != 0]

    kernel = rng.standard_normal(k)
    kernel /= np.linalg.norm(kernel)
    truth = filtered(np.eye(SIGNAL), kernel)
    x = rng.standard_normal((max(SIZES), SIGNAL))
    y = x @ truth + NOISE * rng.standard_normal(x.shape)

    # averaged over white test signals: the mean of the squared rows of the difference of the two maps
    curve = [float(((fit_dense(x[:m], y[:m]) - truth) ** 2).sum() / SIGNAL) for m in SIZES]
    seen = x[:samples]
    error = float(((fit_dense(seen, y[:samples]) - truth) ** 2).sum() / SIGNAL)
    # without noise the fit is the truth where the samples look, and nothing elsewhere
    left = truth - fit_dense(seen, seen @ truth)
    small_side = seen @ seen.T if samples < SIGNAL else seen.T @ seen

    gram, moments = (sums.cumsum(axis=0) for sums in window_products(x, y[..., None], k))
    shared_curve = [
        float(((fit_shared(gram[m - 1], moments[m - 1])[:, 0] - kernel) ** 2).sum()) for m in SIZES
    ]
    draws = max(1, NOISE_DRAWS // (samples * SIGNAL))
    noisy = (seen @ truth)[..., None] + NOISE * rng.standard_normal((samples, SIGNAL, draws))
    again = window_products(seen, noisy, k)
    filters = fit_shared(again[0].sum(axis=0), again[1].sum(axis=0))
    shared_errors = ((filters - kernel[:, None]) ** 2).sum(axis=0)
    residual, condition = memorise(samples, k, rng)
    return {
        "small_dense": jacobian.size,
        "small_local": len(connections),
        "small_shared": len(np.unique(connections)),
        "dense_error": error,
        "shared_error": float(shared_errors.mean()),
        "error_ratio": error / float(shared_errors.mean()),
        "dense_curve": np.array(curve),
        "shared_curve": np.array(shared_curve),
        "unseen": float((left**2).sum() / SIGNAL),
        "spectrum": np.abs(np.fft.rfft(kernel, SIGNAL)) ** 2,
        "dense_eigenvalues": np.linalg.eigvalsh(small_side),
        "shared_eigenvalues": np.linalg.eigvalsh(gram[samples - 1]),
        "draws": draws,
        "memory_error": residual,
        "memory_condition": condition,
    }


def quadratic_band(weights: Floats, alarm: float = ALARM) -> float:
    """t with P(|sum of weights times squared normals - its mean| >= t) <= alarm: Laurent and Massart 2000, lemma 1."""
    nats = math.log(2 / alarm)
    return float(2 * math.sqrt((weights**2).sum() * nats) + 2 * weights.max() * nats)


def check(p: Params, predicted: Results, results: Results) -> tuple[Check, ...]:
    counted = Text("exact count", "精确计数")
    conditional = Text(
        "given the inputs: a weighted sum of squared normals, bounded by Laurent and Massart",
        "给定输入时是加权的正态平方和，用 Laurent–Massart 不等式界定",
    )
    n, samples, k = SIGNAL, int(p.train), int(p.k)
    dense = NOISE**2 / results["dense_eigenvalues"]
    weights = np.repeat(dense / n, n)
    shared = NOISE**2 / results["shared_eigenvalues"]
    checks = [
        *(
            Check(f"small-{name}", claim, predicted[f"small_{name}"], results[f"small_{name}"], 0.0, counted)
            for name, claim in (
                ("dense", Text("pairs of an input and an output", "输入与输出的配对数")),
                (
                    "local",
                    Text("pairs that are connected, counted with impulses", "有连接的配对数，用脉冲逐一数出"),
                ),
                ("shared", Text("different weights among them", "其中不同的权重个数")),
            )
        ),
        Check(
            "dense-error-measured",
            Text("test error of the unconstrained fit", "无约束拟合的测试误差"),
            results["unseen"] + float(weights.sum()),
            results["dense_error"],
            quadratic_band(weights),
            conditional,
            false_alarm=ALARM,
        ),
        Check(
            "shared-error-measured",
            Text("test error of the shared filter", "共享滤波器的测试误差"),
            float(shared.sum()),
            results["shared_error"],
            quadratic_band(np.repeat(shared / results["draws"], results["draws"])),
            conditional,
            false_alarm=ALARM,
        ),
        Check(
            "unseen-directions",
            Text("what the samples leave unlearned of the true filter", "真滤波器中样本没有教到的部分"),
            predicted["unseen"],
            results["unseen"],
            DEVIATIONS * unseen_deviation(results["spectrum"], samples) + 64 * ROUNDING,
            Text(
                "eight deviations of a random subspace's share; at most 4.5 in 100 000 simulated runs",
                "随机子空间占比的八个标准差；模拟 100 000 次最多偏离 4.5 个",
            ),
            false_alarm=1e-7,
        ),
        Check(
            "shared-noise-measured",
            Text("noise that one shared filter takes on", "共享滤波器承受的噪声"),
            predicted["shared_noise"],
            float((1 / results["shared_eigenvalues"]).sum()),
            predicted["shared_noise"] * (chi_square_band(n * samples) + 8 * k / (n * samples)),
            Text(
                "chi-square law of the energy of all windows, and the next order in their number",
                "全部窗口能量的卡方分布，加上关于其个数的下一阶",
            ),
            false_alarm=ALARM,
        ),
        Check(
            "random-labels-learned",
            Text("largest training error on random labels", "随机标签上的最大训练误差"),
            0.0,
            results["memory_error"],
            64 * ROUNDING * results["memory_condition"],
            Text("rounding times the condition number", "舍入误差乘以条件数"),
        ),
    ]
    if abs(samples - n) >= CLEAR:
        checks.append(
            Check(
                "noise-of-the-dense-fit",
                Text("noise that the unconstrained fit takes on", "无约束拟合承受的噪声"),
                predicted["dense_noise"],
                float((1 / results["dense_eigenvalues"]).sum()),
                NOISE_DEVIATIONS * noise_deviation(max(n, samples), min(n, samples)),
                Text(
                    "ten deviations of the trace of an inverse Wishart matrix; at most 6.6 in 100 000 simulated runs",
                    "逆 Wishart 矩阵之迹的十个标准差；模拟 100 000 次最多偏离 6.6 个",
                ),
                false_alarm=5e-7,
            )
        )
    return tuple(checks)


def unseen_deviation(spectrum: Floats, samples: int) -> float:
    """Standard deviation of the share of a circulant map, of this power spectrum, that misses a random subspace."""
    n = SIGNAL
    if samples >= n:
        return 0.0
    power = np.concatenate([spectrum, spectrum[1:-1][::-1]])
    # Var tr(P A) = 2 N (n - N) (n tr A² - tr² A) / (n² (n - 1) (n + 2)) for a uniform projection P of rank N
    spread = n * (power**2).sum() - power.sum() ** 2
    variance = 2 * samples * (n - samples) * max(spread, 0.0) / (n**2 * (n - 1) * (n + 2))
    return float(math.sqrt(variance)) / n


def noise_deviation(more: int, fewer: int) -> float:
    """Standard deviation of the trace of an inverse Wishart matrix (von Rosen 1988, corollary 3.1)."""
    gap = more - fewer
    return math.sqrt(2 * fewer * (more - 1) / (gap * (gap - 1) ** 2 * (gap - 3)))


def figures(p: Params, predicted: Results, results: Results) -> tuple[Figure, ...]:
    sizes = np.array(SIZES, dtype=float)
    across = np.unique([*range(8, 2 * SIGNAL), *np.geomspace(2 * SIGNAL, 512, 40).astype(int)])
    theory = np.array(
        [
            unseen_share(SIGNAL, min(int(m), SIGNAL)) + NOISE**2 * expected_noise(SIGNAL, int(m))
            for m in across
        ]
    )
    theory[~np.isfinite(theory)] = np.nan
    shared = NOISE**2 * shared_noise(int(p.k), SIGNAL, across.astype(float))
    kinds = (
        ("dense_weights", Text("fully connected", "全连接")),
        ("local_weights", Text("local, not shared", "局部，不共享")),
        ("shared_weights", Text("convolution", "卷积")),
    )
    return (
        Bars(
            Text("Weights of one layer", "一层的权重数"),
            Text(
                "locality saves the first step down, sharing the second, which is the larger where the map is large",
                "局部连接省下第一级，权重共享省下第二级；特征图越大，第二级越可观",
            ),
            Axis(Text("weights", "权重数"), "log"),
            tuple(Bar(label, float(predicted[name]), "predicted") for name, label in kinds),
        ),
        Plot(
            Text("Test error against samples", "测试误差随样本数的变化"),
            Text(
                "the shared filter is orders of magnitude ahead; the unconstrained fit is worst where samples and inputs are "
                "equally many, and better again beyond",
                "共享滤波器领先几个数量级；无约束拟合在样本数等于输入维数处最差，之后才重新变好",
            ),
            Axis(Text("samples N", "样本数 N"), "log"),
            Axis(Text("test error", "测试误差"), "log"),
            (
                Line(
                    Text("unconstrained, predicted", "无约束，预测"),
                    across.astype(float),
                    theory,
                    "predicted",
                ),
                Points(Text("unconstrained", "无约束"), sizes, results["dense_curve"], "measured"),
                Line(Text("shared, predicted", "共享，预测"), across.astype(float), shared, "predicted"),
                Points(Text("shared", "共享"), sizes, results["shared_curve"], "other"),
                Rule(Text("your N", "当前 N"), float(p.train), "x", "context"),
            ),
        ),
    )


DEMO = Demonstration(
    id="D04",
    name="parameter-economy",
    title=Text("Locality and sharing: two savings, and one prior", "局部连接与权重共享：两项节省，一个先验"),
    shows=Text(
        "locality saves $H^2 / k^2$ of a dense layer's weights and sharing another $H^2$; a shared filter learns from few samples "
        "what an unconstrained layer cannot, yet a network of shared filters still fits random labels",
        "局部连接把全连接层的权重减为 $H^2 / k^2$ 分之一，共享再减为 $H^2$ 分之一；共享滤波器靠少量样本就能学会无约束层学不会的东西，"
        "但由共享滤波器组成的网络照样能拟合随机标签",
    ),
    kills=Text(
        "a convolution is small because it is local; weight sharing prevents overfitting",
        "卷积参数少是因为局部连接；权重共享可以防止过拟合",
    ),
    parameters=(
        Parameter(
            "side", "H", Text("side of the square map", "方形特征图的边长"), 224, 8, 256, 1.0, "int", "log"
        ),
        Parameter("c_in", r"C_{\text{in}}", Text("channels in", "输入通道数"), 3, 1, 64, 1.0, "int", "log"),
        Parameter(
            "c_out", r"C_{\text{out}}", Text("channels out", "输出通道数"), 64, 1, 256, 1.0, "int", "log"
        ),
        Parameter("k", "k", Text("kernel width", "核宽"), 3, 1, 11, 1.0, "int"),
        Parameter("train", "N", Text("training samples", "训练样本数"), 32, 8, 512, 1.0, "int", "log"),
    ),
    derive=derive,
    predict=predict,
    measure=measure,
    check=check,
    figures=figures,
    headline=Headline(
        "error_ratio",
        Text(
            "test error of the unconstrained fit over that of the shared filter",
            "无约束拟合与共享滤波器的测试误差之比",
        ),
        Text("", ""),
        1.0,
        100_000.0,
        "log",
    ),
)
