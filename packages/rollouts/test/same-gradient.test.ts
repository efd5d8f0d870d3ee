// Tests that the same task gives the same tokens and the same gradient as an environment in this process and as an agent that
// calls the recording server.
import {
  chatDialogues,
  episodeSeed,
  grpo,
  policyPlayer,
  trainingRun,
  type OpenPlayer,
  type TrainingRunParts,
} from '@bowyer/algorithms';
import { Rng, type Trajectory } from '@bowyer/core';
import type { Env, StepResult } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { RecordedMasks, SteppedTokenizer } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { newFolder, sendJson } from '@bowyer/testing';
import { AgentServer, rolloutPlayer, RolloutLog, type RunAgent } from '../src/index.js';

const colours = ['red', 'green', 'blue'];
const [SEED, GROUP, EPISODES] = [11, 4, 8];

/** An environment in which the agent repeats the colour that is shown, within three tries; long answers cost more. */
class Echo implements Env {
  #shown = '';
  #history = '';
  #turn = 0;

  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#shown = new Rng(seed).choice(colours);
    this.#turn = 0;
    this.#history = `say ${this.#shown}`;
    return { observation: this.#history, info: {} };
  }

  async step(action: string): Promise<StepResult> {
    const won = action === this.#shown;
    const terminated = ++this.#turn === 3 || won;
    this.#history += `${action} not ${this.#shown}`;
    return { observation: this.#history, reward: -action.length, terminated, truncated: false, info: {} };
  }

  async close() {}
}

const tokenizer = wordLevelTokenizer([`say not user assistant a b x\n${colours.join(' ')}`], {
  wholeTokens: ['[start]', '[end]'],
});
const template = chatTemplate(
  '{% for m in messages %}[start] {{ m.role }}{% if m.content %} {{ m.content }}{% endif %}[end]{% endfor %}{% if add_generation_prompt %}[start] assistant{% endif %}',
  new SteppedTokenizer(tokenizer),
);
const endId = tokenizer.tokenToId('[end]')!;
const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 64 };
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 2, terminatorIds: [endId] };

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

/** Answers have the random numbers that a rollout's calls have at the server. */
const numberedByCall =
  (open: OpenPlayer): OpenPlayer =>
  async (how) => {
    const player = await open(how);
    const seeds = Array.from({ length: EPISODES }, (_, episode) => episodeSeed(SEED, 'rollout', episode));
    const bySlot = new Map<number, number>();
    return {
      close: () => player.close(),
      act: (requests) =>
        player.act(
          requests.map((request) => {
            if (request.turn === 0)
              bySlot.set(
                request.slot,
                seeds.find((seed) => String(Rng.forPurpose(seed, 'sampling').state) === String(request.rng.state))!,
              );
            const ofCall = Rng.forPurpose(bySlot.get(request.slot)!, `call ${request.turn}`);
            return { ...request, rng: ofCall };
          }),
        ),
    };
  };

/** Plays the same game by messages over HTTP. */
const agent: RunAgent = async ({ name, open }) => {
  const episode = Number(/^rollout-(\d+)\./.exec(name)![1]);
  const game = new Echo();
  let { observation } = await game.reset({ seed: episodeSeed(SEED, 'rollout', episode - (episode % GROUP)) });
  const messages = [{ role: 'user', content: observation }];
  let reward = 0;
  for (;;) {
    const sent = { model: 'tiny', messages, max_tokens: 2 };
    const headers = { authorization: `Bearer ${open.apiKey}` };
    const { body } = await sendJson<{ choices: [{ message: { role: string; content: string } }] }>(
      `${open.baseURL}/chat/completions`,
      sent,
      { headers },
    );
    const [{ message }] = body.choices;
    const step = await game.step(message.content.trim());
    reward += step.reward;
    if (step.terminated) return { reward };
    messages.push(message, {
      role: 'user',
      content: step.observation.slice((observation + message.content.trim()).length).trim(),
    });
    ({ observation } = step);
  }
};

/** Runs one iteration of GRPO by plain gradient descent with learning rate 1. @returns the gradient and what was played */
async function iteration(
  partsOf: (model: LanguageModel) => Promise<Partial<TrainingRunParts> & { close?: () => Promise<void> }>,
) {
  const model = await LanguageModel.create({
    device,
    tokenizer,
    config,
    rng: new Rng(SEED),
    maskedTokenIds: [1, 2, 3],
  });
  await model.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  const before = await model.copyParameters();
  let rollout: readonly Trajectory[] = [];
  const { close, ...parts } = await partsOf(model);
  const run = trainingRun({ policy: model, onRollout: async (played) => void (rollout = played), ...parts });
  await grpo.train(run, {
    seed: SEED,
    slots: 3,
    sampling,
    iterations: 1,
    rollout: { size: EPISODES, groupSize: GROUP },
    eval: { freq: 2 },
    saveFreq: 2,
    kl: { coefficient: 0 },
    actor: { lr: 1, minibatchSize: EPISODES, maxGradNorm: 1e9, schedule: { kind: 'constant' } },
  });
  await close?.();
  const after = await model.copyParameters();
  const gradient = Object.entries(before).flatMap(([name, { data }]) =>
    Array.from(data, (x, i) => x - after[name].data[i]),
  );
  await model.release();
  return { gradient, rollout };
}

test('the same tokens, rewards and gradient', async () => {
  const dialogues = chatDialogues(tokenizer, { template, opening: [] });
  const inProcess = await iteration(async (policy) => ({
    dialogues,
    makeEnv: () => new Echo(),
    openRollouts: numberedByCall(policyPlayer({ policy, dialogues }, { slots: 3 })),
  }));
  const served = await iteration(async (policy) => {
    const log = await RolloutLog.open(folder);
    const server = await AgentServer.listen({
      model: policy,
      tokenizer: new SteppedTokenizer(tokenizer),
      template,
      log,
      name: 'tiny',
      host: '127.0.0.1',
      port: 0,
      apiKey: null,
      seed: 1,
      splice: 'sampled',
      slots: 3,
      maxQueued: 64,
      splitsMessages: true,
      terminatorIds: [endId],
      defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
    });
    const tasks = [{ id: 'only' }];
    const playSet = rolloutPlayer(server.rollouts, {
      tasks: { train: tasks, eval: tasks, test: tasks },
      run: agent,
      judge: null,
      attempts: 1,
      failedReward: null,
      sampling: {},
      decode: (ids) => tokenizer.decode(ids, { keepSpecialTokens: true }),
      masks: new RecordedMasks({ model: policy, template }),
    });
    return { playSet, close: () => server.close().then(() => log.close()) };
  });

  const returns = (rollout: readonly Trajectory[]) =>
    rollout.map(({ transitions }) => transitions.reduce((sum, { reward }) => sum + reward, 0));
  expect(returns(served.rollout)).toEqual(returns(inProcess.rollout));
  expect(new Set(returns(served.rollout)).size).toBeGreaterThan(1);
  const spoken = (rollout: readonly Trajectory[]) =>
    rollout.map(({ segments }) =>
      segments.map(({ utterances }) => utterances.map(({ start, ids, terminated }) => ({ start, ids, terminated }))),
    );
  expect(spoken(served.rollout)).toEqual(spoken(inProcess.rollout));
  expect(Math.max(...served.rollout.map(({ transitions }) => transitions.length))).toBe(3);

  const norm = Math.hypot(...inProcess.gradient);
  expect(norm).toBeGreaterThan(0.01);
  const difference = Math.max(...served.gradient.map((x, i) => Math.abs(x - inProcess.gradient[i])));
  expect(difference).toBeLessThan(1e-5);
});
