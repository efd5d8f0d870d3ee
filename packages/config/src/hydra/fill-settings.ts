// What the settings under `hydra` know only once a config is composed: the overrides, the choices, where configs came from, and the
// job's name.
import type { ComposeOptions } from '../compose.js';
import { ConfigError } from '../config-error.js';
import type { Choices } from '../defaults/choices.js';
import { MapNode, ScalarNode, fromPlain, isMissing, type ConfigNode, type PlainValue } from '../node.js';
import { isHydraOverride, type Override } from '../overrides/value.js';
import { nodeStr } from '../python-text.js';
import type { Repository } from '../sources/repository.js';

/** The version of Hydra whose behaviour this is, as `hydra.runtime.version` tells it. */
export const hydraVersion = '1.3.5';

/** @param full the composed config; its `hydra` node is changed */
export function fillHydra(
  full: MapNode,
  overrides: readonly Override[],
  choices: Choices,
  repository: Repository,
  options: ComposeOptions & { env: Readonly<Record<string, string | undefined>> },
): void {
  // prettier-ignore
  const origin = { source: 'the program' };
  const hydra = full.get('hydra') as MapNode;
  const at = (...keys: string[]) =>
    keys.reduce<ConfigNode | undefined>((node, key) => (node?.kind === 'map' ? node.get(key) : undefined), hydra);
  const set = (map: ConfigNode | undefined, key: string, value: PlainValue) => {
    if (map?.kind === 'map') map.set(key, fromPlain(value, origin));
  };
  const append = (list: ConfigNode | undefined, override: Override) => {
    if (list?.kind !== 'list')
      throw new ConfigError(
        'type',
        'hydra.overrides is kept by the program and must be lists',
        [`remove what sets it: '${list ? nodeStr(list) : 'nothing'}'`],
        { keyPath: 'hydra.overrides' },
      );
    list.items.push(new ScalarNode(override.text, { source: `command line: ${override.text}` }));
  };
  const tasks = overrides.filter((override) => !isHydraOverride(override));
  for (const override of overrides) append(at('overrides', isHydraOverride(override) ? 'hydra' : 'task'), override);
  const runtime = at('runtime');
  for (const [key, value] of choices.known) set(at('runtime', 'choices'), key, value);
  const job = at('job');
  for (const [path, kind] of [
    ['job', 'map'],
    ['job.env_copy', 'list'],
    ['runtime', 'map'],
    ['runtime.choices', 'map'],
    ['overrides', 'map'],
  ] as const) {
    const node = at(...path.split('.'));
    if (node?.kind !== kind)
      throw new ConfigError(
        'type',
        `'hydra.${path}' must be a ${kind === 'map' ? 'dict' : 'list'} that is written out, not ${node ? nodeStr(node) : 'absent'}`,
        [],
        { keyPath: `hydra.${path}` },
      );
  }
  for (const name of textItems(at('job', 'env_copy'))) {
    const value = options.env[name];
    if (value === undefined)
      throw new ConfigError(
        'composition',
        `hydra.job.env_copy names environment variable '${name}', which is not set`,
        [`set it, or take it from the list`],
        { keyPath: 'hydra.job.env_copy' },
      );
    set(at('job', 'env_set'), name, value);
  }
  set(runtime, 'version', hydraVersion);
  set(runtime, 'version_base', '1.3');
  set(runtime, 'cwd', options.cwd ?? process.cwd());
  const sources = repository.sources.map(({ path, scheme, provider }) => ({ path, schema: scheme, provider }));
  set(runtime, 'config_sources', sources);
  const name = at('job', 'name');
  if (job && (!name || isMissing(name))) set(job, 'name', options.jobName ?? 'app');
  set(job, 'override_dirname', overrideDirname(tasks, at('job', 'config', 'override_dirname')));
  set(job, 'config_name', options.configName);
}

const textItems = (node: ConfigNode | undefined): string[] =>
  node?.kind === 'list'
    ? node.items.flatMap((item) => (item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : []))
    : [];

/** The task overrides as one name: sorted, joined, without excluded keys. */
function overrideDirname(tasks: readonly Override[], settings: ConfigNode | undefined): string {
  const setting = (key: string, fallback: string) => {
    const node = settings?.kind === 'map' ? settings.get(key) : undefined;
    if (node && isMissing(node))
      throw new ConfigError('composition', `hydra.job.config.override_dirname.${key} must be given (it is ???)`, [], {
        keyPath: `hydra.job.config.override_dirname.${key}`,
      });
    return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : fallback;
  };
  const excluded = textItems(settings?.kind === 'map' ? settings.get('exclude_keys') : undefined);
  const texts = tasks.filter(({ key }) => !excluded.includes(key)).map(({ text }) => text);
  const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return texts
    .sort(byCodePoint)
    .join(setting('item_sep', ','))
    .replaceAll('=', () => setting('kv_sep', '='));
}
