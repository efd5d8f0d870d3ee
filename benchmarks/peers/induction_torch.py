"""Measures how soon a small Llama in plain PyTorch learns to copy, with the departures from Llama of docs/decisions/own-policies.md.

The text has eight lines of six random words, then the same lines in another order, each to be completed from its first word. The
script prints the loss of the words to be completed, in nats; guessing has ln 799, or ln of the number of words to draw from.

    python benchmarks/peers/induction_torch.py [--smear] [--canon 4] [--rotary 0.25] [--convolve] [--window 2] \\
        [--transposed qk,vo] [--rate 2e-3] [--drawn 40] …
"""

import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, WIDTH, LAYERS, LINES, WORDS, ROWS = 800, 128, 3, 8, 6, 32


class Block(nn.Module):
    def __init__(self, layer, options):
        super().__init__()
        self.layer, self.options, self.heads = layer, options, options.heads
        self.convolves = options.convolve and layer % 2 == 0
        self.norms = nn.ModuleList([nn.RMSNorm(WIDTH, eps=1e-6) for _ in range(2)])
        self.into = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        inner = math.ceil(8 * WIDTH / 3)
        self.gate, self.up = (nn.Linear(WIDTH, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, WIDTH, bias=False)
        self.shares = nn.Parameter(torch.zeros(self.heads))
        self.filter = nn.Parameter(torch.randn(WIDTH, 3) / math.sqrt(WIDTH))
        tokens = options.canon
        self.canon = nn.ParameterList([torch.randn(WIDTH, tokens) / math.sqrt(3 * tokens) for _ in range(2) if tokens])

    def forward(self, x):
        joint = self.into(self.input(x, 0))
        x = x + self.out(self.convolution(joint) if self.convolves else self.attention(joint))
        h = self.input(x, 1)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))

    def input(self, x, place):
        x = self.norms[place](x)
        if not self.options.canon:
            return x
        padded = F.pad(x, (0, 0, self.options.canon - 1, 0))
        return x + sum(padded[:, j : j + x.shape[1]] * self.canon[place][:, j] for j in range(self.options.canon))

    def convolution(self, joint):
        before, after, inner = joint.chunk(3, -1)
        padded = F.pad(before * inner, (0, 0, 2, 0))
        return after * sum(padded[:, j : j + joint.shape[1]] * self.filter[:, j] for j in range(3))

    def attention(self, joint):
        rows, tokens, _ = joint.shape
        q, k, v = joint.view(rows, tokens, 3, self.heads, WIDTH // self.heads).permute(2, 0, 3, 1, 4)
        if self.options.smear:
            share = torch.sigmoid(self.shares)[None, :, None, None]
            k = share * k + (1 - share) * F.pad(k, (0, 0, 1, 0))[:, :, :-1]
        distance = torch.arange(tokens)[:, None] - torch.arange(tokens)
        window = self.options.window if self.options.window and self.layer == 0 else tokens
        mixed = F.scaled_dot_product_attention(
            turned(q, self.options.rotary), turned(k, self.options.rotary), v, attn_mask=(distance >= 0) & (distance < window)
        )
        return mixed.transpose(1, 2).reshape(rows, tokens, WIDTH)


def turned(x, share):
    tokens, size = x.shape[-2], int(share * x.shape[-1])
    x, rest = x[..., :size], x[..., size:]
    angles = torch.arange(tokens)[:, None] * 10000 ** (-torch.arange(0, size, 2) / size)
    cos, sin = (torch.cat([f, f], -1) for f in (angles.cos(), angles.sin()))
    left, right = x.chunk(2, -1)
    return torch.cat([x * cos + torch.cat([-right, left], -1) * sin, rest], -1)


class Model(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList([Block(layer, options) for layer in range(LAYERS)])
        self.norm = nn.RMSNorm(WIDTH, eps=1e-6)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, 0, 1 / math.sqrt(WIDTH))
        with torch.no_grad():
            for block in self.blocks:
                queries, keys, values = block.into.weight.view(3, WIDTH, WIDTH)
                if "qk" in options.transposed:
                    keys.copy_(queries)
                if "vo" in options.transposed:
                    block.out.weight.copy_(values.T)

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embedding.weight.T


def batch(drawn):
    """Ids, and which of them count in the loss."""
    lines = F.pad(torch.randint(1, drawn, (ROWS, LINES, WORDS)), (1, 0))
    order = torch.stack([torch.randperm(LINES) for _ in range(ROWS)])
    again = torch.gather(lines, 1, order[:, :, None].expand_as(lines))
    counts = torch.zeros_like(again)
    counts[:, :, 2:] = 1
    joined = lambda first, second: torch.cat([first.reshape(ROWS, -1), second.reshape(ROWS, -1)], 1)
    return joined(lines, again), joined(torch.zeros_like(lines), counts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--smear", action="store_true")
    parser.add_argument("--canon", type=int, default=0)
    parser.add_argument("--rotary", type=float, default=1)
    parser.add_argument("--drawn", type=int, default=VOCABULARY)
    parser.add_argument("--convolve", action="store_true")
    parser.add_argument("--window", type=int, default=0)
    parser.add_argument("--transposed", default="")
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--beta2", type=float, default=0.999)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Model(options)
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate, betas=(0.9, options.beta2))
    for step in range(options.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 30)
        ids, counts = batch(options.drawn)
        losses = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
        weights = counts[:, 1:].flatten()
        loss = (losses * weights).sum() / weights.sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(step, round(loss.item(), 2), flush=True)


main()
