// Runs llama.cpp's tests of its answer parsers, which are a C++ file, on the answer readers of task=serve_model.
import { isDeepStrictEqual } from 'node:util';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callProblem, callReader, textReader, type CallReader } from '@bowyer/serving';
import { chatTemplate, ChatTemplateError, type ChatMessage, type ChatTemplate } from '@bowyer/text';
import { CppReader, UnreadError } from '../cpp.js';
import { tokenizerOfBytes } from '../tokenizer-of-bytes.js';
import type { CaseResult, Suite } from '../suite.js';

interface Call {
  readonly name: string;
  readonly arguments: string;
  readonly id: string;
}

interface Message {
  content: string;
  reasoning: string;
  calls: Call[];
}

/** The calls from `tst.test(INPUT)` to `.run()`: the settings, each with its arguments. */
interface Tested {
  readonly template: string;
  readonly input: string;
  readonly settings: ReadonlyMap<string, readonly unknown[]>;
}

/** The functions of the file that make messages, by name. */
const MAKERS: Readonly<Record<string, (given: readonly string[], calls: unknown) => Message>> = {
  simple_assist_msg: ([content, reasoning = '', name = '', args = '', id = '']) =>
    message(content, reasoning, name === '' && id === '' ? [] : [[name, args, id]]),
  message_with_tool_calls: ([name, args]) => message('', '', [[name, args]]),
  message_with_tool_calls_and_reasoning: ([name, args, thought]) => message('', thought, [[name, args]]),
  message_with_content_and_tool_call: ([content, name, args]) => message(content, '', [[name, args]]),
  message_with_reasoning_and_tool_call: ([thought, name, args]) => message('', thought, [[name, args]]),
  message_with_reasoning_content_and_multiple_tool_calls: ([reasoning, content], calls) =>
    message(content, reasoning, calls as string[][]),
};

const message = (content: string, reasoning: string, calls: readonly (readonly string[])[]): Message => ({
  content,
  reasoning,
  calls: calls.map(([name, given, id = '']) => ({ name, arguments: given, id })),
});

/** Reads the expressions of the file, and collects its constants. */
class Reader extends CppReader {
  readonly #constants = new Map<string, unknown>();

