// Reads a config file: checks that its text is UTF-8, then reads its `# @package` header and its YAML.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../config-error.js';
import { checkInterpolations } from '../interpolation/check.js';
import { ListNode, MapNode, ScalarNode, type ConfigNode } from '../node.js';
import { readYaml } from '../yaml/read.js';
import { YamlError } from '../yaml/yaml-error.js';

/** The largest config file; a larger file is probably data in the wrong folder. */
const maximumFileSize = 5 * 1024 * 1024;

interface ConfigFile {
  readonly package?: string;
  readonly body: MapNode | ListNode;
}

/** Caches parsed configs by file, since a process composes a config several times, and does not change the parsed nodes. */
const known = new Map<string, { text: string; config: ConfigFile }>();

/** Messages and origins contain the path `file` unchanged. */
export function readConfigFile(file: string): ConfigFile {
  const text = readText(file);
  const before = known.get(file);
  if (before?.text === text) return before.config;
  const body = asContainer(parse(text, file), file);
  checkInterpolations(body, '');
  const config = { package: packageHeader(text, file), body };
  known.set(file, { text, config });
  return config;
}

function readText(file: string): string {
  const fail = (what: string, remedy: string, cause?: unknown): never => {
    throw new ConfigError('file', what, [`file ${file}`, remedy], { file, cause });
  };
  let bytes: Buffer;
  try {
    const stats = statSync(file);
    if (stats.isDirectory())
      fail('A folder has the name of a config file', 'rename the folder: only files end in .yaml');
    if (stats.size > maximumFileSize)
      fail(
        `A config file of ${(stats.size / 1024 / 1024).toFixed(1)} MiB is too large; at most ${maximumFileSize / 1024 / 1024} MiB are read`,
        'move data to a file of its own and name that file in the config',
      );
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    return fail(
      `A config file cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
      'check its permissions',
      error,
    );
  }
  if (!isUtf8(bytes)) fail(`A config file is not UTF-8: byte ${firstBadByte(bytes)} does not fit`, 'save it as UTF-8');
  return bytes.toString('utf8');
}

/** Finds the index of the first byte that is not UTF-8, counted from 1. */
function firstBadByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    // The middle may be inside a character of several bytes; then one to three more bytes complete the character.
    const fits = [0, 1, 2, 3].some((more) => isUtf8(bytes.subarray(0, middle + more)));
    if (fits) good = middle;
    else bad = middle;
  }
  return good + 1;
}

function parse(text: string, file: string): ConfigNode | undefined {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { message, line, column, remedy } = error;
    throw new ConfigError(
      'yaml',
      `Cannot read YAML: ${message}`,
      [`in ${file}:${line}:${column}`, ...(remedy ? [remedy] : [])],
      { file, line, column },
    );
  }
}

// An empty file is an empty config, and a single word is a config with that key; other single values are errors.
function asContainer(node: ConfigNode | undefined, file: string): MapNode | ListNode {
  if (node === undefined) return new MapNode({ source: file, line: 1, column: 1 });
  if (node.kind !== 'scalar') return node;
  const map = new MapNode(node.origin);
  if (node.value === null) return map;
  if (typeof node.value === 'string') {
    map.set(node.value, new ScalarNode(null, node.origin));
    return map;
  }
  const { line, column } = node.origin;
  throw new ConfigError(
    'yaml',
    'A config must contain keys and values, not a single value',
    [`in ${file}:${line}:${column}`, `write 'key: value'`],
    { file, line, column },
  );
}

/** Returns the value of the last `# @package NAME` in the leading `# @key value` lines. */
function packageHeader(text: string, file: string): string | undefined {
  if (!/^[\s]*#\s*@/.test(text)) return undefined;
  let found: string | undefined;
  for (const [index, line] of text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).entries()) {
    if (/^\s*$/.test(line)) continue;
    if (!/^\s*#\s*@/.test(line)) break;
    const words = line
      .replace(/^[\s#]+/, '')
      .split(/\s/)
      .filter((word) => word !== '');
    if (words.length !== 2) {
      throw new ConfigError(
        'composition',
        `A header line has the form '# @key value', not '${line.trim()}'`,
        [`in ${file}:${index + 1}`, 'give one value, for example: # @package _global_'],
        { file, line: index + 1 },
      );
    }
    if (words[0] === '@package') found = words[1];
  }
  return found;
}
