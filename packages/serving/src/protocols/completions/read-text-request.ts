// Reads the body of POST /v1/completions, and converts it to the server's internal form of a request.
import type { CompletionRequest, Prompt, RequestReader } from '../../generation/completion-request.js';
import { checkCharacters, checkTokens, inSteps, tokenLimit, type PromptCut } from '../../generation/request-bounds.js';
import { RequestFields } from '../fields/request-fields.js';
import { checkAnswerLimits, givenLimit, promptCut } from '../openai/read-limits.js';
import { readSettings } from '../openai/read-settings.js';
import { textFields } from './known-fields.js';

/** Throws BadRequestError if it cannot fit into the context, as its number of characters may show before it is encoded. */
export async function readTextRequest(
  body: unknown,
  reader: RequestReader,
  signal: AbortSignal,
): Promise<CompletionRequest> {
  const fields = new RequestFields(body, textFields);
  const echoes = fields.boolean('echo');
  const logprobOptions = readLogprobs(fields, echoes);
  const given = givenPrompts(fields, reader);
  const settings = readSettings(fields, logprobOptions, reader);
  const { maxAnswers } = reader;
  const answers = given.length * settings.n;
  if (answers > maxAnswers)
    throw fields.fail('prompt', `asks for ${answers} answers at once; this server has room for ${maxAnswers}`);
  // `best_of` must equal `n`: with more candidates than answers the server would have to choose among them.
  fields.number('best_of', settings.n, { min: settings.n, max: settings.n, whole: true });
  const limit = { names: ['max_tokens'], least: echoes ? 0 : 1 }; // 0 is allowed where only the prompt is returned
  const prompts = await encoded(fields, { given, echoes, cut: promptCut(fields, limit, reader) }, reader, signal);
  if (logprobOptions.scoresPrompts) checkScored(fields, prompts, reader);
  const maxTokens = tokenLimit(givenLimit(fields, limit), 'prompt', prompts, reader);
  checkAnswerLimits(fields, settings, maxTokens);
  return { ...settings, prompts, parts: null, constraint: null, continuesText: true, maxTokens };
}

function readLogprobs(fields: RequestFields, echoes: boolean) {
  const topLogprobs = fields.number('logprobs', null, { min: 0, max: 5, whole: true });
  const logprobs = topLogprobs !== null;
  const scoresPrompts = echoes && logprobs;
  if (scoresPrompts && topLogprobs > 0)
    throw fields.fail(
      'logprobs',
      'must be 0 together with echo: likely alternatives to given tokens are not supported',
    );
  if (scoresPrompts && fields.boolean('stream'))
    throw fields.fail('stream', 'together with echo and logprobs is not supported');
  return { logprobs, topLogprobs: topLogprobs ?? 0, scoresPrompts };
}

async function encoded(
  fields: RequestFields,
  { given, echoes, cut }: { given: readonly (string | number[])[]; echoes: boolean; cut: PromptCut },
  reader: RequestReader,
  signal: AbortSignal,
): Promise<Prompt[]> {
  const { tokenizer } = reader;
  for (const prompt of given)
    if (typeof prompt === 'string') checkCharacters(prompt.length, reader, 'prompt', cut);
    else if (!cut.cuts) checkTokens(prompt.length, reader, 'prompt');
  const texts = given.filter((prompt) => typeof prompt === 'string');
  const specials = fields.boolean('add_special_tokens', true);
  const encode = (text: string) => (specials ? tokenizer.encodeWithSpecials(text) : tokenizer.encode(text));
  const ids = await inSteps(() => texts.map(encode), reader, cut, signal);
  const prompts = given.map((prompt) => {
    const whole = typeof prompt === 'string' ? ids.shift()! : prompt;
    const kept = cut(whole);
    if (!echoes) return { ids: kept, echo: '' };
    return { ids: kept, echo: typeof prompt === 'string' && kept === whole ? prompt : tokenizer.decode(kept) };
  });
  if (prompts.some(({ ids }) => ids.length === 0))
    throw fields.fail('prompt', 'is empty; this model needs at least one token to continue from');
  return prompts;
}

function checkScored(fields: RequestFields, prompts: readonly Prompt[], { maskedTokenIds }: RequestReader): void {
  const masked = prompts.flatMap(({ ids }) => ids.slice(1)).find((id) => maskedTokenIds.includes(id));
  if (masked !== undefined)
    throw fields.fail(
      'prompt',
      `contains the token id ${masked}, which this model never writes, so it has no log-probability`,
    );
}

/** Returns the prompts of a request, each as a text or as token ids. */
function givenPrompts(fields: RequestFields, { vocabSize }: RequestReader): (string | number[])[] {
  const value = fields.value('prompt');
  const isId = (id: unknown): id is number => Number.isInteger(id) && (id as number) >= 0 && (id as number) < vocabSize;
  const isIds = (item: unknown): item is number[] => Array.isArray(item) && item.length > 0 && item.every(isId);
  const list: unknown[] = Array.isArray(value) && !isIds(value) ? value : [value];
  const good = list.every((item): item is string | number[] => typeof item === 'string' || isIds(item));
  if (!good || list.length === 0)
    throw fields.fail('prompt', `must be a string, token ids below ${vocabSize}, or an array of these`);
  return list;
}
