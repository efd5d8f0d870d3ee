// Collects the parts of an assistant's message while it is parsed: reasoning, content, tool calls, and attempts at calls (texts
// that begin like a call).
import type { IncomingText, Reading } from './incoming-text.js';

/** A tool that a request offers to the model. */
export interface Tool {
  name: string;
  /** The JSON schema of the tool's arguments; null to allow any object. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Whether the arguments of each call must follow the schema, even if the request does not require a call. */
  strict: boolean;
}

/**
 * The result of parsing a text that begins like a tool call. Only with `ok` it is a call; with all other results it remains text:
 * `invalid_json` (also for invalid Python values or values of another syntax), `unclosed_block` (the answer ended within it),
 * `missing_name`, `malformed_structure` (the format does not allow a value there), `unknown_tool` (the request has no tool of
 * this name).
 */
export type AttemptStatus =
  | 'ok'
  | 'invalid_json'
  | 'unclosed_block'
  | 'missing_name'
  | 'malformed_structure'
  | 'unknown_tool';

/** A text in an answer that is a tool call, or begins like one. */
export interface CallAttempt {
  status: AttemptStatus;
  /** The name of the tool; null if the text does not contain one. */
  name: string | null;
  /** The text's range in the answer, in characters, with markers and reasoning; `end` is behind the last one. */
  start: number;
  end: number;
}

export class Call {
  name: string | null = null;
  /** The id that the text of the call contains; null if it contains none. */
  id: string | null = null;
  /** JSON text, incomplete until the call has ended. */
  arguments = '';
  /** Whether a part of the call was sent to the client, after which the call can no longer become text. */
  isSent = false;
  /** Whether the text of the call was parsed to its end. */
  hasEnded = false;

  constructor(private readonly tools: readonly Tool[]) {}

  get tool(): Tool | undefined {
    return this.tools.find(({ name }) => name === this.name);
  }

  /** Returns the status with which the attempt fails; null if it continues. */
  named(name: string): AttemptStatus | null {
    this.name = name;
    if (name === '') return 'missing_name';
    return this.tool === undefined ? 'unknown_tool' : null;
  }

  add(json: string): void {
    this.arguments += json;
  }
}

/** Parses one call from the input's position, up to its end or to the first character that no call could have there. */
type CallReader = (input: IncomingText, call: Call) => Reading<AttemptStatus>;

export class AnswerParts {
  reasoning = '';
  content = '';
  readonly calls: Call[] = [];
  readonly attempts: CallAttempt[] = [];
  /** White space that becomes content only if more content follows. */
  #held = '';

  /** @param beforeCalls white space that the template writes between content and calls, which is not content */
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
   * Parses one attempt at a call. If it fails, its text becomes content, and `input` is positioned after it.
   *
   * @param limits.from the position where the attempt's text begins, if it is before the position of `input`
   * @param limits.recover moves `input` to the end of a failed attempt
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
      // A stream cannot revoke the part of a call that it has sent, so that only the text after it becomes content.
      if (!call.isSent) this.calls.pop();
      this.addText(input.text.slice(call.isSent ? failedAt : from, input.at));
    }
    return status;
  }

  /** Ends the answer. White space at its end becomes content, unless there are calls. */
  end(): void {
    if (!this.#hasCalls) this.content += this.#held;
    this.#held = '';
  }

  get #hasCalls(): boolean {
    return this.calls.some(({ hasEnded, isSent }) => hasEnded || isSent);
  }

  /** Removes the white space before a call: only the template's, or, if the white space ends otherwise, all of it. */
  #dropSpace(isFurther: boolean): void {
    if (!isFurther && this.#held.endsWith(this.beforeCalls))
      this.content += this.#held.slice(0, this.#held.length - this.beforeCalls.length);
    this.#held = '';
  }
}
