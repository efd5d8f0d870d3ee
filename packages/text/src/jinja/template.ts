// Renders chat templates in Jinja, with Python's semantics of values and transformers' settings: trim_blocks, lstrip_blocks,
// `break` and `continue`, no autoescape, lists and dicts that a template cannot change, and `{% generation %}` blocks (the texts
// of the assistant).
// Sources: jinja.palletsprojects.com/en/stable/templates; huggingface.co/docs/transformers/chat_templating_writing.
import { freeVariables } from './free-variables.js';
import { globalFunctions } from './globals.js';
import { finished } from '../steps.js';
import { Interpreter } from './interpreter.js';
import { parse } from './parser.js';
import { Scope } from './scope.js';
import type { Statement } from './syntax.js';
import { fromJson } from './from-json.js';
import type { Value } from './values.js';
import { Work, working } from './work.js';

export interface Rendered {
  text: string;
  /**
   * The ranges of `{% generation %}` blocks, in UTF-16 code units. `index`: the item of the list `tracked` (the messages) that
   * the loop around the block was at; null if none.
   */
  spans: { start: number; end: number; index: number | null }[];
}

export class Template {
  readonly #statements: readonly Statement[];
  readonly hasGenerationBlocks: boolean;

  /** Parses the template. @throws {TemplateError} if the template is not valid Jinja */
  constructor(
    source: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#statements = parse(source);
    this.hasGenerationBlocks = /\{%-?\s*generation\s*-?%\}/.test(source);
  }

  get variables(): ReadonlySet<string> {
    return freeVariables(this.#statements);
  }

  /**
   * @param variables JSON values
   * @param tracked a list among the variables, such as the messages; the index in each span refers to it
   * @throws {TemplateError} with the line
   */
  render(variables: Readonly<Record<string, unknown>>, tracked: readonly unknown[] = []): Rendered {
    return finished(this.renderInSteps(variables, tracked));
  }

  /** Renders in steps, which end while variables are converted, and after each iteration of a loop. */
  *renderInSteps(
    variables: Readonly<Record<string, unknown>>,
    tracked: readonly unknown[] = [],
  ): Generator<undefined, Rendered> {
    const work = new Work();
    const known = new Map<unknown, Value>();
    const scope = new Scope(null);
    for (const [name, value] of Object.entries(globalFunctions(this.now))) scope.set(name, value);
    for (const [name, value] of Object.entries(variables))
      if (value !== undefined) scope.set(name, yield* fromJson(value, known, work));
    const places = new Map(tracked.map((item, index) => [known.get(item), index]));
    const interpreter = new Interpreter();
    const text = yield* limited(interpreter.run(this.#statements, scope.inner()), work);
    const spans = interpreter.spans.map(({ start, end, within }) => {
      const item = within.find((value) => places.has(value));
      return { start, end, index: item === undefined ? null : places.get(item)! };
    });
    return { text, spans };
  }
}

/** Runs a rendering step by step, and counts its work in `work`, which throws if a limit is exceeded. */
function* limited<Result>(steps: Generator<undefined, Result>, work: Work): Generator<undefined, Result> {
  for (;;) {
    const step = working(work, () => steps.next());
    if (step.done === true) return step.value;
    yield;
  }
}
