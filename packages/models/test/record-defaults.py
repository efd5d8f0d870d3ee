#!/usr/bin/env python3
"""Records what transformers 5.18 makes of a config.json with nothing but sizes, for every family of decoders.

    python record-defaults.py

Writes packages/models/test/family-defaults.json: for each type of model its config.json, the fields of the config's class that
are no sizes, and log-probabilities with the weights of make-family-recordings.py. A size that has no small value of its own
(pad_token_id beyond the vocabulary, for one) is given too.
"""
import importlib.util
import json
from pathlib import Path

import torch
from transformers import AutoConfig

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("families", HERE / "families/make-family-recordings.py")
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)

SIZES = dict(families.SIZES, pad_token_id=0)
# Fields of sizes by the names that a family has for them, and further sizes.
OTHER_SIZES = {
    "gpt2": dict(vocab_size=29, n_embd=16, n_head=4, n_layer=2, n_positions=64),
    "gptj": dict(vocab_size=29, n_embd=16, n_head=2, n_layer=2, n_positions=64, rotary_dim=4),
    "bloom": dict(vocab_size=29, hidden_size=16, n_layer=2, n_head=4),
    "opt": dict(vocab_size=29, hidden_size=16, ffn_dim=20, num_hidden_layers=2, num_attention_heads=4, word_embed_proj_dim=16,
                max_position_embeddings=64, pad_token_id=0),
    "falcon": dict(vocab_size=29, hidden_size=16, num_hidden_layers=2, num_attention_heads=4),
    "gpt_neox": dict(SIZES, hidden_size=32),
    "stablelm": dict(SIZES, hidden_size=32),
    "phi": dict(SIZES, hidden_size=32),
    "mixtral": dict(SIZES, num_local_experts=4),
    "gpt_oss": dict(SIZES, head_dim=6, num_local_experts=4),
    "qwen3_moe": dict(SIZES, head_dim=6, num_experts=9, moe_intermediate_size=7),
    "lfm2": dict(SIZES),
    "lfm2_moe": dict(SIZES, num_hidden_layers=3, num_experts=5, moe_intermediate_size=7),
    "deepseek_v3": dict(SIZES, q_lora_rank=9, kv_lora_rank=7, qk_rope_head_dim=4, qk_nope_head_dim=6, v_head_dim=5,
                        num_hidden_layers=4, moe_intermediate_size=7, n_routed_experts=16, num_key_value_heads=4),
    "qwen3_next": dict(SIZES, head_dim=8, num_hidden_layers=4, linear_num_value_heads=4, linear_num_key_heads=2,
                       linear_key_head_dim=4, linear_value_head_dim=6, num_experts=12, moe_intermediate_size=7,
                       shared_expert_intermediate_size=6),
    "qwen3_5_text": dict(SIZES, head_dim=8, num_hidden_layers=4, linear_num_value_heads=4, linear_num_key_heads=2,
                         linear_key_head_dim=4, linear_value_head_dim=6),
    "qwen3_5_moe_text": dict(SIZES, head_dim=8, num_hidden_layers=4, linear_num_value_heads=4, linear_num_key_heads=2,
                             linear_key_head_dim=4, linear_value_head_dim=6, num_experts=10, moe_intermediate_size=7,
                             shared_expert_intermediate_size=6),
    "gemma4_text": dict(SIZES, num_hidden_layers=6, head_dim=6, global_head_dim=8, hidden_size_per_layer_input=5,
                        vocab_size_per_layer_input=29),
    "gemma4_unified_text": dict(SIZES, num_hidden_layers=6, head_dim=6, global_head_dim=8),
}
DEEPER = ["gemma3_text", "cohere2", "olmo3", "smollm3", "exaone4"]  # layers of another kind come later


def types():
    return sorted({config["model_type"] for config in families.CONFIGS.values()} | {"gpt2", "gpt_neox", "llama", "mistral", "qwen2", "qwen3"})


def plain(value):
    return value if value is None or isinstance(value, (bool, int, float, str)) else None


def record(kind):
    config = dict(OTHER_SIZES.get(kind, SIZES), model_type=kind)
    if kind in DEEPER:
        config["num_hidden_layers"] = 6
    torch.manual_seed(0)
    model = families.build(dict(config))
    ids, targets = (families.token_ids(which, 40, config["vocab_size"]) for which in ("ids", "targets"))
    with torch.no_grad():
        scores = model(torch.tensor([ids])).logits[0].log_softmax(-1)[torch.arange(40), torch.tensor(targets)]
    fields = {key: value for key, value in vars(AutoConfig.for_model(kind)).items() if not key.startswith("_") and plain(value) is not None}
    theta = getattr(type(AutoConfig.for_model(kind)), "default_theta", None)
    return dict(config=config, fields=fields if isinstance(theta, dict) else dict(fields, rope_theta=theta), logprobs=[float(f"{value:.7g}") for value in scores.tolist()])


if __name__ == "__main__":
    recordings = []
    for kind in types():
        try:
            recordings.append(record(kind))
        except Exception as error:
            print(kind, type(error).__name__, str(error)[:200])
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in recordings)
    (HERE / "family-defaults.json").write_text(f"[\n{lines}\n]\n")
    print(len(recordings))
