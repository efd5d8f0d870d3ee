#!/usr/bin/env python3
"""Records what Hugging Face's transformers computes for a shrunk model of each family of decoders.

Weights are not stored: they follow from a formula of a parameter's name and an element's index, which
packages/models/test/families/formula-weights.ts has as well. Gradients are stored as a norm and two projections for each
parameter. Everything is computed in float64 on weights rounded to float32.

    python families/make-family-recordings.py [NAME ...]
"""
import json
import math
import re
import sys
from pathlib import Path

import numpy
import torch
from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as LORA_TARGETS
from transformers import AutoConfig, AutoModelForCausalLM

HERE = Path(__file__).resolve().parent

# Sizes are small and all different, so that no two can be mistaken for one another. Windows are shorter than the texts.
SIZES = dict(vocab_size=29, hidden_size=16, intermediate_size=20, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=64)
PLAIN = dict(SIZES, rms_norm_eps=1e-5)

CONFIGS = {
    "gemma4": dict(PLAIN, model_type="gemma4_text", num_hidden_layers=4, num_kv_shared_layers=2, use_double_wide_mlp=True,
                   layer_types=["sliding_attention", "full_attention"] * 2, sliding_window=5, head_dim=6, global_head_dim=8,
                   hidden_size_per_layer_input=5, vocab_size_per_layer_input=31, final_logit_softcapping=5.0,
                   rope_parameters=dict(sliding_attention=dict(rope_type="default", rope_theta=50.0),
                                        full_attention=dict(rope_type="proportional", rope_theta=1000.0,
                                                            partial_rotary_factor=0.5))),
    "gemma4-moe": dict(PLAIN, model_type="gemma4_text", sliding_window=6, head_dim=6, global_head_dim=12,
                       layer_types=["sliding_attention", "full_attention"], hidden_size_per_layer_input=0,
                       attention_k_eq_v=True, num_global_key_value_heads=1, enable_moe_block=True, num_experts=4,
                       top_k_experts=2, moe_intermediate_size=7),
    "gemma4-unified": dict(PLAIN, model_type="gemma4_unified_text", sliding_window=5, head_dim=8, global_head_dim=6,
                           layer_types=["sliding_attention", "full_attention"], attention_k_eq_v=True,
                           num_global_key_value_heads=4, tie_word_embeddings=False),
    "gemma3": dict(PLAIN, model_type="gemma3_text", head_dim=6, query_pre_attn_scalar=5, sliding_window=5,
                   sliding_window_pattern=2, rope_theta=1000.0, rope_local_base_freq=50.0,
                   hidden_activation="gelu_pytorch_tanh", rope_scaling=dict(rope_type="linear", factor=8.0)),
    "gemma2": dict(PLAIN, model_type="gemma2", head_dim=6, query_pre_attn_scalar=3, sliding_window=6,
                   attn_logit_softcapping=4.0, final_logit_softcapping=5.0, hidden_activation="gelu_pytorch_tanh"),
    "gemma": dict(PLAIN, model_type="gemma", head_dim=8, num_key_value_heads=1, hidden_act="gelu"),
    "smollm3": dict(PLAIN, model_type="smollm3", no_rope_layers=[1, 0], rope_theta=5000.0, pad_token_id=0,
                    use_sliding_window=False, tie_word_embeddings=True),
    "ministral": dict(PLAIN, model_type="ministral", sliding_window=5, head_dim=6,
                      layer_types=["full_attention", "sliding_attention"]),
    "ministral3": dict(PLAIN, model_type="ministral3", head_dim=6, pad_token_id=0, max_position_embeddings=64,
                       rope_parameters=dict(rope_type="yarn", rope_theta=1000.0, factor=4.0,
                                            original_max_position_embeddings=8, beta_fast=32.0, beta_slow=1.0,
                                            mscale=1.0, mscale_all_dim=1.0, llama_4_scaling_beta=0.1)),
    "phi3": dict(PLAIN, model_type="phi3", sliding_window=7, pad_token_id=0, num_key_value_heads=4),
    "phi4-mini": dict(PLAIN, model_type="phi3", pad_token_id=0, partial_rotary_factor=0.5, hidden_size=32,
                      tie_word_embeddings=True, max_position_embeddings=512, original_max_position_embeddings=64,
                      rope_scaling=dict(type="longrope", short_factor=[1.5, 2.0], long_factor=[3.0, 9.0])),
    "olmo2": dict(PLAIN, model_type="olmo2", rope_theta=5000.0),
    "olmo3": dict(PLAIN, model_type="olmo3", sliding_window=5, layer_types=["sliding_attention", "full_attention"],
                  rope_theta=5000.0, rope_scaling=dict(rope_type="yarn", factor=4.0, attention_factor=1.2,
                                                       original_max_position_embeddings=16)),
    "granite": dict(PLAIN, model_type="granite", embedding_multiplier=3.0, attention_multiplier=0.3,
                    residual_multiplier=0.4, logits_scaling=0.7, tie_word_embeddings=True),
    "glm": dict(PLAIN, model_type="glm", head_dim=8, pad_token_id=0),
    "glm4": dict(PLAIN, model_type="glm4", head_dim=8, pad_token_id=0, attention_bias=False),
    "ernie4-5": dict(PLAIN, model_type="ernie4_5", head_dim=6, use_bias=True),
    "exaone4": dict(PLAIN, model_type="exaone4", sliding_window=5,
                    layer_types=["sliding_attention", "full_attention"]),
    "seed-oss": dict(PLAIN, model_type="seed_oss", head_dim=6, attention_bias=True, attention_out_bias=False),
    "phi": dict(SIZES, model_type="phi", partial_rotary_factor=0.5, qk_layernorm=True, hidden_act="gelu_new"),
    "gptj": dict(model_type="gptj", vocab_size=29, n_embd=16, n_head=2, n_layer=2, n_positions=64, rotary_dim=4,
                 bos_token_id=0, eos_token_id=0, activation_function="gelu_new"),
    "opt": dict(model_type="opt", vocab_size=29, hidden_size=16, ffn_dim=20, num_hidden_layers=2, num_attention_heads=4,
                max_position_embeddings=64, do_layer_norm_before=True, word_embed_proj_dim=16, bos_token_id=2),
    "stablelm": dict(SIZES, model_type="stablelm", partial_rotary_factor=0.5, use_qkv_bias=True, layer_norm_eps=1e-5),
    "stablelm-parallel": dict(SIZES, model_type="stablelm", partial_rotary_factor=0.5, use_parallel_residual=True,
                              qk_layernorm=True),
    "starcoder2": dict(SIZES, model_type="starcoder2", sliding_window=6, norm_epsilon=1e-5, bos_token_id=0, eos_token_id=0),
    "cohere": dict(SIZES, model_type="cohere", use_qk_norm=True, logit_scale=0.5, bos_token_id=0, eos_token_id=0),
    "cohere2": dict(SIZES, model_type="cohere2", sliding_window=5, logit_scale=0.5, sliding_window_pattern=2,
                    bos_token_id=0, eos_token_id=0),
    "bloom": dict(model_type="bloom", vocab_size=29, hidden_size=48, n_layer=2, n_head=6, seq_length=64),
    "falcon-alibi": dict(model_type="falcon", vocab_size=29, hidden_size=48, num_hidden_layers=2, num_attention_heads=3,
                         alibi=True, max_position_embeddings=64, bos_token_id=0, eos_token_id=0),
    "falcon-rw": dict(model_type="falcon", vocab_size=29, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                      alibi=True, bias=True, multi_query=False, parallel_attn=False, new_decoder_architecture=False,
                      max_position_embeddings=64, bos_token_id=0, eos_token_id=0),
    "qwen3-moe": dict(PLAIN, model_type="qwen3_moe", head_dim=6, num_experts=6, num_experts_per_tok=2,
                      moe_intermediate_size=7, norm_topk_prob=True, mlp_only_layers=[0], num_hidden_layers=3),
    "mixtral": dict(PLAIN, model_type="mixtral", num_local_experts=4, num_experts_per_tok=2, sliding_window=6),
    "gpt-oss": dict(PLAIN, model_type="gpt_oss", head_dim=6, num_local_experts=4, num_experts_per_tok=2,
                    sliding_window=5, rope_theta=1000.0, swiglu_limit=7.0,
                    rope_scaling=dict(rope_type="yarn", factor=4.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
                                      original_max_position_embeddings=16)),
    "lfm2": dict(SIZES, model_type="lfm2", norm_eps=1e-5, layer_types=["conv", "full_attention", "conv"],
                 num_hidden_layers=3, block_multiple_of=4, conv_L_cache=3, conv_bias=True),
    "lfm2-moe": dict(SIZES, model_type="lfm2_moe", norm_eps=1e-5, layer_types=["conv", "full_attention"],
                     num_dense_layers=1, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=7, conv_L_cache=4),
    "qwen3-5": dict(PLAIN, model_type="qwen3_5_text", head_dim=8, layer_types=["linear_attention", "full_attention"],
                    linear_conv_kernel_dim=3, linear_key_head_dim=5, linear_value_head_dim=3, linear_num_key_heads=2,
                    linear_num_value_heads=4,
                    rope_parameters=dict(rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.5,
                                         mrope_section=[2, 0, 0])),
    "qwen3-5-moe": dict(PLAIN, model_type="qwen3_5_moe_text", head_dim=8, layer_types=["linear_attention", "full_attention"],
                        linear_conv_kernel_dim=4, linear_key_head_dim=5, linear_value_head_dim=4, linear_num_key_heads=2,
                        linear_num_value_heads=2, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=7,
                        shared_expert_intermediate_size=5,
                        rope_parameters=dict(rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.25,
                                             mrope_section=[1, 0, 0])),
    "qwen3-next": dict(PLAIN, model_type="qwen3_next", head_dim=8, layer_types=["linear_attention", "full_attention"],
                       linear_conv_kernel_dim=4, linear_key_head_dim=5, linear_value_head_dim=3, linear_num_key_heads=2,
                       linear_num_value_heads=4, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=7,
                       shared_expert_intermediate_size=6, norm_topk_prob=True, decoder_sparse_step=1,
                       partial_rotary_factor=0.25),
    "deepseek-v3": dict(PLAIN, model_type="deepseek_v3", q_lora_rank=9, kv_lora_rank=7, qk_rope_head_dim=4,
                        qk_nope_head_dim=6, v_head_dim=5, num_key_value_heads=4, n_routed_experts=8, n_group=4,
                        topk_group=2, num_experts_per_tok=3, moe_intermediate_size=6, n_shared_experts=2,
                        first_k_dense_replace=1, norm_topk_prob=True, routed_scaling_factor=1.5,
                        rope_scaling=dict(type="yarn", factor=4.0, mscale=1.0, mscale_all_dim=0.7, beta_fast=32,
                                          beta_slow=1, original_max_position_embeddings=16)),
}


