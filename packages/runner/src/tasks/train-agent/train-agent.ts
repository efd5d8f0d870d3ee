// Implements task=train_agent: runs the same training as task=train, but on rollouts of a user's agent instead of an
// environment's.
import type { SplitTasks } from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';
import { train } from '../train/train.js';
import type { TrainConfig } from '../train/train-config.js';
import { agentSource } from './agent-source.js';
import { openAgents } from './open-agents.js';
import type { TrainAgentConfig } from './unit.js';
import { usualRate } from './usual-rate.js';

export async function trainAgent(config: TrainAgentConfig, context: TaskContext): Promise<void> {
  const agents = await openAgents(config.task, context);
  context.log(tasksText(agents.tasks));
  await train(trainingConfig(config, await rateOf(config, context)), context, (_, own) =>
    agentSource(config, own, agents),
  );
}

/** Null in the config selects a rate by the size of the model. */
async function rateOf(config: TrainAgentConfig, { log }: TaskContext): Promise<number | undefined> {
  const given = config.algorithm.actor?.lr;
  if (given !== null) return given;
  const { lr, text } = await usualRate(config.task.model!, config.lora.enabled);
  log(text);
  return lr;
}

function tasksText({ train, eval: evaluated, test }: SplitTasks): string {
  const count = (tasks: readonly object[]) => (tasks === train ? 'the same' : String(tasks.length));
  return `tasks: ${train.length} to train on, ${count(evaluated)} for evaluations, ${count(test)} for the final test`;
}

/**
 * Converts the config to that of task=train. An algorithm that samples by itself, as ArCHer does at replayed states, gets the
 * sampling settings that the model server uses for requests without settings. Each key is a getter, so that the test for keys
 * that are never read can observe which ones the training reads.
 */
function trainingConfig(config: TrainAgentConfig, lr: number | undefined): TrainConfig {
  const own = {
    get algorithm() {
      const { algorithm } = config;
      return lr === undefined ? algorithm : { ...algorithm, actor: { ...algorithm.actor, lr } };
    },
    get policy() {
      // The config node `policy` has only the option `quantization` here, since the policy is always loaded from `task.model`.
      const { quantization } = config.policy;
      return { checkpoint: null, model: config.task.model, quantization } as TrainConfig['policy'];
    },
    get play() {
      return {
        slots: config.task.concurrency,
        maxFailureShare: config.play.maxFailureShare,
        asChat: true,
        actionChoice: 'free' as const,
      };
    },
    get sampling() {
      const { maxNewTokens, temperature, topK, topP } = config.task;
      return {
        maxNewTokens,
        temperature: temperature ?? 1,
        topK: topK ?? 0,
        topP: topP ?? 1,
        doSample: true,
        eosStr: null,
      };
    },
    distributed: { shardOptimizer: false },
  };
  for (const key of Object.keys(config))
    if (!(key in own))
      Object.defineProperty(own, key, { enumerable: true, get: () => config[key as keyof TrainAgentConfig] });
  return own as typeof own & Omit<TrainAgentConfig, keyof typeof own>;
}
