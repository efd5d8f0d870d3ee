// Judges a model by 256 rollouts on tasks that its training has not seen; tasks and random numbers are the same for each model.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mean, readJsonl } from '@bowyer/core';
import { evaluateAgent } from '@bowyer/agents';
import type { StudyAgent } from './agent.js';

export interface Judged {
  /** The digest of the model's weights. */
  weights: string;
  mean: number;
  /** The reward of each task. */
  tasks: Record<string, number>;
}

const SEED = 1000;

/** @param file where the judgement is kept; one of the same weights that is there is returned */
export async function judged(agent: StudyAgent, model: string, file: string): Promise<Judged> {
  const weights = weightsOf(model);
  if (existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as Judged;
    if (known.weights === weights) return known;
  }
  const savePath = `${file}.run`;
  rmSync(savePath, { recursive: true, force: true });
  await evaluateAgent({
    ...agent.settings,
    ...agent.judgedFunctions,
    model,
    tasks: agent.judgingTasks,
    evalShare: 0,
    testShare: 0,
    seed: SEED,
    savePath,
  });
  const tasks: Record<string, number> = {};
  await readJsonl<{ item: string; episodic_return: number }>(
    join(savePath, 'trajectories/test.jsonl'),
    ({ item, episodic_return }) => void (tasks[item] = episodic_return),
  );
  const judgement = { weights, mean: mean(Object.values(tasks)), tasks };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(judgement));
  rmSync(savePath, { recursive: true, force: true });
  return judgement;
}

/** Returns a digest of a model's weights. */
function weightsOf(model: string): string {
  return createHash('sha256')
    .update(readFileSync(join(model, 'model.safetensors')))
    .digest('hex');
}
