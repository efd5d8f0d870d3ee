// task=train_agent: the training of task=train, whose episodes are rollouts of an agent of the user.
import type { TaskContext } from '../../context/task-context.js';
import { train } from '../train/train.js';
import type { TrainConfig } from '../train/train-config.js';
import type { AgentTaskConfig } from './agent-keys.js';
import { agentStage } from './agent-stage.js';
import { openAgents } from './open-agents.js';

/** The keys of a training that this task has too; those of environments and of a start from scratch are not read. */
export type TrainAgentConfig = Omit<TrainConfig, keyof AgentTaskConfig> & AgentTaskConfig;

export async function trainAgent(config: TrainAgentConfig, context: TaskContext): Promise<void> {
  const agents = await openAgents(config, context);
  await train(trainingConfig(config), context, (_, own) => agentStage(config, own, agents));
}

/** Where the algorithm itself samples, as ArCHer does at replayed states, it does so as the server does for requests that say nothing. */
function trainingConfig(config: TrainAgentConfig): TrainConfig {
  const { model, concurrency, temperature, topK, topP } = config;
  return {
    ...config,
    checkpointPath: null,
    policyLm: model,
    slots: concurrency,
    temperature: temperature ?? 1,
    topK: topK ?? 0,
    topP: topP ?? 1,
    doSample: true,
    eosStr: null,
    playAsChat: true,
    distributed: { shardOptimizer: false },
  };
}
