// How much of what goes through a network is padding, with batches by length (length-batches.ts) and with 32 items at a time in
// the order in which they come, on episodes played here: every turn is one item (all that was said so far, and the action).
// Run: node --conditions=source --import tsx benchmarks/bucketing.ts [repetitions]
import { maximum, Rng } from '@bowyer/core';
import {
  dialogueEpisode,
  environmentInfo,
  textCraftDemonstrations,
  twentyQuestionsDemonstrations,
  webShopDemonstrations,
  withDefaults,
  type TextCraftOptions,
  type WebShopOptions,
} from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import {
  LanguageModel,
  LineEncoder,
  scoreTargets,
  Seq2SeqModel,
  tokenBatches,
  type TokenExample,
} from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';
import { median, milliseconds } from './measure.js';

const ITEMS = 1024;
const repetitions = Number(process.argv[2] ?? 1);
/** Items of one critic update's micro-batch. */
const MICRO_BATCH = 256;
/** The settings of `task=score`: items that are sorted together, tokens of a batch with its padding. */
const [WINDOW, MAX_TOKENS] = [1024, 2048];
/** Items of a batch in their order. */
const ROWS = 32;
const CONTEXT = 1024;

interface Turn {
  observation: string;
  action: string;
}

/** Tokens of the texts themselves and of the matrices that hold them. */
interface Tokens {
  real: number;
  padded: number;
}

type Ways<T> = Record<'naive' | 'bucketed', T>;

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
    ties: 'drawn',
    seed: 0,
  }).map(dialogueEpisode);
  return dialogues.flatMap(({ header, turns }) => {
    let observation = header;
    return turns.map(({ action, reply }) => {
      const turn = { observation, action };
      observation += `${action}\n${reply}`;
      return turn;
    });
  });
}

const optionsOf = <Options>(name: string) => withDefaults(environmentInfo(name).schema, {}, name) as Options;
const corpora = {
  'Twenty Questions': twentyQuestions(),
  WebShop: (
    await webShopDemonstrations(optionsOf<WebShopOptions>('webshop'), { episodes: 200, noise: 0.3, seed: 0 })
  ).flat(),
  TextCraft: (
    await textCraftDemonstrations(optionsOf<TextCraftOptions>('textcraft'), { episodes: 150, noise: 0.3, seed: 0 })
  ).flat(),
};

/** Consecutive pieces. */
const pieces = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Both ways in turn, once more than counted (the first compiles), and what they put through. */
async function compare(what: string, run: (way: keyof Ways<unknown>) => Promise<void>, counted: Tokens) {
  const times: Ways<number[]> = { naive: [], bucketed: [] };
  const padding: Ways<string> = { naive: '', bucketed: '' };
  for (let i = 0; i <= repetitions; i++) {
    for (const way of ['naive', 'bucketed'] as const) {
      Object.assign(counted, { real: 0, padded: 0 });
      const time = await milliseconds(() => run(way));
      padding[way] = `${(100 * (1 - counted.real / counted.padded)).toFixed(1)} %`;
      if (i > 0) times[way].push(time);
    }
  }
  const ratio = median(times.naive.map((time, i) => time / times.bucketed[i]));
  console.log(
    `  ${what.padEnd(34)} ${padding.naive.padStart(6)} in the items' order, ${padding.bucketed.padStart(6)} by length; ` +
      `${median(times.naive).toFixed(0)} and ${median(times.bucketed).toFixed(0)} ms, ${ratio.toFixed(2)} × as fast`,
  );
}

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
  const counted = { real: 0, padded: 0 };
  const score = async (parts: TokenExample[][], maxTokens: number) => {
    for (const part of parts) {
      for (const { rows, columns } of tokenBatches(part, { maxTokens, padTokenId: 0 }))
        counted.padded += rows * columns;
      await model.logprobs(part, { maxTokens });
    }
    counted.real = examples.reduce((sum, { ids }) => sum + ids.length, 0);
  };
  await compare(
    'scoring by the policy',
    (way) =>
      way === 'naive'
        ? score(pieces(examples, ROWS).map(sameLength), Infinity)
        : score(pieces(examples, WINDOW), MAX_TOKENS),
    counted,
  );
  await model.release();
}

