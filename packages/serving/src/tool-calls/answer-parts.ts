// Collects the parts of an assistant's message while it is read: reasoning, content, tool calls, and attempts at calls.
import type { IncomingText, Reading } from './incoming-text.js';

/** A tool of a request. */
export interface Tool {
  name: string;
  /** JSON schema of its arguments; null for any object. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Whether the arguments must follow the schema even in calls that the request does not require. */
  strict: boolean;
}

/**
 * The result of reading a text that begins like a call. `ok` means that it is a call; all other results leave it a text:
 * `invalid_json` (also for values of Python or of a format), `unclosed_block` (the answer ended within it), `missing_name`,
 * `malformed_structure` (values in places that the format does not have), `unknown_tool` (the request has no tool of that name).
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
  /** The range of characters in the answer, including marks and reasoning: the first one, and the one after the last. */
  start: number;
  end: number;
}

/** A call that is being read. */
export class Call {
  name: string | null = null;
  /** The id in the text. */
  id: string | null = null;
  /** The arguments as JSON, incomplete until the call has ended. */
  arguments = '';
  /** Whether some of it was sent, so that it can no longer become text. */
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

/** Reads one call from the input's position, up to its end or to the first character that no call could have. */
type CallReader = (input: IncomingText, call: Call) => Reading<AttemptStatus>;

export class AnswerParts {
  reasoning = '';
  content = '';
  readonly calls: Call[] = [];
  readonly attempts: CallAttempt[] = [];
  /** White space that belongs to the content only if more content follows. */
  #held = '';

  /** Starts a message. @param beforeCalls white space that the template writes between content and calls */
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
   * Reads one attempt at a call. If it fails, its text becomes content, and `input` is positioned after it.
   *
   * @param limits.from the beginning of the attempt's text, if it is before the position of `input`
   * @param limits.recover reads on to the end of a failed attempt
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
      // A stream cannot revoke a part that it has sent, so that only the rest becomes text.
      if (!call.isSent) this.calls.pop();
      this.addText(input.text.slice(call.isSent ? failedAt : from, input.at));
    }
    return status;
  }

  /** Ends the answer. White space at its end is content, unless there are calls. */
  end(): void {
    if (!this.#hasCalls) this.content += this.#held;
    this.#held = '';
  }

  get #hasCalls(): boolean {
    return this.calls.some(({ hasEnded, isSent }) => hasEnded || isSent);
  }

  /** Removes the white space before a call: the template's, or all of it if it differs. */
  #dropSpace(isFurther: boolean): void {
    if (!isFurther && this.#held.endsWith(this.beforeCalls))
      this.content += this.#held.slice(0, this.#held.length - this.beforeCalls.length);
    this.#held = '';
  }
}
