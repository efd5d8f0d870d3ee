// Trains an agent by GRPO on a small game, in a page or in Node: it finds a number from 1 to 4 by the answers "higher" and
// "lower".
import { grpo, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { defineEnvironment, makeEnv, registerEnvironment } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

const numbers = ['1', '2', '3', '4'];

registerEnvironment(
  defineEnvironment({
    name: 'find_number',
    reset: ({ rng }) => ({ observation: 'number?\n', state: { secret: rng.integer(1, 4) } }),
    step: (action, { state: { secret } }) => {
      const guess = Number(action);
      if (guess === secret) return { observation: ' right\n', reward: 1, terminated: true };
      return { observation: guess < secret ? ' higher\n' : ' lower\n', reward: -0.2 };
    },
    maxTurns: 3,
  }),
);

export interface Point {
  iteration: number;
  /** The mean return of the episodes of this iteration; 0.8 is the best possible. */
  reward: number;
}

/** Trains an agent from scratch. @returns its first guess, and its guesses after "lower" and "higher" */
export async function trainAgent(onPoint: (point: Point) => void, iterations = 40): Promise<string[]> {
  const tokenizer = wordLevelTokenizer([`number?\n${numbers.join(' ')} right\n`, ...numbers], {
    wholeTokens: [' higher\n', ' lower\n'],
  });
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 32, n_positions: 32 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
  const log = async (iteration: number, metrics: Record<string, number>): Promise<void> =>
    onPoint({ iteration, reward: metrics['rollout/episodic_return'] });
  await grpo.train(trainingRun({ policy, makeEnv: () => makeEnv('find_number'), hooks: { log } }), {
    seed: 0,
    iterations,
    slots: 64,
    sampling,
    rollout: { size: 64, groupSize: 16 },
    actor: { lr: 1e-2, minibatchSize: 32 },
    loss: { entropyCoefficient: 0.01 },
    kl: { coefficient: 0 },
    eval: { freq: 1e6 },
    saveFreq: 1e6,
  });
  const episodes = await policy.openEpisodes({ slots: 1 });
  const said: string[] = [];
  for (const heard of ['number?\n', ' lower\n', ' higher\n']) {
    const turn = { slot: 0, tokens: tokenizer.encode(heard), rng: new Rng(0) };
    const [{ ids }] = await episodes.act([turn], { ...sampling, greedy: true });
    said.push(tokenizer.decode(ids));
  }
  await device.close();
  return said;
}
