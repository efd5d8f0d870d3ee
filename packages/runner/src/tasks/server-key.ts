/**
 * Reads the API key that a server expects of its clients, or sends to another server; null where the config names none.
 *
 * @param name the option's path
 * @throws if the environment variable is not set
 */
export function keyOf({ serverKeyEnv }: { serverKeyEnv: string | null }, name = 'task.server_key_env'): string | null {
  if (serverKeyEnv === null) return null;
  const key = process.env[serverKeyEnv];
  if (key) return key;
  throw new Error(
    `${name}: the environment variable ${serverKeyEnv} is not set; it should contain the key\n` +
      `  set it, or write ${name}=null`,
  );
}
