# One step of GPT-2 124M in plain PyTorch: forward, backward and AdamW, 4 x 128 tokens, random weights.
# train-step.ts starts it and asks for one step per line on standard input, so that both take turns on the machine.
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, HEADS, VOCABULARY, POSITIONS = 12, 768, 12, 50257, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, mask):
        batch, tokens, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = heads.unbind(0)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5 + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, tokens, WIDTH)
        x = x + self.mix(mixed)
        return x + self.narrow(F.gelu(self.widen(self.norm2(x))))


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, ids):
        tokens = ids.shape[1]
        mask = torch.full((tokens, tokens), float("-inf")).triu(1)
        x = self.words(ids) + self.places(torch.arange(tokens))
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x) @ self.words.weight.T  # tied head


def product_rate(size=1024):
    # GFLOP/s of a matrix product, the best of five: shows whether this torch found a fast BLAS.
    a = torch.randn(size, size)
    a @ a
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        seconds.append(time.perf_counter() - start)
    return 2 * size**3 / min(seconds) / 1e9


def main(batch, tokens, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Gpt2()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.01)
    ids = torch.randint(1, VOCABULARY - 1, (batch, tokens + 1))
    for _ in sys.stdin:
        start = time.perf_counter()
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, VOCABULARY), ids[:, 1:].reshape(-1))
        loss.backward()
        gradients = time.perf_counter()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        end = time.perf_counter()
        figures = {
            "gradients": (gradients - start) * 1e3,
            "update": (end - gradients) * 1e3,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
            "loss": loss.item(),
        }
        print(json.dumps(figures), flush=True)


if sys.argv[1] == "rate":
    torch.set_num_threads(int(sys.argv[2]))
    print(product_rate())
else:
    main(*map(int, sys.argv[1:4]))
