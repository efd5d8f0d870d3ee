import { expectAgent } from '@bowyer/agents/vitest';
import { test } from 'vitest';
import { loanDesk, reward } from './agent.mjs';
import { tasks } from './tasks.mjs';

test('the loan desk is right in three of five tasks', { timeout: 1_200_000 }, async () => {
  await expectAgent(loanDesk).toReach(0.6, { model: 'runs/train', tasks, reward, confidence: 0.95, budget: 200 });
});
