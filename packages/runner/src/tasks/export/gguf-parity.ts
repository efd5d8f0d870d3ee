// Whether llama.cpp reads a GGUF file as the model is here: the tokens of a dialogue with a call of a tool, and the probabilities of the
// call and of the model's own likeliest tokens. llama.cpp is run where node-llama-cpp is installed for the project.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mean } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { endOfText, generateTexts, LanguageModel, type TensorTypeName } from '@bowyer/models';
import { chatTemplate, type ChatMessage, type Tokenizer } from '@bowyer/text';

/** node-llama-cpp, as far as it is used here. */
interface Llama {
  loadModel(options: object): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

interface LlamaModel {
  tokenize(text: string, specialTokens: boolean): number[];
  createContext(options: object): Promise<{ getSequence(): LlamaSequence; dispose(): Promise<void> }>;
  dispose(): Promise<void>;
}

interface LlamaSequence {
  clearHistory(): Promise<void>;
  controlledEvaluate(
    tokens: readonly (readonly [number, object])[],
  ): Promise<({ next: { probabilities?: Map<number, number> } } | undefined)[]>;
}

const PACKAGE = 'node-llama-cpp';

/** Likeliest tokens that are compared. */
const GREEDY = 24;

/** The mean difference of log-probabilities that the rounding of a type may make, in nats; a file that is read wrongly has several. */
const ROUNDED: Readonly<Record<TensorTypeName, number>> = {
  f32: 0.02,
  f16: 0.1,
  bf16: 0.2,
  q8_0: 0.5,
  q4_0: 2,
  q4_k: 2,
};

/**
 * Compares a GGUF file with the model that it was written from.
 *
 * @param project the folder in which, or above which, the engine is installed
 * @returns a line about what was compared, or why nothing was
 * @throws where llama.cpp reads other tokens, or calculates other probabilities than rounding explains
 */
export async function ggufParity(
  file: string,
  model: string,
  dtype: TensorTypeName,
  project = process.cwd(),
): Promise<string> {
  const folder = installed(project);
  if (folder === null)
    return `parity was not checked: ${PACKAGE} is not installed here (npm install ${PACKAGE}), with which llama.cpp would run the file`;
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const { getLlama } = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as {
    getLlama(options: object): Promise<Llama>;
  };
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
  try {
    const there = await llama.loadModel({ modelPath: file, gpuLayers: 0 }).catch((error: Error) => {
      throw new Error(`export: llama.cpp of ${PACKAGE} ${version} cannot load the file: ${error.message}`, {
        cause: error,
      });
    });
    try {
      const compared = await compare(model, there, dtype);
      return `parity: ${compared}, by llama.cpp (${PACKAGE} ${version})`;
    } finally {
      await there.dispose();
    }
  } finally {
    await llama.dispose();
  }
}

/** Returns the package's folder, in a project or above it. */
function installed(project: string): string | null {
  for (let folder = project; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', PACKAGE);
    if (existsSync(join(found, 'dist/index.js'))) return found;
    if (folder === dirname(folder)) return null;
  }
}

async function compare(folder: string, there: LlamaModel, dtype: TensorTypeName): Promise<string> {
  const device = await openDevice({ device: 'cpu' });
  const model = await LanguageModel.load({ device, dir: folder });
  try {
    const { tokenizer } = model;
    const dialogue = callIn(tokenizer);
    checkTokens(dialogue.text, tokenizer, there);
    const answer = await greedy(model, dialogue.prompt);
    const context = await there.createContext({
      contextSize: Math.max(answer.length, dialogue.whole.length) + 8,
      flashAttention: false,
    });
    const sequence = context.getSequence();
    let equal = 0;
    for (const [what, ids] of [
      ['the likeliest tokens', answer],
      [dialogue.noun, dialogue.whole],
    ] as const) {
      const from = dialogue.prompt.length;
      const [here, engine] = [await scoredHere(model, ids, from), await scoredThere(sequence, ids, from)];
      const apart = mean(here.map((logprob, i) => Math.abs(logprob - engine.logprobs[i])));
      if (what === 'the likeliest tokens') equal = engine.likeliest;
      if (!(apart <= ROUNDED[dtype]))
        throw new Error(
          `export: llama.cpp reads the file otherwise than the model is here: ${what} differ by ${apart.toFixed(3)} nats a token on ` +
            `average, and the rounding of ${dtype} explains ${ROUNDED[dtype]}\n  nothing was written; please report the model's config.json`,
        );
    }
    await context.dispose();
    return `${equal} of ${answer.length - dialogue.prompt.length} greedy tokens and ${dialogue.noun} are those of the model`;
  } finally {
    await model.release();
    await device.close();
  }
}

interface ComparedDialogue {
  text: string;
  prompt: number[];
  /** With the answer. */
  whole: number[];
  noun: string;
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'find_order',
      description: 'Finds an order.',
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
    },
  },
];
const asked: ChatMessage = { role: 'user', content: 'Where is my order 4821?' };
const answers: [noun: string, message: ChatMessage, inputs: { tools?: typeof tools }][] = [
  [
    'a call of a tool',
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { type: 'function', id: 'call00001', function: { name: 'find_order', arguments: { order: '4821' } } },
      ],
    },
    { tools },
  ],
  ['an answer', { role: 'assistant', content: 'It is on its way.' }, {}],
];

