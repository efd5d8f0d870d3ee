"""Records, as a plugin of pytest, what PEFT makes of LoRA configs, layers and models while its own tests run.

Four kinds of lines go to recorded.jsonl in the folder BOWYER_RECORDING: whether a config targets one module ("match"), which modules of a
model an adapter is given, with rank and factor ("modules"), a layer's weight after its adapter is merged ("merge"), and the
log-probabilities of an adapted language model ("logprobs"), whose base and adapter lie in folders beside it.

The tests run in a folder that has a small random model under each name that they ask the hub for.
"""

import copy
import hashlib
import inspect
import json
import os
import sys
import types

import pytest

folder = os.environ["BOWYER_RECORDING"]


def stand_in(name, **members):
    """Provides a module that tests import and that is not installed; what needs it is skipped."""
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class Absent:
    @staticmethod
    def from_pretrained(*given, **named):
        pytest.skip("needs diffusers")


class Parameterized:
    @staticmethod
    def expand(cases):
        def decorate(test):
            names = list(inspect.signature(test).parameters)[1:]
            return pytest.mark.parametrize(",".join(names), [case if len(names) > 1 else case[0] for case in cases])(test)

        return decorate


stand_in("diffusers", __version__="0.0.0", StableDiffusionPipeline=Absent)
stand_in("parameterized", parameterized=Parameterized)

import torch  # noqa: E402
import transformers  # noqa: E402
from huggingface_hub.utils import _http as hub  # noqa: E402
from peft import PeftModelForCausalLM  # noqa: E402
from peft.tuners import tuners_utils  # noqa: E402
from peft.tuners.lora import LoraConfig, LoraLayer, LoraModel  # noqa: E402
from peft.tuners.lora import layer as lora_layers  # noqa: E402
from peft.tuners.lora.variants import DoraLinearVariant  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from transformers.pytorch_utils import Conv1D  # noqa: E402

# A model that has no folder is asked for at an address where nobody answers, and not again.
hub.time = types.SimpleNamespace(sleep=lambda seconds: None)

SIZES = {"vocab_size": 300, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
GROUPED = {**SIZES, "num_key_value_heads": 2, "max_position_embeddings": 64}
GPT = {"vocab_size": 300, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 0, "eos_token_id": 1}
OPT = {**SIZES, "ffn_dim": 48, "word_embed_proj_dim": 32, "max_position_embeddings": 64}
FAMILIES = {
    "opt": OPT,
    "gpt2": GPT,
    "gptj": {**GPT, "rotary_dim": 4},
    "gpt_neox": {**SIZES, "max_position_embeddings": 64},
    "bloom": {"vocab_size": 300, "hidden_size": 32, "n_layer": 5, "n_head": 4},
    "llama": GROUPED,
    "mistral": GROUPED,
    "qwen2": GROUPED,
    "qwen3": {**GROUPED, "head_dim": 8},
    "gemma3_text": {**GROUPED, "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 16},
}
HUB = {
    "peft-internal-testing/tiny-random-OPTForCausalLM": "opt",
    "peft-internal-testing/opt-125m": "opt",
    "peft-internal-testing/tiny-random-GPT2LMHeadModel": "gpt2",
    "hf-internal-testing/tiny-random-gpt2": "gpt2",
    "peft-internal-testing/tiny-random-gpt2": "gpt2",
    "peft-internal-testing/tiny-random-GPTJForCausalLM": "gptj",
    "peft-internal-testing/tiny-random-GPTNeoXForCausalLM": "gpt_neox",
    "peft-internal-testing/tiny-random-BloomForCausalLM": "bloom",
    "trl-internal-testing/tiny-random-LlamaForCausalLM": "llama",
    "peft-internal-testing/tiny-random-LlamaForCausalLM": "llama",
    "hf-internal-testing/tiny-random-MistralForCausalLM": "mistral",
    "peft-internal-testing/tiny-dummy-qwen2": "qwen2",
    "trl-internal-testing/tiny-Qwen3ForCausalLM": "qwen3",
    "hf-internal-testing/tiny-random-Gemma3ForCausalLM": "gemma3_text",
}


def write_tokenizer(target):
    """Writes a tokenizer with a word for each id."""
    vocabulary = {f"w{index}": index for index in range(SIZES["vocab_size"])}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "w0"}
    parts = {"added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None}
    with open(os.path.join(target, "tokenizer.json"), "w") as file:
        json.dump({"version": "1.0", "truncation": None, "padding": None, **parts, "model": model}, file)
    with open(os.path.join(target, "tokenizer_config.json"), "w") as file:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "w0", "pad_token": "w1", "eos_token": "w1"}, file)


