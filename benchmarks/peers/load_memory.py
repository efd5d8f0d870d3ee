# Measures, for load-memory.ts, how much memory transformers takes to load a folder in float32, in addition to that of its imports.
# python load_memory.py FOLDER
import re
import sys

import torch
from transformers import AutoModelForCausalLM


def kilobytes(key):
    with open("/proc/self/status") as status:
        return int(re.search(key + r":\s+(\d+)", status.read()).group(1))


before = kilobytes("VmRSS")
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32)
total = sum(parameter.nelement() for parameter in model.parameters()) * 4 / 1024
peak, after = kilobytes("VmHWM") - before, kilobytes("VmRSS") - before
print(
    f"peak {peak / 1024:.0f} MiB, {peak / total:.2f} ×; afterwards {after / 1024:.0f} MiB, {after / total:.2f} ×;"
    f" imports alone {before / 1024:.0f} MiB"
)
