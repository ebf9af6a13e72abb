"""Trains the Guide (or, with --draft, its draft) and writes the GGUF.

    python train.py --out guide.gguf [--minutes 120] [--draft] [--resume]

Seeded: the same data, seed and number of steps give the same weights on the same
machine. A checkpoint is written every few minutes; --resume goes on from it.
"""

import argparse
import functools
import json
import pickle
import random
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "data"))

import export  # noqa: E402
import load  # noqa: E402
import model  # noqa: E402
from vary import Varier  # noqa: E402
from vocabulary import tokenizer  # noqa: E402

CONTEXT = 1024
ROW_TOKENS = (128, 256, 128, 256, 128, 256, 128, CONTEXT)  # most conversations are short, and short rows train faster
BATCH_TOKENS = 4096
# The first tokens of an answer decide which one it is; the rest follows from them.
DECIDING = 6
DECIDING_WEIGHT = 6
CUT = 0.6  # this share of the conversations ends soon after the deciding tokens
CUT_TOKENS = 10
WORD_DROPOUT = 0.15
DROPOUT = 0.1
# The MTP layer learns last, from a trunk that hardly changes any more: it costs a
# quarter of a step's time.
MTP_FROM = 0.7  # of the steps
SEED = 7

META = {
    "guide": {
        "name": "Paddock Guide",
        "description": "Answers short questions about running local models and about Paddock. Knows nothing else.",
        "version": "1",
        "context": CONTEXT,
        "sampling": {"temp": 0.0},
    },
    "draft": {
        "name": "Paddock Guide draft",
        "description": "A draft model for the Paddock Guide. Of no use without it.",
        "version": "1",
        "context": CONTEXT,
        "sampling": {"temp": 0.0},
    },
}


