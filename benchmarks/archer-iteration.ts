// Times the phases of an ArCHer iteration, alternating with the same work in plain PyTorch (peers/archer_torch.py): GPT-2 124M
// and RoBERTa-base, random weights, dialogues of 20 turns, utterances of 10 tokens, replies of 3. The paper's iteration has a
// rollout of 128 episodes, 50 critic and 3 actor updates of 32 micro-batches of 8; this one has 16 episodes, 1 + 1 updates of 2
// micro-batches, and the seconds of each phase are scaled to the paper's counts.
//   PYTHON=… node --conditions=source --import tsx benchmarks/archer-iteration.ts [124M|tiny] [iterations] [threads] [keep] [file=FILE]
// With `keep` the peer keeps its KV cache between turns too, which ArCHer's code does not. A first iteration of two turns
// compiles and is not counted. The others are appended to FILE, and a command that was stopped resumes after them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { archer, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import type { Env } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, encoderConfigFromJson, LanguageModel, TransformerEncoder } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { median } from './measure.js';
import { cpuSeconds, openPeer, peakMemory } from './peer.js';

const given = process.argv.slice(2).filter((argument) => !argument.startsWith('file='));
const file = process.argv.find((argument) => argument.startsWith('file='))?.slice('file='.length);
const [size = '124M', iterationsText = '2', threadsText = '2', kept] = given;
const isTiny = size === 'tiny';
const [iterations, threads] = [Number(iterationsText), Number(threadsText)];
const [EPISODES, TURNS, OPENING, UTTERANCE, REPLY, BATCH, MICRO_BATCHES] = [16, isTiny ? 4 : 20, 16, 10, 3, 8, 2];
/** Returns the number of turns in an iteration: the first one is short. */
const turnsOf = (iteration: number) => (iteration === 0 ? Math.min(2, TURNS) : TURNS);
let playing = 0;
const vocabulary = isTiny ? 512 : 50_257;
const policyShape = isTiny ? { n_layer: 2, n_embd: 64, n_head: 4 } : { n_layer: 12, n_embd: 768, n_head: 12 };
const criticShape = {
  vocab_size: isTiny ? 512 : 50_265,
  hidden_size: isTiny ? 64 : 768,
  num_hidden_layers: isTiny ? 2 : 12,
  num_attention_heads: isTiny ? 4 : 12,
  intermediate_size: isTiny ? 256 : 3072,
  max_position_embeddings: 514,
  type_vocab_size: 1,
  pad_token_id: 1,
  layer_norm_eps: 1e-5,
};
const PHASES = ['rollout', 'critic', 'actor'] as const;
type Figures = Record<(typeof PHASES)[number] | 'cpu' | 'peak', number>;
/** The factor between the paper's iteration and the measured work, by phase. */
const SCALE = { rollout: 128 / EPISODES, critic: (50 * 32) / MICRO_BATCHES, actor: (3 * 32) / MICRO_BATCHES };

