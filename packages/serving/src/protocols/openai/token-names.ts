// Names the tokens of an answer as in OpenAI's protocols.
import { escaped, textOf, type Alternative } from '../../generation/token-logprobs.js';

/** How tokens are named: by their texts, or as `token_id:N`. */
export type TokenNames = 'texts' | 'ids';

/** Returns the name of a token. @param prefix of a name made of bytes, for a part of a character, which has no text */
export function tokenName({ id, bytes }: Pick<Alternative, 'id' | 'bytes'>, names: TokenNames, prefix = ''): string {
  if (names === 'ids') return `token_id:${id}`;
  return textOf(bytes) ?? `${prefix}${escaped(bytes)}`;
}
