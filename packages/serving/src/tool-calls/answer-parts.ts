// The parts of an assistant's message as a reader finds them: reasoning, content, calls of tools, and what was meant as a call.
import type { IncomingText, Reading } from './incoming-text.js';

/** A tool that a request has. */
export interface Tool {
  name: string;
  /** JSON schema of its arguments; null: any object. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Whether the arguments must follow the schema in calls that the model makes of its own accord too. */
  strict: boolean;
}

/**
 * `ok`: a call. Everything else that begins like one stays text: `invalid_json` (also of Python's or a format's own values), `unclosed_block`
 * (the answer ended within it), `missing_name`, `malformed_structure` (values in other places than the format's), `unknown_tool`
 * (the request has none of that name).
 */
export type AttemptStatus =
  | 'ok'
  | 'invalid_json'
  | 'unclosed_block'
  | 'missing_name'
  | 'malformed_structure'
  | 'unknown_tool';

/** Text that is a call, or was meant as one. */
export interface CallAttempt {
  status: AttemptStatus;
  /** Null if it had none. */
  name: string | null;
  /** Characters of the answer, with its marks and its reasoning: from the first up to the one behind the last. */
  start: number;
  end: number;
}

/** A call while it is read. */
export class Call {
  name: string | null = null;
  /** The id that the text has for it. */
  id: string | null = null;
  /** JSON; the beginning of it until the call has ended. */
  arguments = '';
  /** Whether some of it was sent, so that it cannot become text any more. */
  isSent = false;
  /** Whether nothing is added any more. */
  hasEnded = false;

  constructor(private readonly tools: readonly Tool[]) {}

  get tool(): Tool | undefined {
    return this.tools.find(({ name }) => name === this.name);
  }

  /** Returns the status that ends the attempt; null where it continues. */
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
  /** White space that belongs to the content only if more of it follows. */
  #held = '';

  /** @param beforeCalls what the template puts between content and calls */
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
   * Returns one attempt at a call. Where it fails, its text is content, and `input` stands behind it.
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

  /** The end of the answer: space at its end is content, unless there are calls. */
  end(): void {
    if (!this.#hasCalls) this.content += this.#held;
    this.#held = '';
  }

  get #hasCalls(): boolean {
    return this.calls.some(({ hasEnded, isSent }) => hasEnded || isSent);
  }

  /** Before a call: the space that the template puts there, or all of it where that is other space. */
  #dropSpace(isFurther: boolean): void {
    if (!isFurther && this.#held.endsWith(this.beforeCalls))
      this.content += this.#held.slice(0, this.#held.length - this.beforeCalls.length);
    this.#held = '';
  }
}
