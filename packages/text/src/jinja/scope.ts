import { Undefined, type Value } from './values.js';

export class Scope {
  readonly #names = new Map<string, Value>();

  constructor(private readonly outer: Scope | null) {}

  get(name: string): Value {
    const value = this.#names.get(name);
    if (value !== undefined) return value;
    return this.outer === null ? new Undefined(`'${name}' is undefined`) : this.outer.get(name);
  }

  set(name: string, value: Value): void {
    this.#names.set(name, value);
  }

  inner(): Scope {
    return new Scope(this);
  }
}