/** An environment with random replies, until the turn limit. */
class Talk implements Env {
  #rng = new Rng(0);
  #history = '';
  #turn = 0;
  #words(count: number) {
    return Array.from({ length: count }, () => ` w${this.#rng.integer(0, vocabulary - 20)}`).join('');
  }
  async reset({ seed = 0 }: { seed?: number } = {}) {
    this.#rng = new Rng(seed);
    this.#turn = 0;
    this.#history = this.#words(OPENING);
    return { observation: this.#history, info: {} };
  }
  async step(action: string) {
    this.#history += action + this.#words(REPLY);
    const terminated = ++this.#turn === turnsOf(playing);
    return { observation: this.#history, reward: -1, terminated, truncated: false, info: {} };
  }
  async close() {}
}

interface Row {
  ours: Figures;
  theirs: Figures | null;
}
const rows: Row[] = file && existsSync(file) ? lines(file).map((line) => JSON.parse(line) as Row) : [];
const remaining = Math.max(iterations - rows.length, 0);
const device = await openDevice({ device: 'cpu', threads });
const peer = await openPeer<Figures>('archer_torch.py', {
  threads,
  vocabulary,
  opening: OPENING,
  utterance: UTTERANCE,
  reply: REPLY,
  episodes: EPISODES,
  batch: BATCH,
  micro_batches: MICRO_BATCHES,
  critic_updates: 1,
  actor_updates: 1,
  keeps_cache: kept === 'keep',
  policy: { ...policyShape, n_positions: 1024 },
  critic: criticShape,
});
try {
  const rng = new Rng(1);
  const words = Array.from({ length: vocabulary - 16 }, (_, i) => ` w${i}`).join('');
  const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const config = { model_type: 'gpt2', ...policyShape, n_positions: 1024, vocab_size: vocabulary };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng });
  await policy.createOptimizer(adam);
  const encoder = new TransformerEncoder({
    config: encoderConfigFromJson({ model_type: 'roberta', ...criticShape }),
    tokenizer,
    stateFeature: 'pooler',
    maxLength: 512,
    batchTokens: 2048, // as in a run
  });
  const critic = await DoubleCritic.create({ device, encoder, rng, outputBias: -10, optimizer: adam });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: UTTERANCE, terminatorIds: [] };
  const options = {
    seed: 1,
    slots: EPISODES,
    sampling,
    iterations: remaining + 1,
    rollout: { size: EPISODES },
    saveFreq: 1e9,
    eval: { freq: 1e9 },
    batch: { size: BATCH, accumulationSteps: MICRO_BATCHES },
    critic: { steps: 1, maxGradNorm: 1 },
    actor: { steps: 1, warmupIterations: 0 },
  };
  let [phaseStart, cpu] = [performance.now(), cpuSeconds()];
  let phases = { rollout: 0, critic: 0, actor: 0 };
  const hooks = {
    progress: (phase: string, done: number, total: number) => {
      // fresh utterances belong to the phase after them
      if (done < total || !(PHASES as readonly string[]).includes(phase)) return;
      phases[phase as (typeof PHASES)[number]] = (performance.now() - phaseStart) / 1e3;
      phaseStart = performance.now();
    },
    log: async (iteration: number) => {
      const ours = { ...phases, cpu: cpuSeconds() - cpu, peak: peakMemory() };
      const theirs = peer && (await peer.next(String(turnsOf(iteration))));
      if (iteration > 0) {
        rows.push({ ours, theirs });
        if (file) appendFileSync(file, `${JSON.stringify(rows.at(-1))}\n`);
      }
      const show = (it: Figures) =>
        PHASES.map((phase) => `${phase} ${it[phase].toFixed(2)} s`).join(', ') +
        `, CPU ${it.cpu.toFixed(2)} s, peak ${it.peak.toFixed(2)} GiB`;
      console.log(`ours: ${show(ours)}${theirs ? `; PyTorch: ${show(theirs)}` : ''}; load ${loadavg()[0].toFixed(1)}`);
      phases = { rollout: 0, critic: 0, actor: 0 };
      playing = iteration + 1;
      [phaseStart, cpu] = [performance.now(), cpuSeconds()];
    },
  };
  const run = trainingRun({ policy, critic, makeEnv: () => new Talk(), hooks });
  if (remaining > 0) await archer.train(run, options);
  const scaled = (it: Figures) => PHASES.reduce((sum, phase) => sum + SCALE[phase] * it[phase], 0);
  const of = (pick: (row: (typeof rows)[number]) => number) => median(rows.map(pick));
  console.log(
    `${size}, ${threads} thread(s): the paper's iteration would take ${of(({ ours }) => scaled(ours)).toFixed(0)} s`,
  );
  if (peer) {
    const ratios = PHASES.map(
      (phase) => `${phase} ${of(({ ours, theirs }) => theirs![phase] / ours[phase]).toFixed(2)}`,
    );
    console.log(
      `PyTorch ÷ ours, medians of ${rows.length}: ${ratios.join(', ')}; the paper's iteration ` +
        `${of(({ ours, theirs }) => scaled(theirs!) / scaled(ours)).toFixed(2)} (aim 2); CPU time ${of(({ ours, theirs }) => theirs!.cpu / ours.cpu).toFixed(2)}`,
    );
  }
} finally {
  peer?.close();
  await device.close();
}

function lines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}
