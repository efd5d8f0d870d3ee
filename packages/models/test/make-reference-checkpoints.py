#!/usr/bin/env python3
"""Makes the fixtures in packages/models/test: tiny random checkpoints and adapters with outputs and gradients, and pickles.

The forward passes below are written from the papers and Hugging Face's documentation, one plain function per family,
without transformers; they run in float64 on float32 weights, so what is stored is right to float32 rounding.

    sudo apt-get install python3-torch
    /usr/bin/python3 make-reference-checkpoints.py
"""
import json
import math
import pickle
import re
import struct
from pathlib import Path

import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent / "fixtures"
PICKLES = HERE.parents[2] / "checkpoints/test/fixtures/pickles"

# Sizes are small and all different, so that no two can be mistaken for one another.
SMALL = dict(vocab_size=29, hidden_size=12, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4,
             max_position_embeddings=64, rms_norm_eps=1e-5, hidden_act="silu")

CONFIGS = {
    "llama3-rope": dict(SMALL, model_type="llama", num_key_value_heads=1, head_dim=6, tie_word_embeddings=True,
                        attention_bias=True, mlp_bias=True, rope_theta=500.0,
                        rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                          original_max_position_embeddings=16)),
    "llama-linear-rope": dict(SMALL, model_type="llama", num_key_value_heads=4, hidden_size=16, tie_word_embeddings=False,
                              rope_theta=100.0, rope_scaling=dict(type="linear", factor=2.5)),
    "mistral-window": dict(SMALL, model_type="mistral", num_key_value_heads=2, hidden_size=16, sliding_window=5,
                           tie_word_embeddings=False, rope_theta=1000.0),
    "qwen2": dict(SMALL, model_type="qwen2", num_key_value_heads=2, hidden_size=16, tie_word_embeddings=True,
                  rope_theta=10000.0, use_sliding_window=True, sliding_window=4, max_window_layers=1),
    "qwen3-yarn": dict(SMALL, model_type="qwen3", num_key_value_heads=2, head_dim=8, tie_word_embeddings=False,
                       attention_bias=False, use_sliding_window=False, max_position_embeddings=16, rope_theta=100.0,
                       rope_scaling=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)),
    "gpt-neox": dict(model_type="gpt_neox", vocab_size=29, hidden_size=32, intermediate_size=20, num_hidden_layers=2,
                     num_attention_heads=4, max_position_embeddings=64, layer_norm_eps=1e-5, hidden_act="gelu",
                     rotary_pct=0.5, rotary_emb_base=1000, use_parallel_residual=True, tie_word_embeddings=False),
    "gpt-neox-sequential": dict(model_type="gpt_neox", vocab_size=29, hidden_size=16, intermediate_size=20,
                                num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64,
                                layer_norm_eps=1e-5, hidden_act="gelu_new", rotary_pct=1.0, rotary_emb_base=1000,
                                use_parallel_residual=False, tie_word_embeddings=False),
    "gpt2": dict(model_type="gpt2", vocab_size=29, n_embd=16, n_layer=2, n_head=4, n_positions=64, n_inner=20,
                 layer_norm_epsilon=1e-5, activation_function="gelu_new", tie_word_embeddings=True),
    # One head of keys and values; attention and MLP read the same norm, as in Falcon-7B.
    "falcon": dict(model_type="falcon", vocab_size=29, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                   max_position_embeddings=64, multi_query=True, parallel_attn=True, bias=False, alibi=False,
                   new_decoder_architecture=False, rope_theta=1000.0),
    # Two heads of keys and values, a norm for each half of the block, as in Falcon-40B.
    "falcon-new": dict(model_type="falcon", vocab_size=29, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                       num_kv_heads=2, ffn_hidden_size=20, max_position_embeddings=64, bias=False, alibi=False,
                       new_decoder_architecture=True, rope_theta=1000.0, tie_word_embeddings=False),
    "falcon-sequential": dict(model_type="falcon", vocab_size=29, hidden_size=16, num_hidden_layers=2,
                              num_attention_heads=2, ffn_hidden_size=20, max_position_embeddings=64, multi_query=False,
                              parallel_attn=False, bias=True, alibi=False, new_decoder_architecture=False,
                              rope_theta=1000.0),
}


# Rotary positions

