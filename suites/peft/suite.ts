// Runs PEFT's tests of LoRA against the adapters of @bowyer/models.
/* oxlint-disable no-restricted-imports -- The layers and modules of an adapter do not belong to the package's interface. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDevice, type Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { moduleRank, targetedModules, type LoraOptions } from '../../packages/models/src/lora/lora-options.js';
import { mergeAdapters } from '../../packages/models/src/lora/merge-adapters.js';
import { readAdapterOptions } from '../../packages/models/src/lora/peft-files.js';
import { jsonLines, triedCase } from '../cases.js';
import { isClose } from '../close.js';
import { recordPytest } from '../programs.js';
import type { CaseResult, Suite } from '../suite.js';
import { python } from './python.js';

type Matrix = readonly number[][];
type Config = Readonly<Record<string, unknown>>;

/** A line of recorder.py. */
type Recorded = { readonly test: string } & (
  | { readonly kind: 'match'; readonly config: Config; readonly module: string; readonly found: boolean }
  | {
      readonly kind: 'modules';
      readonly config: Config;
      readonly model: Readonly<Record<'linear' | 'heads' | 'other', string[]>> & { type: string; tied: boolean };
      /** The rank and the factor of each adapted module; left out where PEFT refused the config. */
      readonly found?: Readonly<Record<string, [rank: number, scale: number]>>;
      readonly error?: string;
    }
  | {
      readonly kind: 'merge';
      readonly weight: Matrix;
      readonly a: Matrix;
      readonly b: Matrix;
      readonly magnitude: readonly number[] | null;
      readonly scale: number;
      readonly found: Matrix;
    }
  | {
      readonly kind: 'logprobs';
      readonly config: Config;
      readonly base: string;
      readonly adapter: string;
      readonly ids: readonly number[];
      readonly targets: Matrix;
      readonly found: Matrix;
    }
);

const TESTS = [
  'test_tuners_utils.py',
  'test_custom_models.py',
  'test_decoder_models.py',
  'test_initialization.py',
  'test_lora_variants.py',
  'test_helpers.py',
  'test_other.py',
];

/** Tests by their names: those of LoRA, and of tests that differ only in what they assert, those that record the most. */
const LEFT_OUT = (
  'loha lokr adalora vblora randlora delora gralora unilora tinylora xlora ia3 vera bnb diffusion compile ' +
  'hotswap corda eva nan idempotent safe_merge opt_timing warns pickle half_prec float16 fp16 autocast ' +
  'low_cpu checkpointing requires_grad conversion save load generate delete unload mixed weighted ' +
  'adapter_name active_adapter device_map only_params exposed finite from_pretrained disable_adapters ' +
  'multiple irregular prompt state_dict waveft velora minimal'
).split(' ');
const CHOSEN = `(lora or dora or target or rank or alpha or merge or linear) and not (${LEFT_OUT.join(' or ')})`;

/** Keys of a config that say who wrote it, or that every LoRA has. */
const USUAL = new Set(
  'peft_type task_type base_model_name_or_path peft_version auto_mapping revision inference_mode r lora_alpha lora_dropout target_modules fan_in_fan_out'.split(
    ' ',
  ),
);

const isDefault = (key: string, value: unknown): boolean =>
  USUAL.has(key) ||
  value === null ||
  value === false ||
  value === 'none' ||
  (key === 'init_lora_weights' && value === true) ||
  (typeof value === 'object' && (key === 'runtime_config' || Object.keys(value).length === 0)) ||
  (key === 'megatron_core' && value === 'megatron.core') ||
  (key === 'qalora_group_size' && value === 16);

/** Lists the features of a config that plain LoRA does not have. */
const features = (config: Config): string[] =>
  Object.entries(config)
    .filter(([key, value]) => !isDefault(key, value))
    .map(([key, value]) => (typeof value === 'string' ? `${key}=${value}` : key));

async function optionsOf(config: Config, work: string): Promise<LoraOptions> {
  const dir = join(work, 'config');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify(config));
  return (await readAdapterOptions(dir)).options;
}

const flat = (rows: Matrix) => ({ shape: [rows.length, rows[0].length], data: Float32Array.from(rows.flat()) });

