/**
 * A key that a server requires of its clients, or that is sent to another server. Null where the config names no variable.
 *
 * @param name the path of the option, for messages
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
