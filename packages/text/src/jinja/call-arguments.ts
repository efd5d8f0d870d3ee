// Checks and reads the arguments of a call in a Jinja template; each is given by position or by name.
import { TemplateError } from './template-error.js';
import { integerOf, isTrue, stringOf, type Value } from './values.js';

export class CallArguments {
  /** `names`: the parameters, in order. @throws {TemplateError} for too many arguments, or one whose name is unknown */
  constructor(
    private readonly what: string,
    private readonly names: readonly string[],
    readonly positional: readonly Value[],
    private readonly named: ReadonlyMap<string, Value>,
  ) {
    if (positional.length > names.length)
      throw new TemplateError(`${what} takes at most ${names.length} arguments, not ${positional.length}`);
    const unknown = [...named.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined) throw new TemplateError(`${what} has no argument '${unknown}'`);
  }

  /** Returns the argument of this name; undefined if it was not given. */
  value(name: string): Value | undefined {
    const at = this.names.indexOf(name);
    return at < this.positional.length ? this.positional[at] : this.named.get(name);
  }

  has(name: string): boolean {
    return this.names.indexOf(name) < this.positional.length || this.named.has(name);
  }

  or(name: string, otherwise: Value): Value {
    return this.has(name) ? this.value(name)! : otherwise;
  }

  required(name: string): Value {
    if (!this.has(name)) throw new TemplateError(`${this.what} needs the argument '${name}'`);
    return this.value(name)!;
  }

  string(name: string, otherwise?: string): string {
    return stringOf(otherwise === undefined ? this.required(name) : this.or(name, otherwise), `${this.what}: ${name}`);
  }

  /** Returns the argument of this name, which must be a string; null if it was not given or is None. */
  optionalString(name: string): string | null {
    const value = this.or(name, null);
    return value === null ? null : stringOf(value, `${this.what}: ${name}`);
  }

  integer(name: string, otherwise?: number): number {
    return integerOf(otherwise === undefined ? this.required(name) : this.or(name, otherwise), `${this.what}: ${name}`);
  }

  boolean(name: string, otherwise: boolean): boolean {
    return isTrue(this.or(name, otherwise));
  }
}