def hashes(name, count):
    """count numbers in [−1, 1) that follow from the name: FNV-1a, then a mixing of the index (lowbias32)."""
    seed = 0x811C9DC5
    for character in name:
        seed = ((seed ^ ord(character)) * 0x01000193) & 0xFFFFFFFF
    x = (numpy.arange(count, dtype=numpy.uint64) * 0x9E3779B9 + seed).astype(numpy.uint32)
    x ^= x >> numpy.uint32(16)
    x *= numpy.uint32(0x21F0AAAD)
    x ^= x >> numpy.uint32(15)
    x *= numpy.uint32(0x735A2D97)
    x ^= x >> numpy.uint32(15)
    return x.astype(numpy.float64) / 2147483648.0 - 1.0


def formula_weight(name, shape):
    """Large enough that every part of the model changes the output."""
    u = hashes(name, math.prod(shape))
    if re.search(r"norm|\.ln_", name) and name.endswith("weight"):
        values = 1 + 0.3 * u
    elif name.endswith("bias") or len(shape) == 1:
        values = 0.3 * u
    else:
        values = 2.5 * u / math.sqrt(shape[-1])
    return torch.from_numpy(values.astype(numpy.float32).reshape(shape))


def saved_buffers(model):
    return [(name, value) for name, value in model.named_buffers() if name in model.state_dict()]


