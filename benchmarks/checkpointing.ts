// Measures what gradient checkpointing and the loss in chunks save and cost: forward + backward of every parameter,
// random weights. Each variant runs in a fresh process, whose peak memory the kernel reports, and in turn, so that a
// busy machine slows all alike.
// Run: node --conditions=source --import tsx benchmarks/checkpointing.ts [gpt2|llama] [rounds] [repetitions]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { maximum, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { architectureFor, initializeParameters, TokenScorer, type TokenExample } from '@bowyer/models';
import { median, milliseconds } from './measure.js';

/** GPT-2 124M on 4 × 512 tokens, and a Llama of 110M parameters on one sequence of 4,096. */
const cases = {
  gpt2: { batch: 4, tokens: 512, config: { model_type: 'gpt2' } },
  llama: {
    batch: 1,
    tokens: 4096,
    config: {
      model_type: 'llama',
      vocab_size: 32000,
      hidden_size: 768,
      intermediate_size: 2048,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      num_key_value_heads: 4,
      max_position_embeddings: 4096,
      tie_word_embeddings: true,
    },
  },
};
type Case = keyof typeof cases;

const variants = {
  plain: {},
  'loss in chunks': { lossChunks: 4 },
  checkpointing: { checkpointing: true },
  both: { checkpointing: true, lossChunks: 4 },
};
type Variant = keyof typeof variants;

interface Measured {
  /** The time of each call but the first. */
  seconds: number[];
  /** GiB, highest so far: with the parameters and gradients alone, and after the last call. */
  before: number;
  peak: number;
  loss: number;
}

/** The highest resident memory of this process so far, GiB. */
const peakGiB = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 2 ** 20;

async function measure(name: Case, variant: Variant, repetitions: number): Promise<Measured> {
  const { batch, tokens, config } = cases[name];
  const rng = new Rng(1);
  const architecture = architectureFor(config);
  const device = await openDevice({ device: 'cpu' });
  try {
    const parameters = await device.createState(initializeParameters(architecture.parameters, rng));
    const shapes = Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape]));
    const gradients = await device.createZeros(shapes);
    const scorer = new TokenScorer({
      device,
      architecture,
      parameters,
      maskedTokenIds: [],
      padTokenId: 0,
      ...variants[variant],
    });
    const examples = Array.from({ length: batch }, (): TokenExample => {
      const ids = Int32Array.from({ length: tokens + 1 }, () => rng.integer(1, architecture.vocabSize - 1));
      const weights = new Float32Array(tokens).fill(1 / (batch * tokens));
      return { ids: ids.slice(0, -1), targets: ids.slice(1), weights };
    });
    const short = examples.map(({ ids, targets, weights }) => ({
      ids: ids.slice(0, 8),
      targets: targets.slice(0, 8),
      weights: weights.slice(0, 8),
    }));
    await scorer.accumulateGradients(short, gradients); // the session is made, and every page of the gradients touched
    const before = peakGiB();
    const seconds: number[] = [];
    let loss = 0;
    for (let i = 0; i <= repetitions; i++) {
      const call = await milliseconds(async () => {
        ({ loss } = await scorer.accumulateGradients(examples, gradients));
      });
      if (i > 0) seconds.push(call / 1e3); // the first touches every page of the activations
    }
    return { seconds, before, peak: peakGiB(), loss };
  } finally {
    await device.close();
  }
}

const [name = 'gpt2', rounds = '1', repetitions = '3', variant] = process.argv.slice(2);
if (variant) {
  console.log(JSON.stringify(await measure(name as Case, variant as Variant, Number(repetitions))));
} else {
  const chosen = (name === 'llama' ? ['both'] : Object.keys(variants)) as Variant[];
  const measured = new Map(chosen.map((each): [Variant, Measured[]] => [each, []]));
  for (let round = 0; round < Number(rounds); round++)
    for (const each of chosen) {
      const flags = ['--conditions=source', '--import', 'tsx', fileURLToPath(import.meta.url)];
      const text = execFileSync(process.execPath, [...flags, name, rounds, repetitions, each], { encoding: 'utf8' });
      measured.get(each)!.push(JSON.parse(text) as Measured);
    }
  const { batch, tokens } = cases[name as Case];
  console.log(
    `${name}, ${batch} × ${tokens} tokens, all scored; ${rounds} rounds of ${repetitions} calls after a first`,
  );
  console.log('variant          seconds  × plain  peak GiB  beyond weights and gradients GiB  × plain  loss');
  const figures = (runs: Measured[]) => ({
    seconds: median(runs.flatMap(({ seconds }) => seconds)),
    peak: maximum(runs.map(({ peak }) => peak)),
    activations: maximum(runs.map(({ peak, before }) => peak - before)),
  });
  const plain = figures(measured.get(chosen[0])!);
  for (const [each, runs] of measured) {
    const { seconds, peak, activations } = figures(runs);
    console.log(
      `${each.padEnd(16)} ${seconds.toFixed(2).padStart(7)}  ${(seconds / plain.seconds).toFixed(2).padStart(7)}  ${peak.toFixed(2).padStart(8)}  ${activations.toFixed(2).padStart(32)}  ${(activations / plain.activations).toFixed(2).padStart(7)}  ${runs[0].loss.toFixed(6)}`,
    );
  }
}