def inverse_frequencies(config, dims, base):
    """[dims / 2] float64, and the factor of cos and sin."""
    plain = 1.0 / base ** (torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    scaling = config.get("rope_scaling")
    if scaling is None:
        return plain, 1.0
    kind, factor = scaling.get("rope_type", scaling.get("type")), scaling["factor"]
    if kind == "linear":
        return plain / factor, 1.0
    if kind == "llama3":
        original = scaling["original_max_position_embeddings"]
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        result = []
        for frequency in plain.tolist():
            wavelength = 2 * math.pi / frequency
            if wavelength < original / high:
                result.append(frequency)
            elif wavelength > original / low:
                result.append(frequency / factor)
            else:
                smooth = (original / wavelength - low) / (high - low)
                result.append((1 - smooth) * frequency / factor + smooth * frequency)
        return torch.tensor(result, dtype=torch.float64), 1.0
    if kind == "yarn":
        original = scaling["original_max_position_embeddings"]

        def correction_dim(rotations):
            return dims * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

        low, high = max(math.floor(correction_dim(32)), 0), min(math.ceil(correction_dim(1)), dims - 1)
        ramp = ((torch.arange(dims // 2, dtype=torch.float64) - low) / (high - low)).clamp(0, 1)
        return plain / factor * ramp + plain * (1 - ramp), 0.1 * math.log(factor) + 1
    raise ValueError(kind)


def rotate(x, inverse, scale):
    """x [heads, tokens, size]; the first 2 · len(inverse) columns turn."""
    dims = 2 * len(inverse)
    angles = torch.arange(x.shape[1], dtype=torch.float64)[:, None] * inverse[None, :]
    cos = torch.cat([angles, angles], -1).cos() * scale
    sin = torch.cat([angles, angles], -1).sin() * scale
    turning, resting = x[..., :dims], x[..., dims:]
    half = torch.cat([-turning[..., dims // 2:], turning[..., :dims // 2]], -1)
    return torch.cat([turning * cos + half * sin, resting], -1)


def attend(q, k, v, window=None):
    """q [heads, tokens, size], k and v [key-value heads, tokens, size] → [tokens, heads · size]."""
    repeats = q.shape[0] // k.shape[0]
    k, v = k.repeat_interleave(repeats, 0), v.repeat_interleave(repeats, 0)
    tokens = q.shape[1]
    i, j = torch.arange(tokens)[:, None], torch.arange(tokens)[None, :]
    seen = j <= i if window is None else (j <= i) & (j > i - window)
    scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(~seen, -math.inf)
    return (scores.softmax(-1) @ v).transpose(0, 1).reshape(tokens, -1)


def heads_of(x, count):
    return x.view(x.shape[0], count, -1).transpose(0, 1)


# Families

def rms_norm(x, weight, eps):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight


def llama_logits(c, w, ids):
    """LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM: ids [tokens] → [tokens, vocabulary]."""
    size = c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    inverse, scale = inverse_frequencies(c, size, c["rope_theta"])
    x = w["model.embed_tokens.weight"][ids]
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."

        def linear(name, value):
            return F.linear(value, w[p + name + ".weight"], w.get(p + name + ".bias"))

        h = rms_norm(x, w[p + "input_layernorm.weight"], c["rms_norm_eps"])
        q = heads_of(linear("self_attn.q_proj", h), c["num_attention_heads"])
        k = heads_of(linear("self_attn.k_proj", h), c["num_key_value_heads"])
        v = heads_of(linear("self_attn.v_proj", h), c["num_key_value_heads"])
        if c["model_type"] == "qwen3":
            q = rms_norm(q, w[p + "self_attn.q_norm.weight"], c["rms_norm_eps"])
            k = rms_norm(k, w[p + "self_attn.k_norm.weight"], c["rms_norm_eps"])
        window = None
        if c["model_type"] == "mistral" or (c.get("use_sliding_window") and layer >= c["max_window_layers"]):
            window = c["sliding_window"]
        mixed = attend(rotate(q, inverse, scale), rotate(k, inverse, scale), v, window)
        x = x + linear("self_attn.o_proj", mixed)
        h = rms_norm(x, w[p + "post_attention_layernorm.weight"], c["rms_norm_eps"])
        x = x + linear("mlp.down_proj", F.silu(linear("mlp.gate_proj", h)) * linear("mlp.up_proj", h))
    x = rms_norm(x, w["model.norm.weight"], c["rms_norm_eps"])
    return F.linear(x, w.get("lm_head.weight", w["model.embed_tokens.weight"]))


def gpt_neox_logits(c, w, ids):
    """GPTNeoXForCausalLM: ids [tokens] → [tokens, vocabulary]."""
    width, heads = c["hidden_size"], c["num_attention_heads"]
    size = width // heads
    inverse, scale = inverse_frequencies(c, int(size * c["rotary_pct"]), c["rotary_emb_base"])
    x = w["gpt_neox.embed_in.weight"][ids]

    def norm(name, value):
        return F.layer_norm(value, (width,), w[name + ".weight"], w[name + ".bias"], c["layer_norm_eps"])

    for layer in range(c["num_hidden_layers"]):
        p = f"gpt_neox.layers.{layer}."

        def linear(name, value):
            return F.linear(value, w[p + name + ".weight"], w[p + name + ".bias"])

        def mlp(value):
            inner = linear("mlp.dense_h_to_4h", norm(p + "post_attention_layernorm", value))
            if c["hidden_act"] == "gelu":
                inner = F.gelu(inner)
            else:
                inner = 0.5 * inner * (1 + torch.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner ** 3)))
            return linear("mlp.dense_4h_to_h", inner)

        joint = linear("attention.query_key_value", norm(p + "input_layernorm", x))
        joint = joint.view(len(ids), heads, 3 * size).transpose(0, 1)
        q, k, v = joint[..., :size], joint[..., size:2 * size], joint[..., 2 * size:]
        mixed = linear("attention.dense", attend(rotate(q, inverse, scale), rotate(k, inverse, scale), v))
        x = x + mixed + mlp(x) if c["use_parallel_residual"] else (x + mixed) + mlp(x + mixed)
    return F.linear(norm("gpt_neox.final_layer_norm", x), w["embed_out.weight"])


def falcon_logits(c, w, ids):
    """FalconForCausalLM with rotary positions: ids [tokens] → [tokens, vocabulary]."""
    width, heads = c["hidden_size"], c["num_attention_heads"]
    size = width // heads
    shared = falcon_key_value_heads(c)
    inverse, scale = inverse_frequencies(c, size, c["rope_theta"])
    x = w["transformer.word_embeddings.weight"][ids]

    def norm(name, value):
        return F.layer_norm(value, (width,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    for layer in range(c["num_hidden_layers"]):
        p = f"transformer.h.{layer}."

        def linear(name, value):
            return F.linear(value, w[p + name + ".weight"], w.get(p + name + ".bias"))

        new = c["new_decoder_architecture"]
        read = norm(p + ("ln_attn" if new else "input_layernorm"), x)
        joint = linear("self_attention.query_key_value", read).view(len(ids), shared, heads // shared + 2, size)
        q = joint[:, :, :-2].reshape(len(ids), heads, size).transpose(0, 1)
        k, v = joint[:, :, -2].transpose(0, 1), joint[:, :, -1].transpose(0, 1)
        mixed = linear("self_attention.dense", attend(rotate(q, inverse, scale), rotate(k, inverse, scale), v))
        if new:
            read = norm(p + "ln_mlp", x)
        elif not c["parallel_attn"]:
            read = norm(p + "post_attention_layernorm", x + mixed)
        x = x + mixed + linear("mlp.dense_4h_to_h", F.gelu(linear("mlp.dense_h_to_4h", read)))
    return F.linear(norm("transformer.ln_f", x), w.get("lm_head.weight", w["transformer.word_embeddings.weight"]))


def falcon_key_value_heads(c):
    if c["new_decoder_architecture"]:
        return c["num_kv_heads"]
    return 1 if c["multi_query"] else c["num_attention_heads"]


def falcon_shapes(c):
    width, shapes = c["hidden_size"], {"transformer.word_embeddings.weight": (c["vocab_size"], c["hidden_size"])}
    inner, size = c.get("ffn_hidden_size", 4 * width), width // c["num_attention_heads"]
    norms = ["ln_attn", "ln_mlp"] if c["new_decoder_architecture"] else ["input_layernorm"]
    if not c["new_decoder_architecture"] and not c["parallel_attn"]:
        norms.append("post_attention_layernorm")
    for layer in range(c["num_hidden_layers"]):
        p = f"transformer.h.{layer}."
        for name in norms:
            shapes[p + name + ".weight"] = shapes[p + name + ".bias"] = (width,)
        for name, out, into in (("self_attention.query_key_value", width + 2 * size * falcon_key_value_heads(c), width),
                                ("self_attention.dense", width, width), ("mlp.dense_h_to_4h", inner, width),
                                ("mlp.dense_4h_to_h", width, inner)):
            shapes[p + name + ".weight"] = (out, into)
            if c["bias"]:
                shapes[p + name + ".bias"] = (out,)
    shapes["transformer.ln_f.weight"] = shapes["transformer.ln_f.bias"] = (width,)
    if not c.get("tie_word_embeddings", True):
        shapes["lm_head.weight"] = (c["vocab_size"], width)
    return shapes


def gpt2_logits(c, w, ids):
    """GPT2LMHeadModel: ids [tokens] → [tokens, vocabulary]. Its linear layers (Conv1D) keep [in, out]."""
    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:len(ids)]

    def norm(name, value):
        return F.layer_norm(value, (c["n_embd"],), w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])

    for layer in range(c["n_layer"]):
        p = f"transformer.h.{layer}."

        def conv1d(name, value):
            return value @ w[p + name + ".weight"] + w[p + name + ".bias"]

        q, k, v = (heads_of(part, c["n_head"]) for part in conv1d("attn.c_attn", norm(p + "ln_1", x)).chunk(3, -1))
        x = x + conv1d("attn.c_proj", attend(q, k, v))
        inner = conv1d("mlp.c_fc", norm(p + "ln_2", x))
        inner = 0.5 * inner * (1 + torch.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner ** 3)))
        x = x + conv1d("mlp.c_proj", inner)
    return F.linear(norm("transformer.ln_f", x), w["transformer.wte.weight"])


LOGITS = dict(falcon=falcon_logits, gpt2=gpt2_logits, gpt_neox=gpt_neox_logits, llama=llama_logits, mistral=llama_logits, qwen2=llama_logits,
              qwen3=llama_logits)


def gpt2_shapes(c):
    width, inner, shapes = c["n_embd"], c["n_inner"], {}
    shapes["transformer.wte.weight"] = (c["vocab_size"], width)
    shapes["transformer.wpe.weight"] = (c["n_positions"], width)
    norms = [f"h.{layer}.{name}" for layer in range(c["n_layer"]) for name in ("ln_1", "ln_2")] + ["ln_f"]
    for name in norms:
        shapes[f"transformer.{name}.weight"] = shapes[f"transformer.{name}.bias"] = (width,)
    for layer in range(c["n_layer"]):
        for name, into, out in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width),
                                ("mlp.c_fc", width, inner), ("mlp.c_proj", inner, width)):
            shapes[f"transformer.h.{layer}.{name}.weight"] = (into, out)
            shapes[f"transformer.h.{layer}.{name}.bias"] = (out,)
    return shapes


def parameter_shapes(c):
    """Name → shape, as the checkpoint of that family has them."""
    if c["model_type"] == "gpt2":
        return gpt2_shapes(c)
    if c["model_type"] == "falcon":
        return falcon_shapes(c)
    width, inner, vocabulary = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    shapes = {}

    def linear(name, out, into, bias):
        shapes[name + ".weight"] = (out, into)
        if bias:
            shapes[name + ".bias"] = (out,)

    if c["model_type"] == "gpt_neox":
        shapes["gpt_neox.embed_in.weight"] = (vocabulary, width)
        for layer in range(c["num_hidden_layers"]):
            p = f"gpt_neox.layers.{layer}."
            for name in ("input_layernorm", "post_attention_layernorm"):
                shapes[p + name + ".weight"] = shapes[p + name + ".bias"] = (width,)
            linear(p + "attention.query_key_value", 3 * width, width, True)
            linear(p + "attention.dense", width, width, True)
            linear(p + "mlp.dense_h_to_4h", inner, width, True)
            linear(p + "mlp.dense_4h_to_h", width, inner, True)
        shapes["gpt_neox.final_layer_norm.weight"] = shapes["gpt_neox.final_layer_norm.bias"] = (width,)
        shapes["embed_out.weight"] = (vocabulary, width)
        return shapes

    size = c.get("head_dim", width // c["num_attention_heads"])
    queries, keys = c["num_attention_heads"] * size, c["num_key_value_heads"] * size
    everywhere = c.get("attention_bias", False)
    shapes["model.embed_tokens.weight"] = (vocabulary, width)
    for layer in range(c["num_hidden_layers"]):
        p = f"model.layers.{layer}."
        shapes[p + "input_layernorm.weight"] = shapes[p + "post_attention_layernorm.weight"] = (width,)
        for name, out in (("q", queries), ("k", keys), ("v", keys)):
            linear(p + f"self_attn.{name}_proj", out, width, everywhere or c["model_type"] == "qwen2")
        linear(p + "self_attn.o_proj", width, queries, everywhere)
        if c["model_type"] == "qwen3":
            shapes[p + "self_attn.q_norm.weight"] = shapes[p + "self_attn.k_norm.weight"] = (size,)
        linear(p + "mlp.gate_proj", inner, width, c.get("mlp_bias", False))
        linear(p + "mlp.up_proj", inner, width, c.get("mlp_bias", False))
        linear(p + "mlp.down_proj", width, inner, c.get("mlp_bias", False))
    shapes["model.norm.weight"] = (width,)
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (vocabulary, width)
    return shapes


# The stored tensors

def random_weights(shapes, generator):
    """Large enough that every part of the model changes the output."""
    weights = {}
    for name, shape in shapes.items():
        noise = torch.randn(shape, generator=generator)
        is_norm = "norm" in name.lower() or ".ln_" in name
        weights[name] = 1 + 0.3 * noise if is_norm and name.endswith("weight") else 0.4 * noise
    return weights


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, tensor in tensors.items():
        size = 4 * tensor.numel()
        header[name] = dict(dtype="F32", shape=list(tensor.shape), data_offsets=[offset, offset + size])
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.detach().to(torch.float32).contiguous().numpy().tobytes())


def rounded(tensor):
    return [float(f"{value:.8g}") for value in tensor.flatten().tolist()]


def read_safetensors(path):
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(bytearray(data[start + begin:start + end]), dtype=torch.float32).view(entry["shape"])
    return tensors


def reference_values(name, config, logits_of, generator):
    """The values that the tests compare, and the loss; `logits_of` takes ids [tokens]."""
    def token_ids(length):
        return torch.randint(0, config["vocab_size"], (length,), generator=generator)

    # Ragged examples; the loss is Σ weight · (−log p(target | ids up to there)).
    examples, loss = [], 0
    for length in (17, 6, 11):
        ids, targets = token_ids(length), token_ids(length)
        scored = (torch.rand(length, generator=generator) < 0.7).float() * 0.5
        scored[-1] = 1.0
        logits = logits_of(ids)
        logprobs = logits.log_softmax(-1)[torch.arange(length), targets]
        loss = loss - (logprobs * scored).sum()
        examples.append(dict(ids=ids.tolist(), targets=targets.tolist(), weights=scored.tolist(),
                             logprobs=rounded(logprobs), last_logits=rounded(logits[-1])))

    with torch.no_grad():
        prompt = token_ids(3).tolist()
        greedy, gap = list(prompt), math.inf
        for _ in range(16):
            best = logits_of(torch.tensor(greedy))[-1].topk(2)
            gap = min(gap, (best.values[0] - best.values[1]).item())
            greedy.append(best.indices[0].item())
    if gap < 1e-3:
        raise SystemExit(f"{name}: greedy choices are too close ({gap}); take another seed")
    return dict(loss=loss.item(), examples=examples, prompt=prompt, greedy_ids=greedy[3:], greedy_min_top2_gap=gap), loss


def write_checkpoint(name, config, seed):
    generator = torch.Generator().manual_seed(seed)
    stored = random_weights(parameter_shapes(config), generator)
    weights = {key: value.double().requires_grad_() for key, value in stored.items()}
    logits_of = LOGITS[config["model_type"]]
    reference, loss = reference_values(name, config, lambda ids: logits_of(config, weights, ids), generator)
    gradients = dict(zip(weights, torch.autograd.grad(loss, list(weights.values()))))

    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", stored)
    write_safetensors(folder / "gradients.safetensors", gradients)
    (folder / "reference.json").write_text(json.dumps(reference) + "\n")
    print(name, sum(file.stat().st_size for file in folder.iterdir()), "bytes")


# Adapters in PEFT's layout, beside the checkpoints above

ADAPTERS = {
    # A list names modules by the ends of their paths, in whatever order PEFT's set gives them.
    "llama-list": ("llama-linear-rope", dict(r=3, lora_alpha=12, target_modules=["v_proj", "down_proj", "q_proj"])),
    # One string is a regular expression that a whole path must match.
    "mistral-pattern": ("mistral-window", dict(r=4, lora_alpha=2, target_modules=r".*\.1\..*(gate_proj|o_proj)")),
    # 'dense' is not 'dense_h_to_4h'.
    "gpt-neox-names": ("gpt-neox", dict(r=2, lora_alpha=5, target_modules=["query_key_value", "dense"])),
    # Conv1D keeps [in, out], A and B do not; 'c_proj' is in the attention and in the feed-forward layer.
    "gpt2-conv1d": ("gpt2", dict(r=5, lora_alpha=10, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True)),
}


def adapted_modules(names, target):
    """PEFT's rule for `target_modules`."""
    paths = [name[:-len(".weight")] for name in names if name.endswith(".weight")]
    if isinstance(target, str):
        return [path for path in paths if re.fullmatch(target, path)]
    return [path for path in paths if any(path == end or path.endswith("." + end) for end in target)]


def write_adapter(name, base, changes, seed):
    config = CONFIGS[base]
    # The keys that PEFT 0.13 writes for a plain LoRA.
    peft = dict(alpha_pattern={}, auto_mapping=None, base_model_name_or_path=f"../../fixtures/{base}", bias="none",
                fan_in_fan_out=False, inference_mode=True, init_lora_weights=True, layer_replication=None,
                layers_pattern=None, layers_to_transform=None, loftq_config={}, lora_dropout=0.0, megatron_config=None,
                megatron_core="megatron.core", modules_to_save=None, peft_type="LORA", rank_pattern={}, revision=None,
                task_type="CAUSAL_LM", use_dora=False, use_rslora=False)
    peft.update(changes)
    weights = {key: value.double() for key, value in read_safetensors(HERE / base / "model.safetensors").items()}
    generator = torch.Generator().manual_seed(1000 + seed)
    stored, adapted = {}, dict(weights)
    for path in adapted_modules(weights, peft["target_modules"]):
        shape = weights[path + ".weight"].shape
        out, into = reversed(shape) if peft["fan_in_fan_out"] else shape
        a = stored[f"base_model.model.{path}.lora_A.weight"] = 0.3 * torch.randn(peft["r"], into, generator=generator)
        b = stored[f"base_model.model.{path}.lora_B.weight"] = 0.3 * torch.randn(out, peft["r"], generator=generator)
    leaves = {key: value.double().requires_grad_() for key, value in stored.items()}
    for path in adapted_modules(weights, peft["target_modules"]):
        a, b = (leaves[f"base_model.model.{path}.lora_{part}.weight"] for part in "AB")
        update = peft["lora_alpha"] / peft["r"] * b @ a
        adapted[path + ".weight"] = weights[path + ".weight"] + (update.t() if peft["fan_in_fan_out"] else update)
    logits_of = LOGITS[config["model_type"]]
    reference, loss = reference_values(name, config, lambda ids: logits_of(config, adapted, ids), generator)
    for example in reference["examples"]:
        with torch.no_grad():
            logits = logits_of(config, weights, torch.tensor(example["ids"]))
        picked = logits.log_softmax(-1)[torch.arange(len(logits)), torch.tensor(example["targets"])]
        example["base_logprobs"] = rounded(picked)
    folder = HERE.parent / "adapter-fixtures" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(peft, indent=2, sort_keys=True) + "\n")
    write_safetensors(folder / "adapter_model.safetensors", stored)
    gradients = dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values()))))
    write_safetensors(folder / "gradients.safetensors", gradients)
    (folder / "reference.json").write_text(json.dumps(reference) + "\n")
    print(name, sum(file.stat().st_size for file in folder.iterdir()), "bytes")


