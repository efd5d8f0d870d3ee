#!/usr/bin/env python3
"""Records what transformers and peft make of single fields of a model's folder, and which fields their classes have.

    python record-fields.py [decoders] [generation] [adapters] [fields] [changes] [tokenizers]

Needs transformers 5.18 and peft 0.21. Writes packages/models/test/recorded-fields/*.json and
packages/text/test/recorded-fields.json, which the tests of fields read.
Weights are a formula of a tensor's name and an element's index (`weights_of`), so that a recording has no weight files;
test/field-folders.ts has the same formula.
"""
import dataclasses
import importlib.util
import json
import math
import shutil
import sys
import tempfile
import typing
import warnings
from pathlib import Path

import numpy
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, GenerationConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

warnings.filterwarnings("ignore")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

OUT = Path(__file__).resolve().parent / "recorded-fields"
TEXT = Path(__file__).resolve().parents[2] / "text/test"

ROTARY = dict(vocab_size=29, hidden_size=24, intermediate_size=20, num_hidden_layers=2, num_attention_heads=2,
              max_position_embeddings=64)
BASES = {
    "llama": dict(ROTARY, model_type="llama", num_key_value_heads=1),
    "mistral": dict(ROTARY, model_type="mistral", num_key_value_heads=1),
    "qwen2": dict(ROTARY, model_type="qwen2", num_key_value_heads=1),
    "qwen3": dict(ROTARY, model_type="qwen3", num_key_value_heads=1, head_dim=12),
    "gpt_neox": dict(ROTARY, model_type="gpt_neox", hidden_size=32),
    "falcon": dict(model_type="falcon", vocab_size=29, hidden_size=24, num_hidden_layers=2, num_attention_heads=2,
                   max_position_embeddings=64),
    "gpt2": dict(model_type="gpt2", vocab_size=29, n_embd=24, n_layer=2, n_head=2, n_positions=64),
}


def weights_of(name, shape):
    """0.3 sin(1.7 i + h), h from the name; norms' scales are about 1. Indices and layout are the file's."""
    h = 0
    for character in name.encode():
        h = (h * 31 + character) % 997
    count = math.prod(shape)
    values = 0.3 * numpy.sin(1.7 * numpy.arange(count, dtype=numpy.float64) + h)
    if len(shape) == 1 and name.endswith("weight"):
        values = 1 + values
    return torch.from_numpy(values.astype(numpy.float32).reshape(shape))


def file_name(config, name):
    """The name of a tensor in files: transformers 5 renames GPT-NeoX's head when it reads and writes."""
    return "embed_out.weight" if config["model_type"] == "gpt_neox" and name == "lm_head.weight" else name


def save_folder(folder, config, extra=(), missing=(), dtype=torch.float32, twins=()):
    """A folder with config.json as given. @extra names of tensors beyond the model's, @twins of those equal to the embedding"""
    model = AutoModelForCausalLM.from_config(CONFIG_MAPPING[config["model_type"]](**config))
    tied = getattr(model, "all_tied_weights_keys", {}) or {}
    names = {file_name(config, name): value for name, value in model.state_dict().items() if name not in tied}
    tensors = {name: weights_of(name, list(value.shape)) for name, value in names.items()}
    embedding = next(name for name in names if name.endswith(("embed_tokens.weight", "wte.weight", "embed_in.weight", "word_embeddings.weight")))
    for name in extra:
        tensors[name] = weights_of(name, list(names[embedding].shape))
    for name in twins:
        tensors[name] = tensors[embedding].clone()
    for name in missing:
        tensors.pop(name)
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.to(dtype).contiguous() for name, value in tensors.items()}, folder / "model.safetensors",
              metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))


def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


