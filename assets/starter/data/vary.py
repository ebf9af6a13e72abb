"""Surface variants of a phrasing, for training: other openings, spellings,
politeness, case, typing errors. Deterministic for a given random.Random.

    vary = Varier(families()); vary(phrasing, rng) -> str

A variant never equals a held-out phrasing, nor a training phrasing of a family
with another answer (case and punctuation aside); then the phrasing itself is
returned.
"""
import re
from collections import Counter

# Openings that ask the same thing of what follows them.
OPENINGS = [
    ["what is {}", "what's {}", "whats {}", "what {} is", "explain {}", "can you explain {}", "tell me about {}",
     "what does {} mean", "what do you mean by {}", "please explain {}", "define {}", "i want to know what {} is",
     "{} meaning", "what is meant by {}", "explain what {} is", "could you explain {}"],
    ["what are {}", "explain {}", "can you explain {}", "tell me about {}", "what do {} mean", "whats {}",
     "what {} are", "explain what {} are"],
    ["what does {} do", "what is {} for", "what is {} good for", "why would i use {}", "explain {}",
     "what is the use of {}"],
    ["how do i {}", "how can i {}", "how to {}", "how do you {}", "how should i {}", "tell me how to {}",
     "i want to {}", "is there a way to {}", "what must i do to {}", "how does one {}", "can you tell me how to {}",
     "i would like to {}", "what do i have to do to {}"],
    ["where do i {}", "where can i {}", "how do i {}", "where must i go to {}", "in which place do i {}"],
    ["why can't i {}", "why can i not {}", "i can't {}", "why am i not able to {}", "i am not able to {}",
     "why is it not possible to {}"],
    ["can i {}", "may i {}", "is it possible to {}", "am i able to {}", "could i {}", "do i have a way to {}"],
    ["does it {}", "does paddock {}", "can it {}", "can paddock {}", "does this app {}"],
    ["does {} work", "is {} supported", "is {} possible", "can {} be used"],
    ["should i use {}", "is it good to use {}", "do you recommend {}", "is {} a good idea"],
    ["which {} should i use", "what {} should i use", "which {} should i choose", "what {} should i take",
     "which {} is best", "best {}", "what {} is best", "recommend a {}", "what {} do you recommend",
     "which {} do i need"],
    ["how much memory does {} need", "how much memory for {}", "memory needed for {}", "how much vram does {} need",
     "memory of {}", "how much memory does {} take"],
    ["why is {}", "how come {}", "why {}", "what is the reason that {}"],
    ["is {} good", "is {} any good", "how good is {}", "is {} ok", "is {} worth it"],
    ["where is {}", "where can i find {}", "where do i find {}", "where do i see {}"],
    ["who is {}", "tell me who is {}"],
    ["write {}", "please write {}", "can you write {}", "write me {}", "could you write {}"],
]
WORDS = [
    ["picture", "image", "photo"], ["pictures", "images", "photos"], ["gpu", "graphics card"], ["gpus", "graphics cards"],
    ["folder", "directory"], ["conversation", "chat"], ["delete", "remove", "erase"], ["quantisation", "quantization"],
    ["quantised", "quantized"], ["quantise", "quantize"], ["normalise", "normalize"], ["licence", "license"],
    ["faster", "quicker"], ["big", "large"], ["bigger", "larger"], ["computer", "machine", "pc"], ["choose", "select", "pick"],
    ["greyed", "disabled"], ["colour", "color"],
    ["model", "llm"], ["show", "display"], ["see", "view"], ["terminal", "command line", "shell"], ["answer", "reply"],
    ["answers", "replies"], ["stop", "halt"], ["memory", "mem"], ["shortcut", "key"], ["summarise", "summarize"],
    ["documents", "files"], ["can't", "cannot", "can not"], ["need", "require"], ["search", "look for"],
]
BEFORE = ["please ", "hi, ", "hello, ", "sorry, ", "quick question: ", "a question: ", "ok, ", "so ", "hey, ", "guide, "]
AFTER = [" please", " in paddock", " here", " thanks", " for me", " exactly", ", please help"]


def key(text):
    plain = re.sub(r"[^\w+*#/<>-]+", " ", text.lower().replace("'", ""), flags=re.UNICODE)
    return plain.strip() or text.strip()


def reopen(text, rng):
    """The same question with another opening."""
    fitting = []
    for group in OPENINGS:
        for form in group:
            head, tail = form.split("{}")
            rest = text[len(head):len(text) - len(tail) or None]
            if text.startswith(head) and text.endswith(tail) and (head or tail) and 0 < len(rest.split()) <= 6:
                fitting.append((len(head) + len(tail), group, rest))
    if not fitting:
        return text
    _, group, rest = max(fitting, key=lambda f: f[0])
    if group is OPENINGS[0] and len(rest.split()) > 4:
        return text
    return rng.choice(group).format(rest)


def swap_word(text, rng):
    words = text.split()
    places = [(i, group) for i, w in enumerate(words) for group in WORDS if w in group]
    if places:
        i, group = rng.choice(places)
        words[i] = rng.choice(group)
    return " ".join(words)


def mistype(text, rng):
    words = text.split()
    long = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha()]
    if not long:
        return text
    i = rng.choice(long)
    w, at = words[i], rng.randrange(1, len(words[i]) - 1)
    words[i] = rng.choice([w[:at] + w[at + 1:], w[:at] + w[at] + w[at:], w[:at] + w[at + 1] + w[at] + w[at + 2:]])
    return " ".join(words)


def drop_word(text, rng):
    words = text.split()
    small = [i for i, w in enumerate(words) if w in ("the", "a", "an", "my", "is", "do", "does", "please", "it", "for", "of")]
    if len(words) > 3 and small:
        del words[rng.choice(small)]
    return " ".join(words)


def spellings(families):
    """How the answers spell names and abbreviations: {"gtt": "GTT", "rocm": "ROCm"}.
    A word they write small more often, such as load, is neither."""
    found = {}
    for f in families:
        for text in f["answers"]:
            for before, word in re.findall(r"(^|[.:?!] |.)([A-Za-z][\w+]*)", text):
                if before not in ("", ". ", ": ", "? ", "! ") or not word.istitle():
                    found.setdefault(word.lower(), Counter())[word] += 1
    likeliest = {key: forms.most_common(1)[0][0] for key, forms in found.items()}
    return {key: word for key, word in likeliest.items() if word != key}


class Varier:
    def __init__(self, families):
        self.spellings = spellings(families)
        self.held = {key(h) for f in families for h in f["heldout"]}
        self.owner = {key(q): f["answers"] for f in families for q in f["train"]}

    def __call__(self, text, rng):
        answers, out = self.owner.get(key(text)), text.lower()
        for change, chance in ((reopen, .5), (swap_word, .3), (drop_word, .15), (mistype, .1)):
            if rng.random() < chance:
                out = change(out, rng)
        if rng.random() < .08:
            out = rng.choice(BEFORE) + out
        if rng.random() < .08:
            out += rng.choice(AFTER)
        style = rng.random()
        if style < .4:  # as people write who mind their spelling
            out = self.spell(out)
        elif style < .45:
            out = out.upper()
        if rng.random() < .4:
            out = out[0].upper() + out[1:]
        if rng.random() < .4 and out[-1].isalnum():
            out += "?"
        if key(out) in self.held or self.owner.get(key(out), answers) != answers:
            return text
        return out

    def spell(self, text):
        """Every name and abbreviation the way the answers spell it."""
        return re.sub(r"[A-Za-z][\w+]*", lambda m: self.spellings.get(m[0], m[0]), text)
