// Defines the flags of the command line. They may be anywhere among the overrides; after `--` every argument is an override.
// Source: Hydra's documentation ("Command line flags"), version 1.3; overrides after a flag are accepted as in Hydra's next
// version.
import { basename, dirname, isAbsolute } from 'node:path';
import { ConfigError } from '../config-error.js';
import { nearest } from '../nearest.js';

interface FlagForm {
  readonly name: string;
  readonly short?: string;
  /** The placeholder for the flag's value in the usage line; a flag without it takes no value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly optional?: boolean;
  readonly meaning: string;
}

const cfgTypes = ['job', 'hydra', 'all'] as const;
const infoTopics = ['all', 'config', 'defaults', 'defaults-tree', 'plugins', 'searchpath', 'origin'] as const;

export const flagForms: readonly FlagForm[] = [
  {
    name: '--help',
    short: '-h',
    meaning: 'help of the program: usage, its options, groups and configs; "--help NODE" lists the options of a node',
  },
  { name: '--hydra-help', meaning: 'help of the command line itself: flags and the groups of hydra settings' },
  { name: '--version', meaning: 'print the version' },
  {
    name: '--cfg',
    short: '-c',
    value: 'TYPE',
    choices: cfgTypes,
    meaning: 'print the config instead of running: job, hydra or all',
  },
  { name: '--resolve', meaning: 'with --cfg or --help: print interpolations resolved' },
  { name: '--package', short: '-p', value: 'KEY', meaning: 'with --cfg: print only this part' },
  { name: '--run', short: '-r', meaning: 'run one job (the default)' },
  { name: '--multirun', short: '-m', meaning: 'run one job for each combination of the values given (a sweep)' },
  { name: '--dry-run', meaning: 'check the config (of a sweep: of each job), say what would run, and run nothing' },
  {
    name: '--shell-completion',
    short: '-sc',
    meaning: 'install=SHELL, uninstall=SHELL or query=SHELL; SHELL is bash, zsh or fish',
  },
  { name: '--config-path', short: '-cp', value: 'DIR', meaning: 'use this config folder instead of the program’s' },
  { name: '--config-name', short: '-cn', value: 'NAME', meaning: 'use this primary config' },
  { name: '--config-dir', short: '-cd', value: 'DIR', meaning: 'search this config folder too' },
  {
    name: '--experimental-rerun',
    value: 'FILE',
    meaning: 'run the job again whose .hydra folder (or a file in it) this is',
  },
  {
    name: '--info',
    short: '-i',
    value: 'TOPIC',
    choices: infoTopics,
    optional: true,
    meaning: 'show how the config was composed; "origin KEY" shows it for one value',
  },
];

export interface CommandArguments {
  help: boolean;
  /** The path of the node or option that `--help KEY` explains. */
  helpKey?: string;
  hydraHelp: boolean;
  version: boolean;
  cfg?: (typeof cfgTypes)[number];
  resolve: boolean;
  package?: string;
  run: boolean;
  multirun: boolean;
  dryRun: boolean;
  completion: boolean;
  configPath?: string;
  configName?: string;
  configDirs: string[];
  rerun?: string;
  info?: (typeof infoTopics)[number];
  /** The key whose origin `--info origin KEY` prints. */
  originKey?: string;
  overrides: string[];
}

/** Divides the words of a command line into flags with values, and overrides. @throws {ConfigError} of kind 'usage' */
export function parseArguments(argv: readonly string[]): CommandArguments {
  const out: CommandArguments = {
    help: false,
    hydraHelp: false,
    version: false,
    resolve: false,
    run: false,
    multirun: false,
    dryRun: false,
    completion: false,
    configDirs: [],
    overrides: [],
  };
  const rest = [...argv];
  while (rest.length > 0) {
    const text = rest.shift()!;
    if (text === '--') {
      out.overrides.push(...rest);
      break;
    }
    if (!text.startsWith('-') || text === '-') out.overrides.push(text);
    else setFlag(out, text, rest);
  }
  return out;
}

function setFlag(out: CommandArguments, text: string, rest: string[]): void {
  const { form, attached } = findFlag(text);
  if (form.value === undefined && attached !== undefined)
    throw usageError(`${form.name} takes no value, but got '${attached}'`);
  const value = form.value === undefined ? undefined : takeValue(form, attached, rest);
  switch (form.name) {
    case '--help':
      out.help = true;
      // The word after `--help` is the key to explain if it contains no '='; otherwise it is an override.
      if (/^[a-z][\w.]*$/.test(rest[0] ?? '')) out.helpKey = rest.shift();
      break;
    case '--hydra-help':
      out.hydraHelp = true;
      break;
    case '--version':
      out.version = true;
      break;
    case '--cfg':
      out.cfg = value as CommandArguments['cfg'];
      break;
    case '--resolve':
      out.resolve = true;
      break;
    case '--package':
      out.package = value;
      break;
    case '--run':
      out.run = true;
      break;
    case '--multirun':
      out.multirun = true;
      break;
    case '--dry-run':
      out.dryRun = true;
      break;
    case '--shell-completion':
      out.completion = true;
      break;
    case '--config-path':
      out.configPath = value;
      break;
    case '--config-name':
      out.configName = configName(value!);
      break;
    case '--config-dir':
      out.configDirs.push(value!);
      break;
    case '--experimental-rerun':
      out.rerun = value;
      break;
    default:
      out.info = value as CommandArguments['info'];
      if (out.info === 'origin') out.originKey = takeOriginKey(rest);
  }
}

