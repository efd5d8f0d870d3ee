// Finds the reasoning at the beginning of an answer, between markers that most chat templates share.
import type { Tokenizer } from '@bowyer/text';
import type { AnswerParts } from './answer-parts.js';
import type { CallFormat } from './call-format.js';
import type { IncomingText, Reading } from './incoming-text.js';

/** Markers of Qwen, DeepSeek, LFM2 and others, of Mistral, of Seed OSS, and of Gemma 4. */
const PAIRS = [
  ['<think>', '</think>'],
  ['[THINK]', '[/THINK]'],
  ['<seed:think>', '</seed:think>'],
  ['<|channel>thought', '<channel|>'],
] as const;

export const reasoningMarks: readonly string[] = PAIRS.flat();

/** The markers around a model's reasoning. */
export interface ReasoningForm {
  start: string;
  end: string;
  /** Whether the prompt ended with the opening marker. */
  startsInside: boolean;
}

/** Returns the markers around a model's reasoning; null if its vocabulary contains none, since it then writes no reasoning. */
export function reasoningForm(
  format: CallFormat | null,
  tokenizer: Pick<Tokenizer, 'tokenToId'>,
  startsInside: boolean,
): ReasoningForm | null {
  const pair =
    format?.reasoningMarks ?? PAIRS.find((marks) => marks.every((mark) => tokenizer.tokenToId(mark) !== undefined));
  const [start, end] = pair ?? (startsInside ? PAIRS[0] : []);
  return start === undefined || end === undefined ? null : { start, end, startsInside };
}

/** The white space that a template writes after the closing marker: after some reasoning, and after empty reasoning. */
export interface AfterReasoning {
  some: string;
  none: string;
}

/**
 * Parses reasoning at the answer's beginning, and the white space around it.
 *
 * @param startsInside whether the prompt ended with the opening marker
 * @param after the template's white space, which is skipped; null if unknown, so that all white space is skipped
 */
export function* readReasoning(
  input: IncomingText,
  parts: AnswerParts,
  startsInside: boolean,
  after: AfterReasoning | null,
): Reading<void> {
  const start = input.at;
  yield* input.skipSpace();
  let ends: readonly string[] = startsInside ? PAIRS.map(([, end]) => end) : [];
  for (const [mark, end] of PAIRS) if (yield* input.take(mark)) ends = [end];
  if (ends.length === 0) {
    input.at = start;
    return;
  }
  yield* input.skipSpace();
  let space = '';
  const mark = yield* input.takeUpTo(ends, (piece) => {
    const all = space + piece;
    const shown = all.trimEnd();
    space = all.slice(shown.length);
    parts.addReasoning(shown);
  });
  input.at += mark?.length ?? 0;
  const known = after && (parts.reasoning === '' ? after.none : after.some);
  if (known === null || !(yield* input.take(known))) yield* input.skipSpace();
}
