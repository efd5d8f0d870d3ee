// Replaces the module `node:vm` when Bowyer runs in a web page. It can only call functions of a context by name, and cannot
// interrupt them.
type Context = Readonly<Record<string, unknown>>;

export const createContext = (context: Context): Context => context;

export class Script {
  /** @param code the call of a function in the context without arguments, such as `run()` */
  constructor(private readonly code: string) {}

  runInContext(context: Context): unknown {
    const called = context[this.code.replace(/\(\)$/, '')];
    if (typeof called !== 'function') throw new Error(`a page cannot run the script '${this.code.slice(0, 60)}'`);
    return called.call(context) as unknown;
  }
}

export default { createContext, Script };
