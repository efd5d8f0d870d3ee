"""Records, as a plugin of pytest, what TRL computes while its own tests run: losses and their gradients, advantages, tokens and masks.

The tests run in a folder that has a small random model and tokenizer under each name that they ask the hub for, and their dataset "zen" is
the one below: what they compute from it is recorded, as lines of recorded.jsonl in the folder BOWYER_RECORDING.
"""

import json
import math
import os
import re

import datasets
import pytest
import torch
import transformers
from trl import DPOTrainer, GRPOTrainer, RLOOTrainer, SFTTrainer, data_utils
from trl.trainer import dpo_trainer

folder = os.environ["BOWYER_RECORDING"]
templates = os.environ["BOWYER_TEMPLATES"]


SIZES = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "initializer_range": 0.3,
}
MODELS = {
    "tiny-Qwen2ForCausalLM-2.5": ("qwen2", "qwen2_5"),
    "tiny-Qwen3ForCausalLM": ("qwen3", "qwen3"),
    "tiny-LlamaForCausalLM-3.2": ("llama", "llama3_2"),
    "tiny-Qwen2ForSequenceClassification-2.5": ("qwen2", "qwen2_5"),
    "tiny-Qwen3ForSequenceClassification": ("qwen3", "qwen3"),
}
TOKENIZERS = {
    "tiny-CohereForCausalLM": "cohere",
    "tiny-Cohere2ForCausalLM": "cohere2",
    "tiny-DeepseekV3ForCausalLM": "deepseekv3",
    "tiny-GemmaForCausalLM": "gemma",
    "tiny-Gemma2ForCausalLM": "gemma",
    "tiny-Glm4MoeForCausalLM": "glm4moe",
    "tiny-GptOssForCausalLM": "gptoss",
    "tiny-Lfm2ForCausalLM": "lfm2",
    "tiny-Lfm2ForCausalLM-2.5": "lfm2_2_5",
    "tiny-LlamaForCausalLM-3": "llama3",
    "tiny-LlamaForCausalLM-3.1": "llama3_1",
    "tiny-NemotronHForCausalLM-nano": "nemotron_3_nano",
    "tiny-NemotronHForCausalLM-super": "nemotron_3_super",
    "tiny-NemotronHForCausalLM-ultra": "nemotron_3_ultra",
    "tiny-Phi3ForCausalLM-3": "phi3",
    "tiny-Phi3ForCausalLM-3.5": "phi3_5",
    "tiny-Qwen3ForCausalLM-Instruct-2507": "qwen3_instruct_2507",
    "tiny-Qwen3MoeForCausalLM": "qwen3",
}
SPECIAL = ["<|begin|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def write_tokenizer(target, template):
    """Writes a tokenizer with a token for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in printable]
    spelling = {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(hidden)}
    vocabulary = {spelling[byte]: byte for byte in range(256)}
    kinds = {"lstrip": False, "rstrip": False, "normalized": False, "single_word": False, "special": True}
    bytes_alone = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": 256 + at, "content": content, **kinds} for at, content in enumerate(SPECIAL)],
        "normalizer": None,
        "pre_tokenizer": bytes_alone,
        "post_processor": None,
        "decoder": bytes_alone,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
    }
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": SPECIAL[0],
        "pad_token": SPECIAL[1],
        "eos_token": SPECIAL[3],
        "model_max_length": 4096,
    }
    with open(os.path.join(target, "tokenizer.json"), "w") as out:
        json.dump(file, out)
    with open(os.path.join(templates, f"{template}.jinja"), encoding="utf-8") as source:
        config["chat_template"] = source.read()
    with open(os.path.join(target, "tokenizer_config.json"), "w") as out:
        json.dump(config, out)


def pytest_configure():
    for name, (family, template) in MODELS.items():
        target = os.path.join("trl-internal-testing", name)
        torch.manual_seed(len(name))
        ids = {"bos_token_id": 256, "pad_token_id": 257, "eos_token_id": 259}
        labels = {"num_labels": 1} if "Classification" in name else {}
        config = transformers.AutoConfig.for_model(family, vocab_size=260, **SIZES, **ids, **labels)
        kind = transformers.AutoModelForSequenceClassification if labels else transformers.AutoModelForCausalLM
        kind.from_config(config).save_pretrained(target)
        write_tokenizer(target, template)
    for name, template in TOKENIZERS.items():
        target = os.path.join("trl-internal-testing", name)
        os.makedirs(target)
        write_tokenizer(target, template)


QUESTIONS = [
    ("Which colour has the sky?", "It is blue.", "It is green."),
    ("How many legs has a spider?", "It has eight legs.", "Six."),
    ("Name a planet.", "Mars is one.", "The moon is a planet, I think."),
    ("What is two plus two?", "Four.", "Five."),
    ("Where do fish live?", "In water: rivers, lakes, seas.", "In trees."),
    ("Is ice cold?", "Yes, it is.", "No!"),
    ("Who writes books?", "Writers do.", "Nobody does."),
    ("When is noon?", "At twelve o'clock.", "At night."),
]


def rows_of(name):
    """Returns the rows of one configuration of the dataset "zen"."""
    form, _, kind = name.partition("_")
    is_chat = form == "conversational"
    user = lambda text: [{"role": "user", "content": text}] if is_chat else text  # noqa: E731
    reply = lambda text: [{"role": "assistant", "content": text}] if is_chat else f" {text}"  # noqa: E731
    rows = []
    for question, right, wrong in QUESTIONS:
        asked = user(question)
        forms = {
            "language_modeling": {"messages" if is_chat else "text": asked + reply(right)},
            "prompt_only": {"prompt": asked},
            "prompt_completion": {"prompt": asked, "completion": reply(right)},
            "preference": {"prompt": asked, "chosen": reply(right), "rejected": reply(wrong)},
            "implicit_prompt_preference": {"chosen": asked + reply(right), "rejected": asked + reply(wrong)},
            "unpaired_preference": {"prompt": asked, "completion": reply(right), "label": len(right) % 2 == 0},
        }
        rows.append(forms[kind])
    return rows


def load_dataset(path, name=None, split=None, streaming=False, **named):
    if path != "trl-internal-testing/zen":
        pytest.skip(f"needs {path}")
    rows = rows_of(name)
    parts = {"train": datasets.Dataset.from_list(rows[:6]), "test": datasets.Dataset.from_list(rows[6:])}
    if streaming:
        parts = {key: part.to_iterable_dataset() for key, part in parts.items()}
    return parts[split] if split else (datasets.IterableDatasetDict if streaming else datasets.DatasetDict)(parts)


datasets.load_dataset = load_dataset

out = open(os.path.join(folder, "recorded.jsonl"), "w", encoding="utf-8")
current = None
recorded_here = {}
seen = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    global current
    current = item.nodeid
    recorded_here.clear()


def pytest_sessionfinish():
    out.close()


def is_wanted(kind, most):
    return current is not None and recorded_here.get(kind, 0) < most


def record(kind, **fields):
    """Writes a line, unless the same is recorded already."""
    line = json.dumps({"kind": kind, **fields}, ensure_ascii=True)
    if line in seen:
        return
    seen.add(line)
    recorded_here[kind] = recorded_here.get(kind, 0) + 1
    out.write(json.dumps({"test": current, "kind": kind, **fields}, ensure_ascii=True) + "\n")
    out.flush()


def rows(tensor):
    return None if tensor is None else [[None if math.isnan(x) else x for x in row] for row in tensor.detach().float().tolist()]


def numbers(tensor):
    return [None if math.isnan(x) else x for x in tensor.detach().float().flatten().tolist()]


def watched_policy_loss(kind, owner, settings):
    """Records the loss of a minibatch of completions, and its gradient by their log-probabilities."""
    compute, score = owner._compute_loss, owner._get_per_token_logps_and_entropies

    def recorded(self, model, inputs):
        if not is_wanted(kind, 3) or not torch.is_grad_enabled():
            return compute(self, model, inputs)
        scored = []

        def kept(trainer, *given, **named):
            found = score(trainer, *given, **named)
            if found[0].requires_grad and not scored:
                scored.append(found)
            return found

        owner._get_per_token_logps_and_entropies = kept
        try:
            loss = compute(self, model, inputs)
        finally:
            owner._get_per_token_logps_and_entropies = score
        if scored and loss.requires_grad:
            logps, entropies = scored[0][:2]
            wanted = [logps, *([entropies] if entropies is not None and entropies.requires_grad else [])]
            gradients = torch.autograd.grad(loss, wanted, retain_graph=True, allow_unused=True)
            mask = inputs["completion_mask"] * inputs.get("tool_mask", 1)
            record(
                kind,
                settings=settings(self, inputs),
                logprobs=rows(logps),
                old=rows(inputs.get("old_per_token_logps")),
                oldSums=numbers(inputs["old_logps"]) if "old_logps" in inputs else None,
                ref=rows(inputs.get("ref_per_token_logps")),
                entropies=rows(entropies),
                mask=mask.tolist(),
                advantages=numbers(inputs["advantages"]),
                loss=loss.item(),
                gradient=rows(gradients[0]),
                entropyGradient=rows(gradients[1]) if len(gradients) > 1 else None,
            )
        return loss

    owner._compute_loss = recorded


def grpo_settings(self, inputs):
    entropy = self.entropy_coef if self._entropy_bonus_enabled else 0.0
    items = inputs.get("num_items_in_batch")
    return {
        "loss_type": self.loss_type,
        "level": self.importance_sampling_level,
        "low": self.epsilon_low,
        "high": self.epsilon_high,
        "delta": self.args.delta,
        "beta": self.beta,
        "entropy": entropy,
        "accumulation": self.current_gradient_accumulation_steps,
        "items": None if items is None else float(items),
        "longest": self.max_completion_length,
        "top_entropy_quantile": self.top_entropy_quantile,
        "off_policy_mask_threshold": self.off_policy_mask_threshold,
        "use_bias_correction_kl": self.args.use_bias_correction_kl,
    }


watched_policy_loss("grpo loss", GRPOTrainer, grpo_settings)
watched_policy_loss("rloo loss", RLOOTrainer, lambda self, inputs: {"low": self.epsilon_low, "high": self.epsilon_high})


def watched_advantages(kind, owner, settings):
    """Records the rewards of a batch, and the advantages that follow."""
    rewards_of, score = owner._calculate_rewards, owner._generate_and_score_completions

    def kept(self, *given, **named):
        self.bowyer_rewards = rewards_of(self, *given, **named)
        return self.bowyer_rewards

    def recorded(self, inputs):
        scored, scoring = [], owner._get_per_token_logps_and_entropies

        def kept_scores(trainer, *given, **named):
            result = scoring(trainer, *given, **named)
            scored.append(result[0])
            return result

        owner._get_per_token_logps_and_entropies = kept_scores
        try:
            found = score(self, inputs)
        finally:
            owner._get_per_token_logps_and_entropies = scoring
        if not is_wanted(kind, 2):
            return found
        # With a KL in the rewards, the batch is scored by the policy and then by the reference.
        kl = ((scored[0] - scored[1]) * found["completion_mask"]).sum(-1) if len(scored) == 2 else None
        mode = "train" if self.model.training else "eval"
        record(
            kind,
            settings={
                **settings(self),
                "generations": self.num_generations if mode == "train" else self.num_generations_eval,
                "weights": self.reward_weights.tolist(),
                "beta": self.beta,
            },
            rewards=rows(self.bowyer_rewards),
            kl=None if kl is None else numbers(kl),
            found=numbers(found["advantages"]),
        )
        return found

    owner._calculate_rewards, owner._generate_and_score_completions = kept, recorded


watched_advantages("grpo advantages", GRPOTrainer, lambda self: {"scale": self.scale_rewards, "aggregation": self.multi_objective_aggregation})
watched_advantages("rloo advantages", RLOOTrainer, lambda self: {"normalize": self.normalize_advantages, "clip": self.reward_clip_range})

preferences = DPOTrainer._compute_loss
selective = dpo_trainer.selective_log_softmax


def recorded_preferences(self, model, inputs, return_outputs):
    if not is_wanted("dpo loss", 2) or not torch.is_grad_enabled() or "ref_chosen_logps" in inputs:
        return preferences(self, model, inputs, return_outputs)
    scored = []

    def kept(logits, labels):
        # Zeros are written into the tensor that is returned, so that the one before them is kept.
        found = selective(logits, labels)
        scored.append(found)
        return found.clone()

    dpo_trainer.selective_log_softmax = kept
    try:
        result = preferences(self, model, inputs, return_outputs)
    finally:
        dpo_trainer.selective_log_softmax = selective
    loss = result[0] if return_outputs else result
    if len(scored) == 2 and loss.requires_grad:
        [gradient] = torch.autograd.grad(loss, [scored[0]], retain_graph=True, allow_unused=True)
        record(
            "dpo loss",
            settings={
                "loss_types": self.loss_types,
                "loss_weights": list(self.loss_weights),
                "beta": self.beta,
                "f_divergence": self.f_divergence_type,
                "weighting": self.use_weighting,
                "ld_alpha": self.ld_alpha,
            },
            logprobs=rows(scored[0]),
            ref=rows(scored[1]),
            mask=inputs["completion_mask"][..., 1:].tolist(),
            loss=loss.item(),
            gradient=rows(gradient),
        )
    return result


DPOTrainer._compute_loss = recorded_preferences


def watched_preparation(kind, owner, keys, settings):
    """Records the rows of a dataset, and the tokens that they become."""
    prepare = owner._prepare_dataset

    def recorded(self, dataset, processing_class, args, *rest):
        found = prepare(self, dataset, processing_class, args, *rest)
        how = settings(self, args, *rest)
        if how is None or not isinstance(dataset, datasets.Dataset) or not isinstance(found, datasets.Dataset):
            return found
        given, made = dataset.to_list(), found.to_list()
        if len(given) == len(made) and "input_ids" not in given[0]:
            name = processing_class.name_or_path
            pairs = zip(given, ([{key: row[key] for key in keys} for row in made]), strict=True)
            for row, tokens in list(pairs)[:2]:
                own = {"tokenizer": name, "template": how.get("template") or processing_class.chat_template}
                record(kind, settings={**how, **own}, row=row, **tokens)
        return found

    owner._prepare_dataset = recorded


def sft_settings(self, args, packing, formatting_func, dataset_name):
    if packing or formatting_func is not None or args.shuffle_dataset:
        return None
    return {
        "assistant_only": args.assistant_only_loss,
        "completion_only": bool(self.completion_only_loss),
        "template": self.chat_template,
        "max_length": args.max_length,
        "truncation": args.truncation_mode,
    }


watched_preparation("sft tokens", SFTTrainer, ["input_ids", "labels"], sft_settings)
watched_preparation("dpo tokens", DPOTrainer, ["prompt_ids", "chosen_ids", "rejected_ids"], lambda *given: {})


def watched_reading(kind, name):
    """Records a function from one example to another."""
    original = getattr(data_utils, name)

    def recorded(example, *rest, **named):
        given = json.loads(json.dumps(example)) if isinstance(example, dict) else None
        found = original(example, *rest, **named)
        if given is not None and given != found and not rest and not named:
            record(kind, row=given, found=found)
        return found

    setattr(data_utils, name, recorded)


watched_reading("implicit prompt", "extract_prompt")
watched_reading("roles", "maybe_convert_to_chatml")

apply = transformers.PreTrainedTokenizerBase.apply_chat_template


def recorded_template(self, conversation, tools=None, documents=None, chat_template=None, **named):
    found = apply(self, conversation, tools, documents, chat_template, **named)
    flags = ("add_generation_prompt", "tokenize", "return_dict", "return_assistant_tokens_mask", "return_tensors", "padding")
    variables = {key: value for key, value in named.items() if key not in flags}
    if current is None or documents or "continue_final_message" in variables or not conversation:
        return found
    try:
        messages, tools, variables = json.loads(json.dumps([conversation, tools, variables]))
    except TypeError:
        return found
    if not all(isinstance(message, dict) for message in messages):
        return found
    prompt = bool(named.get("add_generation_prompt"))
    source = chat_template or self.chat_template
    try:
        given = {**variables, "add_generation_prompt": prompt}
        text = apply(self, messages, tools, None, chat_template, tokenize=False, **given)
        masked = {"ids": None, "mask": None}
        if not prompt and re.search(r"{%-?\s*generation", source):
            both = apply(self, messages, tools, None, chat_template, return_dict=True, return_assistant_tokens_mask=True, **given)
            masked = {"ids": list(both["input_ids"]), "mask": list(both["assistant_masks"])}
    except Exception:
        return found
    fields = {"messages": messages, "tools": tools, "variables": variables, "prompt": prompt, "text": text, **masked}
    record("template", tokenizer=self.name_or_path, template=source, **fields)
    return found


transformers.PreTrainedTokenizerBase.apply_chat_template = recorded_template
