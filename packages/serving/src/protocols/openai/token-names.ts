// Names the tokens of an answer in its list of log-probabilities, as OpenAI's protocols do.
import { escaped, textOf, type Alternative } from '../../generation/token-logprobs.js';

/** The tokens' texts, or `token_id:N`. */
export type TokenNames = 'texts' | 'ids';

/** @param prefix begins the name of a part of a character, which is named by its bytes since it has no text */
export function tokenName({ id, bytes }: Pick<Alternative, 'id' | 'bytes'>, names: TokenNames, prefix = ''): string {
  if (names === 'ids') return `token_id:${id}`;
  return textOf(bytes) ?? `${prefix}${escaped(bytes)}`;
}
