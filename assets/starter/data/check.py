"""Checks the Guide's training data and prints a summary. Exit status 1 when
something is wrong. Plain Python, no packages: python3 check.py"""
import random
import re
import sys
from collections import Counter, defaultdict

from load import dialogues, families
from vary import Varier, key

NAMES = {"llama.cpp", "llama-server", "llvmpipe", "gpt-oss", "n-gram", "f16", "q8_0", "b11669"}
ALLOWED = set("çéèêëáàíóúñßüöä¿")  # beside printable ASCII, in questions only
problems = []


def want(condition, message):
    if not condition:
        problems.append(message)


def characters(text, where, extra=frozenset()):
    odd = {c for c in text if not (" " <= c <= "~" or c in extra)}
    want(not odd, f"{where}: characters {sorted(odd)} in {text!r}")


def main():
    every, talks = families(), dialogues()
    owner, held = {}, {}
    for f in every:
        name = f["id"]
        outside = name.startswith("oos-")
        want(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), f"{name}: odd id")
        want(6 <= len(f["train"]) <= (34 if outside else 24), f"{name}: {len(f['train'])} training phrasings")
        want(len(f["heldout"]) == 2, f"{name}: {len(f['heldout'])} held-out phrasings")
        want(1 <= len(f["answers"]) <= 3, f"{name}: {len(f['answers'])} answers")
        for text in f["train"] + f["heldout"]:
            characters(text, name, ALLOWED)
            want(0 < len(text) <= 110 and text == " ".join(text.split()), f"{name}: length or spaces: {text!r}")
        for text in f["train"]:
            want(key(text) not in owner, f"{name}: {text!r} is also in {owner.get(key(text))}")
            owner[key(text)] = name
        for text in f["heldout"]:
            want(key(text) not in held, f"{name}: held-out {text!r} is also in {held.get(key(text))}")
            held[key(text)] = name
        for text in f["answers"]:
            characters(text, name)
            low = 6 if outside or f["topic"] in ("guide", "app", "cli") else 12
            want(low <= len(text.split()) <= 45, f"{name}: answer of {len(text.split())} words")
            want(text[0] in "`0123456789" or text[0].isupper() or text.split()[0] in NAMES, f"{name}: answer begins small")
            want(text[-1] in ".?", f"{name}: answer ends without a stop")
            want(len(re.findall(r"[.?!](?= [A-Z`]|$)", text)) <= 4, f"{name}: too many sentences")
            want(text.count("`") % 2 == 0, f"{name}: odd backquotes")
    for text, name in held.items():
        want(text not in owner, f"{name}: held-out {text!r} is trained in {owner.get(text)}")
    for what, names in (("family", [f["id"] for f in every]), ("dialogue", [d["id"] for d in talks])):
        want(len(names) == len(set(names)), f"{what} ids twice: {[n for n, c in Counter(names).items() if c > 1]}")

    family_answers = {a for f in every for a in f["answers"]}
    seen, trained = {}, set()
    for d in talks:
        want(2 <= len(d["turns"]) <= 4, f"{d['id']}: {len(d['turns'])} turns")
        asked = tuple(key(u) for u, _ in d["turns"])
        want(asked not in seen, f"{d['id']}: same questions as {seen.get(asked)}")
        seen[asked] = d["id"]
        for user, answer in d["turns"]:
            characters(user, d["id"], ALLOWED)
            characters(answer, d["id"])
            want(key(user) not in held, f"{d['id']}: {user!r} is a held-out phrasing")
            want(3 <= len(answer.split()) <= 45, f"{d['id']}: answer of {len(answer.split())} words")
    # The first turn alone must not teach another answer than its family does.
    by_question = defaultdict(set)
    for f in every:
        for q in f["train"]:
            by_question[key(q)] |= set(f["answers"])
    for d in talks:
        user, answer = d["turns"][0]
        known = by_question.get(key(user))
        want(known is None or answer in known, f"{d['id']}: first answer differs from the family's")
        if not d["heldout"]:
            trained |= {a for _, a in d["turns"]}
    want(any(d["heldout"] for d in talks), "no held-out dialogue")
    for d in talks:
        if d["heldout"]:
            for _, answer in d["turns"]:
                want(answer in family_answers or answer in trained, f"{d['id']}: held-out answer is nowhere trained")

    vary, rng = Varier(every), random.Random(1)
    for f in every:
        for text in f["train"]:
            want(key(vary(text, rng)) not in held, f"{f['id']}: a variant of {text!r} is a held-out phrasing")

    outside = [f for f in every if f["id"].startswith("oos-")]
    answers = family_answers | {a for d in talks for _, a in d["turns"]}
    size = sum(len(a) for a in answers)
    want(len(every) >= 420, f"only {len(every)} families")
    want(len(outside) >= 40, f"only {len(outside)} out-of-scope families")
    want(sum(not d["heldout"] for d in talks) >= 80, f"only {len(talks)} dialogues")
    want(size <= 100_000, f"{size} bytes of unique answers")

    words = sorted(len(a.split()) for a in answers)
    vocabulary = Counter(w for a in answers for w in re.findall(r"[a-z0-9_.-]*[a-z0-9]", a.lower()))
    print(f"families              {len(every)}, of them out of scope {len(outside)}")
    for topic, count in Counter(f["topic"] for f in every).items():
        print(f"  {topic:20}{count}")
    print(f"training phrasings    {len(owner)} ({len(owner) / len(every):.1f} a family)")
    print(f"held-out phrasings    {len(held)}")
    print(f"unique answers        {len(answers)}, {size} bytes, {words[0]} to {words[-1]} words, median {words[len(words) // 2]}")
    print(f"words in answers      {len(vocabulary)} different, {sum(c == 1 for c in vocabulary.values())} used once")
    turns = Counter(len(d["turns"]) for d in talks)
    print(f"dialogues             {len(talks)}, of them held out {sum(d['heldout'] for d in talks)}; "
          + ", ".join(f"{n} of {k} turns" for k, n in sorted(turns.items())))
    for problem in problems:
        print("PROBLEM", problem)
    print("ok" if not problems else f"{len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
