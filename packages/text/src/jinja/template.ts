// Chat templates' Jinja with Python's meaning of every value, as transformers runs it: trim_blocks, lstrip_blocks, `break` and
// `continue`, no autoescape, lists and dicts that a template cannot change, and `{% generation %}` blocks whose places are reported.
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
  /** The places of `{% generation %}` blocks, in UTF-16 code units, and the innermost of `tracked` whose loop they are in. */
  spans: { start: number; end: number; index: number | null }[];
}

export class Template {
  readonly #statements: readonly Statement[];
  readonly hasGenerationBlocks: boolean;

  /** Parses the template. @throws {TemplateError} where it is not Jinja */
  constructor(
    source: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#statements = parse(source);
    this.hasGenerationBlocks = /\{%-?\s*generation\s*-?%\}/.test(source);
  }

  /** Names the variables that the template reads from outside. */
  get variables(): ReadonlySet<string> {
    return freeVariables(this.#statements);
  }

  /**
   * Renders the template.
   *
   * @param variables values of JSON
   * @param tracked of `variables`, the list whose items the spans name
   * @throws {TemplateError} with the line
   */
  render(variables: Readonly<Record<string, unknown>>, tracked: readonly unknown[] = []): Rendered {
    return finished(this.renderInSteps(variables, tracked));
  }

  /** Renders it in steps; others may have their turn where it yields: as variables are read, and after each round of a loop. */
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

/** Runs steps whose work is counted. */
function* limited<Result>(steps: Generator<undefined, Result>, work: Work): Generator<undefined, Result> {
  for (;;) {
    const step = working(work, () => steps.next());
    if (step.done === true) return step.value;
    yield;
  }
}
