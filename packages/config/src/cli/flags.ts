// The flags of the command line. Flags and overrides may stand in any order; `--` ends the flags.
import { ConfigError } from '../config-error.js';
import { nearest } from '../nearest.js';

export const cfgChoices = ['job', 'hydra', 'all'] as const;
export const infoChoices = ['all', 'config', 'defaults', 'defaults-tree', 'plugins', 'searchpath', 'origin'] as const;

export interface Flags {
  help: boolean;
  hydraHelp: boolean;
  version: boolean;
  cfg?: (typeof cfgChoices)[number];
  resolve: boolean;
  package?: string;
  run: boolean;
  multirun: boolean;
  dryRun: boolean;
  shellCompletion: boolean;
  configPath?: string;
  configName?: string;
  configDir?: string;
  info?: (typeof infoChoices)[number];
  overrides: string[];
}

interface Flag {
  readonly names: readonly string[];
  /** The key in `Flags` that it sets. */
  readonly key: Exclude<keyof Flags, 'overrides'>;
  /** What its value is called; flags without it take none. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The value where none is given. */
  readonly fallback?: string;
  readonly help: string;
}

export const flagTable: readonly Flag[] = [
  { names: ['--help', '-h'], key: 'help', help: 'show the groups, their options and the composed config' },
  { names: ['--hydra-help'], key: 'hydraHelp', help: 'show these flags and the groups of settings' },
  { names: ['--version'], key: 'version', help: 'show the version' },
  { names: ['--cfg', '-c'], key: 'cfg', value: 'PART', choices: cfgChoices, help: 'print the config instead of running: job, hydra or all' },
  { names: ['--resolve'], key: 'resolve', help: 'with --cfg or --help: resolve interpolations first' },
  { names: ['--package', '-p'], key: 'package', value: 'KEY', help: 'with --cfg: print only this node' },
  { names: ['--run', '-r'], key: 'run', help: 'run one job (the default)' },
  { names: ['--multirun', '-m'], key: 'multirun', help: 'run one job for each combination of swept values' },
  { names: ['--dry-run'], key: 'dryRun', help: 'with --multirun: list and check the jobs, run none' },
  { names: ['--shell-completion', '-sc'], key: 'shellCompletion', help: 'install=SHELL, uninstall=SHELL or query=SHELL (bash, zsh, fish)' },
  { names: ['--config-path', '-cp'], key: 'configPath', value: 'DIR', help: 'take configs from here instead of the program’s own folder' },
  { names: ['--config-name', '-cn'], key: 'configName', value: 'NAME', help: 'the primary config' },
  { names: ['--config-dir', '-cd'], key: 'configDir', value: 'DIR', help: 'a further folder of configs' },
  { names: ['--info', '-i'], key: 'info', value: 'TOPIC', choices: infoChoices, fallback: 'all', help: 'about the composition: all, config, defaults, defaults-tree, plugins, searchpath, or origin KEY' },
];

/** @throws {ConfigError} of kind 'usage' */
export function parseFlags(argv: readonly string[]): Flags {
  const flags: Flags = { help: false, hydraHelp: false, version: false, resolve: false, run: false, multirun: false, dryRun: false, shellCompletion: false, overrides: [] }; // prettier-ignore
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === '--') {
      flags.overrides.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-' || /^-\d/.test(word) || word.includes(' ')) {
      flags.overrides.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const flag = findFlag(name);
    let given = equals < 0 ? undefined : word.slice(equals + 1);
    if (!flag.value) {
      if (given !== undefined) throw usage(`${name} takes no value`, `leave out '=${given}'`);
      (flags as unknown as Record<string, boolean>)[flag.key] = true;
      if (flag.key === 'version') return flags;
      continue;
    }
    const next = argv[index + 1];
    if (given === undefined && next !== undefined && !(next.startsWith('-') && next !== '-')) {
      given = next;
      index++;
    }
    given ??= flag.fallback;
    if (given === undefined) throw usage(`${name} needs a value`, `write ${name} ${flag.value}`);
    if (flag.choices && !flag.choices.includes(given)) throw usage(`${name} cannot be '${given}'`, `choose from ${flag.choices.join(', ')}`);
    (flags as unknown as Record<string, string>)[flag.key] = given;
  }
  return flags;
}

function findFlag(name: string): Flag {
  const exact = flagTable.find(({ names }) => names.includes(name));
  if (exact) return exact;
  const begun = name.startsWith('--') ? flagTable.filter(({ names }) => names.some((known) => known.startsWith(name))) : [];
  if (begun.length === 1) return begun[0]!;
  if (begun.length > 1) throw usage(`'${name}' could be ${begun.map(({ names }) => names[0]).join(' or ')}`, 'write the flag out');
  const near = nearest(name, flagTable.flatMap(({ names }) => names));
  throw usage(`no flag is named '${name}'`, near ? `did you mean '${near}'?` : `--hydra-help lists the flags; put overrides that begin with '-' after '--'`);
}

function usage(summary: string, remedy: string): ConfigError {
  return new ConfigError('usage', summary, [remedy]);
}

/** One line for `usage:`. */
export function usageLine(program: string): string {
  const parts = flagTable.map(({ names, value, fallback }) => `[${names[0]}${value ? (fallback ? ` [${value}]` : ` ${value}`) : ''}]`);
  return `usage: ${program} ${parts.join(' ')} [key=value …]`;
}

/** The flags with their meanings, one a line. */
export function flagsHelp(): string {
  const rows = flagTable.map(({ names, value, help }) => [names.join(', ') + (value ? ` ${value}` : ''), help] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [...rows.map(([name, help]) => `${name.padEnd(width)}  ${help}`), `${'key=value'.padEnd(width)}  override any value of the config`].join('\n');
}
