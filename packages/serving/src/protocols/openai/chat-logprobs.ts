// Writes the tokens of an answer with their log-probabilities, in the form that Chat Completions and Responses share. `logprob`
// is under the model's full distribution; `masked_logprob`, in answers with a constraint, is under the distribution that the
// constraint's mask leaves.
import type { Alternative, TokenLogprob } from '../../generation/token-logprobs.js';
import { WrittenList } from '../../http/json-writing.js';
import { tokenName, type TokenNames } from './token-names.js';

export function chatLogprobs(tokens: readonly TokenLogprob[], names: TokenNames): WrittenList<TokenLogprob> {
  const entry = ({ id, bytes, logprob }: Alternative) => ({
    token: tokenName({ id, bytes }, names),
    logprob,
    bytes: [...bytes],
  });
  return new WrittenList(tokens, (token) => ({
    ...entry(token),
    ...(token.maskedLogprob !== undefined && { masked_logprob: token.maskedLogprob }),
    top_logprobs: token.topLogprobs.map(entry),
  }));
}
