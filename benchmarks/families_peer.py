"""Transformers' side of families.ts: builds the checkpoints of a family and says what transformers and PEFT make of them.

families.ts starts it with a number of threads and writes lines, tabs between: "small", a family's name and a folder, or
"wide" with the same, to build a checkpoint; "generate", to time the last wide one, so that both sides take turns on the
machine. Each has one line of JSON for an answer.
"""
import copy
import importlib.util
import json
import sys
import time
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

warnings.filterwarnings("ignore")

import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.pytorch_utils import Conv1D

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

tool = importlib.util.spec_from_file_location("recordings", Path(__file__).resolve().parent.parent / "packages/models/test/families/make-family-recordings.py")
recordings = importlib.util.module_from_spec(tool)
tool.loader.exec_module(recordings)
SIZES, PLAIN = recordings.SIZES, recordings.PLAIN

# The families that the tests compare with plain PyTorch.
OLDER = {
    "llama": dict(PLAIN, model_type="llama", rope_theta=5000.0,
                  rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                    original_max_position_embeddings=16)),
    "mistral": dict(PLAIN, model_type="mistral", sliding_window=7, head_dim=6),
    "qwen2": dict(PLAIN, model_type="qwen2", use_sliding_window=True, sliding_window=6, max_window_layers=1),
    "qwen3": dict(PLAIN, model_type="qwen3", head_dim=6, tie_word_embeddings=True),
    "gpt2": dict(model_type="gpt2", vocab_size=29, n_embd=16, n_layer=2, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=0),
    "gpt-neox": dict(model_type="gpt_neox", vocab_size=29, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
                     num_attention_heads=4, max_position_embeddings=64, rotary_pct=0.5, bos_token_id=0, eos_token_id=0),
    "falcon": dict(model_type="falcon", vocab_size=29, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                   max_position_embeddings=64, bos_token_id=0, eos_token_id=0),
}
CONFIGS = {**OLDER, **recordings.CONFIGS}

# Texts of the small model are longer than its windows, its original lengths and its convolutions.
TEXT_LENGTHS = (40, 19, 6)
PROMPT, NEW_TOKENS = 7, 32
# Of the wide model.
WIDTH, VOCABULARY, POSITIONS, ROWS = 576, 4000, 1024, 16
WIDE_PROMPT, WIDE_NEW_TOKENS = 64, 32

# Classes that refuse PyTorch's attention, and Gemma 2, whose bound of the logits it leaves out.
WITHOUT_SDPA = ("bloom", "gemma2", "gpt_oss", "gptj")

WIDENED = ("hidden_size intermediate_size n_embd ffn_dim word_embed_proj_dim head_dim global_head_dim hidden_size_per_layer_input rotary_dim q_lora_rank kv_lora_rank "
           "qk_rope_head_dim qk_nope_head_dim v_head_dim moe_intermediate_size shared_expert_intermediate_size "
           "linear_key_head_dim linear_value_head_dim block_multiple_of").split()


def wide(config):
    """The same departures at sizes that take more time than Python does; windows stay shorter than the texts."""
    factor = WIDTH // (config.get("hidden_size") or config["n_embd"])
    widened = copy.deepcopy(config)
    for name in WIDENED:
        if name in widened:
            widened[name] *= factor
    for name in ("max_position_embeddings", "n_positions", "seq_length"):
        if name in widened:
            widened[name] = POSITIONS
    for name in ("vocab_size", "vocab_size_per_layer_input"):
        if name in widened:
            widened[name] = VOCABULARY
    rope = widened.get("rope_parameters", widened.get("rope_scaling", {}))
    for name in ("short_factor", "long_factor"):
        if name in rope:
            rope[name] = [value for value in rope[name] for _ in range(factor)]
    if "mrope_section" in rope:
        rope["mrope_section"] = [factor * size for size in rope["mrope_section"]]
    if "original_max_position_embeddings" in widened:
        widened["original_max_position_embeddings"] = POSITIONS // 2
    if config["model_type"] == "bloom":
        widened["n_head"] = 12
    return widened


def file_name(config, name):
    """GPT-NeoX's head, as its files have it."""
    return "embed_out.weight" if config["model_type"] == "gpt_neox" and name == "lm_head.weight" else name