class Packer:
    """Fills rows with whole conversations. Most are one question;
    some ask several unrelated ones, so that an answer follows the last question."""

    def __init__(self, tok, rng):
        self.tok, self.rng = tok, rng
        self.families = load.families()
        self.vary = Varier(self.families)
        self.dialogues = [d["turns"] for d in load.dialogues() if not d["heldout"]]
        self.start, self.end = (tok.token_to_id(t) for t in ("<|im_start|>", "<|im_end|>"))
        self.newline = tok.encode("\n").ids

    def turn(self, role, text):
        head = [self.start, *self.tok.encode(role + "\n").ids]
        body = [*self.tok.encode(text).ids, self.end]
        weights = [0] * len(body)
        if role == "assistant":
            weights = [DECIDING_WEIGHT if i < DECIDING else 1 for i in range(len(body))]
        return head + body + self.newline, [0] * len(head) + weights + [0] * len(self.newline)

    def pair(self):
        f = self.rng.choice(self.families)
        return self.ask(self.rng.choice(f["train"])), self.rng.choice(f["answers"])

    def ask(self, question):
        """The question as somebody else might type it, at times with words left out."""
        text = self.vary(question, self.rng)
        words = text.split(" ")
        if len(words) < 4 or self.rng.random() < 0.5:
            return text
        kept = [w for w in words if self.rng.random() > WORD_DROPOUT]
        return " ".join(kept) if len(kept) >= 2 else text

    def conversation(self):
        roll = self.rng.random()
        if roll < 0.12 and self.dialogues:
            return [(self.ask(q), a) for q, a in self.rng.choice(self.dialogues)]
        turns = 1 if roll < 0.75 else self.rng.randint(2, 5)
        return [self.pair() for _ in range(turns)]

    def row(self, length):
        ids, learn, pos, segment = [], [], [], []
        number = 0
        while len(ids) < length:
            number += 1
            start = len(ids)
            cut = self.rng.random() < CUT
            for turn in [self.pair()] if cut else self.conversation():
                for role, text in zip(("user", "assistant"), turn):
                    more, mark = self.turn(role, text)
                    if cut and role == "assistant":
                        more, mark = more[: CUT_TOKENS + 4], mark[: CUT_TOKENS + 4]
                    ids += more
                    learn += mark
            pos += range(len(ids) - start)
            segment += [number] * (len(ids) - start)
        cut = slice(0, length)
        return ids[cut], learn[cut], pos[cut], segment[cut]

    def batch(self, step):
        length = ROW_TOKENS[step % len(ROW_TOKENS)]
        rows = [self.row(length) for _ in range(BATCH_TOKENS // length)]
        return tuple(np.array(x, np.int32) for x in zip(*rows))


class Held:
    """The held-out phrasings, in rows of one question and the answer's deciding tokens."""

    LENGTH = 48

    def __init__(self, packer):
        rows = []
        for f in packer.families:
            for question in f["heldout"]:
                ids, _ = packer.turn("user", question)
                # An answer decided as any of the family's would do; nearly all have one.
                more, mark = packer.turn("assistant", f["answers"][0])
                learn = [0] * len(ids) + [m == DECIDING_WEIGHT for m in mark]
                rows.append(((ids + more)[: self.LENGTH], learn[: self.LENGTH]))
        self.ids = np.zeros((len(rows), self.LENGTH), np.int32)
        self.learn = np.zeros((len(rows), self.LENGTH), bool)
        for i, (ids, learn) in enumerate(rows):
            self.ids[i, : len(ids)] = ids
            self.learn[i, : len(learn)] = learn

    def right(self, forward, params):
        """The share whose deciding tokens are each the likeliest after those before."""
        found = []
        for at in range(0, len(self.ids), 128):
            ids, learn = self.ids[at : at + 128], self.learn[at : at + 128]
            best = np.asarray(forward(params, ids))
            hit = (best[:, :-1] == ids[:, 1:]) | ~learn[:, 1:]
            found += list(hit.all(1))
        return float(np.mean(found))


def loss(params, batch, key, shape, mtp):
    ids, learn, pos, segment = batch
    length = ids.shape[1]
    out, ahead = model.logits(params, ids, pos, segment, shape, key, DROPOUT, mtp)

    def cross(logits, by):
        target = jnp.roll(ids, -by, 1)
        same = jnp.roll(segment, -by, 1) == segment
        weight = jnp.roll(learn, -by, 1) * same * (jnp.arange(length) < length - by)
        nll = optax.softmax_cross_entropy_with_integer_labels(logits, target)
        return (nll * weight).sum() / weight.sum()

    first = cross(out, 1)
    second = cross(ahead, 2) if ahead is not None else 0.0
    return first + 0.3 * second, (first, second)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--out", type=Path, required=True)
    args.add_argument("--minutes", type=float, default=120)
    args.add_argument("--steps", type=int, default=3600)
    args.add_argument("--rate", type=float, default=2e-3)
    args.add_argument("--draft", action="store_true")
    args.add_argument("--resume", action="store_true")
    a = args.parse_args()

    tok = tokenizer()
    shape = model.Shape(vocab=tok.get_vocab_size())
    if a.draft:
        shape = model.Shape(
            vocab=tok.get_vocab_size(), width=128, layers=2, heads=2, kv_heads=1, head=64,
            ffn=320, hybrid=False, mtp=False,
        )
    params = model.init(jax.random.key(SEED), shape)
    schedule = optax.warmup_cosine_decay_schedule(0.0, a.rate, 100, a.steps, a.rate * 0.03)
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(schedule, b2=0.98, weight_decay=0.1)
    )
    state, step = optimiser.init(params), 0
    checkpoint = a.out.with_suffix(".checkpoint")
    if a.resume and checkpoint.exists():
        params, state, step = pickle.loads(checkpoint.read_bytes())
    print(f"{model.count(params):,} parameters, {len(tok.get_vocab()):,} tokens", flush=True)

    @functools.partial(jax.jit, static_argnames="mtp")
    def update(params, state, batch, key, mtp):
        (_, parts), grads = jax.value_and_grad(loss, has_aux=True)(params, batch, key, shape, mtp)
        change, state = optimiser.update(grads, state, params)
        return optax.apply_updates(params, change), state, parts

    @jax.jit
    def forward(params, ids):
        pos = jnp.broadcast_to(jnp.arange(ids.shape[1]), ids.shape)
        return model.logits(params, ids, pos, jnp.zeros_like(ids), shape, mtp=False)[0].argmax(-1)

    packer = Packer(tok, random.Random(SEED + step))
    held = Held(packer)
    began = saved = time.monotonic()
    curve = a.out.with_suffix(".curve.jsonl").open("a")

    def save():
        checkpoint.write_bytes(pickle.dumps(jax.device_get((params, state, step))))
        export.write(a.out, params, shape, tok, META["draft" if a.draft else "guide"])

    while step < a.steps and time.monotonic() - began < a.minutes * 60:
        params, state, (first, second) = update(
            params, state, packer.batch(step), jax.random.key(step), step >= MTP_FROM * a.steps
        )
        step += 1
        if step % 25 == 0:
            row = {"step": step, "loss": float(first), "mtp": float(second),
                   "seconds": round(time.monotonic() - began)}
            if step % 250 == 0:
                row["held"] = round(held.right(forward, params), 4)
            print(json.dumps(row), flush=True)
            curve.write(json.dumps(row) + "\n")
            curve.flush()
        if time.monotonic() - saved > 240:
            save()
            saved = time.monotonic()
    save()


if __name__ == "__main__":
    main()
