// The fields that chats and completions have in common: how an answer is sampled, when it ends, what is returned beside it.
import { REPETITION_PENALTIES, type LogitRules } from '@bowyer/models';
import type { CompletionRequest, RequestReader } from '../../generation/completion-request.js';
import { nestedFields } from './known-fields.js';
import { stopsOf } from './request-bounds.js';
import { BadRequestError, type RequestFields } from './request-fields.js';

type Settings = Omit<CompletionRequest, 'prompts' | 'maxTokens' | 'parts' | 'continuesText'>;

/** Stop tokens, and tokens with a bias: they go with the answer from round to round. */
const MOST_TOKENS = 4_096;

const MOST_BAD_WORDS = 256;

/** @throws {BadRequestError} */
export function readSettings(
  fields: RequestFields,
  logprobOptions: Pick<CompletionRequest, 'logprobs' | 'topLogprobs' | 'scoresPrompts'>,
  reader: RequestReader,
): Settings {
  const { slots, vocabSize } = reader;
  const penalty = { min: -2, max: 2 };
  checkModel(fields, reader);
  const stops = stopsOf(fields);
  const returnsIds = fields.boolean('return_token_ids');
  if (returnsIds && stops.length > 0)
    throw fields.fail('stop', 'together with return_token_ids is not supported; give stop_token_ids');
  const largest = Number.MAX_SAFE_INTEGER;
  const rules = rulesOf(fields, reader);
  return {
    n: fields.number('n', 1, { min: 1, max: slots, whole: true }),
    minTokens: rules.minNewTokens,
    sampling: samplingOf(fields, reader),
    stops,
    seed: fields.number('seed', null, { min: -largest, max: largest, whole: true }),
    ...streamOf(fields),
    ...logprobOptions,
    namesTokensById: fields.boolean('return_tokens_as_token_ids'),
    returnsIds,
    stopIds: fields.ids('stop_token_ids', vocabSize, MOST_TOKENS),
    ignoresEnd: fields.boolean('ignore_eos'),
    logitBias: fields.numbersById('logit_bias', { min: -100, max: 100, vocabSize, most: MOST_TOKENS }),
    presencePenalty: fields.number('presence_penalty', 0, penalty),
    frequencyPenalty: fields.number('frequency_penalty', 0, penalty),
    rules,
  };
}

function samplingOf(fields: RequestFields, { defaults }: RequestReader): Settings['sampling'] {
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  return {
    greedy: temperature === 0,
    temperature: temperature === 0 ? 1 : temperature,
    topK: Math.max(0, fields.number('top_k', defaults.topK, { min: -1, max: 2 ** 31, whole: true })),
    // At 0, as OpenAI's API allows, the most likely token alone is kept.
    topP: Math.max(Number.MIN_VALUE, fields.number('top_p', defaults.topP, { min: 0, max: 1 })),
  };
}

function streamOf(fields: RequestFields): Pick<Settings, 'stream' | 'streamsUsage'> {
  const stream = fields.boolean('stream');
  const streamsUsage = fields.object('stream_options', nestedFields.stream_options).boolean('include_usage');
  if (streamsUsage && !stream) throw fields.fail('stream_options', 'needs stream to be true');
  return { stream, streamsUsage };
}

function rulesOf(fields: RequestFields, reader: RequestReader): LogitRules {
  const { rules, vocabSize } = reader;
  const allowed = fields.ids('allowed_token_ids', vocabSize, vocabSize);
  if (fields.value('allowed_token_ids') !== undefined && allowed.length === 0)
    throw fields.fail('allowed_token_ids', 'is empty; leave it out to allow all tokens');
  const most = { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true };
  return {
    ...rules,
    repetitionPenalty: fields.number('repetition_penalty', rules.repetitionPenalty, REPETITION_PENALTIES),
    minNewTokens: fields.number('min_tokens', rules.minNewTokens, most),
    badWords: [...rules.badWords, ...badWordsOf(fields, reader)],
    allowed: allowed.length === 0 ? rules.allowed : { ids: allowed, of: vocabSize },
  };
}

/** Bans words as vLLM does: a word is banned at the beginning of a text and behind a space. */
function badWordsOf(fields: RequestFields, { tokenizer }: RequestReader): number[][] {
  const words = fields.texts('bad_words');
  if (words.length > MOST_BAD_WORDS)
    throw fields.fail('bad_words', `has ${words.length} words; at most ${MOST_BAD_WORDS} are allowed`);
  if (words.some(({ length }) => length === 0 || length > LONGEST_BAD_WORD))
    throw fields.fail('bad_words', `must contain texts of 1 to ${LONGEST_BAD_WORD} characters`);
  const spellings = words.flatMap((word) => {
    const bare = word.trimStart();
    return bare === '' ? [word] : [word, bare, ` ${bare}`];
  });
  const sequences = [...new Set(spellings)].map((spelling) => tokenizer.encode(spelling));
  if (sequences.some((ids) => ids.length === 0))
    throw fields.fail('bad_words', 'has a word without a token in this vocabulary');
  return [...new Map(sequences.map((ids) => [ids.join(), ids])).values()];
}

/** The limit in characters. */
const LONGEST_BAD_WORD = 256;

function checkModel(fields: RequestFields, { name }: RequestReader): void {
  const asked = fields.text('model', name);
  if (asked !== name)
    throw new BadRequestError(
      `The model '${asked}' does not exist; this server has '${name}'`,
      'model',
      'model_not_found',
    );
}
