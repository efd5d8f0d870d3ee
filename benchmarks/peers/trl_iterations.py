# GRPO iterations of TRL on random words, on one machine without a GPU. trl_grpo.py and trl_many_turns.py say what an episode is; their
# first argument has the settings. One iteration is run for each line of standard input, so that both programs take turns.
import json
import os
import random
import resource
import sys
import time

settings = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"

import torch  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)

# Libraries print to standard output too.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

counts = {"turns": 0, "tokens": 0, "observed": 0}
rollout = {"wall": 0.0, "cpu": 0.0}


def word_tokenizer():
    words = {"<pad>": 0, "<eos>": 1, **{f"w{i}": i for i in range(2, settings["vocabulary"])}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", padding_side="left")


def words_of(rng, count):
    return " ".join(f"w{rng.randrange(2, settings['vocabulary'])}" for _ in range(count))


def prompts():
    rng = random.Random(1)
    return [words_of(rng, settings["prompt_tokens"]) for _ in range(settings["prompts"] * settings["steps"])]


def even_share(text):
    words = text.split()
    return sum(word[0] == "w" and int(word[1:]) % 2 == 0 for word in words) / max(1, len(words))


def gpt2(positions):
    sizes = {"n_embd": settings["width"], "n_layer": settings["layers"], "n_head": settings["heads"]}
    ends = {"bos_token_id": 1, "eos_token_id": 1}
    drops = {"resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}
    return GPT2LMHeadModel(GPT2Config(vocab_size=settings["vocabulary"], n_positions=positions, **sizes, **ends, **drops))


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
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps({**times, **counts, "peak": peak}), file=answers, flush=True)


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
        counts["turns"] = counts["turns"] or len(completion_ids)  # an environment counts its own
        return result


def config(**own):
    """One optimizer step of all episodes, no KL."""
    total = settings["prompts"] * settings["group"]
    return GRPOConfig(
        output_dir=settings["folder"],
        use_cpu=True,
        bf16=settings["bf16"],
        per_device_train_batch_size=settings["micro_batch"],
        gradient_accumulation_steps=total // settings["micro_batch"],
        num_generations=settings["group"],
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
        **own,
    )


def train(trainer):
    print("ready", file=answers, flush=True)
    trainer.train()
