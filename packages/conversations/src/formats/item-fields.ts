// Reads an object in an item of a data file through the interface `Fields`, which also reads objects in requests to the model
// server, so that the same code converts messages of both.
import { keepNumbers } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import type { Fields } from '../forms/fields.js';
import { isCut } from './cut-answers.js';
import type { Reading } from './format.js';
import { LOSS_KEYS, lossOf } from './loss-keys.js';

/** The keys that a kind of object in a data file may have. */
export interface KeyRules {
  /** The kind of object, for errors: `a tool call`. */
  of: string;
  read: readonly string[];
  /** Further keys, which are ignored, since they are irrelevant to training. */
  lost?: readonly string[];
  /** Whether the object is a message, which may have a loss weight. */
  isMessage?: boolean;
  /** Whether the object may have any further keys, since a chat template may read them. */
  isOpen?: boolean;
}

/** The place of an object in an item, for errors: for example `message 2` and a path within it. */
interface Place {
  root: string;
  path?: string;
}

export class ItemFields implements Fields<KeyRules> {
  readonly #record: Readonly<Record<string, unknown>>;
  readonly #path: string;

  /** Throws BadItem if it is not an object. */
  constructor(
    given: unknown,
    private readonly rules: KeyRules | null,
    private readonly place: Place,
    private readonly reading: Reading,
  ) {
    const record = asRecord(given);
    this.#path = place.path ?? '';
    if (record === null) throw new BadItem(`${this.#name('')} is ${found(given)}, not an object`);
    this.#record = record;
    const { of, read, lost = [], isMessage = false, isOpen = false } = rules ?? { of: '', read: [], isOpen: true };
    const known = [...read, ...(isMessage ? LOSS_KEYS : [])];
    if (!isOpen) reading.keys.check(of, reading.place, record, known, lost);
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#record, name) ? (this.#record[name] ?? undefined) : undefined;
  }

  text<Default>(name: string, otherwise: Default): string | Default {
    const value = this.value(name);
    if (value === undefined || typeof value === 'string') return value ?? otherwise;
    throw this.fail(name, `is ${found(value)}, not a text`);
  }

  boolean(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.fail(name, `is ${found(value)}, neither true nor false`);
  }

  choice<const Option extends string>(name: string, options: readonly Option[], otherwise: Option): Option {
    const value = this.text(name, otherwise);
    const option = options.find((each) => each === value);
    if (option !== undefined) return option;
    throw this.fail(name, `is ${found(value)}, none of ${options.join(', ')}`);
  }

  object(name: string, rules: KeyRules | null): ItemFields {
    return this.within(this.value(name) ?? {}, rules, name);
  }

  objects(name: string, rules: KeyRules | null): ItemFields[] {
    const value = this.value(name);
    if (!Array.isArray(value) || value.length === 0)
      throw this.fail(name, `is ${found(value)}, not an array with at least one object`);
    return value.map((each, i) => this.within(each, rules, `${name}[${i}]`));
  }

  within(value: unknown, rules: KeyRules | null, place: string): ItemFields {
    return new ItemFields(value, rules, { ...this.place, path: this.placeOf(place) }, this.reading);
  }

  plain(without: readonly string[] = []): Record<string, unknown> {
    const kept = Object.entries(this.#record).filter(([name]) => !without.includes(name));
    return keepNumbers(this.#record, Object.fromEntries(kept));
  }

  placeOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  fail(name: string, problem: string): BadItem {
    return new BadItem(`${this.#name(name)} ${problem}`);
  }

  beside(): Record<string, unknown> {
    const { read = [], isMessage = false, isOpen = false } = this.rules ?? {};
    const isReply = this.#record.role === 'assistant' || this.#record.role === undefined;
    const loss = isMessage ? lossOf(this.#record, isReply, this.place.root) : undefined;
    const own = [...read, ...LOSS_KEYS];
    const more = Object.entries(isOpen ? this.#record : {}).filter(
      ([key, value]) => !own.includes(key) && (value ?? null) !== null,
    );
    return {
      ...Object.fromEntries(more),
      ...(loss !== undefined && loss !== 1 && { loss: loss === 0 ? false : loss }),
      ...(isReply && read.some((key) => CUT_KEYS.includes(key) && isCut(this.#record[key])) && { cut: true }),
    };
  }

  #name(name: string): string {
    const path = name === '' ? this.#path : this.placeOf(name);
    return path === '' ? this.place.root : `'${path}' of ${this.place.root}`;
  }
}

/** Keys of a message, an item or a response whose value may show that an answer was cut off. */
const CUT_KEYS: readonly string[] = ['finish_reason', 'stop_reason', 'status'];