def pytest_configure():
    for name, family in HUB.items():
        if os.path.exists(name):
            continue
        torch.manual_seed(len(name))
        spread = {"init_std" if family == "opt" else "initializer_range": 0.3}
        config = transformers.AutoConfig.for_model(family, **FAMILIES[family], **spread)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(name)
        write_tokenizer(name)




def pytest_collection_modifyitems(config, items):
    """Leaves out the tests of other kinds of adapters."""
    kinds = [getattr(item, "callspec", None) and item.callspec.params.get("config_cls") for item in items]
    items[:] = [item for item, kind in zip(items, kinds) if kind in (None, LoraConfig)]


out = open(os.path.join(folder, "recorded.jsonl"), "w", encoding="utf-8")
seen = set()
current = None
recorded_here = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    global current
    current = item.nodeid
    recorded_here.clear()


def pytest_runtest_teardown():
    global current
    current = None


def pytest_sessionfinish():
    out.close()


def record(kind, most=1000, **fields):
    """Writes a line, unless the same is recorded already, or the test has as many of this kind as are wanted."""
    key = hashlib.sha1(json.dumps([kind, fields], sort_keys=True).encode()).digest()
    if current is None or key in seen or recorded_here.get(kind, 0) >= most:
        return
    seen.add(key)
    recorded_here[kind] = recorded_here.get(kind, 0) + 1
    out.write(json.dumps({"test": current, "kind": kind, **fields}) + "\n")
    out.flush()


def config_of(config):
    """Returns what save_pretrained would write of a config."""
    fields = {name: sorted(value) if isinstance(value, set) else value for name, value in config.to_dict().items()}
    return json.loads(json.dumps(fields, default=str))


check = tuners_utils.check_target_module_exists


def recorded_check(config, key):
    found = check(config, key)
    if isinstance(config, LoraConfig) and "/tests/" in sys._getframe(1).f_code.co_filename:
        record("match", config=config_of(config), module=key, found=bool(found))
    return found


tuners_utils.check_target_module_exists = recorded_check


def described(model):
    """Returns the paths of a model's linear layers, of other layers, and of its output head, without adapters that it has already."""
    linear, other = [], []
    for path, module in model.named_modules():
        if ".base_layer" in path:
            path = path.removesuffix(".base_layer")
            if ".base_layer" in path:
                continue
        elif isinstance(module, LoraLayer) or ".lora_" in path:
            continue
        kept = linear if isinstance(module, (torch.nn.Linear, Conv1D)) else other if not list(module.children()) else None
        if path and kept is not None and not any(path.startswith(each + ".") for each in linear + other):
            kept.append(path)
    head = model.get_output_embeddings() if isinstance(model, transformers.PreTrainedModel) else None
    heads = [path for path, module in model.named_modules() if module is head and head is not None]
    tied = getattr(getattr(model, "config", None), "tie_word_embeddings", False)
    return {
        "linear": [path for path in linear if path not in heads],
        "heads": heads,
        "tied": bool(tied),
        "other": other,
        "type": getattr(getattr(model, "config", None), "model_type", "custom") if not isinstance(getattr(model, "config", None), dict) else "custom",
    }


inject = LoraModel.inject_adapter


def recorded_inject(self, model, adapter_name, *rest, **named):
    if current is None or type(self.peft_config[adapter_name]) is not LoraConfig or named.get("state_dict") is not None:
        return inject(self, model, adapter_name, *rest, **named)
    config, about = config_of(copy.copy(self.peft_config[adapter_name])), described(model)
    try:
        inject(self, model, adapter_name, *rest, **named)
    except Exception as problem:
        record("modules", config=config, model=about, error=str(problem).split("\n")[0])
        raise
    found = {
        path: [module.r[adapter_name], float(module.scaling[adapter_name])]
        for path, module in model.named_modules()
        if isinstance(module, LoraLayer) and adapter_name in module.scaling
    }
    record("modules", config=config, model=about, found=found)


LoraModel.inject_adapter = recorded_inject


def matrix(tensor, transposed=False):
    tensor = tensor.detach().float()
    return (tensor.T if transposed else tensor).tolist()


merge = lora_layers.Linear.merge


