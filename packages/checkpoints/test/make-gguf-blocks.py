"""Writes fixtures/gguf-blocks.json: blocks of random bytes of each type, and the numbers that the gguf package decodes them to.

pip install gguf==0.19.0
"""
import base64
import json
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as T, quants

# By type: bytes of a block, and where it has float16 numbers.
TYPES = {
    "q4_0": (18, [0]),
    "q4_1": (20, [0, 2]),
    "q5_0": (22, [0]),
    "q5_1": (24, [0, 2]),
    "q8_0": (34, [0]),
    "q2_k": (84, [80, 82]),
    "q3_k": (110, [108]),
    "q4_k": (144, [0, 2]),
    "q5_k": (176, [0, 2]),
    "q6_k": (210, [208]),
    "bf16": (64, []),
    "mxfp4": (17, []),
}
random = np.random.default_rng(1)
cases = {}
for name, (size, halves) in TYPES.items():
    blocks = random.integers(0, 256, (2, size), dtype=np.uint8)
    for at in halves:
        blocks[:, at : at + 2] = random.normal(0, 0.01, 2).astype(np.float16).view(np.uint8).reshape(2, 2)
    if name == "bf16":
        blocks = (random.normal(0, 1, (2, 32)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    if name == "mxfp4":
        blocks[:, 0] = [120, 131]
    numbers = quants.dequantize(blocks, T[name.upper()]).astype("<f4")
    cases[name] = {
        "bytes": base64.b64encode(blocks.tobytes()).decode(),
        "numbers": base64.b64encode(numbers.tobytes()).decode(),
    }
path = Path(__file__).parent / "fixtures" / "gguf-blocks.json"
path.write_text(json.dumps(cases, indent=2) + "\n")
