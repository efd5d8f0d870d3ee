// Finds answers that were cut off: their end is not learned, since the model did not end them there.

/**
 * Returns whether a reason for which an answer ended, in the words of any API, is not the model's own: a limit of tokens, a text that
 * the request names, a filter, a failure.
 * Sources: OpenAI's chat completions and responses, Anthropic's messages, Gemini's FinishReason, the AI SDK's FinishReason, Mistral's
 * and DeepSeek's chat completions, Bedrock's StopReason, Cohere's ChatFinishReason.
 */
export const isCut = (reason: unknown): boolean =>
  typeof reason === 'string' && CUT.has(reason.toLowerCase().replace(/[-_ ]/g, ''));

const CUT: ReadonlySet<string> = new Set([
  'length',
  'maxlength',
  'maxtokens',
  'maxoutputtokens',
  'maxcompletiontokens',
  'modellength',
  'modelcontextwindowexceeded',
  'stopsequence',
  'incomplete',
  'contentfilter',
  'contentfiltered',
  'guardrailintervened',
  'safety',
  'blocklist',
  'prohibitedcontent',
  'spii',
  'recitation',
  'language',
  'malformedfunctioncall',
  'refusal',
  'pauseturn',
  'insufficientsystemresource',
  'timeout',
  'error',
  'errorlimit',
  'errortoxic',
  'failed',
  'cancelled',
  'aborted',
  'abort',
]);
