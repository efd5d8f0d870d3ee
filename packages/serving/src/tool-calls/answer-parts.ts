// The parts of an assistant's message that a reader finds: reasoning, content, calls of tools, and attempts at calls.
import type { IncomingText, Reading } from './incoming-text.js';

/** A tool of a request. */
export interface Tool {
  name: string;
  /** JSON schema of its arguments; null: any object. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Whether the arguments must follow the schema also in calls that the request does not demand. */
  strict: boolean;
}

/**
 * The result of reading a text that begins like a call. `ok`: it is a call. All others stay text: `invalid_json` (also of
 * Python's or a format's own values), `unclosed_block` (the answer ended within it), `missing_name`, `malformed_structure`
 * (values in other places than the format's), `unknown_tool` (the request has none of that name).
 */
export type AttemptStatus =
  | 'ok'
  | 'invalid_json'
  | 'unclosed_block'
  | 'missing_name'
  | 'malformed_structure'
  | 'unknown_tool';

/** A text that is a call, or begins like one. */
export interface CallAttempt {
  status: AttemptStatus;
  /** The name of the tool; null if the text has none. */
  name: string | null;
  /** The place in the answer with its marks and its reasoning, in characters: the first, and the one after the last. */
  start: number;
  end: number;
}

/** A call that is being read. */
export class Call {
  name: string | null = null;
  /** The id that the text gives it. */
  id: string | null = null;
  /** The arguments as JSON, incomplete until the call has ended. */
  arguments = '';
  /** Whether some of it was sent, so that it cannot become text any more. */
  isSent = false;
  /** Whether the call is complete. */
  hasEnded = false;

  constructor(private readonly tools: readonly Tool[]) {}

  get tool(): Tool | undefined {
    return this.tools.find(({ name }) => name === this.name);
  }

  /** Sets the name. @returns the status that ends the attempt; null where it continues */
  named(name: string): AttemptStatus | null {
    this.name = name;
    if (name === '') return 'missing_name';
    return this.tool === undefined ? 'unknown_tool' : null;
  }

  add(json: string): void {
    this.arguments += json;
  }
}

/** Reads one call, whose text begins where the input stands, up to its end or to the first character that cannot be one's. */
type CallReader = (input: IncomingText, call: Call) => Reading<AttemptStatus>;

export class AnswerParts {
  reasoning = '';
  content = '';
  readonly calls: Call[] = [];
  readonly attempts: CallAttempt[] = [];
  /** White space that belongs to the content only if more content follows. */
  #held = '';

  /** Starts a message. @param beforeCalls the white space that the template puts between content and calls */
  constructor(
    private readonly tools: readonly Tool[],
    private readonly beforeCalls: string,
  ) {}

  addReasoning = (text: string): void => {
    this.reasoning += text;
  };

  addText = (text: string): void => {
    const all = this.#held + text;
    const shown = all.trimEnd();
    this.#held = all.slice(shown.length);
    this.content += this.#hasCalls && this.content === '' ? shown.trimStart() : shown;
  };

  /**
   * Reads one attempt at a call. Where it fails, its text is content, and `input` stands behind it.
   *
   * @param limits.from where the text of the attempt begins, if before the place of `input`
   * @param limits.recover reads on to where a failed attempt ends
   */
  *attempt(
    input: IncomingText,
    read: CallReader,
    { from = input.at, recover }: { from?: number; recover?: (input: IncomingText) => Reading<unknown> } = {},
  ): Reading<AttemptStatus> {
    const call = new Call(this.tools);
    const isFurther = this.#hasCalls;
    this.calls.push(call);
    const status = yield* read(input, call);
    const failedAt = input.at;
    if (status !== 'ok' && recover) yield* recover(input);
    call.hasEnded = true;
    this.attempts.push({ status, name: call.name, start: from, end: input.at });
    if (status === 'ok') this.#dropSpace(isFurther);
    else {
      // A stream cannot take back the part that it has sent: only the rest becomes text.
      if (!call.isSent) this.calls.pop();
      this.addText(input.text.slice(call.isSent ? failedAt : from, input.at));
    }
    return status;
  }

  /** Ends the answer: space at its end is content, unless there are calls. */
  end(): void {
    if (!this.#hasCalls) this.content += this.#held;
    this.#held = '';
  }

  get #hasCalls(): boolean {
    return this.calls.some(({ hasEnded, isSent }) => hasEnded || isSent);
  }

  /** Removes the space before a call: that which the template puts there, or all of it where it is other space. */
  #dropSpace(isFurther: boolean): void {
    if (!isFurther && this.#held.endsWith(this.beforeCalls))
      this.content += this.#held.slice(0, this.#held.length - this.beforeCalls.length);
    this.#held = '';
  }
}
