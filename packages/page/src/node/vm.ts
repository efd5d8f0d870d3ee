// `node:vm` in a page, for what calls a function of a context: nothing interrupts it there.
type Context = Readonly<Record<string, unknown>>;

export const createContext = (context: Context): Context => context;

export class Script {
  /** @param code a call of one of the context's functions without arguments, as `run()` */
  constructor(private readonly code: string) {}

  runInContext(context: Context): unknown {
    const called = context[this.code.replace(/\(\)$/, '')];
    if (typeof called !== 'function') throw new Error(`a page cannot run the script '${this.code.slice(0, 60)}'`);
    return called.call(context) as unknown;
  }
}

export default { createContext, Script };
