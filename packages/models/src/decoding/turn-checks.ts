// Checks the turns and options of a call of `Episodes` before the call changes any state.
import type { AdapterBank } from '../lora/adapter-bank.js';
import type { SamplingOptions } from './sampling-options.js';
import type { SlotInput } from './turns.js';

/** The limits for turns that follow from the model and the cache. */
interface TurnLimits {
  contextLength: number;
  vocabSize: number;
  bank: AdapterBank | undefined;
  /** Whether turns of one call may have different sampling settings. */
  mixesTurns: boolean;
}

type Given = Omit<SlotInput, 'rng'>;

/** Throws RangeError which names the option, or the slot of the turn, before any token is read. */
export function checkTurns(turns: readonly Given[], options: SamplingOptions, known: TurnLimits): void {
  checkOptions(turns, options, known);
  const seen = new Set<number>();
  for (const turn of turns) {
    checkTurn(turn, options, known);
    if (seen.has(turn.slot)) throw new RangeError(`Episodes.act: slot ${turn.slot} has two turns in one call`);
    seen.add(turn.slot);
  }
}

function checkOptions(turns: readonly Given[], options: SamplingOptions, known: TurnLimits): void {
  const { maxNewTokens, masksTokens } = options;
  const { contextLength } = known;
  if (masksTokens && maxNewTokens > 1 && turns.some(({ tokenMask }) => tokenMask))
    throw new RangeError(`Episodes.act: a token mask is that of one token, and maxNewTokens is ${maxNewTokens}`);
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 1 || maxNewTokens > contextLength)
    throw new RangeError(
      `Episodes.act: maxNewTokens ${maxNewTokens} must be from 1 to the context's ${contextLength} tokens`,
    );
}

function checkTurn(
  { slot, tokens, logitBias = [], rules, tokenMask, sampling, adapter = null }: Given,
  { biasesLogits, appliesRules, masksTokens }: SamplingOptions,
  known: TurnLimits,
): void {
  if (sampling && !known.mixesTurns)
    throw new RangeError(`Episodes.act: slot ${slot} is sampled in its own way, which needs sharesSampler`);
  if (adapter !== null && !known.bank)
    throw new RangeError(`Episodes.act: slot ${slot} has an adapter, and the model was loaded without room for any`);
  known.bank?.placeOf(adapter);
  if (tokenMask && !masksTokens)
    throw new RangeError(`Episodes.act: slot ${slot} has a token mask, which needs the option masksTokens`);
  if (tokenMask?.every((word) => word === 0))
    throw new RangeError(`Episodes.act: the token mask of slot ${slot} allows no token`);
  if (rules && !appliesRules)
    throw new RangeError(`Episodes.act: slot ${slot} has rules for logits, which needs the option appliesRules`);
  if (logitBias.length > 0 && !biasesLogits)
    throw new RangeError(`Episodes.act: slot ${slot} changes logits, which needs the option biasesLogits`);
  if (logitBias.some(([id]) => !(id >= 0 && id < known.vocabSize)))
    throw new RangeError(
      `Episodes.act: slot ${slot} changes logits beyond the vocabulary of ${known.vocabSize} tokens`,
    );
  const unknown = tokens.find((id) => !(id >= 0 && id < known.vocabSize));
  if (unknown !== undefined)
    throw new RangeError(
      `Episodes.act: slot ${slot} is given the token id ${unknown}; the vocabulary has ${known.vocabSize} tokens`,
    );
}
