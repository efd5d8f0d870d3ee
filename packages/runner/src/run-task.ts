// From a composed config to the task it names. The compute stack is loaded here, after the config is known to be good.
import { withDevice } from './device-choice.js';
import { openEnvParts } from './env-parts.js';
import { withLocalModels } from './hub-models.js';
import { toRunConfig, type RunConfig, type RunConfigYaml } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

type Task = (config: RunConfig, context: TaskContext) => Promise<void>;

const tasks: Record<RunConfig['task'], () => Promise<Task>> = {
  train: async () => (await import('./tasks/train.js')).train,
  evaluate: async () => (await import('./tasks/evaluate.js')).evaluate,
  demonstrations: async () => (await import('./tasks/demonstrations.js')).demonstrations,
  replay: async () => (await import('./tasks/replay.js')).replay,
  play: async () => (await import('./tasks/play.js')).play,
  score: async () => (await import('./tasks/score.js')).score,
  generate: async () => (await import('./tasks/generate.js')).generate,
  convert: async () => (await import('./tasks/convert.js')).convert,
  serve_env: async () => (await import('./tasks/serve-env.js')).serveEnv,
  serve_model: async () => (await import('./tasks/serve-model.js')).serveModel,
};

/** @param yaml a config that the schema has accepted */
export async function runTask(yaml: RunConfigYaml, context: Omit<TaskContext, 'envParts'>): Promise<void> {
  const config = toRunConfig(yaml);
  for (const line of ignoredKeys(config)) context.log(line, 'WARNING');
  const task = await tasks[config.task]();
  const localConfig = await withLocalModels(await withDevice(config, context), context);
  const { parts, close } = await openEnvParts(localConfig);
  try {
    await task(localConfig, { ...context, envParts: parts });
  } finally {
    await close();
  }
}

function ignoredKeys({ useWandb }: RunConfig): string[] {
  return [useWandb && 'use_wandb=true: W&B is not built yet; figures go to metrics.jsonl and report.html'].filter(
    (line) => line !== false,
  );
}
