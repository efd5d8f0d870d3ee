// Runs BFCL v4: its correct calls are written by models' templates, read by a server's parsers, and judged by its own checker.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callReader, servedMessages } from '@bowyer/serving';
import { bytePairTokenizer, chatTemplate, type ChatMessage } from '@bowyer/text';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { caseOf, jsonLines } from '../cases.js';
import { outputOf } from '../programs.js';
import { writeScriptedModel } from '../scripted-model.js';
import { withServer } from '../serve.js';
import type { CaseResult, Suite } from '../suite.js';

interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** A question with the calls that answer it. */
interface Question {
  readonly id: string;
  readonly category: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly calls: readonly Call[];
}

/** Each template writes every hundredth question, each template from another one on. */
const EACH = 100;

const PLAIN_ANSWER = 'None of these tools can help with that.';

/**
 * Returns a function that writes a question's answer with a template, and reads its calls as a server does; null if the template
 * writes calls in no known way.
 */
function callsRead(source: string): ((question: Question) => readonly Call[]) | null {
  const tokenizer = bytePairTokenizer([], { size: 0, endToken: '<|im_end|>', contextLength: 1 << 20 });
  const template = chatTemplate(source, tokenizer);
  const reader = callReader(template, tokenizer);
  if (reader === null) return null;
  const written = servedMessages(template, tokenizer);
  return ({ messages, tools, calls }) => {
    const tool_calls = calls.map(({ name, arguments: given }, i) => ({
      type: 'function' as const,
      id: `call${String(i).padStart(5, '0')}`,
      function: { name, arguments: given },
    }));
    const answer: ChatMessage =
      calls.length > 0 ? { role: 'assistant', content: '', tool_calls } : { role: 'assistant', content: PLAIN_ANSWER };
    const inputs = { tools };
    const prompt = template.encodePrompt(messages, inputs);
    const [{ ids, lossMask }] = template.encodeConversation(written([...messages, answer]), inputs);
    const answerIds = ids.filter((_, i) => lossMask[i] > 0);
    return reader
      .read(prompt, answerIds, tools)
      .calls.map(({ name, arguments: given }) => ({ name, arguments: JSON.parse(given) as object }));
  };
}

/** Returns the calls that were read, or none and the error of a template that does not write the question. */
function attempted(read: () => readonly Call[]): { calls: readonly Call[]; fault?: string } {
  try {
    return { calls: read() };
  } catch (error) {
    return { calls: [], fault: (error as Error).message.slice(0, 200) };
  }
}

/** The number of questions of which one is asked of the server. */
const ASKED = 100;

interface Answer {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: { readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[] };
  }[];
}

/** Returns what is wrong with the form of an answer: it calls tools of the request, with arguments that are valid by their schemas. */
function formProblem({ choices: [{ finish_reason, message }] }: Answer, tools: Question['tools']): string | null {
  const { tool_calls: calls = [] } = message;
  if (finish_reason !== 'tool_calls' || calls.length === 0)
    return `it ends by ${finish_reason}, with ${calls.length} calls`;
  const ajv = new Ajv2020({ strict: false });
  const described = tools.map((tool) => tool.function as { name: string; parameters: object });
  for (const { function: called } of calls) {
    const tool = described.find(({ name }) => name === called.name);
    if (!tool) return `no tool is named ${called.name}`;
    if (!ajv.validate(tool.parameters, JSON.parse(called.arguments))) return `${called.arguments}: ${ajv.errorsText()}`;
  }
  return null;
}

/** Asks a tiny model for calls: whatever it says, the form is right. */
async function servedCases(questions: readonly Question[], work: string): Promise<CaseResult[]> {
  const model = await writeScriptedModel(join(work, 'model'));
  return await withServer(model, { max_new_tokens: 1_500, slots: 2 }, async ({ origin }) => {
    const cases: CaseResult[] = [];
    for (const { id, messages, tools } of questions.filter((_, i) => i % ASKED === 0)) {
      const response = await fetch(`${origin}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tiny', messages, tools, tool_choice: 'required' }),
      });
      const text = await response.text();
      const problem = response.ok ? formProblem(JSON.parse(text) as Answer, tools) : `${response.status}: ${text}`;
      cases.push(caseOf(`served: ${id}`, problem));
    }
    return cases;
  });
}

export default {
  title: 'BFCL v4: simple, multiple, parallel and irrelevance',
  against: 'templates and parsers of calls; `serve_model` under constrained decoding',
  sources: [
    {
      github: 'ShishirPatil/gorilla',
      commit: '6ea57973c7a6097fd7c5915698c54c17c5b1b6c8',
      version: '23 March 2026',
      paths: ['__init__.py', 'constants', 'eval_checker/__init__.py', 'eval_checker/ast_eval', 'data']
        .map((path) => `berkeley-function-call-leaderboard/bfcl_eval/${path}`)
        .concat(':!berkeley-function-call-leaderboard/bfcl_eval/data/memory_prereq_conversation'),
    },
    {
      github: 'ikawrakow/ik_llama.cpp',
      commit: '8337e4cd3861406fc04e0854b1409cd1b027fbc9',
      version: 'main of 15 August 2026',
      paths: ['models/templates'],
    },
  ],
  inCheck: false,
  notes:
    'The correct calls for its questions are written by the chat templates of ik_llama.cpp, read back by the parsers of `serve_model`, and ' +
    "judged by BFCL's own checker; a question without a fitting tool is answered with a sentence. Each template has every " +
    'hundredth of the 1,240 questions in Python. The numbers measure templates and parsers, not a model. The table of models, ' +
    'which imports the clients of all of them, is left out. Every hundredth question is also asked of `serve_model`, where a tiny model ' +
    'has to call a tool (`tool_choice: required`): its calls must have the form that the tools describe, whatever they say.',
  async run({ folders: [gorilla, llama], work, log }) {
    const repository = join(gorilla, 'berkeley-function-call-leaderboard');
    const score = (what: string, file: string) =>
      outputOf(['python3', join(import.meta.dirname, 'score.py'), repository, what, file], work, {
        PYTHONDONTWRITEBYTECODE: '1',
      });
    const made = join(work, 'made.jsonl');
    await score('make', made);
    const questions = jsonLines<Question>(readFileSync(made, 'utf8'));
    const templates = join(llama, 'models/templates');
    const cases: CaseResult[] = [];
    const answers: { name: string; id: string; category: string; calls: readonly Call[]; fault?: string }[] = [];
    for (const [t, name] of readdirSync(templates).sort().entries()) {
      if (!name.endsWith('.jinja')) continue;
      const read = callsRead(readFileSync(join(templates, name), 'utf8'));
      if (read === null) {
        cases.push({ name: `no known format: ${name}`, outcome: 'skipped' });
        continue;
      }
      for (const question of questions.filter((_, i) => i % EACH === t % EACH)) {
        const { id, category } = question;
        answers.push({ name, id, category, ...attempted(() => read(question)) });
      }
      log(name);
    }
    cases.push(...(await servedCases(questions, work)));
    const file = join(work, 'answers.jsonl');
    writeFileSync(file, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
    const results = jsonLines<{ valid: boolean; error: string }>(await score('judge', file));
    for (const [i, { name, id, fault }] of answers.entries()) {
      const { valid, error } = results[i];
      cases.push(caseOf(`${name}: ${id}`, fault ?? (valid ? null : String(error))));
    }
    return cases;
  },
} satisfies Suite;
