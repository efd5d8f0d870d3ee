# GRPO iterations of TRL on one machine without a GPU: rl-iteration.ts starts it and asks for one iteration per line of standard
# input, so that both take turns. Prompts are random words; the reward is the share of even words in the completion.
# python trl_grpo.py '{"layers": 2, "width": 64, "heads": 4, "vocabulary": 512, "prompts": 16, "group": 8, "prompt_tokens": 32,
#   "new_tokens": 64, "micro_batch": 128, "threads": 1, "steps": 3, "bf16": false}'
import json
import os
import random
import sys
import time

settings = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, TrainerCallback  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)


def tokenizer_of(size):
    words = {"<pad>": 0, "<eos>": 1, **{f"w{i}": i for i in range(2, size)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", padding_side="left")


def prompts(count, tokens, vocabulary):
    rng = random.Random(1)
    return [" ".join(f"w{rng.randrange(2, vocabulary)}" for _ in range(tokens)) for _ in range(count)]


def reward(completions, **_):
    shares = []
    for text in completions:
        words = text.split()
        shares.append(sum(int(word[1:]) % 2 == 0 for word in words if word[0] == "w") / max(1, len(words)))
    return shares


class Clock(TrainerCallback):
    """Waits for a line before every optimizer step, and answers with its seconds after it."""

    def on_step_begin(self, args, state, control, **_):
        if not sys.stdin.readline():
            sys.exit(0)
        generation["seconds"] = generation["tokens"] = 0
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def on_step_end(self, args, state, control, **_):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        figures = {"wall": wall, "cpu": cpu, "rollout": generation["seconds"], "tokens": generation["tokens"]}
        print(json.dumps(figures), file=answers, flush=True)


generation = {"seconds": 0, "tokens": 0}


def timed_generate(model):
    generate = model.generate

    def timed(*args, **kwargs):
        start = time.perf_counter()
        result = generate(*args, **kwargs)
        ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
        generation["seconds"] += time.perf_counter() - start
        generation["tokens"] += result.shape[0] * (result.shape[1] - ids.shape[1])
        return result

    model.generate = timed


def main():
    vocabulary, total = settings["vocabulary"], settings["prompts"] * settings["group"]
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=vocabulary,
            n_positions=settings["prompt_tokens"] + settings["new_tokens"],
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
    timed_generate(model)
    steps = settings["steps"]
    texts = prompts(settings["prompts"] * steps, settings["prompt_tokens"], vocabulary)
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer_of(vocabulary),
        reward_funcs=reward,
        train_dataset=Dataset.from_dict({"prompt": texts}),
        callbacks=[Clock()],
        args=GRPOConfig(
            output_dir=settings["folder"],
            use_cpu=True,
            bf16=settings["bf16"],
            per_device_train_batch_size=settings["micro_batch"],
            gradient_accumulation_steps=total // settings["micro_batch"],
            num_generations=settings["group"],
            max_completion_length=settings["new_tokens"],
            generation_kwargs={"min_new_tokens": settings["new_tokens"]},
            temperature=1.0,
            top_k=0,
            beta=0.0,
            loss_type="grpo",
            num_iterations=1,
            learning_rate=1e-5,
            max_grad_norm=1.0,
            gradient_checkpointing=False,
            dataloader_pin_memory=False,
            max_steps=steps,
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
