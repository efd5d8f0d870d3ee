// Tests that every config of the project is valid, and contains nothing that its run does not read.
import { algorithmNames } from '@bowyer/algorithms';
import type { Composition, OriginRecord, PlainObject, PlainValue } from '@bowyer/config';
import { composed, refusal, unprepared } from './composed.js';
import { shippedConfigs } from './shipped-files.js';

/** Primary configs that have a task. */
const shipped = shippedConfigs().filter(({ config }) => !config.includes('/') && config !== 'base');
const primary = shipped.map(({ config }) => config);

/** The overrides of a config that trains nothing until an algorithm is added. */
const needed: Readonly<Record<string, string[]>> = { default: ['+algorithm=archer'] };

/** Lists the paths of leaves, as `env.words`. */
function leaves(value: PlainValue | PlainObject, path = ''): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, below]) => leaves(below, path === '' ? key : `${path}.${key}`));
}

const has = (composition: Composition, path: string): boolean =>
  path.split('.').reduce<PlainValue | undefined>((node, key) => (node as PlainObject)?.[key], composition.config) !==
  undefined;

test.each(shipped)('$config: every key of the config itself is read', async ({ config: name, file }) => {
  const raw = unprepared(name, ...(needed[name] ?? []));
  const isOwn = (origin: OriginRecord | undefined) => origin?.source.endsWith(`/${file}`) ?? false;
  const own = leaves(raw.config).filter((path) => isOwn(raw.origin(path)[0]));
  const read = await composed(name, ...(needed[name] ?? []));
  expect(own.filter((path) => !has(read, path))).toEqual([]);
});

const files = shippedConfigs();
/** Including those of studies. */
const presets = files.flatMap(({ config }) => /^preset\/([^/]+)$/.exec(config)?.[1] ?? []);

test.each(presets)('preset=%s: every option is read by some run', async (preset) => {
  const environments = files.flatMap(({ config }) => config.split(`preset/${preset}/env/`)[1] ?? []);
  const users = files.filter(({ config, text }) => primary.includes(config) && text.includes(`preset: ${preset}\n`));
  const runs = [
    ...algorithmNames().map((name) => ['archer_20q', `preset=${preset}`, `algorithm=${name}`]),
    ...environments.map((env) => ['archer_20q', `preset=${preset}`, `env=${env}`]),
    ['ppo_cookingworld', `preset=${preset}`],
    ...users.map(({ config }) => [config]),
  ] as [string, ...string[]][];
  const unread = new Map<string, boolean>();
  for (const words of runs) {
    const raw = unprepared(...words);
    const options = leaves(raw.config).flatMap((path) => {
      const [, file] = /\/((?:configs|experiments\/[^/]+)\/preset\/.*)/.exec(raw.origin(path)[0]?.source ?? '') ?? [];
      // An option of another preset comes from a config's defaults.
      return file?.includes(`/preset/${preset}`) ? [{ path, option: `${file}: ${path}` }] : [];
    });
    // A run is prepared only where it may read an option that no run before it has read.
    if (options.every(({ option }) => unread.get(option) === false)) continue;
    const read = await composed(...words);
    for (const { path, option } of options) unread.set(option, (unread.get(option) ?? true) && !has(read, path));
  }
  expect(unread.size).toBeGreaterThan(0);
  expect([...unread].flatMap(([option, isUnread]) => (isUnread ? [option] : []))).toEqual([]);
});

/** The messages of tasks that need a model or files, which must be the only problems. */
const asksFor: Readonly<Record<string, RegExp>> = {
  convert: /^task=convert needs [^\n]*\n[^\n]*\n[^\n]*$/,
  export:
    /^task=export needs a model, a format and a folder to write: task.model, task.format, task.output are null\n[^\n]*\n[^\n]*$/,
  eval_agentgym: /^task=evaluate needs an agent to play: policy.checkpoint is null\n[^\n]*\n[^\n]*$/,
  report: /^task=report needs the folders of runs: dirs is empty\n[^\n]*\n[^\n]*$/,
  canary: /^task=canary needs the record of a server: task.record is null\n[^\n]*\n[^\n]*$/,
  compare: /^task=compare needs two folders: task.dirs has 0\n[^\n]*\n[^\n]*$/,
  figures: /^task=figures needs the folders of runs: dirs is empty\n[^\n]*\n[^\n]*$/,
  reverify: /^task=reverify needs stored episodes: task.input is null\n[^\n]*\n[^\n]*$/,
  wandb_agent: /^task=wandb_agent needs a sweep: task.sweep is null\n[^\n]*\n[^\n]*$/,
  wandb_sync: /^task=wandb_sync needs runs to send: task.dir is null\n[^\n]*\n[^\n]*$/,
  finetune: /^task=finetune needs a model and data: task.model, task.data are null\n[^\n]*\n[^\n]*$/,
  start_model: /^task=start_model needs dialogues to learn from: task.data is null\n[^\n]*\n[^\n]*$/,
  generate:
    /^task=generate needs a model, a file to read and a file to write: task.model, task.input, task.output are null\n[^\n]*\n[^\n]*$/,
  replay:
    /^task=replay needs the actions to play and a file to write: task.input, task.output are null\n[^\n]*\n[^\n]*$/,
  score:
    /^task=score needs a model, a file to read and a file to write: task.model, task.input, task.output are null\n[^\n]*\n[^\n]*$/,
  train_agent: /^an agent needs task.agent, which is null\n/,
  evaluate_agent: /^an agent needs task.agent, which is null\n/,
  optimize_prompt: /^an agent needs task.agent, which is null\n/,
  record_agent:
    /^task=record_agent needs a model, an endpoint or a recording: task.model, task.upstream and task.replay are null\n[^\n]*\n[^\n]*$/,
  serve_tinker: /^task=serve_tinker needs a model: task.model is null\n[^\n]*\n[^\n]*$/,
  serve_model: /^task=serve_model needs a model: task.model is null\n[^\n]*\n[^\n]*$/,
};

test.each(primary)('%s is valid as it is, but for what it must be given', async (name) => {
  const said = await refusal(name, ...(needed[name] ?? []));
  if (asksFor[name] === undefined) expect(said).toBeNull();
  else expect(said).toMatch(asksFor[name]);
});

const algorithms = ['archer', 'chai', 'online_filteredbc', 'bc'];
const words = algorithms.map((name) => [name, name === 'bc' ? 'bc_20q' : `${name}_20q`]);

test.each(words)(
  'algorithm=%s on another config, ArCHer’s agent_type and %s are the same run',
  async (name, config) => {
    const { project_name: _, run_name: __, ...own } = (await composed(config)).resolve();
    for (const key of ['algorithm', 'agent_type']) {
      const {
        project_name: ___,
        run_name: ____,
        ...chosen
      } = (await composed('archer_20q', `${key}=${name}`)).resolve();
      expect(chosen).toEqual(own);
    }
  },
);
