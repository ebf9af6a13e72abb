"""The Guide's network in JAX: llama.cpp's dense qwen35 (gated delta net and gated
full attention in turn, then one MTP layer), and a plain qwen3 for the draft.
The arithmetic follows src/models/qwen35.cpp and src/models/qwen3.cpp of
ggml-org/llama.cpp; matrices are kept as [in, out] and turned round on export.

b11669 aborts on a qwen35 without any recurrent layer (GGML_ASSERT(buffer)), so
every second layer is one."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

EPS = 1e-6
ROPE_BASE = 10000.0


@dataclass(frozen=True)
class Shape:
    vocab: int
    width: int = 256
    layers: int = 4
    heads: int = 4
    kv_heads: int = 2
    head: int = 64
    ffn: int = 704
    delta_heads: int = 4  # recurrent heads, and groups of keys
    delta_head: int = 32
    hybrid: bool = True  # qwen35; the draft is a plain qwen3
    mtp: bool = True

    @property
    def inner(self):
        return self.delta_heads * self.delta_head


CONV = 4  # taps of the causal convolution before the delta rule


def dense(key, n_in, n_out, scale=1.0):
    return jax.random.normal(key, (n_in, n_out)) * (scale / n_in**0.5)


def residual_scale(s: Shape):
    """Keeps the residual stream's variance level with depth."""
    return 1.0 / (2 * s.layers) ** 0.5


def init_ffn(key, s: Shape):
    k = jax.random.split(key, 3)
    return {
        "ffn_norm": jnp.ones(s.width),
        "gate": dense(k[0], s.width, s.ffn),
        "up": dense(k[1], s.width, s.ffn),
        "down": dense(k[2], s.ffn, s.width, residual_scale(s)),
    }


def init_delta(key, s: Shape):
    k = jax.random.split(key, 7)
    return {
        "attn_norm": jnp.ones(s.width),
        "qkv": dense(k[0], s.width, 3 * s.inner),
        "z": dense(k[1], s.width, s.inner),
        "conv": jax.random.normal(k[2], (CONV, 3 * s.inner)) * 0.5,
        "alpha": dense(k[3], s.width, s.delta_heads),
        "beta": dense(k[4], s.width, s.delta_heads),
        "dt": jnp.zeros(s.delta_heads),
        "a_log": jnp.log(jnp.linspace(0.02, 0.5, s.delta_heads)),
        "delta_norm": jnp.ones(s.delta_head),
        "out": dense(k[5], s.inner, s.width, residual_scale(s)),
        **init_ffn(k[6], s),
    }


def init_attention(key, s: Shape):
    k = jax.random.split(key, 5)
    q_out = s.heads * s.head * (2 if s.hybrid else 1)
    return {
        "attn_norm": jnp.ones(s.width),
        "q": dense(k[0], s.width, q_out),
        "k": dense(k[1], s.width, s.kv_heads * s.head),
        "v": dense(k[2], s.width, s.kv_heads * s.head),
        "o": dense(k[3], s.heads * s.head, s.width, residual_scale(s)),
        "q_norm": jnp.ones(s.head),
        "k_norm": jnp.ones(s.head),
        **init_ffn(k[4], s),
    }


def init(key, s: Shape):
    k = jax.random.split(key, s.layers + 3)
    recurrent = [i for i in range(s.layers) if s.hybrid and i % 2 == 0]
    attention = [i for i in range(s.layers) if i not in recurrent]

    def stack(blocks):
        return jax.tree.map(lambda *x: jnp.stack(x), *blocks)

    params = {
        "embed": jax.random.normal(k[-1], (s.vocab, s.width)) * 0.02,
        "attention": stack([init_attention(k[i], s) for i in attention]),
        "norm": jnp.ones(s.width),
    }
    if s.hybrid:
        params["delta"] = stack([init_delta(k[i], s) for i in recurrent])
    if s.mtp:
        params["mtp"] = {
            "block": init_attention(k[-2], s),
            "enorm": jnp.ones(s.width),
            "hnorm": jnp.ones(s.width),
            "eh": jax.random.normal(k[-3], (2 * s.width, s.width)) / (2 * s.width) ** 0.5,
            "norm": jnp.ones(s.width),
        }
    return params


def rms(x, w):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + EPS) * w


def rope(x, pos):
    """NeoX rotation: dimension i turns with i + head/2."""
    half = x.shape[-1] // 2
    freq = ROPE_BASE ** (-jnp.arange(half) / half)
    angle = pos[..., None, None] * freq
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def ffn(p, x):
    h = rms(x, p["ffn_norm"])
    return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]


