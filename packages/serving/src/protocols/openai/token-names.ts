// Names the tokens of an answer as OpenAI's protocols do.
import { escaped, textOf, type Alternative } from '../../generation/token-logprobs.js';

/** How tokens are named: by their texts, or as `token_id:N`. */
export type TokenNames = 'texts' | 'ids';

/** Returns the name of a token. @param prefix of the bytes of a part of a character, which has no text of its own */
export function tokenName({ id, bytes }: Pick<Alternative, 'id' | 'bytes'>, names: TokenNames, prefix = ''): string {
  if (names === 'ids') return `token_id:${id}`;
  return textOf(bytes) ?? `${prefix}${escaped(bytes)}`;
}
