"""Writes files with the gguf package and what they hold, and reads files that Bowyer wrote.

dump.py write FOLDER: FOLDER/*.gguf, and FOLDER/written.json with the metadata and the numbers of each
dump.py read FILE…: the metadata and the numbers of each file, as JSON lines
"""
import base64
import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as T, GGUFReader, GGUFValueType as V, GGUFWriter, quants

VALUES = {
    "uint8": 200, "int8": -100, "uint16": 60000, "int16": -30000, "uint32": 4_000_000_000, "int32": -2_000_000_000,
    "float32": 0.1, "uint64": 2**40, "int64": -(2**40), "float64": 0.1, "bool": True, "string": "naïve 日本語 🙂\n",
}
ARRAYS = {
    "strings": ["a", "", "▁ein"], "ints": [1, -2, 3], "floats": [0.5, -0.25], "bools": [True, False],
    "nested": [[1, 2], [3]], "empty": [],
}
QUANTISED = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "BF16", "MXFP4"]
K = ["Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"]
HALVES = {"Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}


def base64_of(numbers):
    return base64.b64encode(np.ascontiguousarray(numbers, "<f4").tobytes()).decode()


def write(folder):
    random = np.random.default_rng(7)
    cases = {}

    def case(name, fill, **options):
        writer = GGUFWriter(folder / f"{name}.gguf", "llama", **options)
        expected = fill(writer) or {}
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        cases[name] = expected

    for name, value in VALUES.items():
        add = f"add_{name}"
        case(f"value {name}", lambda w: getattr(w, add)("x", value) or {"metadata": {"x": value}})
    for name, value in ARRAYS.items():
        if name != "empty":
            case(f"array {name}", lambda w: w.add_array("x", value) or {"metadata": {"x": value}})

    def tensor(name, data, raw=None):
        def fill(writer):
            writer.add_tensor("t", data, raw_dtype=raw)
            numbers = data if raw is None else quants.dequantize(data, raw)
            return {"tensors": {"t": [list(numbers.shape), base64_of(numbers)]}}

        case(name, fill)

    for shape in [(3,), (2, 3), (2, 3, 4), (2, 1, 3, 4)]:
        tensor(f"shape {'x'.join(map(str, shape))}", random.normal(size=shape).astype(np.float32))
    tensor("type F16", random.normal(size=(2, 5)).astype(np.float16))
    for name in QUANTISED:
        tensor(f"type {name}", quants.quantize(random.normal(size=(3, 64)).astype(np.float32), T[name]), T[name])
    for name in K:
        blocks = random.integers(0, 256, (2, quants.GGML_QUANT_SIZES[T[name]][1]), dtype=np.uint8)
        for at in HALVES[name]:
            blocks[:, at : at + 2] = random.normal(0, 0.01, 2).astype(np.float16).view(np.uint8).reshape(2, 2)
        tensor(f"type {name}", blocks, T[name])
    for alignment in [8, 64]:
        def fill(writer):
            writer.add_custom_alignment(alignment)
            parts = {f"t{i}": random.normal(size=(i + 1,)).astype(np.float32) for i in range(3)}
            for name, data in parts.items():
                writer.add_tensor(name, data)
            return {"tensors": {name: [list(data.shape), base64_of(data)] for name, data in parts.items()}}

        case(f"alignment {alignment}", fill)
    (folder / "written.json").write_text(json.dumps(cases))


def read(path):
    reader = GGUFReader(path)
    tensors = {
        t.name: [[int(n) for n in reversed(t.shape)], base64_of(quants.dequantize(t.data, t.tensor_type))]
        for t in reader.tensors
    }
    def value(field):
        found = field.contents()
        return found if not isinstance(found, np.generic) else found.item()

    metadata = {name: value(field) for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    print(json.dumps({"metadata": metadata, "tensors": tensors}))


if sys.argv[1] == "write":
    write(Path(sys.argv[2]))
else:
    for path in sys.argv[2:]:
        read(path)
