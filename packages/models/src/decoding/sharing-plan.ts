// Plans which prefixes slots copy from each other's caches, and translates the plan to rows of the cache.
import { groupBy, maximum } from '@bowyer/core';
import { commonPrefix } from '../batching/common-prefix.js';
import { sharedPrefixes, type PrefixCopy, type Prompt, type SharedStage } from './shared-prefixes.js';
import type { SlotMapping } from './slot-mapping.js';

/** The section of a slot's context that the model sees, with the number of tokens that are in the slot's own cache. */
interface SlotPrompt {
  slot: number;
  tokens: readonly number[];
  cached: number;
  /** The adapter with which the tokens are read, on which keys and values depend; undefined: the same for all slots. */
  adapter?: object | null;
}

/** A stage of a call: first `reads` are executed, then `copies`, whose `from` and `to` are slots. */
interface Stage {
  reads: { slot: number; tokens: Int32Array }[];
  copies: PrefixCopy[];
}

/** The stages in which slots read and copy common prefixes, after which each slot reads the remaining tokens of its prompt. */
export interface SharingPlan {
  stages: Stage[];
  /** [prompts] the number of the prompt's tokens that are in the slot's cache after all stages. */
  cached: number[];
  /** The number of tokens that slots copy from other slots. */
  copied: number;
  /** [prompts] the number of tokens that the model reads for each prompt. */
  read: number[];
}

interface SharingOptions {
  slots: number;
  /** Returns the tokens whose keys and values are in a slot's cache, and the adapter with which they were read. */
  content: (slot: number) => Pick<SlotPrompt, 'tokens' | 'adapter'>;
  /** The least number of tokens that copying a prefix must save. */
  least: number;
  /** Whether recurrent states must be copied with a prefix; a slot has only the states after its last token. */
  hasStates: boolean;
}

/** Plans the copies and reads of a call for the prompts of its slots. */
export function sharingPlan(prompts: readonly SlotPrompt[], options: SharingOptions): SharingPlan {
  const before = options.hasStates ? [] : copiesFromSlots(prompts, options);
  const cached = prompts.map((prompt) => prompt.cached);
  const read = prompts.map((prompt) => prompt.tokens.length - prompt.cached);
  let copied = 0;
  const copy = (prompt: number, length: number) => {
    copied += length - cached[prompt];
    read[prompt] -= length - cached[prompt];
    cached[prompt] = length;
  };
  for (const { prompt, length } of before) copy(prompt, length);
  const found = stagesByAdapter(
    prompts.map(({ tokens, adapter }, i) => ({
      tokens: options.hasStates && cached[i] > 0 ? [] : tokens,
      cached: cached[i],
      adapter,
    })),
    options.least,
  );
  const stages = found.map(({ reads, copies }): Stage => {
    for (const { prompt, end } of reads) cached[prompt] = end;
    for (const { to, length } of copies) copy(to, length);
    return {
      reads: reads.map(({ prompt, start, end }) => ({
        slot: prompts[prompt].slot,
        tokens: Int32Array.from(prompts[prompt].tokens.slice(start, end)),
      })),
      copies: copies.map(({ from, to, length }) => ({ from: prompts[from].slot, to: prompts[to].slot, length })),
    };
  });
  const copies = before.map(({ prompt, from, length }) => ({ from, to: prompts[prompt].slot, length }));
  return { stages: [...(copies.length > 0 ? [{ reads: [], copies }] : []), ...stages], cached, copied, read };
}

/** Finds the stages of each adapter's prompts, which share no prefixes with others; they are executed together. */
function stagesByAdapter(prompts: readonly (Prompt & Pick<SlotPrompt, 'adapter'>)[], least: number): SharedStage[] {
  const indices = groupBy(prompts.keys(), (i) => prompts[i].adapter);
  const together: SharedStage[] = [];
  for (const own of indices.values()) {
    const stages = sharedPrefixes(
      own.map((i) => prompts[i]),
      least,
    );
    stages.forEach(({ reads, copies }, level) => {
      const stage = (together[level] ??= { reads: [], copies: [] });
      for (const read of reads) stage.reads.push({ ...read, prompt: own[read.prompt] });
      for (const copy of copies) stage.copies.push({ ...copy, from: own[copy.from], to: own[copy.to] });
    });
  }
  return together;
}

/** Finds for each prompt a copy from the slot that has its longest prefix, such as an episode with the same instructions. */
function copiesFromSlots(
  prompts: readonly SlotPrompt[],
  { slots, content, least }: SharingOptions,
): { prompt: number; from: number; length: number }[] {
  const unread = prompts.flatMap(({ tokens, cached }, i) => (tokens.length - cached > least ? [i] : []));
  if (unread.length === 0) return [];
  const contents = Array.from({ length: slots }, (_, slot) => content(slot));
  const changed = new Set(unread.map((i) => prompts[i].slot));
  return unread.flatMap((prompt) => {
    const { tokens, cached, adapter } = prompts[prompt];
    // A row that is the target of a copy is not a source of another copy, so that the order of the copies does not matter.
    const lengths = contents.map((known, slot) =>
      changed.has(slot) || known.adapter !== adapter ? 0 : commonPrefix(known.tokens, tokens),
    );
    const longest = maximum(lengths);
    const length = Math.min(longest, tokens.length - 1);
    return length - cached < least ? [] : [{ prompt, from: lengths.indexOf(longest), length }];
  });
}

/**
 * Lists for each stage the slots that have read tokens in this stage or an earlier one. Their rows must come first in the cache,
 * since a run of the graph reads the first rows. Each list begins with the previous one.
 */
export function readersFirst({ stages }: SharingPlan): number[][] {
  const readers = new Set<number>();
  return stages.flatMap(({ reads }) => {
    if (reads.length === 0) return [];
    for (const { slot } of reads) readers.add(slot);
    return [[...readers]];
  });
}

/** Returns the stages as `GenerateArgs.shared`: tokens for each row from the first one on. */
export function stagesOfRows({ stages }: SharingPlan, rows: SlotMapping) {
  return stages.map(({ reads, copies }) => {
    const byRow = new Map(reads.map(({ slot, tokens }) => [rows.row(slot), tokens]));
    const count = byRow.size === 0 ? 0 : maximum([...byRow.keys()]) + 1;
    return {
      feed: Array.from({ length: count }, (_, row) => byRow.get(row) ?? new Int32Array(0)),
      copies: copies.map(({ from, to, length }) => ({ from: rows.row(from), to: rows.row(to), length })),
    };
  });
}
