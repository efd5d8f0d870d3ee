// Fills in the settings under `hydra` that are known only after composing.
import type { ComposeOptions } from './compose-options.js';
import { ConfigError } from './config-error.js';
import type { Choices } from './defaults/choices.js';
import { Resolution } from './interpolation/resolve.js';
import { rootFrame } from './key-path.js';
import { MapNode, ScalarNode, fromPlain, isMissing, type ConfigNode, type ListNode, type PlainValue } from './node.js';
import { isHydraOverride, type Override } from './overrides/value.js';
import { nodeStr } from './python-text.js';
import type { Repository } from './sources/repository.js';

/** The version of Hydra whose behaviour is reproduced, for `hydra.runtime.version`. */
const hydraVersion = '1.3.5';

type Env = Readonly<Record<string, string | undefined>>;

interface ComposedFrom {
  readonly overrides: readonly Override[];
  readonly choices: Choices;
  readonly repository: Repository;
  readonly options: ComposeOptions & { readonly env: Env };
}

/** `full`: the composed config, whose `hydra` node is changed. */
export function fillHydra(full: MapNode, { overrides, choices, repository, options }: ComposedFrom): void {
  const settings = new Settings(full);
  for (const override of overrides) {
    const list = settings.list(isHydraOverride(override) ? 'overrides.hydra' : 'overrides.task');
    list.items.push(new ScalarNode(override.text, { source: `command line: ${override.text}` }));
  }
  for (const [key, value] of choices.known) settings.set('runtime.choices', key, value);
  copyEnvironment(settings, options.env);
  settings.set('runtime', 'version', hydraVersion);
  settings.set('runtime', 'version_base', '1.3');
  settings.set('runtime', 'cwd', options.cwd ?? process.cwd());
  const sources = repository.sources.map(({ path, scheme, provider }) => ({ path, schema: scheme, provider }));
  settings.set('runtime', 'config_sources', sources);
  const name = settings.map('job').get('name');
  if (!name || isMissing(name)) settings.set('job', 'name', options.jobName ?? 'app');
  settings.set('job', 'override_dirname', overrideDirname(overrides, settings, options.env));
  settings.set('job', 'config_name', options.configName);
}

/** Gives access to the `hydra` node by dotted paths. Throws if a user's config has replaced a dict or list by another type. */
class Settings {
  constructor(readonly full: MapNode) {}

  private find(path: string): ConfigNode | undefined {
    let node = this.full.get('hydra');
    for (const key of path.split('.')) node = node?.kind === 'map' ? node.get(key) : undefined;
    return node;
  }

  map(path: string): MapNode {
    const node = this.find(path);
    return node?.kind === 'map' ? node : this.refuse(path, 'dict', node);
  }

  list(path: string): ListNode {
    const node = this.find(path);
    return node?.kind === 'list' ? node : this.refuse(path, 'list', node);
  }

  private refuse(path: string, kind: string, node: ConfigNode | undefined): never {
    const summary = `'hydra.${path}' must be a ${kind} that is written out, not ${node ? nodeStr(node) : 'absent'}`;
    throw new ConfigError('type', summary, ['remove what sets it'], { keyPath: `hydra.${path}` });
  }

  set(path: string, key: string, value: PlainValue): void {
    this.map(path).set(key, fromPlain(value, { source: 'the program' }));
  }
}

function copyEnvironment(settings: Settings, env: Env): void {
  for (const name of texts(settings.list('job.env_copy'))) {
    const value = env[name];
    if (value === undefined) {
      const summary = `hydra.job.env_copy names environment variable '${name}', which is not set`;
      throw new ConfigError('composition', summary, ['set it, or take it from the list'], {
        keyPath: 'hydra.job.env_copy',
      });
    }
    settings.set('job.env_set', name, value);
  }
}

const texts = ({ items }: ListNode): string[] =>
  items.flatMap((item) => (item.kind === 'scalar' && typeof item.value === 'string' ? [item.value] : []));

/** Joins the overrides of the job to a name for its folder: sorted, without the keys that the config excludes. */
function overrideDirname(overrides: readonly Override[], settings: Settings, env: Env): string {
  const resolution = new Resolution({ env, now: new Date(0) });
  const setting = (key: string): string => {
    const keyPath = `hydra.job.config.override_dirname.${key}`;
    const found = resolution.select(rootFrame(settings.full), keyPath);
    if (found && !isMissing(found.node)) return nodeStr(found.node);
    throw new ConfigError('composition', `${keyPath} must be given (it is ???)`, [`write '${keyPath}=…'`], { keyPath });
  };
  const excluded = texts(settings.list('job.config.override_dirname.exclude_keys'));
  const tasks = overrides.filter((override) => !isHydraOverride(override) && !excluded.includes(override.key));
  const byCodePoint = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const sorted = tasks.map(({ text }) => text).sort(byCodePoint);
  return sorted.join(setting('item_sep')).replaceAll('=', () => setting('kv_sep'));
}