def attention_layer(p, x, pos, segment, s: Shape):
    b, t, _ = x.shape
    causal = jnp.tril(jnp.ones((t, t), bool))
    mask = causal[None] & (segment[:, :, None] == segment[:, None, :])
    h = rms(x, p["attn_norm"])
    q = (h @ p["q"]).reshape(b, t, s.heads, -1)
    q, gate = q[..., : s.head], q[..., s.head :]
    k = (h @ p["k"]).reshape(b, t, s.kv_heads, s.head)
    v = (h @ p["v"]).reshape(b, t, s.kv_heads, s.head)
    q = rope(rms(q, p["q_norm"]), pos)
    k = rope(rms(k, p["k_norm"]), pos)
    q = q.reshape(b, t, s.kv_heads, s.heads // s.kv_heads, s.head)
    score = jnp.einsum("btkgh,bskh->bkgts", q, k) / s.head**0.5
    score = jnp.where(mask[:, None, None], score, -1e9)
    out = jnp.einsum("bkgts,bskh->btkgh", jax.nn.softmax(score, -1), v)
    out = out.reshape(b, t, s.heads, s.head)
    if s.hybrid:
        out = out * jax.nn.sigmoid(gate)
    return ffn(p, x + out.reshape(b, t, -1) @ p["o"])


def delta_layer(p, x, pos, s: Shape):
    """Gated delta rule, one step a token; a segment's first token clears the state."""
    b, t, _ = x.shape
    h = rms(x, p["attn_norm"])
    mixed = h @ p["qkv"]
    taps = []
    for back in range(CONV):
        shifted = jnp.pad(mixed, ((0, 0), (back, 0), (0, 0)))[:, :t]
        taps.append(jnp.where((pos >= back)[..., None], shifted, 0.0) * p["conv"][CONV - 1 - back])
    mixed = jax.nn.silu(sum(taps)).reshape(b, t, 3, s.delta_heads, s.delta_head)
    q, k, v = mixed[:, :, 0], mixed[:, :, 1], mixed[:, :, 2]
    q = l2(q) / s.delta_head**0.5
    k = l2(k)
    beta = jax.nn.sigmoid(h @ p["beta"])
    decay = jnp.exp(-jnp.exp(p["a_log"]) * jax.nn.softplus(h @ p["alpha"] + p["dt"]))
    decay = jnp.where((pos > 0)[..., None], decay, 0.0)

    def step(state, now):
        q, k, v, beta, decay = now
        state = state * decay[..., None, None]
        seen = jnp.einsum("bhk,bhkv->bhv", k, state)
        state = state + k[..., None] * ((v - seen) * beta[..., None])[..., None, :]
        return state, jnp.einsum("bhk,bhkv->bhv", q, state)

    state = jnp.zeros((b, s.delta_heads, s.delta_head, s.delta_head))
    over_time = [a.swapaxes(0, 1) for a in (q, k, v, beta, decay)]
    _, out = jax.lax.scan(step, state, over_time)
    out = rms(out.swapaxes(0, 1), p["delta_norm"])
    out = out.reshape(b, t, -1) * jax.nn.silu(h @ p["z"])
    return ffn(p, x + out @ p["out"])


def l2(x):
    return x * jax.lax.rsqrt(jnp.sum(x * x, -1, keepdims=True) + EPS)


def layer(stacked, i):
    return jax.tree.map(lambda x: x[i], stacked)


def dropout(x, key, rate):
    if key is None:
        return x
    # One mask for all places of a row: a mask of its own for each costs half a step's time on a CPU.
    kept = jax.random.bernoulli(key, 1 - rate, (x.shape[0], 1, x.shape[2]))
    return jnp.where(kept, x / (1 - rate), 0.0)


def logits(params, tokens, pos, segment, s: Shape, key=None, rate=0.0, mtp=True):
    """Next-token logits, and, with mtp, the MTP layer's for the token after the next (or None).

    tokens, pos and segment are [batch, length]; nothing is seen across segments.
    With a key, the embeddings and what each layer adds are dropped at the rate.
    """
    keys = [None] * (s.layers + 1) if key is None else jax.random.split(key, s.layers + 1)
    x = dropout(params["embed"][tokens], keys[-1], rate)
    for i in range(s.layers):
        if not s.hybrid:
            y = attention_layer(layer(params["attention"], i), x, pos, segment, s)
        elif i % 2 == 0:
            y = delta_layer(layer(params["delta"], i // 2), x, pos, s)
        else:
            y = attention_layer(layer(params["attention"], i // 2), x, pos, segment, s)
        x = x + dropout(y - x, keys[i], rate)
    h = rms(x, params["norm"])
    out = h @ params["embed"].T
    if not (s.mtp and mtp):
        return out, None
    m = params["mtp"]
    following = params["embed"][jnp.roll(tokens, -1, 1)]
    joined = jnp.concatenate([rms(following, m["enorm"]), rms(h, m["hnorm"])], -1) @ m["eh"]
    y = attention_layer(m["block"], joined, pos, segment, s)
    return out, rms(y, m["norm"]) @ params["embed"].T


def count(params):
    return sum(x.size for x in jax.tree.leaves(params))