# Encoder-decoders

SEQ2SEQ = HERE.parent / "seq2seq-fixtures"

TINY_T5 = dict(d_model=16, d_kv=6, d_ff=20, num_layers=2, num_decoder_layers=3, num_heads=4,
               relative_attention_num_buckets=8, relative_attention_max_distance=20, layer_norm_epsilon=1e-6,
               pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, is_encoder_decoder=True)
TINY_BART = dict(model_type="bart", vocab_size=31, d_model=16, max_position_embeddings=40, encoder_layers=2,
                 encoder_ffn_dim=20, encoder_attention_heads=2, decoder_layers=1, decoder_ffn_dim=24,
                 decoder_attention_heads=4, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
                 is_encoder_decoder=True)

SEQ2SEQ_CONFIGS = {
    "t5": dict(TINY_T5, model_type="t5", vocab_size=31, feed_forward_proj="relu", tie_word_embeddings=True),
    "flan-t5": dict(TINY_T5, model_type="t5", vocab_size=60, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "mt5": dict(TINY_T5, model_type="mt5", vocab_size=31, d_kv=4, num_decoder_layers=2, feed_forward_proj="gated-gelu",
                tie_word_embeddings=False),
    "bart-scaled": dict(TINY_BART, activation_function="gelu", scale_embedding=True, forced_bos_token_id=7,
                        forced_eos_token_id=2),
    "bart-relu": dict(TINY_BART, activation_function="relu", scale_embedding=False, forced_eos_token_id=None),
}


def t5_bucket(relative, bidirectional, buckets, max_distance):
    """Raffel et al. 2020, section 2.1, in float32 as the checkpoints were trained; relative = key - query."""
    bucket = torch.zeros_like(relative)
    if bidirectional:
        buckets //= 2
        bucket = bucket + (relative > 0).long() * buckets
        distance = relative.abs()
    else:
        distance = (-relative).clamp(min=0)
    exact = buckets // 2
    ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (ratio * (buckets - exact)).long()).clamp(max=buckets - 1)
    return bucket + torch.where(distance < exact, distance, far)