# Names of an expert's weights in published files, where they are not gate_proj, up_proj and down_proj.
EXPERT_NAMES = dict(mixtral=("w1", "w3", "w2"), lfm2_moe=("w1", "w3", "w2"))


def published(config, tensors):
    """Names and views of tensors as published files have them; transformers keeps all experts in one."""
    kind = config["model_type"]
    gate, up, down = EXPERT_NAMES.get(kind, ("gate_proj", "up_proj", "down_proj"))
    for name, tensor in tensors:
        if kind == "mixtral":
            name = name.replace(".mlp.", ".block_sparse_moe.")
        path, _, last = name.rpartition(".")
        if not path.endswith(".experts"):
            yield name, tensor
        elif kind == "gpt_oss":
            for index, part in enumerate(tensor):
                yield f"{name}.{index}", part if part.ndim == 1 else part.T
        else:
            for index, part in enumerate(tensor):
                if last == "down_proj":
                    yield f"{path}.{index}.{down}.weight", part
                else:
                    for which, half in zip((gate, up), part.chunk(2)):
                        yield f"{path}.{index}.{which}.weight", half


def build(config):
    # Falcon's eager attention adds its linear biases twice; the form that transformers takes of itself adds them once.
    attention = "sdpa" if config["model_type"] == "falcon" else "eager"
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation=attention)
    if hasattr(model, "set_experts_implementation"):
        model.set_experts_implementation("eager")
    model = model.double().eval()
    with torch.no_grad():
        for name, tensor in published(config, [*model.named_parameters(), *saved_buffers(model)]):
            tensor.copy_(formula_weight(name, tuple(tensor.shape)))
    # Buffers made in float32 (rotary frequencies) stay what they were in float32.
    return model


