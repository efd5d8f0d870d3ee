// How much of a scoring pass is padding, with batches by length and with batches in the order in which items come, on the
// lengths of real episodes: every turn of an episode is one item (all that was said so far, and the action).
// Run: node --conditions=source --import tsx benchmarks/bucketing.ts
import { existsSync, readFileSync } from 'node:fs';
import { Rng } from '@bowyer/core';
import { dialogueEpisode, twentyQuestionsDemonstrations } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import {
  DoubleCritic,
  encoderConfigFromJson,
  LanguageModel,
  tokenBatches,
  TransformerEncoder,
  wordLevelTokenizer,
  type Tokenizer,
} from '@bowyer/models';
import { median, milliseconds } from './measure.js';

const ITEMS = 1024;
const REPETITIONS = 1;
/** As `task=score` has them: items that are sorted together, tokens of a batch with its padding. */
const [WINDOW, MAX_TOKENS] = [1024, 2048];
/** Rows of a batch in the order of the items, and of a critic's batch (the runner's). */
const ROWS = 32;
const CONTEXT = 1024;
const recordings = new URL('../../shared/data/transcripts/textworldexpress.jsonl', import.meta.url);

interface Turn {
  observation: string;
  action: string;
}

/** Every turn of every episode with all that was said before it. */
function turnsOf(episodes: readonly (readonly { observation: string; action: string }[])[]): Turn[] {
  return episodes.flatMap((steps) => {
    let soFar = '';
    return steps.map(({ observation, action }) => {
      soFar += observation;
      const turn = { observation: soFar, action };
      soFar += `${action}\n`;
      return turn;
    });
  });
}

function twentyQuestions(): Turn[] {
  const dialogues = twentyQuestionsDemonstrations({
    games: 300,
    words: 'subset10',
    winTest: 'lastToken',
    maxTurns: 20,
    noise: 0.5,
    attributes: 20,
    wordings: 2,
    maxUnclear: 0,
    seed: 0,
  }).map(dialogueEpisode);
  return turnsOf(
    dialogues.map(({ header, turns }) =>
      turns.map(({ action }, i) => ({ observation: i === 0 ? header : turns[i - 1].reply, action })),
    ),
  );
}

/** The gold players' episodes of the TextWorldExpress games. */
function recordedEpisodes(): Turn[] | undefined {
  if (!existsSync(recordings)) return undefined;
  const episodes = readFileSync(recordings, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording);
  return turnsOf(
    episodes
      .filter(({ policy }) => policy === 'gold')
      .map(({ reset, steps }) =>
        steps.map(({ action }, i) => ({
          observation: `${i ? steps[i - 1].observation : reset.observation}\n`,
          action,
        })),
      ),
  );
}

interface Recording {
  policy: string;
  reset: { observation: string };
  steps: { action: string; observation: string }[];
}

/** Padding's share of all tokens that go through the network. */
const share = (real: number, padded: number) => `${(100 * (1 - real / padded)).toFixed(1)} %`;

function report(
  what: string,
  real: number,
  padded: Record<'naive' | 'bucketed', number>,
  times: Record<'naive' | 'bucketed', number[]>,
) {
  const ratio = median(times.naive.map((time, i) => time / times.bucketed[i]));
  console.log(
    `  ${what}: padding ${share(real, padded.naive)} in the items' order, ${share(real, padded.bucketed)} by length (aim: below 15 %); ` +
      `${median(times.naive).toFixed(0)} ms and ${median(times.bucketed).toFixed(0)} ms, ${ratio.toFixed(2)} × as fast`,
  );
}

/** Consecutive pieces. */
const pieces = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

