// The judge: 256 rollouts of a model on tasks that its training has not seen, the same tasks and random numbers for each model.
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
  /** Mean reward of a task's rollouts. */
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
    samples: agent.samples,
    evalShare: 0,
    testShare: 0,
    seed: SEED,
    savePath,
  });
  const rewards = new Map<string, number[]>();
  await readJsonl<{ item: string; episodic_return: number }>(
    join(savePath, 'trajectories/test.jsonl'),
    ({ item, episodic_return }) => {
      rewards.set(item, [...(rewards.get(item) ?? []), episodic_return]);
    },
  );
  const tasks = Object.fromEntries([...rewards].map(([task, ofTask]) => [task, mean(ofTask)]));
  const judgement = { weights, mean: mean(Object.values(tasks)), tasks };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(judgement));
  rmSync(savePath, { recursive: true, force: true });
  return judgement;
}

/** Returns a digest of a model's weights, of an adapter's where it is one. */
export function weightsOf(model: string): string {
  const adapter = join(model, 'adapter_model.safetensors');
  const file = existsSync(adapter) ? adapter : join(model, 'model.safetensors');
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
