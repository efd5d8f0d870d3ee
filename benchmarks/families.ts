// Compares every family of decoders with transformers: families_peer.py builds small checkpoints, LanguageModel.load reads them,
// and docs/models/families-table.md gets the results. A measured family is not measured again unless it is named, so that a
// stopped run resumes.
//   PYTHON=… node --conditions=source --import tsx benchmarks/families.ts [NAME…] [only=numbers,bits,webgpu,speed]
//     [results=FOLDER] [repetitions=N]
// `speed` depends on the load of the machine, the other steps do not. `webgpu` needs a GPU or a software Vulkan (docs/devices.md).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { readSafetensors } from '@bowyer/checkpoints';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { LanguageModel, type Quantization, type TokenExample } from '@bowyer/models';
import {
  resultPath,
  STEPS,
  writePage,
  type Bits,
  type Numbers,
  type Speed,
  type Step,
  type Versions,
  type Webgpu,
} from './families-page.js';
import { median } from './measure.js';
import { numberedWords } from './random-gpt2.js';

/** The peer's results for a family's small model. */
interface PeerSmall {
  config: { model_type: string };
  examples: { ids: number[]; targets: number[]; logits: number[][]; logprobs: number[] }[];
  /** null if PEFT has no default. */
  loraTargets: string[] | null;
  prompt: number[];
  greedy: number[];
}

/** The peer's results for the wide model. */
interface PeerWide {
  contexts: number[][];
  parameters: number;
}

const NEW_TOKENS = 32;
/** The vocabulary's size in the small model. */
const VOCABULARY = 29;
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const options = process.argv.slice(2);
const option = (name: string) => options.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
const results = option('results') ?? here('../outputs/families');
const only = option('only')?.split(',') ?? STEPS;
const repetitions = Number(option('repetitions') ?? 3);
const device = await openDevice({ device: 'cpu' });
const gpu = only.includes('webgpu') && (await webgpuAvailable()) ? await openDevice({ device: 'webgpu' }) : undefined;
const peer = openPeer();
const { names: allNames, ...versions } = await peer.answer<Versions & { names: string[] }>();

const chosen = options.filter((text) => !text.includes('='));
try {
  const unknown = chosen.filter((name) => !allNames.includes(name));
  if (unknown.length > 0) throw new Error(`no such family: ${unknown.join(', ')}; known: ${allNames.join(', ')}`);
  await mkdir(results, { recursive: true });
  if (only.includes('webgpu') && !gpu) console.error('webgpu: no adapter; the step is left out');
  for (const what of STEPS.filter((step) => only.includes(step) && (step !== 'webgpu' || gpu)))
    for (const name of chosen.length > 0 ? chosen : allNames) {
      const path = resultPath(results, name, what);
      if (chosen.length === 0 && existsSync(path)) continue;
      const result = await measure(name, what).catch((error: Error) => error);
      if (result instanceof Error) console.error(name, what, result);
      else await writeFile(path, `${JSON.stringify(result)}\n`);
      console.log(name, JSON.stringify(result));
    }
} finally {
  await device.close();
  await gpu?.close();
  peer.close();
  await writePage(here('../docs/models/families-table.md'), results, allNames);
}

