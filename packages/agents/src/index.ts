export { trainAgent, type TrainAgentOptions, type TrainedAgent } from './train-agent.js';
export { startModel, type StartDialogue, type StartModel, type StartModelOptions } from './start-model.js';
export { optimizePrompt, type OptimizedPrompts, type OptimizePromptOptions } from './optimize-prompt.js';
export { evaluateAgent, type EvaluateAgentOptions, type EvaluatedAgent } from './evaluate-agent.js';
export {
  expectAgent,
  keepsUp,
  reaches,
  type AgentTestOptions,
  type AgentVerdict,
  type TestBudget,
} from './testing/expect-agent.js';
export {
  recordAgent,
  type RecordAgentOptions,
  type RecordedAgent,
  type RecordedModel,
  type RecordedReplay,
  type RecordedUpstream,
} from './record-agent.js';
export { openCassette, type CassetteOptions, type OpenCassette } from './open-cassette.js';
export type { AgentProgress, AgentRunOptions } from './run-agent-task.js';
export type { AgentFunctions, PlayedTask, Reward } from './agent-functions.js';
export { currentRollout, rolloutFetch, type AgentContext, type CurrentRollout } from './rollout-context.js';
export type { AgentTask, Prices, RecordedCall, RecordedRollout, Verdict } from '@bowyer/rollouts';