async function policyScoring(device: Device, tokenizer: Tokenizer, turns: readonly Turn[]) {
  const config = { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 128, n_positions: CONTEXT };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(0) });
  const examples = turns.map(({ observation, action }) => {
    const said = tokenizer.encode(action);
    const all = [...tokenizer.encode(observation), ...said].slice(-CONTEXT - 1);
    return {
      ids: Int32Array.from(all.slice(0, -1)),
      targets: Int32Array.from(all.slice(1)),
      weights: Float32Array.from(all.slice(1), (_, t) => Number(t >= all.length - said.length - 1)),
    };
  });
  const ways = {
    naive: { parts: pieces(examples, ROWS), maxTokens: Infinity },
    bucketed: { parts: pieces(examples, WINDOW), maxTokens: MAX_TOKENS },
  };
  const real = examples.reduce((sum, { ids }) => sum + ids.length, 0);
  const size = ({ parts, maxTokens }: (typeof ways)['naive']) =>
    parts
      .flatMap((part) => tokenBatches(part, { maxTokens, padTokenId: 0 }))
      .reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const run = ({ parts, maxTokens }: (typeof ways)['naive']) =>
    milliseconds(async () => {
      for (const part of parts) await model.logprobs(part, { maxTokens });
    });
  const times = await inTurn(
    () => run(ways.naive),
    () => run(ways.bucketed),
  );
  report('scoring by the policy', real, { naive: size(ways.naive), bucketed: size(ways.bucketed) }, times);
  await model.release();
}

async function criticPasses(device: Device, tokenizer: Tokenizer, turns: readonly Turn[]) {
  const config = encoderConfigFromJson({
    model_type: 'bert',
    vocab_size: tokenizer.vocabSize,
    hidden_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    intermediate_size: 512,
    max_position_embeddings: 512,
    pad_token_id: tokenizer.padTokenId,
  });
  const encoder = new TransformerEncoder({
    config,
    tokenizer,
    stateFeature: 'pooler',
    maxLength: 512,
    evaluationBatch: ROWS,
  });
  const counted = { real: 0, padded: 0 };
  const feeds = encoder.feeds.bind(encoder);
  encoder.feeds = (...texts) => {
    const made = feeds(...texts);
    for (const [name, { data }] of Object.entries(made.inputs)) {
      if (!name.endsWith('_mask')) continue;
      counted.padded += data.length;
      counted.real += (data as Float32Array).reduce((sum, x) => sum + x, 0);
    }
    return made;
  };
  const optimizer = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const critic = await DoubleCritic.create({ device, encoder, rng: new Rng(0), outputBias: 0, optimizer });
  const evaluate = (part: readonly Turn[]) =>
    critic.evaluate(
      part.map(({ observation }) => observation),
      part.map(({ action }) => action),
      'online',
    );
  const padded = { naive: 0, bucketed: 0 };
  const pass = async (way: keyof typeof padded, parts: readonly (readonly Turn[])[]) => {
    Object.assign(counted, { real: 0, padded: 0 });
    const time = await milliseconds(async () => {
      for (const part of parts) await evaluate(part);
    });
    padded[way] = counted.padded;
    return time;
  };
  const times = await inTurn(
    () => pass('naive', pieces(turns, ROWS)),
    () => pass('bucketed', [turns]),
  );
  report('pass of a BERT critic', counted.real, padded, times);
  await critic.release();
}

/** Both ways in turn, once more than counted: the first compiles. */
async function inTurn(naive: () => Promise<number>, bucketed: () => Promise<number>) {
  const times: Record<'naive' | 'bucketed', number[]> = { naive: [], bucketed: [] };
  for (let i = 0; i <= REPETITIONS; i++) {
    const [a, b] = [await naive(), await bucketed()];
    if (i === 0) continue;
    times.naive.push(a);
    times.bucketed.push(b);
  }
  return times;
}

const corpora = {
  'Twenty Questions, built-in player': twentyQuestions(),
  'TextWorldExpress, gold players': recordedEpisodes(),
};
for (const [name, turns] of Object.entries(corpora)) {
  if (!turns) {
    console.log(`${name}: no recordings at ${recordings.pathname}`);
    continue;
  }
  const some = new Rng(1).shuffle(turns).slice(0, ITEMS); // as a replay buffer is drawn from
  const tokenizer = wordLevelTokenizer(
    turns.map(({ observation, action }) => observation + action),
    { minCount: 1 },
  );
  const lengths = some
    .map(({ observation, action }) => tokenizer.encode(observation + action).length)
    .sort((a, b) => a - b);
  console.log(
    `${name}: ${some.length} turns of ${turns.length}, ${lengths[0]} to ${lengths.at(-1)} tokens, median ${median(lengths)}`,
  );
  const device = await openDevice({ device: 'cpu' });
  try {
    await policyScoring(device, tokenizer, some);
    await criticPasses(device, tokenizer, some);
  } finally {
    await device.close();
  }
}
