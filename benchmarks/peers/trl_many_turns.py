# GRPO iterations of TRL over many turns, for many-turns.ts. An environment object has one tool, `step`, and any text that the model
# writes is a call of it: the response template says so, and the chat template adds no token to what the user, the model and the tool
# say. No utterance ends early (min_new_tokens). TRL calls `generate` for each turn with the whole episode so far, whose tokens it keeps.
# python trl_many_turns.py '{"layers": 2, "width": 64, "heads": 4, "vocabulary": 512, "lora": null, "prompts": 16, "group": 8,
#   "prompt_tokens": 64, "turns": 10, "written": 16, "read": 16, "micro_batch": 32, "threads": 1, "steps": 3, "bf16": false,
#   "folder": "trl-many-turns"}'
import random

from trl_iterations import (
    Clock,
    TimedTrainer,
    config,
    counts,
    even_share,
    gpt2,
    prompts,
    settings,
    train,
    word_tokenizer,
    words_of,
)

from datasets import Dataset

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
        self.reward += even_share(text)
        counts["turns"] += 1
        return words_of(self.rng, settings["read"])

    def get_reward(self) -> float:
        return self.reward


def adapters():
    if not settings["lora"]:
        return None
    from peft import LoraConfig

    return LoraConfig(task_type="CAUSAL_LM", lora_dropout=0.0, **settings["lora"])


turns, written, read = settings["turns"], settings["written"], settings["read"]
tokenizer = word_tokenizer()
tokenizer.chat_template = CHAT_TEMPLATE
tokenizer.response_template = RESPONSE_TEMPLATE
train(
    TimedTrainer(
        model=gpt2(settings["prompt_tokens"] + turns * (written + read)),
        processing_class=tokenizer,
        environment_factory=Turns,
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": text}]} for text in prompts()]),
        peft_config=adapters(),
        callbacks=[Clock()],
        args=config(
            # The call of the last turn is made, and its result left out, since an episode with it would be longer than this.
            max_completion_length=turns * (written + read) - read,
            generation_kwargs={"min_new_tokens": written, "max_new_tokens": written},
        ),
    )
)
