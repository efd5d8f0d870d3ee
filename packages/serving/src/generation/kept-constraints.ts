import { createHash } from 'node:crypto';
import type { CompiledConstraint } from '@bowyer/text';

/** Drops the least recently used constraints, and those whose compiler was reset, since they would keep its memory. */
export class KeptConstraints {
  /** The constraints by digests of their keys; a key itself can be megabytes long. */
  readonly #kept = new Map<string, CompiledConstraint>();

  constructor(private readonly most: number) {}

  get(key: string): CompiledConstraint | undefined {
    const digest = digestOf(key);
    const known = this.#kept.get(digest);
    this.#kept.delete(digest);
    if (!known || known.isStale) return undefined;
    this.#kept.set(digest, known); // inserting it again makes it the newest
    return known;
  }

  add(key: string, constraint: CompiledConstraint): void {
    for (const [digest, each] of this.#kept) if (each.isStale) this.#kept.delete(digest);
    this.#kept.set(digestOf(key), constraint);
    if (this.#kept.size > this.most) this.#kept.delete(this.#kept.keys().next().value!);
  }
}

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64');
