// Which keys of a config a run reads: for the test that every declared key has an effect. Outside of that test nothing is watched.

/** For this key a watched config answers with the config itself, for code that only names or stores it. */
const RAW = Symbol('unwatched config');

export class ReadWatcher {
  /** Paths in camelCase, as `warmStart.epochs`; of nodes too. */
  readonly read = new Set<string>();

  /** Returns the same config, and notes what is read of it. Lists are leaves. */
  watch<Config extends object>(config: Config, prefix = ''): Config {
    return new Proxy(config, {
      get: (target, key) => {
        if (key === RAW) return target;
        const value = Reflect.get(target, key) as unknown;
        if (typeof key !== 'string') return value;
        this.read.add(`${prefix}${key}`);
        const isNode = value !== null && typeof value === 'object' && !Array.isArray(value);
        return isNode ? this.watch(value, `${prefix}${key}.`) : value;
      },
    });
  }
}

/** Returns the config for a purpose that does not use its values, such as a hash that names a cache entry. */
export const unwatched = <Config extends object>(config: Config): Config =>
  (config as { [RAW]?: Config })[RAW] ?? config;
