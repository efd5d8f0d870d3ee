# GRPO iterations of TRL over many turns on one machine without a GPU: many-turns.ts starts it and asks for one iteration per line of
# standard input, so that both take turns. An environment object has one tool, `step`, and any text that the model writes is a call of
# it: the response template says so, and the chat template adds no token to what the user, the model and the tool say. No utterance
# ends early (min_new_tokens). TRL calls `generate` for each turn with the whole episode so far, whose tokens it keeps.
# python trl_many_turns.py '{"layers": 2, "width": 64, "heads": 4, "vocabulary": 512, "lora": null, "prompts": 16, "group": 8,
#   "prompt_tokens": 64, "turns": 10, "written": 16, "read": 16, "micro_batch": 32, "threads": 1, "steps": 3, "bf16": false}'
import json
import os
import random
import sys
import time

settings = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)

CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message.tool_calls %}{% for call in message.tool_calls %}"
    "{{ call.function.name }} {{ call.function.arguments | tojson }} {% endfor %}"
    "{% else %}{{ message.content }} {% endif %}{% endfor %}"
)
RESPONSE_TEMPLATE = {
    "defaults": {"role": "assistant"},
    "start_anchor_pattern": r"\Z",
    "fields": {
        "tool_calls": {
            "repeats": True,
            "content": "text",
            "transform": {"type": "function", "function": {"name": "step", "arguments": {"text": "{content}"}}},
        },
    },
}


def tokenizer_of(size):
    words = {"<pad>": 0, "<eos>": 1, **{f"w{i}": i for i in range(2, size)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", padding_side="left")
    made.chat_template = CHAT_TEMPLATE
    made.response_template = RESPONSE_TEMPLATE
    return made


def words_of(rng, count):
    return " ".join(f"w{rng.randrange(2, settings['vocabulary'])}" for _ in range(count))


class Turns:
    """The same episodes as many-turns.ts: words in answer to every action, the share of even words as the reward."""

    def __init__(self):
        self.rng, self.reward = random.Random(1), 0.0

    def reset(self, **_):
        self.reward = 0.0

    def step(self, text: str) -> str:
        """
        Goes on with the text.

        Args:
            text: What comes next.

        Returns:
            The words after it.
        """
        words = text.split()
        self.reward += sum(word[0] == "w" and int(word[1:]) % 2 == 0 for word in words) / max(1, len(words))
        counts["turns"] += 1
        return words_of(self.rng, settings["read"])

    def get_reward(self) -> float:
        return self.reward


counts = {"turns": 0, "tokens": 0, "observed": 0}
rollout = {"wall": 0.0, "cpu": 0.0}


class Clock(TrainerCallback):
    """Waits for a line before every optimizer step, and answers with its seconds after it."""

    def on_step_begin(self, args, state, control, **_):
        if not sys.stdin.readline():
            sys.exit(0)
        counts.update(turns=0, tokens=0, observed=0)
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def on_step_end(self, args, state, control, **_):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        times = {"wall": wall, "cpu": cpu, "rollout": rollout["wall"], "rolloutCpu": rollout["cpu"]}
        print(json.dumps({**times, **counts}), file=answers, flush=True)


class TimedTrainer(GRPOTrainer):
    """GRPOTrainer whose rollouts, all turns and calls of tools among them, are timed and counted."""

    def _generate(self, prompts):
        wall, cpu = time.perf_counter(), time.process_time()
        result = super()._generate(prompts)
        rollout.update(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)
        prompt_ids, _, tool_mask = result[:3]
        counts["tokens"] = sum(sum(mask) for mask in tool_mask)
        counts["observed"] = sum(len(mask) - sum(mask) for mask in tool_mask) + sum(len(ids) for ids in prompt_ids)
        return result


def main():
    total = settings["prompts"] * settings["group"]
    turns, written, read = settings["turns"], settings["written"], settings["read"]
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=settings["vocabulary"],
            n_positions=settings["prompt_tokens"] + turns * (written + read),
            n_embd=settings["width"],
            n_layer=settings["layers"],
            n_head=settings["heads"],
            bos_token_id=1,
            eos_token_id=1,
            resid_pdrop=0,
            embd_pdrop=0,
            attn_pdrop=0,
        )
    )
    adapters = None
    if settings["lora"]:
        from peft import LoraConfig

        adapters = LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, **settings["lora"])
    rng = random.Random(1)
    rows = [
        {"prompt": [{"role": "user", "content": words_of(rng, settings["prompt_tokens"])}]}
        for _ in range(settings["prompts"] * settings["steps"])
    ]
    trainer = TimedTrainer(
        model=model,
        processing_class=tokenizer_of(settings["vocabulary"]),
        environment_factory=Turns,
        train_dataset=Dataset.from_list(rows),
        peft_config=adapters,
        callbacks=[Clock()],
        args=GRPOConfig(
            output_dir=settings["folder"],
            use_cpu=True,
            bf16=settings["bf16"],
            per_device_train_batch_size=settings["micro_batch"],
            gradient_accumulation_steps=total // settings["micro_batch"],
            num_generations=settings["group"],
            # The call of the last turn is made, and its result left out, since an episode with it would be longer than this.
            max_completion_length=turns * (written + read) - read,
            generation_kwargs={"min_new_tokens": written, "max_new_tokens": written},
            temperature=1.0,
            top_k=0,
            beta=0.0,
            loss_type="grpo",
            num_iterations=1,
            learning_rate=1e-5,
            max_grad_norm=1.0,
            gradient_checkpointing=False,
            dataloader_pin_memory=False,
            max_steps=settings["steps"],
            logging_strategy="no",
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        ),
    )
    print("ready", file=answers, flush=True)
    trainer.train()


# Libraries print to standard output too.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
main()
