// Keys of tasks that serve over HTTP.
import { Type } from '@sinclair/typebox';
import { isLoopback, type ConfigProblem } from '@bowyer/core';

export const listenKeys = {
  host: Type.String({ description: 'address to listen on; 0.0.0.0 accepts connections from the whole network' }),
  port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'port to listen on; 0: any free one' }),
  allow_anonymous: Type.Boolean({
    description: 'accept clients without a key, on an address that other machines can reach',
  }),
};

/** @param key what may be set so that clients need a key; null where the protocol has none */
export function listenProblems(
  { host, allowAnonymous, serverKeyEnv = null }: Record<string, unknown>,
  key: 'server_key_env' | null,
): ConfigProblem[] {
  if (isLoopback(host as string) || allowAnonymous === true || serverKeyEnv !== null) return [];
  const withKey = key === null ? '' : `${key}=NAME of an environment variable with the key that clients must send, or `;
  return [
    {
      key: 'host',
      message: `host=${host as string} accepts connections from other machines, and clients need no key`,
      remedy: `give ${withKey}allow_anonymous=true, or host=127.0.0.1`,
    },
  ];
}
