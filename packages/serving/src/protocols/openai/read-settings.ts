// Reads what /v1/chat/completions and /v1/completions share: sampling, the answer's end, and additional results.
import { REPETITION_PENALTIES, type LogitRules } from '@bowyer/models';
import type { CompletionRequest, CompletionSettings, RequestReader } from '../../generation/completion-request.js';
import { checkedStops } from '../../generation/request-bounds.js';
import { samplingOf } from '../../generation/settings.js';
import { modelOf } from '../fields/model-name.js';
import { type RequestFields } from '../fields/request-fields.js';
import { streamOptions } from './common-fields.js';

/** The most stop tokens, and the most tokens with a bias: all of them are processed for each new token. */
const MOST_TOKENS = 4_096;

const MOST_BAD_WORDS = 256;

/** Reads the settings of a request, with the server's defaults for missing fields. @throws {BadRequestError} */
export function readSettings(
  fields: RequestFields,
  logprobOptions: Pick<CompletionRequest, 'logprobs' | 'topLogprobs' | 'scoresPrompts'>,
  reader: RequestReader,
): CompletionSettings {
  const { maxAnswers, vocabSize } = reader;
  const penalty = { min: -2, max: 2 };
  const model = modelOf(fields, reader);
  const stops = checkedStops(fields.texts('stop'), 'stop');
  const returnsIds = fields.boolean('return_token_ids');
  if (returnsIds && stops.length > 0)
    throw fields.fail('stop', 'together with return_token_ids is not supported; give stop_token_ids');
  const largest = Number.MAX_SAFE_INTEGER;
  const rules = rulesOf(fields, reader);
  return {
    model,
    n: fields.number('n', 1, { min: 1, max: maxAnswers, whole: true }),
    minTokens: rules.minNewTokens,
    sampling: readSampling(fields, reader),
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

function readSampling(fields: RequestFields, reader: RequestReader): CompletionSettings['sampling'] {
  const { defaults } = reader;
  const temperature = fields.number('temperature', defaults.temperature, { min: 0, max: 2 });
  const topK = fields.number('top_k', defaults.topK, { min: -1, max: 2 ** 31, whole: true });
  return samplingOf({ temperature, topK, topP: fields.number('top_p', defaults.topP, { min: 0, max: 1 }) }, reader);
}

function streamOf(fields: RequestFields): Pick<CompletionSettings, 'stream' | 'streamsUsage'> {
  const stream = fields.boolean('stream');
  const streamsUsage = fields.object('stream_options', streamOptions).boolean('include_usage');
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

/** As in vLLM, a word of `bad_words` is banned at the beginning of a text and after a space. */
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

/** The most characters of a word in `bad_words`, whose words the model must not generate. */
const LONGEST_BAD_WORD = 256;