  /** Reads the constants up to a position: tools, messages and texts. */
  constants(): void {
    const declared =
      /^ *(?:static |const )*(?:common_chat_tool|common_chat_msg|std::vector<common_chat_tool>|auto|char \*|std::string) +(\w+)\s*(=|(?=\{))/gm;
    for (const found of this.source.matchAll(declared)) {
      this.at = found.index + found[0].length;
      try {
        this.#constants.set(found[1], this.expression());
      } catch (error) {
        if (!(error instanceof UnreadError)) throw error;
      }
    }
  }

  /** Reads an expression: literals, lists in braces, constants, calls of the makers, and sums of texts. */
  expression(): unknown {
    const first = this.#term();
    return this.took('+') ? String(first) + String(this.expression()) : first;
  }

  #term(): unknown {
    if (this.took('{')) return this.#listTo('}');
    const word = this.matched(/true\b|false\b|-?\d+(?:\.\d+)?/y);
    if (word !== null) return JSON.parse(word);
    const name = this.matched(/(?!R")[A-Za-z_][\w:]*/y);
    if (name === null) return this.text();
    if (this.took('(')) {
      const given = this.#listTo(')');
      if (name === 'std::string') return given[0];
      if (Object.hasOwn(MAKERS, name)) return MAKERS[name](given as string[], given[2]);
    } else if (this.#constants.has(name)) return this.#constants.get(name);
    else if (name.startsWith('COMMON_')) return name;
    throw new UnreadError(name);
  }

  #listTo(end: string): unknown[] {
    const items: unknown[] = [];
    while (!this.took(end)) {
      items.push(this.expression());
      this.took(',');
    }
    return items;
  }

  /** Reads `(INPUT)` and the settings up to `.run()`. */
  tested(template: string): Tested {
    const input = this.expression() as string;
    this.take(')');
    const settings = new Map<string, unknown[]>();
    while (this.took('.')) {
      const name = this.matched(/\w+/y)!;
      this.take('(');
      settings.set(name, this.#listTo(')'));
    }
    if (!settings.has('run')) throw new UnreadError('a test that is not run');
    return { template, input, settings };
  }
}

/** A template with the readers of its answers. */
interface Model {
  readonly template: ChatTemplate;
  readonly calls: CallReader | null;
  readonly texts: CallReader;
  /** Whether the template refuses dialogues with calls. */
  readonly refuses: boolean;
}

const tokenizer = tokenizerOfBytes();

function modelOf(file: string): Model {
  const template = chatTemplate(readFileSync(file, 'utf8'), tokenizer);
  const refuses = callProblem(template, tokenizer)?.includes('refuses dialogues') ?? false;
  return { template, calls: callReader(template, tokenizer), texts: textReader(template, tokenizer), refuses };
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return '';
  }
};

function expectedOf({ settings }: Tested): Message {
  const message = { content: '', reasoning: '', calls: [], ...(settings.get('expect')?.[0] as Message | undefined) };
  if (settings.has('expect_content')) message.content = settings.get('expect_content')![0] as string;
  if (settings.has('expect_reasoning')) message.reasoning = settings.get('expect_reasoning')![0] as string;
  if (settings.has('expect_tool_calls'))
    message.calls = (settings.get('expect_tool_calls')![0] as string[][]).map(([name, given, id]) => ({
      name,
      arguments: given,
      id: typeof id === 'string' ? id : '',
    }));
  return message;
}

/** Judges a test. If it cannot be judged, its kind, with which the name of its case begins, says why. */
function judged(tested: Tested, model: Model): Omit<CaseResult, 'name'> & { kind: string } {
  const { settings, input } = tested;
  const tools = ((settings.get('tools')?.[0] as string[][] | undefined) ?? []).map(
    ([name, description, parameters]) => ({
      type: 'function',
      function: { name, description, parameters: JSON.parse(parameters) as object },
    }),
  );
  const format = settings.get('reasoning_format')?.[0] ?? 'COMMON_REASONING_FORMAT_NONE';
  const expected = expectedOf(tested);
  if (settings.has('continue_final_message')) return { kind: 'continued: ', outcome: 'skipped' };
  if (tools.length > 0 && model.calls === null)
    return { kind: model.refuses ? 'refused by the sandbox: ' : 'no known format: ', outcome: 'skipped' };
  const reader = tools.length > 0 ? model.calls! : model.texts;
  const user: ChatMessage = { role: 'user', content: 'Hey there!' };
  const isThinking = settings.get('enable_thinking')?.[0] ?? true;
  const inputs = { tools, variables: { enable_thinking: isThinking, thinking: isThinking } };
  const prompt = model.template.encodePrompt([user], inputs);
  const found = reader.read(prompt, tokenizer.encode(input), tools, settings.get('is_partial') === undefined);
  if (format === 'COMMON_REASONING_FORMAT_NONE' && found.reasoning !== '')
    return { kind: 'reasoning left in: ', outcome: 'skipped' };
  const shown = {
    content: found.text.trim(),
    reasoning: found.reasoning.trim(),
    calls: found.calls.map(({ name, arguments: given }) => ({ name, arguments: parsed(given) })),
  };
  const wanted = {
    content: expected.content.trim(),
    reasoning: expected.reasoning.trim(),
    calls: expected.calls.map(({ name, arguments: given }) => ({
      name,
      arguments: parsed(given === '' ? '{}' : given),
    })),
  };
  if (isDeepStrictEqual(shown, wanted)) return { kind: '', outcome: 'passed' };
  return {
    kind: '',
    outcome: 'failed',
    detail: `${JSON.stringify(shown)}, not ${JSON.stringify(wanted)} of ${JSON.stringify(input)}`,
  };
}

export default {
  title: "llama.cpp's tests of parsers",
  against: '`serve_model`: calls of tools and reasoning in answers',
  sources: [
    {
      github: 'ikawrakow/ik_llama.cpp',
      commit: '8337e4cd3861406fc04e0854b1409cd1b027fbc9',
      version: 'main of 15 August 2026',
      paths: ['tests/test-chat.cpp', 'models/templates'],
    },
  ],
  inCheck: true,
  notes:
    "The chains of calls in tests/test-chat.cpp, llama.cpp's own as its fork ik_llama.cpp has it, are read by a small reader of C++. Each gives " +
    'an answer of a model with one of the templates, and the reasoning, the content and the calls that must be found in it.',
  run: ({ folders: [folder] }) => {
    const source = readFileSync(join(folder, 'tests/test-chat.cpp'), 'utf8');
    const reader = new Reader(source, 0);
    reader.constants();
    const models = new Map<string, Model | null>();
    const begins = [
      ...source.matchAll(
        /peg_tester\("([^"]+)"|for \(const auto & path :\s*\{([^}]*)\}|^ *(?!\/\/)\S*\btst2?\.test\(/gm,
      ),
    ];
    let templates: string[] = [];
    const counts = new Map<string, number>();
    const cases = begins.flatMap((begin): CaseResult[] => {
      if (begin[1] !== undefined) templates = [begin[1]];
      else if (begin[2] !== undefined) templates = [...begin[2].matchAll(/"([^"]+)"/g)].map(([, path]) => path);
      if (!begin[0].endsWith('test(')) return [];
      return templates.map((path): CaseResult => {
        const name = path.replace(/^.*\/|\.jinja$/g, '');
        const number = (counts.get(name) ?? 0) + 1;
        counts.set(name, number);
        reader.at = begin.index + begin[0].length;
        try {
          const tested = reader.tested(name);
          if (!models.has(path)) models.set(path, existsSync(join(folder, path)) ? modelOf(join(folder, path)) : null);
          const model = models.get(path)!;
          if (model === null) return { name: `no template: ${name} ${number}`, outcome: 'skipped' };
          const { kind, ...result } = judged(tested, model);
          return { ...result, name: `${kind}${name} ${number}` };
        } catch (error) {
          if (error instanceof ChatTemplateError)
            return { name: `${name} ${number}`, outcome: 'failed', detail: error.message.replaceAll('\n', ' ') };
          if (!(error instanceof UnreadError) && !(error instanceof SyntaxError)) throw error;
          return { name: `unread: ${name} ${number}`, outcome: 'skipped', detail: error.message };
        }
      });
    });
    return Promise.resolve(cases);
  },
} satisfies Suite;