def recorded_merge(self, safe_merge=False, adapter_names=None):
    before, merged = self.get_base_layer().weight.detach().clone(), list(self.merged_adapters)
    merge(self, safe_merge, adapter_names)
    added = [name for name in self.merged_adapters if name not in merged]
    after = self.get_base_layer().weight.detach()
    if current is None or len(added) != 1 or merged or before.dtype != torch.float32 or not after.isfinite().all():
        return
    [name] = added
    variant = getattr(self, "lora_variant", {}).get(name)
    if (variant is not None and not isinstance(variant, DoraLinearVariant)) or self.lora_bias.get(name):
        return
    turned = self.fan_in_fan_out
    magnitude = matrix(self.lora_magnitude_vector[name].weight) if variant is not None else None
    given = {"a": matrix(self.lora_A[name].weight), "b": matrix(self.lora_B[name].weight), "magnitude": magnitude}
    record("merge", 2, weight=matrix(before, turned), **given, scale=float(self.scaling[name]), found=matrix(after, turned))


lora_layers.Linear.merge = recorded_merge
forward = PeftModelForCausalLM.forward


def is_plain(model, given):
    """Tells whether an answer is that of one adapter, in float32, without dropout."""
    config = model.peft_config[model.active_adapter] if isinstance(model.active_adapter, str) else None
    if type(config) is not LoraConfig or given.get("adapter_names") or given.get("inputs_embeds") is not None:
        return False
    layers = [module for module in model.modules() if isinstance(module, LoraLayer)]
    if any(layer.merged or layer.disable_adapters or layer.active_adapters != [model.active_adapter] for layer in layers):
        return False
    if any(parameter.dtype != torch.float32 for parameter in model.parameters()):
        return False
    return not model.training or config.lora_dropout == 0


def folder_of_base(model):
    """Writes the base of an adapted model, once, and returns the folder's name."""
    tensors, digest = {}, hashlib.sha1()
    for name, tensor in model.get_base_model().state_dict().items():
        name = name.replace(".base_layer", "").replace(".original_module", "")
        if ".lora_" in name or ".modules_to_save." in name or ".token_adapter." in name:
            continue
        tensors[name] = tensor.detach().clone().contiguous()
    config = model.get_base_model().config
    if config.tie_word_embeddings:
        tensors = {name: tensor for name, tensor in tensors.items() if name not in ("lm_head.weight", "embed_out.weight")}
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].numpy().tobytes())
    base = f"base-{digest.hexdigest()[:16]}"
    target = os.path.join(folder, base)
    if not os.path.exists(target):
        os.makedirs(target)
        config.save_pretrained(target)
        save_file(tensors, os.path.join(target, "model.safetensors"), metadata={"format": "pt"})
        write_tokenizer(target)
    return base


def recorded_forward(self, input_ids=None, attention_mask=None, *rest, **named):
    result = forward(self, input_ids, attention_mask, *rest, **named)
    if current is None or input_ids is None or not is_plain(self, named) or recorded_here.get("logprobs", 0) >= 1:
        return result
    rows = [row for row in range(len(input_ids)) if attention_mask is None or bool(attention_mask[row].all())]
    if not rows or result.logits is None or result.logits.shape[1] != input_ids.shape[1]:
        return result
    logprobs = torch.log_softmax(result.logits[rows[0]].detach().float(), -1)
    ids = input_ids[rows[0]].tolist()
    vocabulary = logprobs.shape[1]
    targets = [[(7 * token + 31 * column + 1) % vocabulary for token in ids] for column in range(4)]
    found = [[logprobs[at, target].item() for at, target in enumerate(row)] for row in targets]
    name = self.active_adapter
    adapter = f"adapter-{len(seen)}"
    config = config_of(self.peft_config[name])
    base = folder_of_base(self)
    parts = {"ids": ids, "targets": targets, "found": found, "base": base, "adapter": adapter}
    before = len(seen)
    record("logprobs", config=config, **parts)
    if len(seen) > before:
        target = os.path.join(folder, adapter)
        self.save_pretrained(target, selected_adapters=[name])
        saved = target if os.path.exists(os.path.join(target, "adapter_config.json")) else os.path.join(target, name)
        if saved != target:
            for each in os.listdir(saved):
                os.replace(os.path.join(saved, each), os.path.join(target, each))
        path = os.path.join(target, "adapter_config.json")
        with open(path) as file:
            written = json.load(file)
        with open(path, "w") as file:
            json.dump({**written, "base_model_name_or_path": f"../{base}"}, file)
    return result


PeftModelForCausalLM.forward = recorded_forward
