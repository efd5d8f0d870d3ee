# GRPO iterations of TRL with one completion for each prompt, for rl-iteration.ts. The reward is the share of even words.
# python trl_grpo.py '{"layers": 2, "width": 64, "heads": 4, "vocabulary": 512, "prompts": 16, "group": 8, "prompt_tokens": 32,
#   "new_tokens": 64, "micro_batch": 128, "threads": 1, "steps": 3, "bf16": false, "folder": "trl-grpo"}'
from trl_iterations import Clock, TimedTrainer, config, even_share, gpt2, prompts, settings, train, word_tokenizer

from datasets import Dataset


def reward(completions, **_):
    return [even_share(text) for text in completions]


new_tokens = settings["new_tokens"]
train(
    TimedTrainer(
        model=gpt2(settings["prompt_tokens"] + new_tokens),
        processing_class=word_tokenizer(),
        reward_funcs=reward,
        train_dataset=Dataset.from_dict({"prompt": prompts()}),
        callbacks=[Clock()],
        args=config(max_completion_length=new_tokens, generation_kwargs={"min_new_tokens": new_tokens}),
    )
)