def token_ids(name, count, vocabulary):
    """None of the first three, which the configs have for padding: transformers learns nothing for that one."""
    return [3 + int(u) for u in (hashes(name, count) + 1) / 2 * (vocabulary - 3)]


def projections(name, gradient):
    flat = gradient.detach().double().flatten().numpy()
    dots = [float(flat @ hashes(f"{name}#{k}", flat.size)) for k in range(2)]
    return [float(f"{value:.8g}") for value in (float(numpy.linalg.norm(flat)), *dots)]


def record(name, config):
    torch.manual_seed(0)
    model = build(config)
    vocabulary = config["vocab_size"]
    examples, loss = [], 0
    for index, length in enumerate((19, 6)):
        ids, targets = (token_ids(f"{which}.{index}", length, vocabulary) for which in ("ids", "targets"))
        logprobs = model(torch.tensor([ids])).logits[0].log_softmax(-1)[torch.arange(length), torch.tensor(targets)]
        weights = [1 if position % 3 else 0.5 for position in range(length)]
        loss = loss - (logprobs * torch.tensor(weights)).sum()
        examples.append([float(f"{value:.8g}") for value in logprobs.tolist()])
    loss.backward()
    own = list(model.named_parameters())
    gradients = {key: projections(key, grad) for key, grad in published(config, [(key, value.grad) for key, value in own])}
    ids = token_ids("prompt", 7, vocabulary)
    with torch.no_grad():
        for _ in range(20):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    parameters = {key: list(value.shape) for key, value in published(config, [*own, *saved_buffers(model)])}
    recording = dict(config=config, loraTargets=LORA_TARGETS.get(config["model_type"]), loss=float(loss), logprobs=examples,
                     greedy=ids[7:], parameters=parameters, gradients=gradients)
    (HERE / f"{name}.json").write_text(json.dumps(recording, separators=(",", ":")) + "\n")
    print(name, float(loss))


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for chosen in sys.argv[1:] or CONFIGS:
        record(chosen, CONFIGS[chosen])
