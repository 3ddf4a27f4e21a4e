"""Right programs in other styles than that of the specification: loops, einsum, library tricks."""

from __future__ import annotations

SOLUTIONS: dict[str, tuple[str, ...]] = {
    "attention": (
        """
def attention(query, key, value, mask):
    logits = np.einsum("bld,bsd->bls", query, key) * query.shape[-1] ** -0.5
    if mask is None:
        mask = np.ones(logits.shape, bool)
    logits = np.where(mask, logits, -1e30)
    e = np.exp(logits - logits.max(-1, keepdims=True)) * mask
    total = e.sum(-1, keepdims=True)
    return np.einsum("bls,bsv->blv", np.divide(e, total, out=np.zeros_like(e), where=total > 0), value)
""",
        """
import math

def attention(query, key, value, mask):
    out = []
    for b in range(len(query)):
        rows = []
        for i, q in enumerate(query[b]):
            js = [j for j in range(len(key[b])) if mask is None or mask[b][i][j]]
            s = np.array([q.dot(key[b][j]) / math.sqrt(len(q)) for j in js])
            if not js:
                rows.append(np.zeros(value.shape[2]))
                continue
            w = np.exp(s - np.max(s))
            rows.append(sum(wj * value[b][j] for wj, j in zip(w / w.sum(), js)))
        out.append(rows)
    return np.array(out)
""",
    ),
    "multi-head-attention": (
        """
def multi_head_attention(x, W_Q, W_K, W_V, W_O, heads):
    d = x.shape[-1]
    w = [W.reshape(d, heads, d // heads) for W in (W_Q, W_K, W_V)]
    q, k, v = (np.einsum("btd,dhk->bhtk", x, W) for W in w)
    s = np.einsum("bhik,bhjk->bhij", q, k) / (d // heads) ** 0.5
    s = s - s.max(-1, keepdims=True)
    p = np.exp(s - np.log(np.exp(s).sum(-1, keepdims=True)))
    return np.einsum("bhij,bhjk,hko->bio", p, v, W_O.reshape(heads, d // heads, d))
""",
        """
def multi_head_attention(x, W_Q, W_K, W_V, W_O, heads):
    outputs = []
    for head in np.split(np.arange(x.shape[-1]), heads):
        q, k, v = x @ W_Q[:, head], x @ W_K[:, head], x @ W_V[:, head]
        s = q @ k.transpose(0, 2, 1) / np.sqrt(len(head))
        a = np.exp(s - s.max(2)[:, :, None])
        outputs.append(a / a.sum(2)[:, :, None] @ v)
    return np.concatenate(outputs, -1) @ W_O
""",
    ),
    "causal-mask": (
        """
def causal_mask(queries, keys):
    return np.tril(np.ones((queries, keys), dtype=bool), k=keys - queries)
""",
        """
def causal_mask(queries, keys):
    return [[j <= i + keys - queries for j in range(keys)] for i in range(queries)]
""",
    ),
    "sinusoidal-encoding": (
        """
def sinusoidal_encoding(length, d_model):
    rate = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    angle = np.outer(np.arange(length), rate)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(length, d_model)
""",
    ),
    "rope": (
        """
def rope(x, positions, base):
    d = x.shape[-1]
    z = x.reshape(*x.shape[:-1], d // 2, 2) @ np.array([1, 1j])
    turn = np.exp(1j * np.outer(positions, base ** (-np.arange(0, d, 2) / d)))
    z = z * turn
    return np.stack([z.real, z.imag], -1).reshape(x.shape)
""",
        """
def rope(x, positions, base):
    d = x.shape[-1]
    angle = np.repeat(positions[:, None] / base ** (np.arange(0, d, 2) / d), 2, axis=1)
    rotated = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angle) + rotated * np.sin(angle)
""",
    ),
    "lstm-cell": (
        """
def lstm_cell(x, h, c, W_x, W_h, b):
    H = h.shape[1]
    a = np.hstack([x, h]) @ np.hstack([W_x, W_h]).T + b
    s = 1 / (1 + np.exp(-np.clip(a, -500, 500)))
    c = s[:, H:2*H] * c + s[:, :H] * np.tanh(a[:, 2*H:3*H])
    return s[:, 3*H:] * np.tanh(c), c
""",
    ),
    "gru-cell": (
        """
def gru_cell(x, h, W_x, W_h, b_x, b_h):
    H = h.shape[1]
    u, v = W_x @ x.T + b_x[:, None], W_h @ h.T + b_h[:, None]
    with np.errstate(over="ignore"):
        r, z = (1 / (1 + np.exp(-(u + v)[k * H : (k + 1) * H])) for k in (0, 1))
    n = np.tanh(u[2 * H :] + r * v[2 * H :])
    return (n + z * (h.T - n)).T
""",
    ),
    "layer-norm": (
        """
def layer_norm(x, gamma, beta, eps):
    return (x - x.mean(-1)[..., None]) * (x.var(-1) + eps)[..., None] ** -0.5 * gamma + beta
""",
        """
def layer_norm(x, gamma, beta, eps):
    y = np.empty(x.shape)
    for index in np.ndindex(x.shape[:-1]):
        row = x[index]
        mu = sum(row) / len(row)
        sigma2 = sum((v - mu) ** 2 for v in row) / len(row)
        y[index] = [g * (v - mu) / (sigma2 + eps) ** 0.5 + b for v, g, b in zip(row, gamma, beta)]
    return y
""",
    ),
    "softmax-cross-entropy": (
        """
def softmax_cross_entropy(logits, targets):
    log_p = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    return np.exp(log_p), -np.mean(np.take_along_axis(log_p, targets[:, None], axis=1))
""",
        """
import math

def softmax_cross_entropy(logits, targets):
    p, loss = [], 0.0
    for z, t in zip(logits.tolist(), targets.tolist()):
        e = [math.exp(v - max(z)) for v in z]
        p.append([v / sum(e) for v in e])
        loss += max(z) + math.log(sum(e)) - z[t]
    return p, loss / len(targets)
""",
    ),
    "conv2d": (
        """
def conv2d(x, weight, bias, stride, padding):
    p = padding
    x = np.pad(x, [(0, 0), (0, 0), (p, p), (p, p)])
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride]
    return np.tensordot(windows, weight, ([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + bias.reshape(-1, 1, 1)
""",
        """
def conv2d(x, weight, bias, stride, padding):
    N, C, H, W = x.shape
    O, _, kh, kw = weight.shape
    big = np.zeros((N, C, H + 2 * padding, W + 2 * padding))
    big[:, :, padding : padding + H, padding : padding + W] = x
    h, w = 1 + (H + 2 * padding - kh) // stride, 1 + (W + 2 * padding - kw) // stride
    columns = np.array([
        big[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw].reshape(N, -1)
        for i in range(h) for j in range(w)
    ])
    flat = columns @ weight.reshape(O, -1).T + bias
    return flat.transpose(1, 2, 0).reshape(N, O, h, w)
""",
    ),
    "causal-conv1d": (
        """
def causal_conv1d(x, weight, bias, dilation):
    N, C, T = x.shape
    K = weight.shape[2]
    y = np.repeat(bias[None, :, None], N, 0) * np.ones(T)
    for t in range(T):
        for k in range(K):
            s = t - (K - 1 - k) * dilation
            if s >= 0:
                y[:, :, t] += x[:, :, s] @ weight[:, :, k].T
    return y
""",
    ),
    "mlm-masking": (
        """
def mlm_masking(ids, special, u_select, u_fate, random_ids, mask_id):
    out, labels = ids.copy(), np.full(ids.shape, -100)
    for place in zip(*np.nonzero((u_select < .15) & np.logical_not(special))):
        labels[place] = ids[place]
        if u_fate[place] < .8:
            out[place] = mask_id
        elif u_fate[place] < .9:
            out[place] = random_ids[place]
    return out, labels
""",
    ),
    "top-p": (
        """
def top_p(logits, p, u):
    e = np.exp(logits - np.max(logits))
    prob = e / e.sum()
    ids = sorted(range(len(prob)), key=lambda i: prob[i], reverse=True)
    kept, mass = [], 0.0
    for i in ids:
        kept.append(i)
        mass += prob[i]
        if mass >= p:
            break
    out = np.zeros(len(prob))
    for i in kept:
        out[i] = prob[i] / mass
    run = 0.0
    for i in kept:
        run += out[i]
        if u < run:
            return out, i
    return out, kept[-1]
""",
    ),
    "beam-search": (
        """
def beam_search(log_p, start, end, width, alpha):
    T, V, _ = log_p.shape
    beams, totals, done = np.zeros((1, 0), int), np.zeros(1), []
    for t in range(T):
        last = beams[:, -1] if t else [start]
        flat = (totals[:, None] + log_p[t, last]).ravel()
        top = np.argsort(flat)[::-1][:width]
        beams, totals = np.column_stack([beams[top // V], top % V]), flat[top]
        over = beams[:, -1] == end
        done += list(zip(beams[over], totals[over]))
        beams, totals = beams[~over], totals[~over]
        if len(beams) == 0:
            break
    done += list(zip(beams, totals))
    scores = [total / len(y) ** alpha for y, total in done]
    best = int(np.argmax(scores))
    return list(map(int, done[best][0])), scores[best]
""",
    ),
    "online-softmax": (
        """
def online_softmax(m, l, acc, scores, values):
    m, l, acc = m.copy(), l.copy(), acc.copy()
    for j in range(scores.shape[1]):
        for i in range(len(m)):
            if np.isneginf(scores[i, j]):
                continue
            new = max(m[i], scores[i, j])
            a, w = np.exp(m[i] - new), np.exp(scores[i, j] - new)
            m[i], l[i], acc[i] = new, a * l[i] + w, a * acc[i] + w * values[j]
    return m, l, acc
""",
    ),
    "kv-cache-step": (
        """
def kv_cache_step(x, cache_k, cache_v, W_Q, W_K, W_V):
    K, V, out = list(cache_k), list(cache_v), []
    for token in x:
        K.append(token @ W_K)
        V.append(token @ W_V)
        s = np.array(K) @ (token @ W_Q) / W_Q.shape[1] ** 0.5
        w = np.exp(s - s.max())
        out.append(w @ np.array(V) / w.sum())
    return np.array(out), np.array(K), np.array(V)
""",
    ),
}
