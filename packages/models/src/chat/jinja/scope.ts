// The names that a part of a template sees: its own, then those around it.
import { Undefined, type Value } from './values.js';

export class Scope {
  readonly #names = new Map<string, Value>();

  constructor(private readonly outer: Scope | null) {}

  get(name: string): Value {
    for (let scope: Scope | null = this; scope !== null; scope = scope.outer) {
      // eslint-disable-line @typescript-eslint/no-this-alias, prettier/prettier
      const value = scope.#names.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}' is undefined`);
  }

  set(name: string, value: Value): void {
    this.#names.set(name, value);
  }

  inner(): Scope {
    return new Scope(this);
  }
}