function configName(name: string): string {
  if (!isAbsolute(name)) return name;
  const file = `--config-dir ${dirname(name)} --config-name ${basename(name, '.yaml')}`;
  throw usageError(`--config-name takes a config's name, not the path '${name}'; write ${file}`);
}

/** Finds the flag for a word: `--name`, `--name=value`, an unambiguous abbreviation of a long name, `-x`, `-xvalue`. */
function findFlag(text: string): { form: FlagForm; attached?: string } {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const attached = equals < 0 ? undefined : text.slice(equals + 1);
  const exact = flagForms.find((form) => form.name === name || form.short === name);
  if (exact) return { form: exact, attached };
  if (name.startsWith('--')) {
    const begun = flagForms.filter((form) => form.name.startsWith(name));
    if (begun.length === 1) return { form: begun[0]!, attached };
    if (begun.length > 1)
      throw usageError(`ambiguous flag ${name}: it could be ${begun.map((form) => form.name).join(', ')}`);
  } else {
    const glued = flagForms.find(
      (form) => form.value !== undefined && form.short?.length === 2 && text.startsWith(form.short),
    );
    if (glued) return { form: glued, attached: text.slice(2) };
  }
  throw unknownFlag(text, name);
}

/** Returns whether a word of the command line is a flag, or the beginning of one. */
export const isFlag = (text: string): boolean =>
  flagForms.some(({ name, short }) => name.startsWith(text) || short === text);

function unknownFlag(text: string, name: string): ConfigError {
  const bare = text.replace(/^-+/, '');
  const near = nearest(
    name,
    flagForms.flatMap((form) => [form.name, ...(form.short ? [form.short] : [])]),
  );
  const hints = near ? [`did you mean ${near}?`] : [];
  if (text.includes('=')) hints.push(`a setting is changed without dashes: ${bare}`);
  return usageError(`unknown flag ${name}`, ...hints);
}

function takeValue(form: FlagForm, attached: string | undefined, rest: string[]): string {
  const { name, choices, optional } = form;
  // The value of `--info` may be omitted: in `--info seed=3`, the word after the flag is an override and not the flag's value.
  const next = rest[0];
  const isNextValue = next !== undefined && !next.startsWith('-') && !(optional && /[=~+]/.test(next));
  if (attached === undefined && !isNextValue) {
    if (optional) return choices![0]!;
    throw usageError(`${name} needs a value${choices ? ` (${choices.join(', ')})` : `: ${name} ${form.value}`}`);
  }
  const value = attached ?? rest.shift()!;
  if (choices && !choices.includes(value)) {
    const near = nearest(value, choices);
    throw usageError(
      `${name}: invalid choice '${value}' (choose from ${choices.join(', ')})`,
      ...(near ? [`did you mean ${near}?`] : []),
    );
  }
  return value;
}

function takeOriginKey(rest: string[]): string {
  const key = rest.shift();
  if (key === undefined || key.startsWith('-'))
    throw usageError('--info origin needs a key', 'for example --info origin hydra.run.dir');
  return key;
}

const usageError = (summary: string, ...details: string[]) => new ConfigError('usage', summary, details);

/** Writes the usage lines that are printed after an invalid call. */
export function usageText(command: string): string {
  const words = flagForms.map(({ name, value, choices, optional }) => {
    if (value === undefined) return `[${name}]`;
    const what = choices ? `{${choices.join(',')}}` : value;
    return optional ? `[${name} [${what}]]` : `[${name} ${what}]`;
  });
  const lines: string[] = [];
  let line = `usage: ${command}`;
  for (const word of [...words, '[override ...]']) {
    if (line.length + word.length + 1 > 100) {
      lines.push(line);
      line = ' '.repeat(8);
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((text) => `${text}\n`).join('');
}

export const briefUsage = (command: string): string =>
  `usage: ${command} [--config-name NAME] [KEY=VALUE ...] [GROUP=OPTION ...] [FLAG ...]\n`;

export function flagsHelp(): string {
  const left = flagForms.map(
    ({ name, short, value }) => `${short ? `${short}, ` : '    '}${name}${value ? ` ${value}` : ''}`,
  );
  const width = left.reduce((most, text) => Math.max(most, text.length), 0) + 2;
  return [...flagForms.entries()].map(([index, { meaning }]) => left[index]!.padEnd(width) + meaning).join('\n');
}
