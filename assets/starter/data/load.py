"""Reads the Guide's training data: question families and dialogues.

A family file and a dialogue file have the same shape: a line [id] starts a
record, a line "X: text" adds to it, " | " separates phrasings on one line,
lines starting with # are comments. "A: =id" is the first answer of family id.
"""
from pathlib import Path

HERE = Path(__file__).resolve().parent


def records(folder):
    """Yields (file stem, id, note after the id, [(tag, text), ...])."""
    for path in sorted((HERE / folder).glob("*.txt")):
        head, lines = None, []
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                if head:
                    yield *head, lines
                name, _, note = line[1:].partition("]")
                head, lines = (path.stem, name, note.strip()), []
                continue
            tag, mark, text = line.partition(": ")
            if head is None or not mark or tag not in ("Q", "H", "A", "U"):
                raise ValueError(f"{path.name}:{number}: not understood: {line!r}")
            lines.append((tag, text.strip()))
        if head:
            yield *head, lines


def families():
    """A list of {topic, id, train, heldout, answers}."""
    def split(lines, tag):
        return [q.strip() for t, text in lines if t == tag for q in text.split(" | ")]
    return [{"topic": topic, "id": name, "train": split(lines, "Q"), "heldout": split(lines, "H"),
             "answers": [text for tag, text in lines if tag == "A"]}
            for topic, name, _, lines in records("families")]


def dialogues():
    """A list of {topic, id, heldout, turns}; turns are (user, answer) pairs."""
    first = {f["id"]: f["answers"][0] for f in families()}
    found = []
    for topic, name, note, lines in records("dialogues"):
        if [tag for tag, _ in lines] != ["U", "A"] * (len(lines) // 2):
            raise ValueError(f"{topic}: [{name}]: turns must be U, A, U, A")
        texts = [first[t[1:]] if tag == "A" and t.startswith("=") else t for tag, t in lines]
        found.append({"topic": topic, "id": name, "heldout": note == "heldout",
                      "turns": list(zip(texts[::2], texts[1::2]))})
    return found
