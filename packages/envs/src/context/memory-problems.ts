// Finds settings of the episode memory that cannot be combined with the kind of the agent's text (node `context` of the config).
import type { ConfigProblem } from '@bowyer/core';
import type { MemoryOptions } from '../memory/memory-options.js';
import type { ContextKind, ContextOffer } from './context-options.js';

/** Returns a problem if the agent's text has no position at which the memory's examples could be inserted. */
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
