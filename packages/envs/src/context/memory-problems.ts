// Finds memory settings for which a context has no place.
import type { ConfigProblem } from '@bowyer/core';
import type { MemoryOptions } from '../memory/memory-options.js';
import type { ContextKind, ContextOffer } from './context-options.js';

/** Explains why the text that an agent reads leaves no place for what the memory gives; empty if there is a place. */
export function memoryProblems(
  { kind, unit }: MemoryOptions,
  name: string,
  offer: ContextOffer,
  context: ContextKind,
): ConfigProblem[] {
  const isDialogue = (context === 'auto' ? offer.kind : context) === 'dialogue';
  if (kind === 'none' || unit !== 'transition' || offer.observation !== 'history' || !isDialogue) return [];
  return [
    {
      key: 'memory.unit',
      message: `memory.unit=transition: an observation of ${name} is everything that was said so far, so other turns cannot be shown beside each turn`,
      remedy: 'write memory.unit=episode, or context=last',
    },
  ];
}