/** Examples as long as the longest, so that they make one batch: the last position is scored. */
function sameLength(examples: readonly TokenExample[]): TokenExample[] {
  const longest = maximum(examples.map(({ ids }) => ids.length));
  const filled = <T extends Int32Array | Float32Array>(array: T, last: number): T => {
    const whole = new (array.constructor as new (length: number) => T)(longest);
    whole.set(array);
    if (array.length < longest) whole[longest - 1] = last;
    return whole;
  };
  return examples.map(({ ids, targets, weights }) => ({
    ids: filled(ids, ids[0]),
    targets: filled(targets, targets[0]),
    weights: filled(weights, 1),
  }));
}

/** The line critic computes each different line and action once; padding is what its counts are rounded up by. */
function linePadding(tokenizer: Tokenizer, turns: readonly Turn[]) {
  const encoder = new LineEncoder(tokenizer, 64);
  const [rows, products] = [
    { real: 0, padded: 0 },
    { real: 0, padded: 0 },
  ];
  for (const part of pieces(turns, MICRO_BATCH)) {
    const observations = part.map(({ observation }) => observation);
    const actions = part.map(({ action }) => action);
    const lines = new Set(observations.flatMap((observation) => observation.match(/[^\n]*\n|[^\n]+/g) ?? []));
    const words = new Set([...lines, ...actions].flatMap((text) => tokenizer.encode(text)));
    const differentActions = new Set(actions).size;
    const [{ inputs }] = encoder.feeds(observations, actions);
    const size = (name: string) => inputs[name].dims[0];
    rows.real += lines.size + differentActions + part.length;
    rows.padded += size('line_answers') + size('action_words') + size('turns');
    products.real += (lines.size + differentActions) * words.size + part.length * lines.size;
    products.padded +=
      (size('line_answers') + size('action_words')) * size('words') + size('turns') * size('line_answers');
  }
  const share = ({ real, padded }: Tokens) => `${(100 * (1 - real / padded)).toFixed(1)} %`;
  console.log(
    `  ${`line critic, ${MICRO_BATCH} turns at once`.padEnd(34)} ${share(rows).padStart(6)} of rows (lines, actions, turns), ` +
      `${share(products)} of the matrices that add up words and lines`,
  );
}

async function targetScoring(device: Device, tokenizer: Tokenizer, turns: readonly Turn[]) {
  const config = {
    model_type: 't5',
    vocab_size: tokenizer.vocabSize,
    d_model: 64,
    d_kv: 32,
    d_ff: 128,
    num_layers: 1,
    num_heads: 2,
    relative_attention_num_buckets: 32,
    pad_token_id: tokenizer.padTokenId,
    eos_token_id: 1,
    decoder_start_token_id: 0,
  };
  const model = await Seq2SeqModel.create({ device, config, tokenizer, rng: new Rng(0) });
  const pairs = turns.map(({ observation, action }) => ({
    source: tokenizer.encode(observation).slice(-512),
    target: tokenizer.encode(action),
  }));
  const counted = { real: 0, padded: 0 };
  const score = model.score.bind(model);
  model.score = (items) => {
    const count = (sequences: (readonly number[])[]) => {
      counted.real += sequences.reduce((sum, { length }) => sum + length, 0);
      counted.padded += sequences.length * maximum(sequences.map(({ length }) => length));
    };
    count(items.map(({ source }) => source));
    count(items.map(({ target }) => target));
    return score(items);
  };
  const items = pairs.map(({ source, target }) => ({ promptIds: source, continuationIds: target }));
  await compare(
    'scoring by an encoder-decoder',
    async (way) => {
      if (way === 'naive') for (const part of pieces(pairs, ROWS)) await model.score(part);
      else for await (const _ of scoreTargets(model, items, { maxTokens: MAX_TOKENS, window: WINDOW }));
    },
    counted,
  );
  await model.release();
}

for (const [name, turns] of Object.entries(corpora)) {
  const some = new Rng(1).shuffle(turns).slice(0, ITEMS); // as a replay buffer is drawn from
  const tokenizer = wordLevelTokenizer(
    turns.map(({ observation, action }) => observation + action),
    { minCount: 1 },
  );
  const lengths = some
    .map(({ observation, action }) => tokenizer.encode(observation + action).length)
    .sort((a, b) => a - b);
  console.log(
    `${name}: ${some.length} turns of ${turns.length}, ${lengths[0]} to ${lengths.at(-1)} tokens, median ${median(lengths)}; padding (aim: below 15 %)`,
  );
  const device = await openDevice({ device: 'cpu' });
  try {
    await policyScoring(device, tokenizer, some);
    linePadding(tokenizer, some);
    await targetScoring(device, tokenizer, some);
  } finally {
    await device.close();
  }
}
