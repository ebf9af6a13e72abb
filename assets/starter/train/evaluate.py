"""Asks the Guide every held-out phrasing on the real engine, greedily, and says how
many answers are exact or near. Near is the same family's answer with at least 85 %
of its characters in place, so that a slip of a word counts and another answer does not.

    python evaluate.py guide.gguf --engine "llama-server" [--draft draft.gguf] [--spec none|mtp|draft] [--spelt] [--wrong 40]

Writes one JSON line with the rates to standard output, wrong answers to standard error.
"""

import argparse
import difflib
import http.client
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "data"))
import load  # noqa: E402
from vary import Varier  # noqa: E402


class Socket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("engine")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask(path, messages):
    c = Socket(path)
    body = {"messages": messages, "temperature": 0, "max_tokens": 160}
    c.request("POST", "/v1/chat/completions", json.dumps(body))
    reply = json.loads(c.getresponse().read())
    return reply["choices"][0]["message"]["content"], reply["timings"]


def near(text, answers):
    return any(difflib.SequenceMatcher(None, text, a, False).ratio() >= 0.85 for a in answers)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("model")
    args.add_argument("--engine", required=True, type=shlex.split, help="the command that starts llama-server, quoted")
    args.add_argument("--spec", default="none", choices=["none", "mtp", "draft"])
    args.add_argument("--draft")
    args.add_argument("--spelt", action="store_true", help='ask "What is GTT?" where the data has "what is gtt"')
    args.add_argument("--wrong", type=int, default=40)
    a = args.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        sock = os.path.join(folder, "engine.sock")
        kind = {"none": "none", "mtp": "draft-mtp", "draft": "draft-simple"}[a.spec]
        command = [*a.engine, "-m", a.model, "--host", sock, "--offline", "--no-ui", "-c", "1024",
                   "-np", "1", "-fit", "off", "--spec-type", kind]
        if a.spec == "draft":
            command += ["-md", a.draft]
        log = open(os.path.join(folder, "log"), "w")
        engine = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            for _ in range(100):
                time.sleep(0.1)
                try:
                    ask(sock, [{"role": "user", "content": "hello"}])
                    break
                except (OSError, KeyError, ValueError):
                    continue
            report(sock, a)
        finally:
            engine.kill()
            engine.wait()


def report(sock, a):
    total = exact = close = drafted = accepted = 0
    speed, wrong = [], []
    families = load.families()
    spell = Varier(families).spell
    for f in families:
        for question in f["heldout"]:
            if a.spelt:
                question = spell(question)
                question = question[0].upper() + question[1:] + "?"
            text, timings = ask(sock, [{"role": "user", "content": question}])
            total += 1
            if text in f["answers"]:
                exact += 1
            elif near(text, f["answers"]):
                close += 1
            else:
                wrong.append((f["id"], question, text))
            speed.append(timings["predicted_per_second"])
            drafted += timings.get("draft_n", 0)
            accepted += timings.get("draft_n_accepted", 0)
    turns = followed = 0
    for d in load.dialogues():
        before = []
        for question, answer in d["turns"] if d["heldout"] else []:
            before.append({"role": "user", "content": question})
            text, _ = ask(sock, before)
            before.append({"role": "assistant", "content": answer})
            turns += 1
            followed += near(text, [answer])
    for family, question, text in wrong[: a.wrong]:
        print(f"{family}\n  {question}\n  {text}", file=sys.stderr)
    print(json.dumps({
        "model": os.path.basename(a.model), "speculation": a.spec, "asked": total,
        "exact": round(exact / total, 4), "near": round(close / total, 4),
        "right": round((exact + close) / total, 4),
        "dialogueTurns": turns, "dialogueRight": round(followed / turns, 4),
        "tokensPerSecond": round(sorted(speed)[len(speed) // 2], 1),
        "acceptance": round(accepted / drafted, 3) if drafted else None,
    }))


if __name__ == "__main__":
    main()
