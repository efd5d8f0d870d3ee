// Reads the settings of a Harbor task's task.toml that affect play. Settings that need more than a shell are refused.
import { HarborFault } from './fault.js';

type Table = Readonly<Record<string, unknown>>;

export interface Settings {
  kind: string | null;
  image: string | null;
  agentEnvironment: Readonly<Record<string, string>>;
  verifier: { environment: Readonly<Record<string, string>>; milliseconds: number };
}

/** The time limit of a task's tests in seconds that Harbor applies if task.toml states none. */
const VERIFIER_SECONDS = 600;

/**
 * Reads the settings. @throws {HarborFault} for tasks that need several steps, devices such as a GPU, servers, other operating
 * systems, or values of the user's machine
 */
export function settingsOf(toml: Table): Settings {
  const [metadata, environment, verifier] = [
    table(toml, 'metadata'),
    table(toml, 'environment'),
    table(toml, 'verifier'),
  ];
  if (toml.steps !== undefined) throw new HarborFault('[[steps]] of task.toml: tasks of several steps are not played');
  for (const name of ['gpus', 'tpu', 'mcp_servers', 'skills_dir', 'healthcheck'])
    if (isSet(environment[name])) throw new HarborFault(`[environment] ${name} needs more than a shell`);
  if (isSet(environment.os) && environment.os !== 'linux')
    throw new HarborFault(`[environment] os = ${JSON.stringify(environment.os)}: linux is played`);
  if (isSet(verifier.environment) || verifier.environment_mode === 'separate')
    throw new HarborFault('[verifier] has an environment of its own, which needs an image');
  const seconds = verifier.timeout_sec ?? VERIFIER_SECONDS;
  if (typeof seconds !== 'number' || !(seconds > 0))
    throw new HarborFault('[verifier] timeout_sec must be a number above 0');
  return {
    kind: typeof metadata.category === 'string' ? metadata.category : null,
    image: typeof environment.docker_image === 'string' ? environment.docker_image : null,
    agentEnvironment: variables(environment.env, '[environment]'),
    verifier: { environment: variables(verifier.env, '[verifier]'), milliseconds: seconds * 1000 },
  };
}

const isSet = (value: unknown) =>
  value !== undefined && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0);

function table(toml: Table, name: string): Table {
  const value = toml[name] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Table;
  throw new HarborFault(`${name} of task.toml must be a table`);
}

function variables(value: unknown, place: string): Record<string, string> {
  const entries = Object.entries((value ?? {}) as Table).map(([name, text]): [string, string] => [name, String(text)]);
  const own = entries.find(([, text]) => text.includes('${'));
  if (own !== undefined) throw new HarborFault(`${place} env.${own[0]} takes a variable of your machine: ${own[1]}`);
  return Object.fromEntries(entries);
}
