"""A byte-level BPE vocabulary of our own, trained on the Guide's data. Byte level:
any text can be written, whatever the data holds.

    python vocabulary.py

makes vocabulary.json anew. It is kept, so that a model can be trained on after an
answer was changed: a new vocabulary means training from the start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "data"))

import load  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402

FILE = Path(__file__).parent / "vocabulary.json"
SIZE = 2048
SPECIAL = ["<|pad|>", "<|im_start|>", "<|im_end|>"]


def tokenizer():
    return Tokenizer.from_file(str(FILE))


def make():
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # the pattern "gpt-2" in llama.cpp
    tok.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tok.train_from_iterator(texts(), trainer)
    return tok


def texts():
    """Everything trained on, in a fixed order; held-out phrasings stay out."""
    for f in load.families():
        yield from f["train"]
        yield from f["answers"]
    for d in load.dialogues():
        if not d["heldout"]:
            for turn in d["turns"]:
                yield from turn
    yield "system\nuser\nassistant\n"


if __name__ == "__main__":
    make().save(str(FILE), pretty=False)
