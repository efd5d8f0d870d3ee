// Finds the bytes and characters that single tokens can spell, and the smallest number of tokens of a fixed text, from which the
// lengths of constrained answers are estimated.
import type { Steps } from '../steps.js';
import type { SpellableUnits } from './byte-nodes.js';
import { unionOf } from './code-points.js';
import type { TokenTrie } from './token-trie.js';

const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/**
 * In steps between which a server can serve other requests. `tokens`: [vocabulary] the bytes of tokens that are not the first of
 * a text.
 */
export function* spellableUnits(tokens: readonly Uint8Array[]): Steps<SpellableUnits> {
  const bytes = new Array<boolean>(256).fill(false);
  const points: [number, number][] = [];
  for (const [id, own] of tokens.entries()) {
    if (own.length === 1) bytes[own[0]] = true;
    const point = onlyCharacter(own);
    if (point !== null) points.push([point, point]);
    if (id % AT_ONCE === AT_ONCE - 1) yield;
  }
  return { bytes, characters: unionOf(points) };
}

/** The number of tokens that are examined in one step. */
const AT_ONCE = 4096;

function onlyCharacter(bytes: Uint8Array): number | null {
  if (bytes.length === 0 || bytes.length > 4) return null;
  try {
    const characters = [...strict.decode(bytes)];
    return characters.length === 1 ? characters[0].codePointAt(0)! : null;
  } catch {
    return null;
  }
}

/** [bytes] the least number of tokens from each byte to the end of the text; infinite if it cannot be spelled. */
export function tokensOfText(trie: TokenTrie, bytes: Uint8Array): number[] {
  const needs = new Array<number>(bytes.length + 1).fill(Infinity);
  needs[bytes.length] = 0;
  for (let start = bytes.length - 1; start >= 0; start--) {
    let node = trie.child(0, bytes[start]);
    for (let i = start + 1; node >= 0; i++) {
      if (trie.token[node] >= 0) needs[start] = Math.min(needs[start], 1 + needs[i]);
      node = i < bytes.length ? trie.child(node, bytes[i]) : -1;
    }
  }
  return needs;
}