async function measure(name: string, what: Step): Promise<Numbers | Bits | Webgpu | Speed> {
  const dir = await mkdtemp(join(tmpdir(), 'families-'));
  try {
    if (what === 'bits' || what === 'speed') {
      const wide = await peer.ask<PeerWide>(`wide\t${name}\t${dir}`);
      return what === 'bits' ? await compareBits(dir, wide) : await compareSpeed(dir, wide);
    }
    const small = await peer.ask<PeerSmall>(`small\t${name}\t${dir}`);
    await numberedWords(VOCABULARY - 3).save(dir); // transformers' files have no tokenizer
    if (what === 'webgpu') return await compareDevices(dir, small, gpu!);
    return { modelType: small.config.model_type, ...(await compareSmall(dir, small)), versions };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

function differences(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  return Array.from(a, (x, i) => x - b[i]);
}

/** Compares the same work on the CPU and on the GPU. */
async function compareDevices(dir: string, small: PeerSmall, gpu: Device): Promise<Webgpu> {
  const examples = small.examples.map(({ ids, targets }) => scored(ids, targets, () => 1));
  const workOn = async (device: Device) => {
    const model = await LanguageModel.load({ device, dir, masksPadding: false });
    const logprobs = await model.logprobs(examples);
    const gradients = await gradientsOf(device, model, examples);
    const written = await generate(model, [small.prompt], small.greedy.length, 48).catch(refused);
    await model.release();
    return { logprobs, ids: written[0], gradients };
  };
  const [expected, found] = [await workOn(device), await workOn(gpu)];
  return {
    logprobs: largest(expected.logprobs.flatMap((row, i) => differences(row, found.logprobs[i]))),
    greedy: found.ids && found.ids.join() === expected.ids!.join(),
    gradients: gradientDifference(found.gradients, expected.gradients),
  };
}

/** Returns the result for a model whose recurrent states cannot be kept on a GPU; rethrows other errors. */
function refused(error: Error): [null] {
  if (!error.message.includes('cannot be kept on a GPU')) throw error;
  return [null];
}

async function compareSmall(dir: string, peer: PeerSmall) {
  const model = await LanguageModel.load({ device, dir, masksPadding: false });
  const examples = peer.examples.map(({ ids, targets }) => scored(ids, targets, () => 1));
  const logprobs = await model.logprobs(examples);
  // `scores` gives the logits of an example's first scored position.
  const positions = peer.examples.flatMap((example) => example.ids.map((_, position) => ({ example, position })));
  const scores = await model.scores(
    positions.map(({ example, position }) => scored(example.ids, example.targets, (t) => Number(t === position))),
  );
  const result = {
    logits: largest(
      positions.flatMap(({ example, position }, i) => differences(example.logits[position], scores[i].logitsHead)),
    ),
    logprobs: largest(peer.examples.flatMap((example, i) => differences(example.logprobs, logprobs[i]))),
    greedy: (await generate(model, [peer.prompt], peer.greedy.length, 48))[0].join() === peer.greedy.join(),
    gradients: gradientDifference(await gradientsOf(device, model, examples), await peerGradients(dir)),
    lora: await comparedTargets(dir, peer.loraTargets),
  };
  await model.release();
  return result;
}

function scored(ids: number[], targets: number[], weight: (position: number) => number): TokenExample {
  return {
    ids: Int32Array.from(ids),
    targets: Int32Array.from(targets),
    weights: Float32Array.from(ids, (_, position) => weight(position)),
  };
}

type Gradients = Record<string, Float32Array>;

async function gradientsOf(device: Device, model: LanguageModel, examples: TokenExample[]): Promise<Gradients> {
  const optimizer = await model.createOptimizer(adam);
  await model.accumulateGradients(examples);
  const read = await device.read(optimizer.gradients);
  return Object.fromEntries(Object.entries(read).map(([name, { data }]) => [name, data as Float32Array]));
}

async function peerGradients(dir: string): Promise<Gradients> {
  const read = await readSafetensors(join(dir, 'gradients'));
  return Object.fromEntries(Object.entries(read).map(([name, { data }]) => [name, Float32Array.from(data)]));
}

/**
 * Finds the largest difference of gradients, relative to the largest value of the parameter's gradient, or to a thousandth of the
 * model's largest.
 */
function gradientDifference(found: Gradients, expected: Gradients): number {
  const names = Object.keys(expected);
  const missing = names.filter((name) => !(name in found));
  if (missing.length > 0) throw new Error(`gradients of ${missing.join(', ')} are not here`);
  const most = largest(names.map((name) => largest(expected[name])));
  return largest(
    names.map((name) => {
      const scale = Math.max(largest(expected[name]), most / 1000);
      return largest(differences(expected[name], found[name])) / scale;
    }),
  );
}

async function comparedTargets(dir: string, expected: string[] | null): Promise<string> {
  const lora = { r: 1, alpha: 1, dropout: 0, targetModules: null, seed: 1 };
  const model = await LanguageModel.load({ device, dir, lora });
  const names = model.parameters.names.map((name) => name.split('.').at(-3)!);
  await model.release();
  const targets = [...new Set(names)].sort().join(', ');
  if (expected === null) return `${targets} (PEFT asks)`;
  return targets === expected.join(', ') ? 'equal' : `differs: ${targets}, PEFT ${expected.join(', ')}`;
}

/** Opens generation here, and in the peer. */
async function openWide(dir: string, { contexts }: PeerWide) {
  const config = JSON.parse(await readFile(join(dir, 'config.json'), 'utf8')) as { vocab_size: number };
  await numberedWords(config.vocab_size - 3).save(dir);
  const model = await LanguageModel.load({ device, dir, masksPadding: false });
  const ours = () => generate(model, contexts, NEW_TOKENS, contexts[0].length + NEW_TOKENS);
  return { model, ours, theirs: () => peer.ask<{ seconds: number; ids: number[][] }>('generate') };
}

async function compareBits(dir: string, wide: PeerWide): Promise<Bits> {
  const { contexts } = wide;
  const { model, ours, theirs } = await openWide(dir, wide);
  const [ids, expected] = [await ours(), (await theirs()).ids];
  const equal = ids.flatMap((row, i) => row.map((id, t) => Number(id === expected[i][t])));
  const wideGreedy = equal.reduce((sum, isEqual) => sum + isEqual, 0) / (contexts.length * NEW_TOKENS);
  const examples = contexts.slice(0, 4).map((context) => scored(context.slice(0, -1), context.slice(1), () => 1));
  const whole = await model.logprobs(examples);
  await model.release();
  const bits = { '8bit': 0, '4bit': 0 };
  for (const quantization of ['8bit', '4bit'] as const)
    bits[quantization] = await quantizedDifference(dir, quantization, examples, whole);
  return { bits, wideGreedy };
}

async function compareSpeed(dir: string, wide: PeerWide): Promise<Speed> {
  const { model, ours, theirs } = await openWide(dir, wide);
  await ours(); // compiles; both warm up
  await theirs();
  const times: number[] = [];
  const ratios: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    const start = performance.now();
    await ours();
    times.push((performance.now() - start) / 1000);
    ratios.push((await theirs()).seconds / times.at(-1)!);
  }
  await model.release();
  const tokensPerSecond = (wide.contexts.length * NEW_TOKENS) / median(times);
  return { parameters: wide.parameters, tokensPerSecond, ratio: median(ratios), load: loadavg()[0] };
}

async function quantizedDifference(
  dir: string,
  quantization: Quantization,
  examples: TokenExample[],
  whole: readonly Float32Array[],
): Promise<number> {
  const model = await LanguageModel.load({ device, dir, quantization, masksPadding: false });
  const found = await model.logprobs(examples);
  await model.release();
  const all = whole.flatMap((row, i) => differences(row, found[i]).map(Math.abs));
  return all.reduce((sum, difference) => sum + difference, 0) / all.length;
}

async function generate(model: LanguageModel, contexts: number[][], maxNewTokens: number, contextLength: number) {
  const episodes = await model.openEpisodes({ slots: contexts.length, contextLength });
  const turns = contexts.map((tokens, slot) => ({ slot, tokens, rng: new Rng(1) }));
  const utterances = await episodes.act(turns, { ...greedy, maxNewTokens });
  await episodes.close();
  return utterances.map(({ ids }) => ids);
}

function openPeer() {
  const script = fileURLToPath(new URL('families_peer.py', import.meta.url));
  const child = spawn(process.env.PYTHON ?? 'python3', [script, String(device.threads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async <T>(): Promise<T> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('families_peer.py ended without an answer; see its message above');
    const said = JSON.parse(value) as T & { error?: string };
    if (said.error !== undefined) throw new Error(`families_peer.py: ${said.error}`);
    return said;
  };
  const ask = <T>(line: string): Promise<T> => {
    child.stdin.write(`${line}\n`);
    return answer<T>();
  };
  return { answer, ask, close: () => child.stdin.end() };
}
