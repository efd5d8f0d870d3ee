// Stores to which rollout each OpenTelemetry trace belongs: the first that sent a span of it; others cannot add spans.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { JsonlFile, readJsonl } from '@bowyer/core';

/** The largest number of traces whose rollouts are kept in memory; the oldest are dropped first. */
const MOST_TRACES = 100_000;

interface OwnedTrace {
  /** A digest of the trace's id. The id itself is not kept, since clients may choose ids of any length. */
  trace: string;
  rollout: string;
}

export class TraceOwners {
  readonly #rollouts = new Map<string, string>();
  /** The traces and their rollouts that are not yet in the file. */
  #added: OwnedTrace[] = [];

  #file: JsonlFile | null = null;

  private constructor(private readonly path: string) {}

  /** Reads the traces and their rollouts that earlier servers have written into `trace-owners.jsonl` in this folder. */
  static async open(folder: string): Promise<TraceOwners> {
    const owners = new TraceOwners(join(folder, 'trace-owners.jsonl'));
    if (existsSync(owners.path))
      await readJsonl<OwnedTrace>(owners.path, ({ trace, rollout }) => owners.#know(trace, rollout));
    return owners;
  }

  /** Registers that a rollout has sent a span of a trace. @returns the other rollout to which the trace belongs, or null */
  claim(id: string, rollout: string): string | null {
    const trace = createHash('sha256').update(id).digest('base64');
    const owner = this.#rollouts.get(trace);
    if (owner === undefined) this.#added.push({ trace, rollout });
    this.#know(trace, owner ?? rollout);
    return owner === undefined || owner === rollout ? null : owner;
  }

  /** Writes the traces that were claimed since the last call, with their rollouts, to the file. Calls must not overlap. */
  async save(): Promise<void> {
    if (this.#added.length === 0) return;
    this.#file ??= await JsonlFile.open(this.path, null);
    await this.#file.append(...this.#added);
    this.#added = [];
  }

  #know(trace: string, rollout: string): void {
    this.#rollouts.delete(trace);
    this.#rollouts.set(trace, rollout);
    if (this.#rollouts.size > MOST_TRACES) this.#rollouts.delete(this.#rollouts.keys().next().value!);
  }
}