/** Computes what PEFT computed; returns how the two differ, or null. */
async function difference(recorded: Recorded, work: string, device: Device): Promise<string | null> {
  switch (recorded.kind) {
    case 'match': {
      let found = true;
      try {
        targetedModules(await optionsOf(recorded.config, work), 'custom', { inside: [recorded.module], heads: [] });
      } catch {
        found = false;
      }
      return found === recorded.found ? null : `${recorded.module}: ${found}`;
    }
    case 'modules': {
      const { linear, heads, tied, type } = recorded.model;
      let found: Record<string, readonly [number, number]>;
      try {
        const options = await optionsOf(recorded.config, work);
        const modules = targetedModules(options, type, { inside: linear, heads: tied ? [] : heads });
        found = Object.fromEntries(
          modules.map((path) => [path, Object.values(moduleRank(options, path)) as [number, number]]),
        );
      } catch (error) {
        return recorded.found === undefined ? null : `refused: ${(error as Error).message}`;
      }
      if (recorded.found === undefined) return `PEFT refuses it: ${recorded.error}`;
      const names = (each: object): string => Object.keys(each).sort().join(' ');
      if (names(found) !== names(recorded.found)) return `${names(found)} instead of ${names(recorded.found)}`;
      const wrong = Object.keys(found).find((path) => !isClose(found[path], recorded.found![path]));
      return wrong === undefined ? null : `${wrong}: ${found[wrong].join()} instead of ${recorded.found[wrong].join()}`;
    }
    case 'merge': {
      const { a, b, magnitude, scale, found } = recorded;
      const [outputs, inputs] = [found.length, found[0].length];
      const base = { w: flat(recorded.weight) };
      const adapters = { a: flat(a), b: flat(b), m: { shape: [outputs], data: Float32Array.from(magnitude ?? []) } };
      const names = { module: '', weight: 'w', a: 'a', b: 'b', magnitude: magnitude ? 'm' : undefined };
      const spec = { ...names, r: a.length, scale, inputs, outputs };
      mergeAdapters(base, adapters, {
        options: { r: spec.r, alpha: 1, dropout: 0, targetModules: null },
        adapters: new Map([['w', spec]]),
        parameters: [],
        fanInFanOut: false,
      });
      return isClose([...base.w.data], found.flat()) ? null : 'another weight';
    }
    case 'logprobs': {
      const { ids, targets, found } = recorded;
      const model = await LanguageModel.load({ device, dir: join(work, recorded.adapter) });
      try {
        const weights = new Float32Array(ids.length).fill(1);
        const rows = await model.logprobs(
          targets.map((row) => ({ ids: Int32Array.from(ids), targets: Int32Array.from(row), weights })),
        );
        const wrong = rows.findIndex((row, i) => !isClose([...row], found[i]));
        return wrong < 0 ? null : `${[...rows[wrong]].join()} instead of ${found[wrong].join()}`;
      } finally {
        await model.release();
      }
    }
  }
}

/** Lists the kinds of layers that PEFT adapts in a test, except linear layers with separate weights. */
function beyondLinear({ found = {}, model }: Extract<Recorded, { kind: 'modules' }>): string[] {
  const paths = Object.keys(found);
  const { linear, heads, tied } = model;
  return [
    ...(paths.some((path) => ![...linear, ...heads].includes(path)) ? ['layers that are not linear'] : []),
    ...(tied && paths.some((path) => heads.includes(path)) ? ['a tied output head'] : []),
  ];
}

function judged(recorded: Recorded, index: number, work: string, device: Device): Promise<CaseResult> {
  const { kind } = recorded;
  const asked = 'config' in recorded ? features(recorded.config) : [];
  const beyond = kind === 'modules' ? beyondLinear(recorded) : [];
  const what = [...asked, ...beyond].join(', ') || 'plain';
  const name = `${kind}, ${what}: ${recorded.test.replace(/^tests\//, '')} ${index}`;
  return triedCase(name, () => difference(recorded, work, device));
}

export default {
  title: "PEFT's tests of LoRA",
  against: 'adapters: configs, files, merges, log-probabilities',
  sources: [
    python,
    {
      github: 'huggingface/peft',
      commit: '5d602fdbff04c33c1c4de55cda9d4ae1d7cb7e40',
      version: '0.20.1.dev0',
      paths: ['src', 'tests'],
    },
  ],
  inCheck: false,
  notes:
    "PEFT's own tests run under pytest, with small random models under the names that they ask the hub for; a plugin records the configs that they give to PEFT, " +
    'the modules, ranks and factors that follow, the weights of merged layers, and the log-probabilities of adapted language models. Bowyer reads the same configs and files and computes the same.',
  async run({ folders: [installed, repository], work, log }) {
    const tests = TESTS.map((name) => join(repository, 'tests', name));
    const given = ['-c', '/dev/null', `--rootdir=${repository}`, '-k', CHOSEN, ...tests];
    const paths = [join(repository, 'src'), import.meta.dirname];
    const env = { BOWYER_RECORDING: work, HF_ENDPOINT: 'http://127.0.0.1:9' };
    log(`PEFT: ${await recordPytest({ folder: work, python: installed, given, paths }, env)}`);
    const lines = jsonLines<Recorded>(readFileSync(join(work, 'recorded.jsonl'), 'utf8'));
    const device = await openDevice({ device: 'cpu', threads: 1 });
    const cases: CaseResult[] = [];
    for (const [index, line] of lines.entries()) {
      cases.push(await judged(line, index, work, device));
      if (index % 200 === 199) log(`${index + 1} of ${lines.length}`);
    }
    await device.close();
    return cases;
  },
} satisfies Suite;
