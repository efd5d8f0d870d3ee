// Finds the recorded answer to a request, so that agents can be replayed without the endpoint that gave the answer.
import { recordFolderOf } from '@bowyer/conversations';
import { jsonAsWritten } from '@bowyer/text';
import type { RecordedAnswer } from '../../record/recorded.js';
import { readRollouts } from '../../record/rollout-log.js';
import { differences, shownDifference } from './request-difference.js';

/** The largest number of differences between two requests that an error lists. */
const SHOWN = 3;

/** A request that was recorded at least once, with all its recorded answers. */
interface Recorded {
  protocol: string;
  request: unknown;
  /** The name of the first recorded call with this request, for messages. */
  first: string;
  answers: RecordedAnswer[];
  /** The number of times that the request was replayed so far. */
  replayed: number;
}

/** The error for a request that the record does not contain. */
export class UnrecordedRequestError extends Error {
  override readonly name = 'UnrecordedRequestError';
}

export class Cassette {
  readonly #requests = new Map<string, Recorded>();

  private constructor(private readonly ignored: ReadonlySet<string>) {}

  /**
   * Reads the answers from the record of a server that had an `upstream` endpoint.
   *
   * @param folder of the record, or the folder that contains its subfolder `rollouts`
   * @param ignore members of requests that may differ from the recorded ones, such as `user` or `metadata`
   * @throws if no call of the record has an endpoint's answer
   */
  static async read(folder: string, ignore: readonly string[] = []): Promise<Cassette> {
    const cassette = new Cassette(new Set(ignore));
    for await (const { calls } of readRollouts(recordFolderOf(folder) ?? folder))
      for (const { protocol, request, answer, rollout, call } of calls)
        if (answer !== undefined) cassette.#add(protocol, request, answer, `call ${call} of rollout '${rollout}'`);
    if (cassette.#requests.size > 0) return cassette;
    throw new Error(
      `${folder} has no recorded answers of an endpoint\n  record the agent with an upstream: recordAgent({ upstream: URL }), ` +
        'or npx bowyer --config-name record_agent task.upstream=URL',
    );
  }

  /** Returns the number of recorded answers that no request has got yet. */
  get left(): number {
    return [...this.#requests.values()].reduce(
      (sum, { answers, replayed }) => sum + Math.max(0, answers.length - replayed),
      0,
    );
  }

  get models(): string[] {
    const names = [...this.#requests.values()].map(({ request }) => String((request as { model?: unknown }).model));
    return [...new Set(names)];
  }

  /**
   * Returns the recorded answer to a request. If the request was recorded several times, it gets the answers one after another,
   * and then the last one again.
   *
   * @throws {UnrecordedRequestError} with the differences between the request and the most similar recorded one
   */
  answer(protocol: string, body: unknown): RecordedAnswer {
    const request = this.#comparable(body);
    const recorded = this.#requests.get(keyOf(protocol, request));
    if (recorded === undefined) throw this.#unrecorded(protocol, request);
    return recorded.answers[Math.min(recorded.replayed++, recorded.answers.length - 1)];
  }

  #add(protocol: string, body: unknown, answer: RecordedAnswer, first: string): void {
    const request = this.#comparable(body);
    const key = keyOf(protocol, request);
    const known = this.#requests.get(key);
    if (known) known.answers.push(answer);
    else this.#requests.set(key, { protocol, request, first, answers: [answer], replayed: 0 });
  }

  /** Returns a request as JSON with sorted members, without the ignored ones, so that equal requests have equal texts. */
  #comparable(body: unknown): unknown {
    const plain = inOrder(JSON.parse(jsonAsWritten(body ?? null)));
    if (typeof plain !== 'object' || plain === null) return plain;
    return Object.fromEntries(Object.entries(plain).filter(([name]) => !this.ignored.has(name)));
  }

  #unrecorded(protocol: string, request: unknown): UnrecordedRequestError {
    const alike = [...this.#requests.values()].filter((recorded) => recorded.protocol === protocol);
    if (alike.length === 0) return new UnrecordedRequestError(`no request of the protocol '${protocol}' was recorded`);
    const text = JSON.stringify(request);
    const nearest = alike
      .map((recorded) => ({ recorded, same: samePrefix(JSON.stringify(recorded.request), text) }))
      .reduce((best, each) => (each.same > best.same ? each : best)).recorded;
    const found = differences(nearest.request, request);
    return new UnrecordedRequestError(
      [
        `this request was not recorded; of those of '${protocol}', ${nearest.first} is most alike, and differs in`,
        ...found.slice(0, SHOWN).map(shownDifference),
        ...(found.length > SHOWN ? [`  and ${found.length - SHOWN} more places`] : []),
        '  record the agent again where the change is intended',
      ].join('\n'),
    );
  }
}

const keyOf = (protocol: string, request: unknown): string => `${protocol} ${JSON.stringify(request)}`;

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, inOrder(each)]));
}

function samePrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
