# Does the work of without-gpu.ts with TRL, PEFT and transformers, on a machine without a GPU: steps of training on given texts, or
# GRPO iterations, over one turn or with an environment_factory over several. The argument has the settings (without-gpu/work.ts).
# One step or iteration is done for each line of standard input, so that all programs take turns.
#
# Over several turns an environment object has one tool, `step`, and any text that the model writes is a call of it: the response
# template says so, and the chat template adds no token to what the user, the model and the tool say. No utterance ends early
# (min_new_tokens). TRL calls `generate` for each turn with the whole episode so far, whose tokens it keeps.
import json
import os
import random
import sys
import time

settings = json.loads(sys.argv[1])
work = settings["work"]
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

import peft  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import trl  # noqa: E402
from datasets import Dataset  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast, TrainerCallback  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)
bf16 = settings["form"] == "bfloat16"
vocabulary = settings["config"]["vocab_size"]

# Libraries print to standard output too.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

counts = {"tokens": 0, "observed": 0}
rollout = {"wall": 0.0, "cpu": 0.0}


def answer(value):
    print(json.dumps(value), file=answers, flush=True)


def ready():
    modules = {"torch": torch, "transformers": transformers, "trl": trl, "peft": peft}
    answer({name: module.__version__ for name, module in modules.items()})


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 2**20


def model():
    given = {**settings["config"], "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}
    config = AutoConfig.for_model(given.pop("model_type"), **given)
    return AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16 if bf16 else torch.float32)


def adapters():
    return peft.LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, **settings["lora"]) if settings["lora"] else None


def word_tokenizer():
    words = {"<pad>": 0, "<eos>": 1, **{f"w{i}": i for i in range(2, vocabulary)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", padding_side="left")


def words_of(rng, count):
    return " ".join(f"w{rng.randrange(2, vocabulary)}" for _ in range(count))


def prompts():
    rng = random.Random(1)
    return [words_of(rng, work["promptTokens"]) for _ in range(settings["prompts"] * settings["steps"])]


def even_share(text):
    words = text.split()
    return sum(word[0] == "w" and int(word[1:]) % 2 == 0 for word in words) / max(1, len(words))


class Clock(TrainerCallback):
    """Waits for a line before every optimizer step, and answers with its seconds after it."""

    def on_step_begin(self, args, state, control, **_):
        if not sys.stdin.readline():
            sys.exit(0)
        counts.update(tokens=0, observed=0)
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def on_step_end(self, args, state, control, **_):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        times = {"wall": wall, "cpu": cpu, "rollout": rollout["wall"], "rolloutCpu": rollout["cpu"]}
        answer({**times, **counts, "peak": peak()})


class TimedTrainer(GRPOTrainer):
    """GRPOTrainer whose rollouts, all turns and calls of tools among them, are timed and counted."""

    def _generate(self, prompts):
        wall, cpu = time.perf_counter(), time.process_time()
        result = super()._generate(prompts)
        rollout.update(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)
        prompt_ids, completion_ids, tool_mask = result[:3]
        written = tool_mask or [[1] * len(ids) for ids in completion_ids]  # without tools there is no mask
        counts["tokens"] = sum(sum(mask) for mask in written)
        counts["observed"] = sum(len(mask) - sum(mask) for mask in written) + sum(len(ids) for ids in prompt_ids)
        return result


def grpo_config(**own):
    """One optimizer step of all episodes, no KL."""
    total = settings["prompts"] * settings["group"]
    rows = min(total, 32)
    return GRPOConfig(
        output_dir="/tmp/trl-iterations",
        use_cpu=True,
        bf16=bf16,
        per_device_train_batch_size=rows,
        gradient_accumulation_steps=total // rows,
        num_generations=settings["group"],
        temperature=1.0,
        top_k=0,
        beta=0.0,
        loss_type="grpo",
        num_iterations=1,
        learning_rate=1e-5,
        max_grad_norm=1.0,
        gradient_checkpointing=settings["checkpointing"],
        dataloader_pin_memory=False,
        max_steps=settings["steps"],
        logging_strategy="no",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        **own,
    )


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


class Turns:
    """The same episodes as without-gpu/ours.ts: words in answer to every action, the share of even words as the reward."""

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
        self.reward += even_share(text)
        return words_of(self.rng, work["read"])

    def get_reward(self) -> float:
        return self.reward


def reward(completions, **_):
    return [even_share(text) for text in completions]


def train(tokenizer, dataset, args, **own):
    trainer = TimedTrainer(
        model=model(),
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(dataset),
        peft_config=adapters(),
        callbacks=[Clock()],
        args=args,
        **own,
    )
    ready()
    trainer.train()


def one_turn():
    new_tokens = work["written"]
    args = grpo_config(max_completion_length=new_tokens, generation_kwargs={"min_new_tokens": new_tokens})
    train(word_tokenizer(), [{"prompt": text} for text in prompts()], args, reward_funcs=reward)


def many_turns():
    turns, written, read = work["turns"], work["written"], work["read"]
    tokenizer = word_tokenizer()
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.response_template = RESPONSE_TEMPLATE
    dataset = [{"prompt": [{"role": "user", "content": text}]} for text in prompts()]
    # The call of the last turn is made, and its result left out, since an episode with it would be longer than this.
    length = turns * (written + read) - read
    args = grpo_config(
        max_completion_length=length, generation_kwargs={"min_new_tokens": written, "max_new_tokens": written}
    )
    train(tokenizer, dataset, args, environment_factory=Turns)


def steps():
    """Forward, backward, clipping and AdamW."""
    trained = model()
    trained.config.use_cache = False
    if settings["lora"]:
        trained = peft.get_peft_model(trained, adapters())
    if settings["checkpointing"]:
        trained.enable_input_require_grads()
        trained.gradient_checkpointing_enable({"use_reentrant": False})
    trained.train()
    parameters = [p for p in trained.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.0)
    ready()
    for _ in sys.stdin:
        ids = torch.randint(2, vocabulary, (work["rows"], work["tokens"]))
        wall, cpu = time.perf_counter(), time.process_time()
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = trained(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        times = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "rollout": 0, "rolloutCpu": 0}
        answer({**times, "tokens": ids.numel(), "observed": 0, "peak": peak()})


if work["kind"] == "step":
    steps()
elif work["turns"] == 1:
    one_turn()
else:
    many_turns()
