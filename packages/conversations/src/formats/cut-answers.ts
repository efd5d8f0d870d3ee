// Recognises answers that were cut off. Their end token is not trained on, since the model did not end them.

/**
 * Returns whether a finish reason of any API means that something other than the model ended the answer: a token limit, a stop
 * string, a filter or a failure. Sources: OpenAI's chat completions and responses, Anthropic's messages, Gemini's and the AI
 * SDK's FinishReason, Mistral's and DeepSeek's chat completions, Bedrock's StopReason, Cohere's ChatFinishReason.
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
