// Checks that an exported file, run in another engine, computes the same as the model in Bowyer: compares the log-probabilities
// of a tool call, and of tokens that the model decodes greedily.
import { mean } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { endOfText, generateTexts, LanguageModel } from '@bowyer/models';
import { chatTemplate, type ChatMessage, type Tokenizer } from '@bowyer/text';

/** An exported file that is opened in an engine, such as llama.cpp. */
export interface ParityEngine {
  /** The name of the engine in messages. */
  name: string;
  /** The data type of the weight matrices in the file. */
  type: string;
  /** The largest mean difference of log-probabilities, in nats, that the rounding of the data type explains. */
  rounding: number;
  /** Returns the log-probability of each token from index `from`, and how many of these tokens are the most likely ones. */
  score(ids: readonly number[], from: number): Promise<{ logprobs: number[]; likeliest: number }>;
}

/** A dialogue with the log-probabilities that the model itself computes for it. */
export interface ParityReference {
  tokenizer: Tokenizer;
  dialogue: ComparedDialogue;
  /** The token sequences that are compared, with the model's log-probability of each token after the prompt. */
  compared: { what: string; ids: number[]; logprobs: number[] }[];
}

const LIKELIEST = 'the likeliest tokens';

const GREEDY = 24;

/**
 * Computes the log-probabilities of a dialogue and of greedily decoded tokens with the model in a folder, in float32. Exported
 * files are compared with them.
 */
export async function parityReference(folder: string): Promise<ParityReference> {
  const device = await openDevice({ device: 'cpu' });
  const model = await LanguageModel.load({ device, dir: folder });
  try {
    const { tokenizer } = model;
    const dialogue = callIn(tokenizer, model.contextLength);
    const compared = [];
    for (const [what, ids] of [
      [LIKELIEST, await greedy(model, dialogue.prompt)],
      [dialogue.noun, dialogue.whole],
    ] as const)
      compared.push({ what, ids, logprobs: await scoredHere(model, ids, dialogue.prompt.length) });
    return { tokenizer, dialogue, compared };
  } finally {
    await model.release();
    await device.close();
  }
}

/**
 * @returns a line about what was compared
 * @throws where the log-probabilities differ by more than rounding explains
 */
export async function compareWith({ dialogue, compared }: ParityReference, engine: ParityEngine): Promise<string> {
  const from = dialogue.prompt.length;
  let equal = '';
  for (const { what, ids, logprobs } of compared) {
    const there = await engine.score(ids, from);
    const apart = logprobs.length === 0 ? 0 : mean(logprobs.map((logprob, i) => Math.abs(logprob - there.logprobs[i])));
    if (!(apart <= engine.rounding))
      throw new Error(
        `export: ${engine.name} reads the file otherwise than the model is here: ${what} differ by ${apart.toFixed(3)} nats a token on ` +
          `average, and the rounding of ${engine.type} explains ${engine.rounding}\n` +
          "  nothing was written; please report the model's config.json",
      );
    if (what === LIKELIEST) equal = `${there.likeliest} of ${logprobs.length}`;
  }
  return `${equal} greedy tokens and ${dialogue.noun} are those of the model`;
}

interface ComparedDialogue {
  text: string;
  prompt: number[];
  /** The token ids of the prompt and of the answer. */
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

/**
 * Returns a dialogue that ends with a tool call if the template writes tool calls, otherwise one that ends with an answer.
 * Without a template, or with a short context, it returns a plain text.
 */
function callIn(tokenizer: Tokenizer, contextLength: number): ComparedDialogue {
  for (const [noun, message, inputs] of answers)
    try {
      const template = chatTemplate(null, tokenizer);
      const prompt = template.encodePrompt([asked], inputs);
      const [{ ids }] = template.encodeConversation([asked, message], inputs);
      const text = tokenizer.decode(ids, { keepSpecialTokens: true });
      const isWritten = noun === 'an answer' || text.slice(text.indexOf('4821')).includes('find_order');
      if (isWritten && ids.length < contextLength && prompt.every((id, i) => ids[i] === id))
        return { text, prompt, whole: ids, noun };
    } catch {
      // The template refuses dialogues of this form, so that the next one is tried.
    }
  const text = 'Where is my order? It is on its way.';
  const whole = tokenizer.encode(text).slice(0, contextLength - 1);
  return { text, prompt: whole.slice(0, Math.ceil(whole.length / 2)), whole, noun: 'a text' };
}

/** Returns a prompt followed by the tokens that the model decodes greedily after it. */
async function greedy(model: LanguageModel, promptIds: number[]): Promise<number[]> {
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, batchSize: 1, seed: 0 };
  const terminatorIds = [...endOfText(model)];
  const maxNewTokens = Math.min(GREEDY, model.contextLength - promptIds.length);
  const texts = generateTexts(model, [{ promptIds }], { ...sampling, terminatorIds, maxNewTokens });
  for await (const { ids } of texts) return [...promptIds, ...ids];
  return promptIds;
}

async function scoredHere(model: LanguageModel, ids: readonly number[], from: number): Promise<number[]> {
  const weights = Float32Array.from(ids.slice(1), (_, i) => (i + 1 < from ? 0 : 1));
  const example = { ids: Int32Array.from(ids.slice(0, -1)), targets: Int32Array.from(ids.slice(1)), weights };
  const [logprobs] = await model.logprobs([example]);
  return [...logprobs].slice(from - 1);
}
