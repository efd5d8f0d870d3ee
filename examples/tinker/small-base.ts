// Makes a base model with 100 thousand weights, which imitates the texts of a careless teacher.
import { bc, demonstrationTrajectory, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';

const CARELESS = 0.5;
const DEMONSTRATIONS = 3000;

export const question = (a: number, b: number): string => `${a} + ${b} =`;
export const answer = (a: number, b: number): string => ` ${a + b}`;

/** Returns a random answer, which may be right. */
export const anyAnswer = (rng: Rng): string => ` ${rng.integer(0, 18)}`;

/**
 * Makes a model that adds two digits, wrongly in about half of the cases.
 *
 * @param folder gets the model in Hugging Face layout
 * @returns its tokenizer, whose tokens are the words of the texts
 */
export async function makeSmallBase(folder: string): Promise<Tokenizer> {
  const rng = Rng.forPurpose(1, 'small base');
  const demonstrations = Array.from({ length: DEMONSTRATIONS }, () => {
    const [a, b] = [rng.integer(0, 9), rng.integer(0, 9)];
    const action = rng.uniform() < CARELESS ? anyAnswer(rng) : answer(a, b);
    return { opening: question(a, b), turns: [{ action, reply: '' }] };
  });
  const tokenizer = wordLevelTokenizer(
    demonstrations.map(({ opening, turns: [{ action }] }) => `${opening}${action}\n`),
  );
  const [terminatorId] = tokenizer.encode('\n');
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const config = { model_type: 'gpt2', n_layer: 2, n_head: 4, n_embd: 64, n_positions: 16, initializer_range: 0.1 };
    const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
    await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const episodes = demonstrations.map((demonstration, episode) =>
      demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode }),
    );
    const sampling = {
      temperature: 1,
      topK: 0,
      topP: 1,
      greedy: false,
      maxNewTokens: 3,
      terminatorIds: [terminatorId],
    };
    await bc.train(trainingRun({ policy, dataset: { kind: 'episodes', episodes } }), {
      seed: 0,
      epochs: 20,
      batch: { size: 64 },
      actor: { lr: 3e-3, schedule: { warmupSteps: 20, finalShare: 0.1 } },
      slots: 1,
      sampling,
    });
    await policy.save(folder);
    await policy.release();
  } finally {
    await device.close();
  }
  return tokenizer;
}