IDS = [(7 * i + 3 * (i // 5)) % 29 for i in range(40)]


def logprobs(model, ids=IDS):
    """Of every next token, in nats."""
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].double()
    scores = logits.log_softmax(-1)[torch.arange(len(ids) - 1), ids[1:]]
    return [round(value, 6) for value in scores.tolist()]


def in_folder(work):
    folder = Path(tempfile.mkdtemp())
    try:
        return work(folder)
    finally:
        shutil.rmtree(folder)


# Decoders: config.json and names of tensors

LM_HEAD = "lm_head.weight"
YARN = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)


def decoder_cases():
    # A copy: transformers writes into the rope parameters that it is given.
    case = lambda title, base, changes=None, **files: json.loads(json.dumps(dict(title=title, config={**BASES[base], **(changes or {})}, **files)))
    for base in ["llama", "gpt2", "mistral", "qwen2", "qwen3", "falcon"]:
        tie = {"tie_word_embeddings": True}
        yield case(f"{base}: a head of its own under tie_word_embeddings: true", base, tie, extra=[LM_HEAD])
    yield case("gpt_neox: a head of its own under tie_word_embeddings: true", "gpt_neox", {"tie_word_embeddings": True}, extra=["embed_out.weight"])
    yield case("gpt_neox: a head under another name", "gpt_neox", extra=[LM_HEAD], missing=["embed_out.weight"])
    yield case("gpt_neox: tied, a head under another name", "gpt_neox", {"tie_word_embeddings": True}, extra=[LM_HEAD])
    yield case("gpt2: a head of its own, tied by the class's default", "gpt2", extra=[LM_HEAD])
    yield case("llama: a head equal to the embedding", "llama", {"tie_word_embeddings": True}, twins=[LM_HEAD])
    yield case("llama: a head and no embedding", "llama", {"tie_word_embeddings": True}, extra=[LM_HEAD], missing=["model.embed_tokens.weight"])
    linear = dict(rope_type="linear", factor=2.5)
    yield case("rope_scaling beside rope_parameters", "llama", dict(rope_scaling=YARN, rope_parameters=dict(rope_type="default", rope_theta=100.0)))
    yield case("an empty rope_scaling beside rope_parameters", "llama", dict(rope_scaling={}, rope_parameters=dict(linear, rope_theta=100.0)))
    yield case("rope_theta inside and at the top", "llama", dict(rope_theta=50.0, rope_parameters=dict(rope_type="default", rope_theta=1000.0)))
    yield case("rope_theta in rope_scaling and at the top", "qwen2", dict(rope_theta=50.0, rope_scaling=dict(linear, rope_theta=1000.0)))
    yield case("rope_theta at the top beside rope_scaling", "qwen3", dict(rope_theta=50.0, rope_scaling=linear))
    yield case("rope_theta at the top beside rope_parameters without one", "mistral", dict(rope_theta=50.0, rope_parameters=linear))
    yield case("yarn: original_max_position_embeddings at the top", "llama", dict(original_max_position_embeddings=8, rope_theta=100.0, rope_scaling=YARN))
    yield case("llama3: original_max_position_embeddings at the top", "llama", dict(original_max_position_embeddings=8, rope_theta=100.0, rope_scaling=LLAMA3))
    yield case("linear: original_max_position_embeddings at the top has no effect", "llama", dict(original_max_position_embeddings=8, rope_scaling=linear))
    without = lambda scaling: {key: value for key, value in scaling.items() if key != "original_max_position_embeddings"}
    yield case("llama3: without original_max_position_embeddings", "llama", dict(rope_theta=100.0, rope_scaling=without(LLAMA3)))
    yield case("yarn: without original_max_position_embeddings", "qwen2", dict(rope_theta=100.0, rope_scaling=without(YARN)))
    yield case("yarn: a factor of null", "llama", dict(rope_theta=100.0, rope_scaling=dict(YARN, factor=None)))
    yield case("yarn: null and 0 in optional fields", "llama", dict(rope_theta=100.0, rope_scaling=dict(YARN, beta_fast=None, beta_slow=0, attention_factor=None, mscale=0, mscale_all_dim=None)))
    for truncate in [None, True]:
        yield case(f"yarn: truncate {truncate}", "llama", dict(rope_theta=100.0, rope_scaling=dict(YARN, truncate=truncate, beta_fast=1.5, beta_slow=0.1)))
    yield case("yarn: mscale and mscale_all_dim", "llama", dict(rope_theta=100.0, rope_scaling=dict(YARN, mscale=0.7, mscale_all_dim=0.4)))
    yield case("yarn: attention_factor", "llama", dict(rope_theta=100.0, rope_scaling=dict(YARN, attention_factor=0.8)))
    yield case("gpt_neox: rotary_pct and rotary_emb_base", "gpt_neox", dict(rotary_pct=0.5, rotary_emb_base=100))
    yield case("gpt_neox: partial_rotary_factor and rope_theta at the top have no effect", "gpt_neox", dict(partial_rotary_factor=0.5, rope_theta=100.0, rotary_pct=1.0))
    yield case("gpt_neox: rope_parameters win", "gpt_neox", dict(rotary_pct=1.0, rotary_emb_base=50, rope_parameters=dict(rope_type="default", rope_theta=100.0, partial_rotary_factor=0.5)))
    yield case("gpt_neox: linear scaling of half a head", "gpt_neox", dict(rotary_pct=0.5, rope_scaling=dict(type="linear", factor=2.0)))
    yield case("gpt_neox: yarn of half a head", "gpt_neox", dict(rotary_pct=0.5, rope_scaling=YARN))
    yield case("falcon: rope_theta at the top and inside", "falcon", dict(rope_theta=50.0, rope_parameters=dict(rope_type="default", rope_theta=1000.0)))
    yield case("falcon: n_embed instead of hidden_size", "falcon", dict(hidden_size=12, n_embed=24))
    yield case("falcon: one norm in the new decoder architecture", "falcon", dict(new_decoder_architecture=True, num_kv_heads=1, num_ln_in_parallel_attn=1))
    yield case("llama: layer_types have no effect", "llama", dict(sliding_window=3, layer_types=["sliding_attention", "full_attention"]))
    yield case("qwen2: layer_types", "qwen2", dict(use_sliding_window=True, sliding_window=3, layer_types=["sliding_attention", "full_attention"]))
    yield case("qwen2: no window without use_sliding_window", "qwen2", dict(use_sliding_window=False, sliding_window=3, max_window_layers=0))
    yield case("qwen2: head_dim", "qwen2", dict(head_dim=6))
    yield case("mistral: mlp_bias and attention_bias false", "mistral", dict(mlp_bias=False, attention_bias=False, head_dim=6))
    for activation in ["swish", "gelu_python", "gelu_accurate", "gelu_python_tanh", "relu2", "quick_gelu", "tanh", "sigmoid", "linear"]:
        yield case(f"hidden_act {activation}", "llama", dict(hidden_act=activation))
    yield case("gpt2: reorder_and_upcast_attn", "gpt2", dict(reorder_and_upcast_attn=True))
    yield case("gpt2: two names of one field", "gpt2", dict(n_inner=20, hidden_size=36, num_attention_heads=3), refused="n_embd")
    yield case("llama: is_causal false", "llama", dict(is_causal=False), refused="is_causal")
    yield case("mistral: is_causal false", "mistral", dict(is_causal=False), refused="is_causal")
    yield case("gpt2: is_causal false", "gpt2", dict(is_causal=False), refused="is_causal")
    yield case("gpt_neox: is_causal false", "gpt_neox", dict(is_causal=False), refused="is_causal")
    yield case("falcon: is_causal false", "falcon", dict(is_causal=False), refused="is_causal")
    yield case("gpt2: scale_attn_weights false", "gpt2", dict(scale_attn_weights=False), refused="scale_attn_weights")
    yield case("gpt2: scale_attn_by_inverse_layer_idx", "gpt2", dict(scale_attn_by_inverse_layer_idx=True), refused="scale_attn_by_inverse_layer_idx")


def record_decoders():
    recorded = []
    plain = {base: in_folder(lambda folder: (save_folder(folder, config), logprobs(load(folder)))[1]) for base, config in BASES.items()}
    for case in decoder_cases():
        files = {key: case[key] for key in ["extra", "missing", "twins"] if key in case}

        def result(folder):
            save_folder(folder, json.loads(json.dumps(case["config"])), **files)
            return logprobs(load(folder))

        try:
            scores = in_folder(result)
        except Exception as error:  # what transformers refuses, this project may
            print("transformers refuses:", case["title"], "|", type(error).__name__, str(error)[:200])
            scores = None
        base = plain[case["config"]["model_type"]]
        differs = None if scores is None else max(abs(a - b) for a, b in zip(scores, base))
        print(f"{case['title']}: differs by {differs} from the plain config")
        recorded.append({**case, "logprobs": scores})
    write("decoders", {"ids": IDS, "plain": [{"config": BASES[base], "logprobs": scores} for base, scores in plain.items()], "cases": recorded})


# Generation: generation_config.json, greedy

PROMPTS = [[3, 4, 5], [26, 0, 23, 28, 0, 27, 7, 26, 0], [11], [6, 6, 6, 6, 2, 6, 6]]
END = 28


def generation_cases():
    yield "no rules", {}
    yield "repetition_penalty", dict(repetition_penalty=1.3)
    yield "repetition_penalty below 1", dict(repetition_penalty=0.8)
    yield "no_repeat_ngram_size 1", dict(no_repeat_ngram_size=1)
    yield "no_repeat_ngram_size 2", dict(no_repeat_ngram_size=2)
    yield "no_repeat_ngram_size 3", dict(no_repeat_ngram_size=3)
    yield "bad_words_ids", dict(bad_words_ids=[[0], [27, 1], [28], [23, 9, 2]])
    yield "min_new_tokens", dict(min_new_tokens=6)
    yield "min_length", dict(min_length=9)
    yield "suppress_tokens", dict(suppress_tokens=[0, 26])
    yield "begin_suppress_tokens", dict(begin_suppress_tokens=[26, 0, 9])
    yield "sequence_bias", dict(sequence_bias=[[[0], -1.5], [[26, 8], 4.0], [[8, 9], 2.5], [[9], 0.5]])
    yield "all of them", dict(repetition_penalty=1.4, no_repeat_ngram_size=2, bad_words_ids=[[26, 0]], min_length=7, min_new_tokens=5,
                              suppress_tokens=[23], begin_suppress_tokens=[26], sequence_bias=[[[28], 1.0], [[0, 27], -3.0]])


def record_generation():
    recorded = []
    for where in ["generation_config.json", "config.json"]:
        for title, rules in generation_cases():
            if where == "config.json" and title != "repetition_penalty":
                continue

            def result(folder):
                own = where == "generation_config.json"
                save_folder(folder, {**BASES["llama"], **({} if own else {**rules, "eos_token_id": END})})
                if own:
                    (folder / "generation_config.json").write_text(json.dumps({**rules, "eos_token_id": END}))
                model = load(folder)
                texts = []
                for prompt in PROMPTS:
                    ids = torch.tensor([prompt])
                    new = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=14, pad_token_id=0)[0].tolist()
                    texts.append(new[len(prompt):])
                return texts

            texts = in_folder(result)
            print(title, texts)
            recorded.append(dict(title=title, file=where, rules=rules, texts=texts))
    write("generation", {"config": BASES["llama"], "eos": END, "prompts": PROMPTS, "max_new_tokens": 14, "cases": recorded})


