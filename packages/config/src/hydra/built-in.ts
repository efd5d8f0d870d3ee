// Defines the built-in settings under `hydra`: their defaults, and the options of their groups (hydra/job_logging,
// hydra/launcher, …). Values that programs read are those of Hydra 1.3; the help texts are our own.
import { MapNode, fromPlain, type ConfigNode, type PlainObject } from '../node.js';

interface BuiltIn {
  /** The package of the config, which a file would set in its `# @package` header. */
  readonly package?: string;
  readonly defaults?: PlainObject[];
  readonly body: PlainObject;
}

const origin = { source: 'built-in hydra settings' };

const consoleHandler = { class: 'logging.StreamHandler', formatter: 'simple', stream: 'ext://sys.stdout' };

const helpTemplate = `\${hydra.help.header}
$USAGE
== Config ==
Set any of these values (key.path=value)

$CONFIG
== Configuration groups ==
Choose one option of each (group=option)

$APP_CONFIG_GROUPS
== Primary configs ==
Choose one (--config-name NAME)

$PRIMARY_CONFIGS
\${hydra.help.footer}`;

const hydraHelpTemplate = `Settings of the command line itself

== Flags ==
$FLAGS_HELP

== Groups ==
Choose one option of each (for example hydra/job_logging=disabled)

$HYDRA_CONFIG_GROUPS

'--cfg hydra' prints all settings.
`;

const configs: Record<string, BuiltIn> = {
  'hydra/config': {
    defaults: [
      { output: 'default' },
      { launcher: 'basic' },
      { sweeper: 'basic' },
      { help: 'default' },
      { hydra_help: 'default' },
      { hydra_logging: 'default' },
      { job_logging: 'default' },
      { callbacks: null },
      { env: 'default' },
    ],
    body: {
      mode: null,
      searchpath: [],
      run: { dir: '???' },
      sweep: { dir: '???', subdir: '???' },
      hydra_logging: '???',
      job_logging: '???',
      sweeper: '???',
      launcher: '???',
      callbacks: {},
      help: { app_name: '???', header: '???', footer: '???', template: '???' },
      hydra_help: { hydra_help: '???', template: '???' },
      output_subdir: '.hydra',
      overrides: { hydra: [], task: [] },
      job: {
        name: '???',
        chdir: null,
        override_dirname: '???',
        id: '???',
        num: '???',
        config_name: '???',
        env_set: {},
        env_copy: [],
        config: { override_dirname: { kv_sep: '=', item_sep: ',', exclude_keys: [] } },
      },
      runtime: {
        version: '???',
        version_base: '???',
        cwd: '???',
        config_sources: '???',
        output_dir: '???',
        choices: {},
      },
      verbose: false,
    },
  },
  'hydra/output/default': {
    package: 'hydra',
    body: {
      run: { dir: 'outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}' },
      sweep: { dir: 'multirun/${now:%Y-%m-%d}/${now:%H-%M-%S}', subdir: '${hydra.job.num}' },
    },
  },
  'hydra/launcher/basic': { body: { _target_: 'hydra._internal.core_plugins.basic_launcher.BasicLauncher' } },
  'hydra/sweeper/basic': {
    body: { _target_: 'hydra._internal.core_plugins.basic_sweeper.BasicSweeper', max_batch_size: null, params: null },
  },
  'hydra/help/default': {
    body: {
      app_name: '${hydra.job.name}',
      header: '${hydra.help.app_name}: a program with composed configuration\n',
      footer: 'Flags and settings of the command line: --hydra-help\n',
      template: helpTemplate,
    },
  },
  'hydra/hydra_help/default': { body: { template: hydraHelpTemplate } },
  'hydra/hydra_logging/default': {
    body: {
      version: 1,
      formatters: { simple: { format: '[%(asctime)s][HYDRA] %(message)s' } },
      handlers: { console: consoleHandler },
      root: { level: 'INFO', handlers: ['console'] },
      loggers: { logging_example: { level: 'DEBUG' } },
      disable_existing_loggers: false,
    },
  },
  'hydra/hydra_logging/disabled': {
    body: { version: 1, root: { level: 'ERROR' }, disable_existing_loggers: true },
  },
  'hydra/hydra_logging/hydra_debug': {
    body: {
      version: 1,
      formatters: { simple: { format: '[%(asctime)s][HYDRA] %(message)s' } },
      handlers: { console: consoleHandler },
      root: { level: 'DEBUG', handlers: ['console'] },
      disable_existing_loggers: false,
    },
  },
  'hydra/hydra_logging/none': { body: { version: 1, root: null, disable_existing_loggers: false } },
  'hydra/job_logging/default': {
    body: {
      version: 1,
      formatters: { simple: { format: '[%(asctime)s][%(name)s][%(levelname)s] - %(message)s' } },
      handlers: {
        console: consoleHandler,
        file: {
          class: 'logging.FileHandler',
          formatter: 'simple',
          filename: '${hydra.runtime.output_dir}/${hydra.job.name}.log',
        },
      },
      root: { level: 'INFO', handlers: ['console', 'file'] },
      disable_existing_loggers: false,
    },
  },
  'hydra/job_logging/disabled': { body: { version: 1, root: { level: 'ERROR' }, disable_existing_loggers: true } },
  'hydra/job_logging/none': { body: { version: 1, root: null, disable_existing_loggers: false } },
  'hydra/job_logging/stdout': {
    body: {
      version: 1,
      formatters: { simple: { format: '%(message)s' } },
      handlers: { console: consoleHandler },
      root: { level: 'INFO', handlers: ['console'] },
      disable_existing_loggers: false,
    },
  },
  'hydra/env/default': { body: {} },
};

const nodes = new Map<string, { package?: string; body: MapNode; defaults?: ConfigNode }>();

/** Returns a built-in config by its path. All calls return the same nodes, so copy them before changing anything. */
export function builtInConfig(path: string): { package?: string; body: MapNode; defaults?: ConfigNode } | undefined {
  const known = nodes.get(path);
  if (known || !Object.hasOwn(configs, path)) return known;
  const { package: target, body, defaults } = configs[path]!;
  const loaded = {
    package: target,
    body: fromPlain(body, origin) as MapNode,
    defaults: defaults && fromPlain(defaults, origin),
  };
  nodes.set(path, loaded);
  return loaded;
}

export function isBuiltInGroup(group: string): boolean {
  return group === '' || Object.keys(configs).some((path) => path.startsWith(`${group}/`));
}

export function builtInOptions(group: string): string[] {
  const prefix = `${group}/`;
  return Object.keys(configs)
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
    .map((path) => path.slice(prefix.length));
}

export function builtInGroups(parent: string): string[] {
  const prefix = parent === '' ? '' : `${parent}/`;
  const inside = Object.keys(configs).filter(
    (path) => path.startsWith(prefix) && path.slice(prefix.length).includes('/'),
  );
  return [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0]!))];
}
