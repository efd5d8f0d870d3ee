# Runs the phases of ArCHer iterations in plain PyTorch: archer-iteration.ts starts it and asks for one iteration per line of
# standard input. As in ArCHer's code, the policy generates from the whole history at every turn, with a key-value cache within the call;
# every micro-batch of the critic samples fresh utterances, and values them with the target network. With "keeps_cache" the cache
# also survives between the turns of an episode.
import copy
import json
import os
import random
import resource
import sys
import time

settings = json.loads(sys.argv[1])
os.environ["OMP_NUM_THREADS"] = str(settings["threads"])

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel, RobertaConfig, RobertaModel  # noqa: E402

torch.set_num_threads(settings["threads"])
torch.manual_seed(1)
rng = random.Random(1)
OPENING, UTTERANCE, REPLY = settings["opening"], settings["utterance"], settings["reply"]
VOCABULARY, PAD = settings["vocabulary"], 0


class Critic(nn.Module):
    """Two Q and two V heads of three layers on RoBERTa's pooler."""

    def __init__(self, config):
        super().__init__()
        self.encoder = RobertaModel(config)
        width = config.hidden_size

        def head(inputs):
            return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

        self.q = nn.ModuleList(head(2 * width) for _ in range(2))
        self.v = nn.ModuleList(head(width) for _ in range(2))

    def features(self, texts):
        ids, mask = padded(texts, left=False)
        return self.encoder(input_ids=ids, attention_mask=mask).pooler_output

    def forward(self, observations, actions):
        state = self.features(observations)
        both = torch.cat([state, self.features(actions)], 1) if actions is not None else None
        q = [head(both).squeeze(1) for head in self.q] if actions is not None else []
        return q, [head(state).squeeze(1) for head in self.v]


def padded(texts, left):
    longest = max(map(len, texts))
    rows = [[PAD] * (longest - len(text)) + text if left else text + [PAD] * (longest - len(text)) for text in texts]
    masks = [[0] * (longest - len(t)) + [1] * len(t) if left else [1] * len(t) + [0] * (longest - len(t)) for t in texts]
    return torch.tensor(rows), torch.tensor(masks)


def words(count):
    return [rng.randrange(2, VOCABULARY) for _ in range(count)]


@torch.no_grad()
def say(policy, texts, cache=None):
    ids, mask = padded(texts, left=True)
    more = {"past_key_values": cache} if cache is not None else {}
    # No end token: every utterance has the same length, here and there.
    out = policy.generate(
        input_ids=ids, attention_mask=mask, do_sample=True, top_k=0, min_new_tokens=UTTERANCE, max_new_tokens=UTTERANCE,
        pad_token_id=PAD, eos_token_id=1, **more,
    )  # fmt: skip
    return out[:, ids.shape[1] :].tolist()


def rollout(policy, turn_count):
    episodes = settings["episodes"]
    histories = [words(OPENING) for _ in range(episodes)]
    cache = DynamicCache() if settings["keeps_cache"] else None
    turns = []
    for _ in range(turn_count):
        actions = say(policy, histories, cache)
        for e, action in enumerate(actions):
            after = histories[e] + action + words(REPLY)
            turns.append((histories[e], action, after))
            histories[e] = after
    return turns


def critic_updates(policy, critic, target, optimizer, turns):
    for _ in range(settings["critic_updates"]):
        for _ in range(settings["micro_batches"]):
            batch = [rng.choice(turns) for _ in range(settings["batch"])]
            observations, actions, following = ([turn[i] for turn in batch] for i in range(3))
            fresh = say(policy, observations)
            with torch.no_grad():
                v_targets, _ = target(observations, fresh)
                _, next_values = target(following, None)
                q_targets = [-1 + 0.95 * value for value in next_values]
            q, v = critic(observations, actions)
            loss = sum(F.mse_loss(a, b) for a, b in zip(q + v, q_targets + v_targets))
            loss.backward()
        torch.nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), critic.parameters()):
                slow.mul_(0.9).add_(fast, alpha=0.1)


def actor_updates(policy, critic, optimizer, turns):
    for _ in range(settings["actor_updates"]):
        for _ in range(settings["micro_batches"]):
            batch = [rng.choice(turns) for _ in range(settings["batch"])]
            observations = [turn[0] for turn in batch]
            fresh = say(policy, observations)
            with torch.no_grad():
                q, v = critic(observations, fresh)
                advantages = torch.minimum(*q) - torch.minimum(*v)
            ids, mask = padded([o + a for o, a in zip(observations, fresh)], left=True)
            logits = policy(input_ids=ids, attention_mask=mask).logits[:, -UTTERANCE - 1 : -1]
            logprobs = logits.log_softmax(-1).gather(2, ids[:, -UTTERANCE:, None]).squeeze(2).sum(1)
            (-(advantages * logprobs).mean()).backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


def main():
    policy = GPT2LMHeadModel(
        GPT2Config(**settings["policy"], vocab_size=VOCABULARY, bos_token_id=1, eos_token_id=1, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    )
    config = RobertaConfig(**settings["critic"], hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    critic = Critic(config).eval()
    target = copy.deepcopy(critic)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-5)
    policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-5)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:  # the number of turns
        clock, cpu = [time.perf_counter()], time.process_time()
        policy.eval()
        turns = rollout(policy, int(line))
        clock.append(time.perf_counter())
        critic_updates(policy, critic, target, critic_optimizer, turns)
        clock.append(time.perf_counter())
        actor_updates(policy, critic, policy_optimizer, turns)
        clock.append(time.perf_counter())
        names = ["rollout", "critic", "actor"]
        figures = {name: clock[i + 1] - clock[i] for i, name in enumerate(names)}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps({**figures, "cpu": time.process_time() - cpu, "peak": peak}), file=answers, flush=True)


answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
main()
