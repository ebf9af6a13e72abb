# Prints the rows of an output, each as a JSON list with its vector in hexadecimal.
# Ends with status 3 where what it takes to read the format is not installed.
import json
import struct
import sys

form, path = sys.argv[1:]
names = ["id", "path", "chunk", "start", "end", "tokens", "text"]


def packed(numbers):
    return struct.pack("<%df" % len(numbers), *numbers).hex()


def jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


try:
    if form == "jsonl":
        rows = [[r[n] for n in names] + [packed(r["vector"])] for r in jsonl(path)]
    elif form == "csv":
        import csv

        with open(path, encoding="utf-8", newline="") as file:
            rows = []
            for r in csv.DictReader(file):
                for n in ["chunk", "start", "end", "tokens"]:
                    r[n] = int(r[n])
                rows.append([r[n] for n in names] + [packed(json.loads(r["vector"]))])
    elif form == "npy":
        import numpy

        matrix = numpy.load(path)
        assert matrix.dtype == numpy.float32 and matrix.ndim == 2
        texts = jsonl(path + ".jsonl")
        assert len(texts) == len(matrix)
        rows = [[r[n] for n in names] + [v.tobytes().hex()] for r, v in zip(texts, matrix)]
    elif form == "parquet":
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        kind = table.schema.field("vector").type
        assert pyarrow.types.is_list(kind) and kind.value_type == pyarrow.float32(), kind
        assert table.schema.metadata[b"paddock.modelSha256"] == b"abc", table.schema.metadata
        rows = [[r[n] for n in names] + [packed(r["vector"])] for r in table.to_pylist()]
    elif form == "sqlite":
        import sqlite3

        db = sqlite3.connect(path)
        assert dict(db.execute("SELECT key, value FROM metadata"))["modelSha256"] == "abc"
        rows = [
            list(r[:7]) + [r[7].hex()]
            for r in db.execute('SELECT id, path, chunk, "start", "end", tokens, text, vector FROM chunks ORDER BY rowid')
        ]
except ImportError:
    sys.exit(3)

for row in rows:
    print(json.dumps(row))