# Adapters: adapter_config.json, loaded by peft from the files

def adapter_cases():
    plain_config = dict(peft_type="LORA", task_type="CAUSAL_LM", r=4, lora_alpha=6, target_modules=["q_proj", "down_proj"])
    case = lambda title, **changes: dict(title=title, config={**plain_config, **changes})
    yield case("plain")
    yield case("use_rslora", use_rslora=True)
    yield case("fan_in_fan_out on linear layers", fan_in_fan_out=True)
    for start in ["gaussian", "orthogonal"]:
        yield case(f"init_lora_weights {start}", init_lora_weights=start)
    yield case("rank_pattern and alpha_pattern", rank_pattern={"q_proj": 2, "1.mlp.down_proj": 3}, alpha_pattern={"layers.0.*proj": 5}, target_modules=["q_proj", "down_proj", "v_proj"])
    yield case("rank_pattern and use_rslora", rank_pattern={"^model.layers.1.self_attn.q_proj": 1}, use_rslora=True)
    yield case("use_dora", use_dora=True)
    yield case("use_dora, patterns and the head", use_dora=True, use_rslora=True, rank_pattern={"q_proj": 3}, alpha_pattern={"down_proj": 2}, target_modules=["q_proj", "down_proj", "lm_head"])
    for start in ["pissa", "olora"]:
        yield case(f"init_lora_weights {start}", init_lora_weights=start, refused="init_lora_weights")


