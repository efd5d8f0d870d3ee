// Defines the config keys of tasks that serve over HTTP.
import { flag, integer, isLoopback, optionalText, text, oneProblem, type ConfigProblem } from '@bowyer/core';

export const hostOption = text('127.0.0.1', 'address to listen on; 0.0.0.0 accepts connections from the whole network');

export const portOption = (value: number) =>
  integer(value, 'port to listen on; 0: any free one', { minimum: 0, maximum: 65_535 });

/** @param port the default port, which is usual for the kind of server */
export const listenOptions = (port: number) => ({
  host: hostOption,
  port: portOption(port),
  allow_anonymous: flag(false, 'accept clients without a key, on an address that other machines can reach'),
});

export const serverKeyOption = optionalText(
  'environment variable with the key that clients must send; null: no key is required',
);

/**
 * Refuses a server that other machines can reach without an API key.
 *
 * @param key the option by which the server requires a key of its clients; null where the protocol has no keys
 */
export function listenProblems(
  {
    host,
    allowAnonymous,
    serverKeyEnv = null,
  }: { host: string; allowAnonymous: boolean; serverKeyEnv?: string | null },
  key: 'task.server_key_env' | null,
): ConfigProblem[] {
  if (isLoopback(host) || allowAnonymous || serverKeyEnv !== null) return [];
  const withKey = key === null ? '' : `${key}=NAME of an environment variable with the key that clients must send, or `;
  return oneProblem(
    'task.host',
    `task.host=${host} accepts connections from other machines, and clients need no key`,
    `give ${withKey}task.allow_anonymous=true, or task.host=127.0.0.1`,
  );
}
