// Implements the modules that the tests of @huggingface/jinja import, by the templates of @bowyer/text.
import { Template as OurTemplate } from '@bowyer/text';
import { expect, it as vitestIt } from 'vitest';

export { afterEach, beforeEach, describe, expect, vi } from 'vitest';

interface Options {
  readonly lstrip_blocks?: boolean;
  readonly trim_blocks?: boolean;
}

/** A template that `tokenize` and `parse` return; it is parsed when its text is needed. */
interface Read {
  readonly text: string;
}

/**
 * Templates by the test's name: in one part of templates.test.js a test parses a template, in another it has only the template's
 * expected tokens.
 */
const texts = new Map<string, string>();
const waiting: string[] = [];

const rendered = (text: string, variables: Readonly<Record<string, unknown>>): string =>
  new OurTemplate(text).render(variables).text;

export class Template {
  constructor(private readonly text: string) {
    new OurTemplate(text);
  }

  render(variables: Readonly<Record<string, unknown>> = {}): string {
    return rendered(this.text, variables);
  }

  /** Returns the template unchanged, since @bowyer/text has no formatter. */
  format(): string {
    return this.text;
  }
}

export function tokenize(text: string, options: Options = {}): Read {
  if (Object.keys(options).length > 0 && !(options.lstrip_blocks && options.trim_blocks))
    throw new Error('@bowyer/text has trim_blocks and lstrip_blocks always');
  const test = expect.getState().currentTestName;
  if (test === undefined) waiting.push(text);
  // Parsing is one step here, so that errors of `parse` are left to it.
  else if (test.includes('Lexing errors')) new OurTemplate(text);
  return { text };
}

/** Declares a test with the name of the last parsed template. */
export function it(name: string, test: () => unknown): void {
  const text = waiting.pop();
  if (text !== undefined) texts.set(name, text);
  vitestIt(name, test as () => void);
}

export function parse(read: Read | readonly unknown[]): Read {
  if (!('text' in read)) return { text: '' };
  new OurTemplate(read.text);
  return read;
}

export class Environment {
  readonly variables: Record<string, unknown> = {};

  set(name: string, value: unknown): void {
    this.variables[name] = value;
  }
}

/** Does nothing, since the functions of chat templates are always defined. */
export function setupGlobals(): void {}

export class Interpreter {
  constructor(private readonly environment: Environment) {}

  run({ text }: Read): { value: string } {
    const name = expect.getState().currentTestName?.split(' > ').at(-1) ?? '';
    return { value: rendered(text === '' ? texts.get(name)! : text, this.environment.variables) };
  }
}

export function downloadFile(): never {
  throw new Error('the Hugging Face Hub is not asked');
}