def scaled_attention(q, k, v, scale, bias=None, causal=False):
    """q [heads, tokens, size], k and v [heads, keys, size] -> [tokens, heads * size]."""
    scores = q @ k.transpose(1, 2) * scale
    if bias is not None:
        scores = scores + bias
    if causal:
        scores = scores.masked_fill(torch.triu(torch.ones(scores.shape[1:], dtype=torch.bool), 1), -math.inf)
    return (scores.softmax(-1) @ v).transpose(0, 1).reshape(q.shape[1], -1)


def t5_logits(c, w, source, target):
    """T5ForConditionalGeneration: source ids, decoder input ids -> [target tokens, vocabulary]."""
    heads, eps = c["num_heads"], c["layer_norm_epsilon"]

    def attention(name, x, memory, bias=None, causal=False):
        q, k, v = (heads_of(F.linear(y, w[f"{name}.{part}.weight"]), heads)
                   for part, y in (("q", x), ("k", memory), ("v", memory)))
        return F.linear(scaled_attention(q, k, v, 1.0, bias, causal), w[name + ".o.weight"])

    def feed_forward(name, x):
        if c["feed_forward_proj"] == "relu":
            inner = F.linear(x, w[name + ".wi.weight"]).relu()
        else:
            gate = F.linear(x, w[name + ".wi_0.weight"])
            gate = 0.5 * gate * (1 + torch.tanh(math.sqrt(2 / math.pi) * (gate + 0.044715 * gate ** 3)))
            inner = gate * F.linear(x, w[name + ".wi_1.weight"])
        return F.linear(inner, w[name + ".wo.weight"])

    def half(name, layers, ids, memory=None):
        places = torch.arange(len(ids))
        bucket = t5_bucket(places[None, :] - places[:, None], memory is None, c["relative_attention_num_buckets"],
                           c["relative_attention_max_distance"])
        table = w[name + ".block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
        bias = table[bucket].permute(2, 0, 1)
        x = w["shared.weight"][ids]
        for layer in range(layers):
            p = f"{name}.block.{layer}.layer."
            h = rms_norm(x, w[p + "0.layer_norm.weight"], eps)
            x = x + attention(p + "0.SelfAttention", h, h, bias, memory is not None)
            last = 1
            if memory is not None:
                h = rms_norm(x, w[p + "1.layer_norm.weight"], eps)
                x = x + attention(p + "1.EncDecAttention", h, memory)
                last = 2
            x = x + feed_forward(f"{p}{last}.DenseReluDense", rms_norm(x, w[f"{p}{last}.layer_norm.weight"], eps))
        return rms_norm(x, w[name + ".final_layer_norm.weight"], eps)

    hidden = half("decoder", c["num_decoder_layers"], target, half("encoder", c["num_layers"], source))
    if c["tie_word_embeddings"]:
        return F.linear(hidden * c["d_model"] ** -0.5, w["shared.weight"])
    return F.linear(hidden, w["lm_head.weight"])


def bart_logits(c, w, source, target):
    """BartForConditionalGeneration: source ids, decoder input ids -> [target tokens, vocabulary]."""
    width = c["d_model"]

    def linear(name, x):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    def norm(name, x):
        return F.layer_norm(x, (width,), w[name + ".weight"], w[name + ".bias"], 1e-5)

    def half(name, ids, memory=None):
        heads = c[name + "_attention_heads"]

        def attention(prefix, x, y, causal):
            q, k, v = (heads_of(linear(f"{prefix}.{part}_proj", z), heads) for part, z in (("q", x), ("k", y), ("v", y)))
            return linear(prefix + ".out_proj", scaled_attention(q, k, v, (width // heads) ** -0.5, None, causal))

        x = w["model.shared.weight"][ids] * (math.sqrt(width) if c["scale_embedding"] else 1.0)
        x = norm(f"model.{name}.layernorm_embedding", x + w[f"model.{name}.embed_positions.weight"][2:2 + len(ids)])
        for layer in range(c[name + "_layers"]):
            p = f"model.{name}.layers.{layer}."
            x = norm(p + "self_attn_layer_norm", x + attention(p + "self_attn", x, x, memory is not None))
            if memory is not None:
                x = norm(p + "encoder_attn_layer_norm", x + attention(p + "encoder_attn", x, memory, False))
            inner = linear(p + "fc1", x)
            inner = F.gelu(inner) if c["activation_function"] == "gelu" else inner.relu()
            x = norm(p + "final_layer_norm", x + linear(p + "fc2", inner))
        return x

    return F.linear(half("decoder", target, half("encoder", source)), w["model.shared.weight"]) + w["final_logits_bias"]


def seq2seq_shapes(c):
    width, vocabulary, shapes = c["d_model"], c["vocab_size"], {}
    if c["model_type"] == "bart":
        shapes["model.shared.weight"] = (vocabulary, width)
        shapes["final_logits_bias"] = (1, vocabulary)

        def affine(name, out, into):
            shapes[name + ".weight"], shapes[name + ".bias"] = (out, into), (out,)

        def norm(name):
            shapes[name + ".weight"] = shapes[name + ".bias"] = (width,)

        for half, kinds in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "encoder_attn"])):
            shapes[f"model.{half}.embed_positions.weight"] = (c["max_position_embeddings"] + 2, width)
            norm(f"model.{half}.layernorm_embedding")
            for layer in range(c[half + "_layers"]):
                p = f"model.{half}.layers.{layer}."
                for kind in kinds:
                    for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                        affine(f"{p}{kind}.{part}", width, width)
                    norm(f"{p}{kind}_layer_norm")
                affine(p + "fc1", c[half + "_ffn_dim"], width)
                affine(p + "fc2", width, c[half + "_ffn_dim"])
                norm(p + "final_layer_norm")
        return shapes
    inner = c["num_heads"] * c["d_kv"]
    shapes["shared.weight"] = (vocabulary, width)
    for half, kinds in (("encoder", ["SelfAttention"]), ("decoder", ["SelfAttention", "EncDecAttention"])):
        shapes[f"{half}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"] = (
            c["relative_attention_num_buckets"], c["num_heads"])
        for layer in range(c["num_layers" if half == "encoder" else "num_decoder_layers"]):
            p = f"{half}.block.{layer}.layer."
            for i, kind in enumerate(kinds):
                for part in "qkv":
                    shapes[f"{p}{i}.{kind}.{part}.weight"] = (inner, width)
                shapes[f"{p}{i}.{kind}.o.weight"] = (width, inner)
                shapes[f"{p}{i}.layer_norm.weight"] = (width,)
            last = f"{p}{len(kinds)}"
            for part in ("wi",) if c["feed_forward_proj"] == "relu" else ("wi_0", "wi_1"):
                shapes[f"{last}.DenseReluDense.{part}.weight"] = (c["d_ff"], width)
            shapes[f"{last}.DenseReluDense.wo.weight"] = (width, c["d_ff"])
            shapes[f"{last}.layer_norm.weight"] = (width,)
        shapes[f"{half}.final_layer_norm.weight"] = (width,)
    if not c["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (vocabulary, width)
    return shapes


def write_seq2seq(name, config, seed):
    generator = torch.Generator().manual_seed(seed)
    stored = random_weights(seq2seq_shapes(config), generator)
    weights = {key: value.double() for key, value in stored.items()}
    logits_of = bart_logits if config["model_type"] == "bart" else t5_logits
    start, eos, new_tokens = config["decoder_start_token_id"], config["eos_token_id"], 20
    examples, smallest_gap = [], math.inf
    with torch.no_grad():
        # Sources and targets longer than the last bucket's distance, and shorter ones beside them.
        for source_length, target_length in ((33, 9), (5, 26), (14, 1)):
            source = torch.randint(3, config["vocab_size"], (source_length,), generator=generator)
            labels = torch.randint(3, config["vocab_size"], (target_length,), generator=generator)
            logits = logits_of(config, weights, source, torch.cat([torch.tensor([start]), labels[:-1]]))
            logprobs = logits.log_softmax(-1)[torch.arange(target_length), labels]
            greedy = [start]
            for t in range(new_tokens):
                best = logits_of(config, weights, source, torch.tensor(greedy))[-1].topk(2)
                token = best.indices[0].item()
                if t == 0 and config.get("forced_bos_token_id") is not None:
                    token = config["forced_bos_token_id"]
                elif t == new_tokens - 1 and config.get("forced_eos_token_id") is not None:
                    token = config["forced_eos_token_id"]
                else:
                    smallest_gap = min(smallest_gap, (best.values[0] - best.values[1]).item())
                greedy.append(token)
                if token == eos:
                    break
            examples.append(dict(source=source.tolist(), labels=labels.tolist(), logprobs=rounded(logprobs),
                                 first_logits=rounded(logits[0]), greedy_ids=greedy[1:]))
    if smallest_gap < 1e-3:
        raise SystemExit(f"{name}: greedy choices are too close ({smallest_gap}); take another seed")
    folder = SEQ2SEQ / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", stored)
    reference = dict(examples=examples, new_tokens=new_tokens, greedy_min_top2_gap=smallest_gap)
    (folder / "reference.json").write_text(json.dumps(reference) + "\n")
    if name == "flan-t5":
        write_unigram_tokenizer(folder, config["vocab_size"])
    print(name, sum(file.stat().st_size for file in folder.iterdir()), "bytes", [len(e["greedy_ids"]) for e in examples])


def write_unigram_tokenizer(folder, vocab_size):
    """A tokenizer.json of the kind that T5 has (SentencePiece Unigram), with a small vocabulary of our own."""
    words = ["\u2581yes", "\u2581no", "\u2581The", "\u2581object", "\u2581is", "\u2581it", "\u2581a", "\u2581", "?", ".",
             "\u2581Your", "\u2581home", "\u2581town"]
    letters = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")[:vocab_size - 3 - len(words)]
    vocabulary = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]]
    vocabulary += [[word, -2.0] for word in words] + [[letter, -5.0] for letter in letters]
    special = [dict(id=i, content=vocabulary[i][0], single_word=False, lstrip=False, rstrip=False, normalized=False,
                    special=True) for i in range(3)]
    metaspace = dict(type="Metaspace", replacement="\u2581", prepend_scheme="always", split=True)
    end = dict(SpecialToken=dict(id="</s>", type_id=0))
    definition = dict(
        version="1.0", truncation=None, padding=None, added_tokens=special, normalizer=None,
        pre_tokenizer=dict(type="Sequence", pretokenizers=[dict(type="WhitespaceSplit"), metaspace]),
        post_processor=dict(type="TemplateProcessing", single=[dict(Sequence=dict(id="A", type_id=0)), end],
                            pair=[dict(Sequence=dict(id="A", type_id=0)), end, dict(Sequence=dict(id="B", type_id=0)), end],
                            special_tokens={"</s>": dict(id="</s>", ids=[1], tokens=["</s>"])}),
        decoder=metaspace, model=dict(type="Unigram", unk_id=2, vocab=vocabulary, byte_fallback=False))
    (folder / "tokenizer.json").write_text(json.dumps(definition, indent=1) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(
        tokenizer_class="T5Tokenizer", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"), indent=1) + "\n")


# Encoders with their masked-LM heads

ENCODERS = HERE.parent / "encoder-fixtures"

TINY_BERT = dict(vocab_size=29, hidden_size=12, intermediate_size=20, num_hidden_layers=2, num_attention_heads=3,
                 max_position_embeddings=24, layer_norm_eps=1e-12, pad_token_id=0)

ENCODER_CONFIGS = {
    "bert": dict(TINY_BERT, model_type="bert", type_vocab_size=2, hidden_act="gelu"),
    # Positions begin behind the padding id; the head's activation is GELU whatever hidden_act is.
    "roberta": dict(TINY_BERT, model_type="roberta", type_vocab_size=1, hidden_act="relu", layer_norm_eps=1e-5,
                    pad_token_id=3),
    "distilbert": dict(model_type="distilbert", vocab_size=29, dim=12, hidden_dim=20, n_layers=2, n_heads=3,
                       max_position_embeddings=24, activation="gelu", pad_token_id=0, sinusoidal_pos_embds=False),
    # Layers 0 and 1 share group 0, layer 2 is group 1.
    "albert": dict(TINY_BERT, model_type="albert", type_vocab_size=2, hidden_act="gelu_new", embedding_size=8,
                   num_hidden_layers=3, num_hidden_groups=2, inner_group_num=1),
}

# Prefix of the encoder, stack of layers, then in a layer: query, key, value, output, its norm, inner, outer, last norm.
BERT_LAYER = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
              "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")
ENCODER_LAYERS = dict(
    bert=BERT_LAYER, roberta=BERT_LAYER,
    distilbert=("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm", "ffn.lin1",
                "ffn.lin2", "output_layer_norm"),
    albert=("attention.query", "attention.key", "attention.value", "attention.dense", "attention.LayerNorm", "ffn",
            "ffn_output", "full_layer_layer_norm"))

# Map, norm and bias of the head; its matrix is the word table.
MASKED_HEADS = dict(
    bert=("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
    roberta=("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
    distilbert=("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
    albert=("predictions.dense", "predictions.LayerNorm", "predictions.bias"))

POOLERS = dict(bert="bert.pooler.dense", roberta="roberta.pooler.dense", albert="albert.pooler")


def encoder_sizes(c):
    """Width, inner width, layers, heads, width of the embeddings, activation, epsilon of the norms."""
    if c["model_type"] == "distilbert":
        return c["dim"], c["hidden_dim"], c["n_layers"], c["n_heads"], c["dim"], c["activation"], 1e-12
    width = c["hidden_size"]
    return (width, c["intermediate_size"], c["num_hidden_layers"], c["num_attention_heads"],
            c.get("embedding_size", width), c["hidden_act"], c["layer_norm_eps"])


def encoder_layers(c):
    """The layers' names in the order in which a text passes them."""
    kind, layers = c["model_type"], encoder_sizes(c)[2]
    if kind == "distilbert":
        return [f"distilbert.transformer.layer.{i}." for i in range(layers)]
    if kind != "albert":
        return [f"{kind}.encoder.layer.{i}." for i in range(layers)]
    return [f"albert.encoder.albert_layer_groups.{int(i / (layers / c['num_hidden_groups']))}.albert_layers.{j}."
            for i in range(layers) for j in range(c["inner_group_num"])]


def encoder_shapes(c):
    kind = c["model_type"]
    width, inner, _, _, embedded, _, _ = encoder_sizes(c)
    shapes = {f"{kind}.embeddings.word_embeddings.weight": (c["vocab_size"], embedded),
              f"{kind}.embeddings.position_embeddings.weight": (c["max_position_embeddings"], embedded)}
    if "type_vocab_size" in c:
        shapes[f"{kind}.embeddings.token_type_embeddings.weight"] = (c["type_vocab_size"], embedded)

    def linear(name, out, into):
        shapes[name + ".weight"], shapes[name + ".bias"] = (out, into), (out,)

    def norm(name, size):
        shapes[name + ".weight"] = shapes[name + ".bias"] = (size,)

    norm(f"{kind}.embeddings.LayerNorm", embedded)
    if kind == "albert":
        linear("albert.encoder.embedding_hidden_mapping_in", width, embedded)
    for p in dict.fromkeys(encoder_layers(c)):
        *projections, attention_norm, into, out, last_norm = (p + name for name in ENCODER_LAYERS[kind])
        for name in projections:
            linear(name, width, width)
        norm(attention_norm, width)
        linear(into, inner, width)
        linear(out, width, inner)
        norm(last_norm, width)
    if kind in POOLERS:
        linear(POOLERS[kind], width, width)
    dense, head_norm, bias = MASKED_HEADS[kind]
    linear(dense, embedded, width)
    norm(head_norm, embedded)
    shapes[bias] = (c["vocab_size"],)
    return shapes


def encoder_outputs(c, w, ids, mask):
    """BertForPreTraining and its kin; ids, mask [texts, tokens] -> hidden states, summaries [texts, width], logits."""
    kind = c["model_type"]
    width, _, _, heads, embedded, activation, eps = encoder_sizes(c)

    def linear(name, x):
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    def norm(name, x):
        return F.layer_norm(x, (x.shape[-1],), w[name + ".weight"], w[name + ".bias"], eps)

    def act(name, x):
        if name == "gelu_new":
            return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
        return F.gelu(x) if name == "gelu" else x.relu()

    positions = torch.arange(ids.shape[1]).expand(ids.shape)
    if kind == "roberta":
        real = (ids != c["pad_token_id"]).long()
        positions = real.cumsum(1) * real + c["pad_token_id"]
    table = kind + ".embeddings."
    words = w[table + "word_embeddings.weight"]
    x = words[ids] + w[table + "position_embeddings.weight"][positions]
    if "type_vocab_size" in c:
        x = x + w[table + "token_type_embeddings.weight"][torch.zeros_like(ids)]
    x = norm(table + "LayerNorm", x)
    if kind == "albert":
        x = linear("albert.encoder.embedding_hidden_mapping_in", x)
    for p in encoder_layers(c):
        query, key, value, output, attention_norm, into, out, last_norm = (p + name for name in ENCODER_LAYERS[kind])
        q, k, v = (linear(name, x).view(*ids.shape, heads, -1).transpose(1, 2) for name in (query, key, value))
        scores = (q @ k.transpose(2, 3) / math.sqrt(width // heads)).masked_fill(mask[:, None, None] == 0, -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(*ids.shape, width)
        x = norm(attention_norm, linear(output, mixed) + x)
        x = norm(last_norm, linear(out, act(activation, linear(into, x))) + x)
    summary = torch.tanh(linear(POOLERS[kind], x[:, 0])) if kind in POOLERS else x[:, 0]
    dense, head_norm, bias = MASKED_HEADS[kind]
    head = norm(head_norm, act("gelu" if kind == "roberta" else activation, linear(dense, x)))
    return x, summary, head @ words.t() + w[bias]


def write_encoder(name, config, seed):
    generator = torch.Generator().manual_seed(2000 + seed)
    stored = random_weights(encoder_shapes(config), generator)
    weights = {key: value.double().requires_grad_() for key, value in stored.items()}
    lengths, pad = (9, 4, 7), config["pad_token_id"]
    ids = torch.randint(4, config["vocab_size"], (len(lengths), max(lengths)), generator=generator)
    mask = torch.ones(ids.shape)
    for row, length in enumerate(lengths):
        ids[row, length:], mask[row, length:] = pad, 0
    mask[2, 3] = 0  # a hole, which padding alone never makes
    hidden, summary, logits = encoder_outputs(config, weights, ids, mask)
    # The loss is a sum with random weights: of the states of tokens that exist, and of the summaries.
    hidden_weights = torch.randn(hidden.shape, generator=generator) * mask[:, :, None]
    summary_weights = torch.randn(summary.shape, generator=generator)
    loss = (hidden * hidden_weights.double()).sum() + (summary * summary_weights.double()).sum()
    names = [key for key in weights if key.startswith(config["model_type"] + ".")]
    gradients = dict(zip(names, torch.autograd.grad(loss, [weights[key] for key in names])))
    folder = ENCODERS / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", stored)
    write_safetensors(folder / "gradients.safetensors", gradients)
    write_safetensors(folder / "reference.safetensors", dict(
        hidden=hidden, summary=summary, logits=logits, hidden_weights=hidden_weights, summary_weights=summary_weights))
    reference = dict(lengths=lengths, ids=ids.tolist(), mask=mask.tolist(), loss=loss.item())
    (folder / "reference.json").write_text(json.dumps(reference) + "\n")
    print(name, sum(file.stat().st_size for file in folder.iterdir()), "bytes")


class Import:
    """Unpickles by calling something: what a reader of weights must never do."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


def write_pickles():
    folder = PICKLES
    folder.mkdir(parents=True, exist_ok=True)
    base = torch.arange(12, dtype=torch.float32).view(3, 4)
    tensors = {
        "plain": base,
        "transposed": base.t(),  # strides, not contiguous
        "row": base[1],  # an offset into the same storage
        "half": torch.tensor([1.5, -2.0, 65504.0]).half(),
        "bfloat": torch.tensor([1.5, -2.0, 3.0e38]).bfloat16(),
        "double": torch.tensor([0.1, 1e300 / 1e300]).double(),
        "long": torch.tensor([[1, -2], [3, 2 ** 40]]),
        "flags": torch.tensor([True, False]),
        "scalar": torch.tensor(7.0),
        "empty": torch.zeros(0, 3),
    }
    torch.save(tensors, folder / "tensors.pt")
    layer = torch.nn.Linear(2, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        layer.bias.copy_(torch.tensor([5.0, 6.0]))
    torch.save(layer.state_dict(), folder / "state-dict.pt")  # an OrderedDict with _metadata
    torch.save({"model_state_dict": layer.state_dict(), "epoch": 3, "note": "as the original saves it",
                "losses": [0.5, 0.25], "lr": 1e-3, "best": None, "done": False}, folder / "checkpoint.pt")
    torch.save({"weight": torch.nn.Parameter(base)}, folder / "parameters.pt")
    torch.save(layer.state_dict(), folder / "old-format.pt", _use_new_zipfile_serialization=False)
    # Harmless here, and yet the kind of thing that must be refused.
    torch.save({"weight": base, "extra": Import(print, "this must never be printed")}, folder / "imports.pt")
    (folder / "bare.pt").write_bytes(pickle.dumps({"weight": [1.0, 2.0]}))
    print("pickles", sum(file.stat().st_size for file in folder.iterdir()), "bytes")


def write_state_dicts():
    """The gpt2 checkpoint in the forms in which training scripts leave such models, for task=convert."""
    folder = PICKLES
    halves = folder / "gpt2-shards-f16"
    halves.mkdir(parents=True, exist_ok=True)
    weights = read_safetensors(HERE / "gpt2" / "model.safetensors")
    # GPT2LMHeadModel.state_dict() has the head, although it is the embedding, and older versions the causal masks.
    masks = {f"transformer.h.{layer}.attn.bias": torch.ones(64, 64, dtype=torch.uint8).tril()[None, None]
             for layer in range(CONFIGS["gpt2"]["n_layer"])}
    whole = {**weights, **masks, "lm_head.weight": weights["transformer.wte.weight"]}
    agent = {"model." + key: value for key, value in whole.items()}
    torch.save({"model_state_dict": {**agent, "critic.0.weight": torch.ones(2, 3)},
                "critic_optimizer_state_dict": {"state": {}, "param_groups": []}, "epoch": 3}, folder / "gpt2-agent.pt")
    torch.save({"module." + key: value.bfloat16() for key, value in weights.items()}, folder / "gpt2-module-bf16.pt")
    torch.save(weights, folder / "gpt2-old-format.pt", _use_new_zipfile_serialization=False)
    bare = [(key.replace("transformer.", ""), value.half()) for key, value in weights.items()]
    parts = {"pytorch_model-00001-of-00002.bin": bare[:9], "pytorch_model-00002-of-00002.bin": bare[9:]}
    for name, part in parts.items():
        torch.save(dict(part), halves / name)
    weight_map = {key: name for name, part in parts.items() for key, _ in part}
    (halves / "pytorch_model.bin.index.json").write_text(json.dumps(dict(metadata={}, weight_map=weight_map)) + "\n")
    print("state dicts", sum(file.stat().st_size for file in folder.rglob("*") if "gpt2-" in str(file) and file.is_file()), "bytes")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for seed, (name, config) in enumerate(CONFIGS.items()):
        write_checkpoint(name, config, seed)
    for seed, (name, (base, changes)) in enumerate(ADAPTERS.items()):
        write_adapter(name, base, changes, seed)
    for seed, (name, config) in enumerate(SEQ2SEQ_CONFIGS.items()):
        write_seq2seq(name, config, seed)
    for seed, (name, config) in enumerate(ENCODER_CONFIGS.items()):
        write_encoder(name, config, seed)
    write_pickles()
    write_state_dicts()