def gradients_of(model, config):
    """[out, in], by the names of published files."""
    transposed = {f"{path}.weight" for path, module in model.named_modules() if isinstance(module, Conv1D)}
    own = [(file_name(config, name), (value.grad.T if name in transposed else value.grad)) for name, value in model.named_parameters()]
    return {name: grad.float().contiguous() for name, grad in recordings.published(config, own)}


def lora_targets(model):
    """Last names of the layers that PEFT adapts where nobody says which; null where it asks for a choice."""
    try:
        adapted = get_peft_model(copy.deepcopy(model).float(), LoraConfig(r=1, task_type="CAUSAL_LM"))
    except ValueError:
        return None
    names = [name for name, _ in adapted.named_modules() if name.endswith(".lora_A")]
    return sorted({name.split(".")[-2] for name in names})


@contextmanager
def float64_everywhere():
    """Classes of transformers compute norms, softmax and recurrent states in float32, whatever the weights' type is."""
    float32, to_float32 = torch.float32, torch.Tensor.float
    torch.float32 = torch.float = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float32 = torch.float = float32
        torch.Tensor.float = to_float32


def small(config, folder):
    model = recordings.build(config)
    expected = dict(config=config, examples=[], loraTargets=lora_targets(model))
    with float64_everywhere():
        measure(model, config, expected)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(gradients_of(model, config), folder / "gradients")
    model.float().save_pretrained(folder)
    return expected


def measure(model, config, expected):
    """Adds log-probabilities and greedy tokens to `expected`, and gradients to the model's parameters."""
    loss = 0
    for index, length in enumerate(TEXT_LENGTHS):
        ids, targets = (recordings.token_ids(f"{which}.{index}", length, config["vocab_size"]) for which in ("ids", "targets"))
        logits = model(torch.tensor([ids])).logits[0]
        logprobs = logits.log_softmax(-1)[torch.arange(length), torch.tensor(targets)]
        loss = loss - logprobs.sum()
        expected["examples"].append(dict(ids=ids, targets=targets, logits=logits[:, :10].tolist(), logprobs=logprobs.tolist()))
    loss.backward()
    expected["prompt"] = recordings.token_ids("prompt", PROMPT, config["vocab_size"])
    ids = list(expected["prompt"])
    with torch.no_grad():
        for _ in range(NEW_TOKENS):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    expected["greedy"] = ids[PROMPT:]


def open_wide(config, folder):
    torch.manual_seed(0)
    attention = "eager" if config["model_type"] in WITHOUT_SDPA else "sdpa"
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**wide(config)), attn_implementation=attention).float().eval()
    model.save_pretrained(folder)
    model.generation_config.eos_token_id = model.generation_config.pad_token_id = None
    contexts = torch.tensor([recordings.token_ids(f"row.{row}", WIDE_PROMPT, VOCABULARY) for row in range(ROWS)])

    def generate():
        start = time.perf_counter()
        with torch.no_grad():
            ids = model.generate(contexts, attention_mask=torch.ones_like(contexts), do_sample=False, max_new_tokens=WIDE_NEW_TOKENS,
                                 min_new_tokens=WIDE_NEW_TOKENS, pad_token_id=0)
        return dict(seconds=time.perf_counter() - start, ids=ids[:, WIDE_PROMPT:].tolist())

    return dict(contexts=contexts.tolist(), parameters=sum(value.numel() for value in model.parameters())), generate


def main():
    torch.set_num_threads(int(sys.argv[1]))
    print(json.dumps(dict(names=list(CONFIGS), transformers=transformers.__version__, torch=torch.__version__)), flush=True)
    generate = None
    for line in sys.stdin:
        what, *rest = line.strip().split("\t")
        try:
            if what == "generate":
                answer = generate()
            elif what == "small":
                answer = small(CONFIGS[rest[0]], Path(rest[1]))
            else:
                answer, generate = open_wide(CONFIGS[rest[0]], Path(rest[1]))
            print(json.dumps(answer), flush=True)
        except Exception as error:
            traceback.print_exc()
            print(json.dumps(dict(error=repr(error))), flush=True)


if __name__ == "__main__":
    main()