def adapter_gradients(model):
    """Of the sum of -log p, by the names in the file: the norm, and the projection on sin(i)."""
    logits = model(torch.tensor([IDS])).logits[0].log_softmax(-1)
    (-logits[torch.arange(len(IDS) - 1), IDS[1:]].sum()).backward()
    found = {}
    for name, value in model.named_parameters():
        if value.grad is not None:
            flat = value.grad.flatten()
            file = name.replace(".default", "").replace("lora_magnitude_vector.weight", "lora_magnitude_vector")
            found[file] = [float(f"{x:.7g}") for x in (flat.norm(), flat @ torch.arange(len(flat)).double().sin())]
    return found


def record_adapters():
    from peft import LoraConfig, PeftModel, get_peft_model

    recorded = []
    for case in adapter_cases():
        refused = case["config"].pop("refused", None)

        def result(folder):
            save_folder(folder / "base", BASES["llama"])
            config = {key: value for key, value in case["config"].items() if key != "peft_type"}
            model = get_peft_model(load(folder / "base"), LoraConfig(**config))
            model.save_pretrained(folder / "adapter")
            names = {name: list(value.shape) for name, value in load_file(folder / "adapter/adapter_model.safetensors").items()}
            # PEFT adds a copy of the base's head where the head is adapted; this project refuses such a tensor by name.
            names = {name: shape for name, shape in names.items() if "base_layer" not in name}
            save_file({name: weights_of(name, shape) for name, shape in names.items()}, folder / "adapter/adapter_model.safetensors", metadata={"format": "pt"})
            saved = json.loads((folder / "adapter/adapter_config.json").read_text())
            adapted = PeftModel.from_pretrained(load(folder / "base"), folder / "adapter", is_trainable=True).eval().double()
            return saved, names, logprobs(adapted), adapter_gradients(adapted)

        config, names, scores, gradients = in_folder(result)
        config["base_model_name_or_path"] = "base"
        print(case["title"], scores[:3], len(names))
        recorded.append(dict(title=case["title"], adapter=config, tensors=names, logprobs=scores, gradients=gradients, **({"refused": refused} if refused else {})))
    write("adapters", {"ids": IDS, "base": BASES["llama"], "cases": recorded})


