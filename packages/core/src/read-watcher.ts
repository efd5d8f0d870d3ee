// Records which keys of a config a run reads, for the test that every declared key has an effect. Nothing is recorded outside of that
// test.

/** The property under which a watched config returns the unwatched config, for code that only passes or stores it. */
const RAW = Symbol('unwatched config');

export class ReadWatcher {
  /** The paths that were read, in camelCase, such as `warmStart.epochs`; nodes are included. */
  readonly read = new Set<string>();

  /** Returns a proxy of the config that records what is read. Lists are leaves. */
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

/** Returns the unwatched config, for purposes that do not use its values, such as the hash in a cache entry's name. */
export const unwatched = <Config extends object>(config: Config): Config =>
  (config as { [RAW]?: Config })[RAW] ?? config;
