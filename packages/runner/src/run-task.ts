// From a composed config to the task it names. The compute stack is loaded here, after the config is known to be good.
import { toRunConfig, type RunConfig, type RunConfigYaml } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

type Task = (config: RunConfig, context: TaskContext) => Promise<void>;

const tasks: Record<RunConfig['task'], () => Promise<Task>> = {
  train: async () => (await import('./tasks/train.js')).train,
  evaluate: async () => (await import('./tasks/evaluate.js')).evaluate,
  demonstrations: async () => (await import('./tasks/demonstrations.js')).demonstrations,
};

/** @param yaml a config that the schema has accepted */
export async function runTask(yaml: RunConfigYaml, context: TaskContext): Promise<void> {
  const config = toRunConfig(yaml);
  refuseWhatIsNotBuilt(config);
  for (const line of ignoredKeys(config)) context.log(line, 'WARNING');
  const task = await tasks[config.task]();
  await task(config, context);
}

/** Keys that ArCHer's configs may set and that would change what is learnt. */
function refuseWhatIsNotBuilt(config: RunConfig): void {
  const refused = [
    config.useBaseline &&
      'use_baseline=true: the token-level baseline is not built (ArCHer’s code never reads the key either)',
    config.useLora && 'use_lora=true: LoRA is not built yet; the whole policy is trained',
  ].filter(Boolean);
  if (refused.length > 0) throw new Error(`${refused.join('\n')}\n  set the key to false`);
}

function ignoredKeys({ useWandb, envLoadPath }: RunConfig): string[] {
  return [
    useWandb && 'use_wandb=true: W&B is not built yet; figures go to metrics.jsonl and report.html',
    envLoadPath !== null && 'env_load_path: the rule-based oracle of this environment loads nothing',
  ].filter((line) => line !== false);
}
