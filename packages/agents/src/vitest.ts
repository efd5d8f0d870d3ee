// Offers the assertions about agents as matchers of vitest, so that failures are shown in vitest's format and `.not` works.
import { expect } from 'vitest';
import type { AgentTask } from '@bowyer/rollouts';
import type { AgentFunctions } from './agent-functions.js';
import { keepsUp, reaches, type AgentTestOptions } from './testing/expect-agent.js';

type Run = AgentFunctions<AgentTask, unknown>['run'];
type Options = AgentTestOptions<AgentTask, unknown>;

expect.extend({
  async toReach(run: Run, target: number, options: Options) {
    const { passed, message } = await reaches(run, target, options);
    return { pass: passed, message: () => message };
  },
  async toKeepUp(run: Run, file: string, options: Options) {
    const { passed, message } = await keepsUp(run, file, options);
    return { pass: passed, message: () => message };
  },
});

/** The assertions about an agent, as documented at `expectAgent` of @bowyer/agents. */
export interface AgentAssertion<Task extends AgentTask, Result> {
  toReach(target: number, options: AgentTestOptions<Task, Result>): Promise<void>;
  toKeepUp(file: string, options: Parameters<typeof keepsUp<Task, Result>>[2]): Promise<void>;
  not: Omit<AgentAssertion<Task, Result>, 'not'>;
}

/** Returns the assertions about an agent. Tests with them need a longer `timeout` than vitest's default of five seconds. */
export function expectAgent<Task extends AgentTask, Result>(run: AgentFunctions<Task, Result>['run']) {
  const assertion = expect(run);
  return assertion as typeof assertion & AgentAssertion<Task, Result>;
}
