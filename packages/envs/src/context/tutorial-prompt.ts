// Writes the prompt of the tutorial "LLM policies for text-based RL" (`context.kind=tutorial`): the task, the steps so far, the
// currently valid actions. Spaces and line breaks equal the tutorial's, including trailing spaces.
import type { ContextTurn } from './context-options.js';

export function tutorialPrompt(
  task: string,
  past: readonly ContextTurn[],
  current: ContextTurn,
  parts: { inventory: boolean; validActions: boolean },
): string {
  const step = ({ number, observation }: ContextTurn) => `\n# STEP ${number} \nObs: ${observation}`;
  return [
    `# TASK: ${task}\nChoose exactly one valid action.`,
    ...past.map((turn) => `${step(turn)}\nAction: ${turn.action}`),
    step(current),
    ...(parts.inventory ? [`\nInventory: ${current.inventory}`] : []),
    ...(parts.validActions ? [`\nValid actions: ${current.validActions.join(', ')}`] : []),
    '\nAction: ',
  ].join('');
}
