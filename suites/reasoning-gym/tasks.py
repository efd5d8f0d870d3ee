"""Prints, as JSON, one task of each dataset of reasoning-gym with the library's own scores of some replies."""

import json
import sys

import packages

# Some generators print their progress.
out, sys.stdout = sys.stdout, sys.stderr

packages.provide()

import reasoning_gym  # noqa: E402
from reasoning_gym.factory import DATASETS  # noqa: E402

SEED, SIZE = 42, 2


def score(dataset, reply, entry):
    """Returns the library's score of a reply; None where it fails at it."""
    try:
        return float(dataset.score_answer(answer=reply, entry=entry))
    except Exception:
        return None


found = {}
for name in sorted(DATASETS):
    if name == "composite":
        continue
    try:
        dataset = reasoning_gym.create_dataset(name, seed=SEED, size=SIZE)
        entry = dataset[0]
        answer = str(entry["answer"])
        replies = [answer, f" {answer} ", f"The answer is {answer}.", "I do not know.", "42"]
        scores = [score(dataset, reply, entry) for reply in replies]
        found[name] = {"question": entry["question"], "replies": replies, "scores": scores}
    except Exception as problem:
        found[name] = {"error": f"{type(problem).__name__}: {problem}"[:200]}
print(json.dumps({"seed": SEED, "size": SIZE, "tasks": found}), file=out)
