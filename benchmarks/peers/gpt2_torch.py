# Times GPT-2 in plain PyTorch on a GPU, float32, random weights: a training step (AdamW) and greedy generation with a cache.
# gpu.ts starts it with sizes as JSON and asks for `train` or `generate` per line on standard input.
import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

size = json.loads(sys.argv[1])
DEVICE, LAYERS, WIDTH, HEADS = size["device"], size["layers"], size["width"], size["heads"]
VOCABULARY, POSITIONS = size["vocabulary"], size["positions"]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, mask, cache):
        batch, tokens, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = heads.unbind(0)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5 + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, tokens, WIDTH)
        x = x + self.mix(mixed)
        return x + self.narrow(F.gelu(self.widen(self.norm2(x)), approximate="tanh")), (key, value)


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, ids, caches=None, last_only=False):
        past = caches[0][0].shape[2] if caches else 0
        places = torch.arange(past, past + ids.shape[1], device=DEVICE)
        mask = torch.zeros(len(places), past + len(places), device=DEVICE)
        mask = mask.masked_fill(torch.arange(mask.shape[1], device=DEVICE) > places[:, None], float("-inf"))
        x = self.words(ids) + self.places(places)
        extended = []
        for i, block in enumerate(self.blocks):
            x, cache = block(x, mask, caches[i] if caches else None)
            extended.append(cache)
        return self.norm(x[:, -1:] if last_only else x) @ self.words.weight.T, extended  # tied head


def now():
    if DEVICE == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


torch.manual_seed(1)
model = Gpt2().to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.01)
ids = torch.randint(1, VOCABULARY - 1, (size["batch"], size["tokens"] + 1), device=DEVICE)
prompts = torch.randint(1, VOCABULARY - 1, (size["rows"], size["prompt"]), device=DEVICE)
name = torch.cuda.get_device_name() if DEVICE == "cuda" else "the processor"
print(f"PyTorch {torch.__version__} on {name}", flush=True)
for line in sys.stdin:
    start = now()
    if line.strip() == "train":
        logits, _ = model(ids[:, :-1])
        F.cross_entropy(logits.reshape(-1, VOCABULARY), ids[:, 1:].reshape(-1)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    else:
        with torch.no_grad():
            token, caches = prompts, None
            for _ in range(size["new_tokens"]):
                logits, caches = model(token, caches, last_only=True)
                token = logits[:, -1].argmax(-1, keepdim=True)
    print(json.dumps({"ms": (now() - start) * 1e3}), flush=True)