/** Returns a dialogue that ends with a call, where the template writes calls; else with an answer; without a template a text. */
function callIn(tokenizer: Tokenizer): ComparedDialogue {
  for (const [noun, message, inputs] of answers)
    try {
      const template = chatTemplate(null, tokenizer);
      const prompt = template.encodePrompt([asked], inputs);
      const [{ ids }] = template.encodeConversation([asked, message], inputs);
      const text = tokenizer.decode(ids, { keepSpecialTokens: true });
      const isWritten = noun === 'an answer' || text.slice(text.indexOf('4821')).includes('find_order');
      if (isWritten && prompt.every((id, i) => ids[i] === id)) return { text, prompt, whole: ids, noun };
    } catch {
      // The template refuses such dialogues.
    }
  const text = 'Where is my order? It is on its way.';
  const whole = tokenizer.encode(text);
  return { text, prompt: whole.slice(0, Math.ceil(whole.length / 2)), whole, noun: 'a text' };
}

/** @throws where llama.cpp cuts a text into other tokens */
function checkTokens(text: string, tokenizer: Tokenizer, there: LlamaModel): void {
  const [here, engine] = [tokenizer.encode(text), there.tokenize(text, true)];
  if (here.join() === engine.join()) return;
  const at = here.findIndex((id, i) => engine[i] !== id);
  const [ours, theirs] = [here, engine].map((ids) =>
    JSON.stringify(tokenizer.decode(ids.slice(Math.max(at, 0)).slice(0, 4), { keepSpecialTokens: true })),
  );
  throw new Error(
    `export: llama.cpp cuts a text into other tokens than the model's tokenizer: from token ${at} on ${theirs}, here ${ours}\n` +
      "  nothing was written; please report the model's tokenizer.json, and use format=onnx or format=hf",
  );
}

/** Returns a prompt with the likeliest tokens behind it. */
async function greedy(model: LanguageModel, promptIds: number[]): Promise<number[]> {
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, batchSize: 1, seed: 0 };
  const terminatorIds = [...endOfText(model)];
  const texts = generateTexts(model, [{ promptIds }], { ...sampling, terminatorIds, maxNewTokens: GREEDY });
  for await (const { ids } of texts) return [...promptIds, ...ids];
  return promptIds;
}

async function scoredHere(model: LanguageModel, ids: readonly number[], from: number): Promise<number[]> {
  const weights = Float32Array.from(ids.slice(1), (_, i) => (i + 1 < from ? 0 : 1));
  const example = { ids: Int32Array.from(ids.slice(0, -1)), targets: Int32Array.from(ids.slice(1)), weights };
  const [logprobs] = await model.logprobs([example]);
  return [...logprobs].slice(from - 1);
}

/** Returns the log-probability of each token from a place on, and how many of them are the likeliest. */
async function scoredThere(
  sequence: LlamaSequence,
  ids: readonly number[],
  from: number,
): Promise<{ logprobs: number[]; likeliest: number }> {
  await sequence.clearHistory();
  const options = (i: number) => (i + 1 < from ? {} : { generateNext: { probabilities: true } });
  const evaluated = await sequence.controlledEvaluate(ids.slice(0, -1).map((id, i) => [id, options(i)] as const));
  const next = evaluated.slice(from - 1).map((one) => one!.next.probabilities!);
  return {
    logprobs: next.map((probabilities, i) => Math.log(probabilities.get(ids[from + i]) ?? 0)),
    // The map begins with the likeliest token.
    likeliest: next.filter((probabilities, i) => probabilities.keys().next().value === ids[from + i]).length,
  };
}