# Fields of the classes, with their defaults

# Types of test/field-classes.test.ts; a new family's type goes here too, unless make-family-recordings.py has it.
FAMILIES = ["falcon", "gpt2", "gpt_neox", "llama", "mistral", "qwen2", "qwen3"]


def family_tool():
    spec = importlib.util.spec_from_file_location("families", Path(__file__).resolve().parent / "families/make-family-recordings.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def plain(value):
    """As JSON has it; what JSON cannot have becomes its text."""
    try:
        return json.loads(json.dumps(value))
    except TypeError:
        return str(value)


def fields_of(cls):
    return {field.name: plain(None if field.default is dataclasses.MISSING else field.default) for field in dataclasses.fields(cls) if field.init}


ENCODERS = {"t5", "mt5", "bart", "marian", "pegasus", "bert", "roberta", "albert", "distilbert", "electra", "deberta-v2", "modernbert", "xlm-roberta", "camembert"}


def float_fields(types):
    """Names of the fields that some class takes as a float and refuses as an integer."""
    for name in types:
        annotations = {}
        for cls in reversed(CONFIG_MAPPING[name].__mro__):
            annotations.update(getattr(cls, "__annotations__", {}))
        for field in dataclasses.fields(CONFIG_MAPPING[name]):
            accepted = typing.get_args(annotations.get(field.name)) or (annotations.get(field.name),)
            if float in accepted and int not in accepted:
                yield field.name


def record_fields():
    import peft

    own = GenerationConfig().__dict__
    types = {*FAMILIES, *(config["model_type"] for config in family_tool().CONFIGS.values())}
    write("fields", {
        "versions": {"transformers": transformers.__version__, "peft": peft.__version__},
        "decoders": {name: fields_of(CONFIG_MAPPING[name]) for name in sorted(types)},
        "generation_config.json": {name: plain(value) for name, value in own.items() if not name.startswith("_")},
        "adapter_config.json": fields_of(peft.LoraConfig),
        "floats": {name: 1.0 for name in sorted(float_fields(types | ENCODERS))},
    })


# Which fields change the result, one at a time: those of the class, and those that other classes or older files have

COMMON = {field.name for field in dataclasses.fields(CONFIG_MAPPING["gpt2"])} & {field.name for field in dataclasses.fields(CONFIG_MAPPING["llama"])}
ROPES = [dict(rope_type="linear", factor=3.0, rope_theta=500.0), dict(rope_type="default", rope_theta=500.0, partial_rotary_factor=0.5)]
OTHER_FIELDS = dict(rope_theta=500.0, rope_scaling=dict(rope_type="linear", factor=3.0), partial_rotary_factor=0.75, head_dim=10,
                    attention_bias=True, mlp_bias=True, use_bias=True, sliding_window=3, sliding_window_pattern=3, is_causal=False,
                    hidden_act="relu", hidden_activation="relu", num_key_value_heads=1, use_qk_norm=True, qk_layernorm=True,
                    tie_word_embeddings=None, use_sliding_window=True, rope_local_base_freq=300.0, logit_scale=0.3,
                    final_logit_softcapping=2.0, attn_logit_softcapping=2.0, query_pre_attn_scalar=2, norm_topk_prob=None,
                    num_experts=3, num_local_experts=3, n_routed_experts=3, intermediate_size=24, layer_types=None)


def changed_values(name, value, config):
    """Candidates; the first that transformers takes and that changes the result counts, else the last that it takes."""
    layers = config.get("num_hidden_layers", 2)
    kinds = [[kind] * layers for kind in ("sliding_attention", "full_attention", "linear_attention", "conv")]
    if name == "layer_types":
        return [list(reversed(value))] if isinstance(value, list) and list(reversed(value)) != value else kinds
    if name in ("rope_parameters", "rope_scaling"):
        return [{**(value or {}), "rope_theta": 500.0}] if value and "rope_type" in value else ROPES
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [2 * value, value + 1, value - 1, value // 2, 1]
    if isinstance(value, float):
        return [2 * value + 0.25, value / 2]
    if isinstance(value, str):
        return ["relu", "gelu"]
    by_name = dict(sliding_window=[3], head_dim=[10], num_key_value_heads=[1, 2], n_inner=[24], word_embed_proj_dim=[8], mlp_only_layers=[[1]],
                   no_rope_layers=[[0] * layers], full_attn_idxs=[[0]], use_bidirectional_attention=[True, "all"],
                   final_logit_softcapping=[2.0], attn_logit_softcapping=[2.0], q_lora_rank=[9], tie_word_embeddings=[True, False])
    return by_name.get(name, [1])


def record_changes():
    tool = family_tool()

    def scores(config):
        config = json.loads(json.dumps(config))
        with torch.no_grad():
            logits = tool.build(config)(torch.tensor([IDS])).logits[0]
        picked = logits.log_softmax(-1)[torch.arange(len(IDS) - 1), IDS[1:]]
        return float(picked.mean())

    # A family whose shrunk config is recorded already is not computed again.
    path = OUT / "changes.json"
    known = json.loads(path.read_text())["families"] if path.exists() else {}
    recorded = {}
    for name, config in tool.CONFIGS.items():
        if known.get(name, {}).get("config") == config:
            recorded[name] = known[name]
            continue
        cls = CONFIG_MAPPING[config["model_type"]]
        own = {key: value for key, value in fields_of(cls).items() if key not in COMMON or key == "tie_word_embeddings"}
        defaults = {**OTHER_FIELDS, **own}
        base, effective, idle = scores(config), {}, {}
        built = cls(**json.loads(json.dumps(config)))
        for field in defaults:
            value = config.get(field, defaults[field])
            if field not in own and field not in config and OTHER_FIELDS[field] is not None:
                candidates = [OTHER_FIELDS[field]]
            else:
                candidates = changed_values(field, value if value is not None else plain(getattr(built, field, None)), config)
            found = None
            for candidate in candidates:
                try:
                    score = scores({**config, field: candidate})
                except Exception:
                    continue
                found = found or (candidate, None)
                if not abs(score - base) < 1e-7:
                    found = (candidate, round(score, 7))
                    break
            if found and found[1] is not None:
                effective[field] = list(found)
            elif found:
                idle[field] = found[0]
        print(name, round(base, 6), "effective:", *effective, "idle:", *idle, "refused:", *[key for key in defaults if key not in effective and key not in idle], flush=True)
        recorded[name] = dict(config=config, base=round(base, 7), effective=effective, idle=idle)
    write("changes", dict(ids=IDS, families=recorded))

# Tokenizers: tokenizer_config.json beside a tokenizer.json of the tokenizer recordings

TEXTS = ["Hello world", " two  spaces .", "Is it\n\na dog?\n Yes.", "<|endoftext|>Hello</s> x", "don't do that , please ?", "[MASK] Épée 漢字 <new> end", ""]
OWN_CLASS = {"gpt2": ("gpt2", "GPT2Tokenizer"), "llama2": ("llama", "LlamaTokenizer"), "bert-uncased": ("bert", "BertTokenizer"),
             "t5": ("t5", "T5Tokenizer")}
NAMED = {
    "gpt2": dict(eos_token="<|endoftext|>", bos_token="<|endoftext|>", unk_token="<|endoftext|>"),
    "llama2": dict(bos_token="<s>", eos_token="</s>", unk_token="<unk>"),
    "bert-uncased": dict(unk_token="[UNK]", sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]"),
    "t5": dict(eos_token="</s>", unk_token="<unk>", pad_token="<pad>"),
}


def token(content, **flags):
    return dict(dict(content=content, lstrip=False, normalized=False, rstrip=False, single_word=False, special=True), **flags)


def tokenizer_changes(definition):
    end = len(definition["model"]["vocab"]) + sum(t["content"] not in definition["model"]["vocab"] for t in definition["added_tokens"])
    last = definition["added_tokens"][0]
    for field in ["add_bos_token", "add_eos_token", "add_prefix_space", "legacy", "clean_up_tokenization_spaces", "split_special_tokens",
                  "use_default_system_prompt", "spaces_between_special_tokens", "do_lower_case", "strip_accents", "tokenize_chinese_chars",
                  "trim_offsets", "add_dummy_prefix", "keep_accents", "fix_mistral_regex", "do_basic_tokenize", "use_fast", "from_slow",
                  "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", "lowercase", "remove_space", "verbose"]:
        for value in [True, False, None]:
            yield field, value
    for field, values in dict(
        model_max_length=[4], max_len=[4], max_length=[4], stride=[2], pad_to_multiple_of=[8], truncation_strategy=["only_first"], pad_token_type_id=[1],
        padding_side=["left"], truncation_side=["left"], model_input_names=[["input_ids"]], processor_class=["X"], name_or_path=["x"], special_tokens_map_file=["x"],
        auto_map=[None], sp_model_kwargs=[{}], errors=["strict", "replace"], extra_ids=[0, 3], chat_template=["{{ 1 }}", [dict(name="default", template="x")]],
        response_schema=[{"x": 1}], response_template=["x"], backend=["tokenizers"], is_local=[True], tokenizer_file=["x"], never_split=[["dog"]], bos_token=["</s>", None],
        image_token=["dog", "<img>"], extra_special_tokens=[["<new>"], {"a_token": "<new>"}, [], ["dog"]], additional_special_tokens=[["<new>"], ["dog"]],
        model_specific_special_tokens=[{"a_token": "<new>"}], eos_token=[token("Hello"), token("world", lstrip=True), "dog", "<new>"], pad_token=["<new>", None], unk_token=["<new>"],
        mask_token=["[MASK]", token("[MASK]", lstrip=True)], sep_token=["world"], cls_token=["world"],
        added_tokens_decoder=[{}, {str(end): token("<new>")}, {str(end): token("<new>", special=False)}, {str(end): token("<new>", lstrip=True, rstrip=True)},
                              {str(last["id"]): token(last["content"])}, {str(last["id"]): token(last["content"], rstrip=True)}, {str(last["id"]): token(last["content"], special=False)},
                              {"5": token("dog")}],
        fast_tokenizer_files=[["tokenizer.json"]], tokenizer_class=[None], post_processor=[None], vocab_file=[None], unk_id=[1], separate_vocabs=[True], language=["en"],
    ).items():
        for value in values:
            yield field, value


def tokenizer_results(definition, model_type, config):
    from transformers import AutoTokenizer

    def result(folder):
        (folder / "tokenizer.json").write_text(json.dumps(definition))
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
        (folder / "config.json").write_text(json.dumps(dict(model_type=model_type)))
        loaded = AutoTokenizer.from_pretrained(folder)
        found = []
        for text in TEXTS:
            special = loaded(text)["input_ids"]
            found.append([loaded(text, add_special_tokens=False)["input_ids"], special, loaded.decode(special), loaded.decode(special, skip_special_tokens=True)])
        return found

    try:
        return in_folder(result)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"


def record_tokenizers():
    """For some tokenizers and classes the plain results, and those of every changed field that differ from them."""
    fixtures = TEXT / "tokenizer-fixtures"
    recorded, tried = [], []
    for name, is_general in [("gpt2", True), ("llama2", True), ("bert-uncased", True), ("t5", True), ("gpt2", False), ("bert-uncased", False)]:
        model_type, own = OWN_CLASS[name]
        definition = json.loads((fixtures / f"{name}.json").read_text())["definition"]
        config = dict(NAMED[name], tokenizer_class="PreTrainedTokenizerFast" if is_general else own)
        base = tokenizer_results(definition, model_type, config)
        differ = []
        for field, value in tokenizer_changes(definition):
            if [field, value] not in tried:
                tried.append([field, value])
            found = tokenizer_results(definition, model_type, {**config, field: value})
            if found != base:
                # Of the texts that differ, alone.
                differ.append([field, value, found if isinstance(found, str) else {str(i): one for i, one in enumerate(found) if one != base[i]}])
        print(name, config["tokenizer_class"], "differ:", *[json.dumps([field, value]) for field, value, _ in differ], flush=True)
        recorded.append(dict(tokenizer=name, config=config, base=base, differ=differ))
    recording = dict(texts=TEXTS, tried=[change for change in tried if change[0] != "added_tokens_decoder"], cases=recorded)
    write_file(TEXT / "recorded-fields.json", recording)


def write(name, value):
    OUT.mkdir(parents=True, exist_ok=True)
    write_file(OUT / f"{name}.json", value)


def write_file(path, value):
    text = json.dumps(value, ensure_ascii=False)
    path.write_text(text + "\n")
    print(f"{path.name}: {len(text)} bytes")


RECORDS = {"decoders": record_decoders, "generation": record_generation, "adapters": record_adapters, "fields": record_fields, "tokenizers": record_tokenizers, "changes": record_changes}

if __name__ == "__main__":
    for name in sys.argv[1:] or RECORDS:
        RECORDS[name]()
