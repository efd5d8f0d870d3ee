// Implements task=optimize_prompt: improves the prompts of a user's agent with GEPA (evolution of prompts by reflection on
// rollouts), and compares the best prompts with the initial ones on unseen tasks.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, mean, writeFileAtomically } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { bestPrompts, evolvePrompts, type EvolutionState, type IterationReport, type Prompts } from '@bowyer/rollouts';
import { deviceOf } from '../../agent/policy/device-choice.js';
import { loadPolicy } from '../../agent/policy/policy-setup.js';
import type { TaskContext } from '../../context/task-context.js';
import { withReport } from '../../report/write-report.js';
import { owningRun } from '../../run/owning-run.js';
import { jsonIfThere } from '../../run/read-files.js';
import { policyResult } from '../../run/policy-result.js';
import { byEpisode, compared, resultText, testedItems, writeResults, type RunResults } from '../../run/results.js';
import { claimDirectory, RunFiles } from '../../run/run-files.js';
import { storeTest } from '../../run/stored-test.js';
import { openAgents, type Agents } from '../train-agent/open-agents.js';
import { PromptTrials } from './prompt-trials.js';
import { openReflector } from './reflector.js';
import type { OptimizeConfig } from './prompt-keys.js';

/** The file with the state of the search from which the next iteration resumes. */
const STATE_FILE = 'evolution.json';

/** The file with the best prompts by name: those with the highest mean reward on the selection tasks. */
const PROMPTS_FILE = 'best-prompts.json';

/**
 * The largest number of successive iterations in which the reflector (the model that writes new prompts) may write no prompt;
 * after one more, the search ends.
 */
const MOST_WITHOUT_TEXT = 9;

interface SavedState {
  own: Prompts;
  evolution: EvolutionState;
  /** In bytes, when the state was saved; a resumed run cuts the files to it. */
  fileLengths: Record<string, number>;
}

export async function optimizePrompt(config: OptimizeConfig, context: TaskContext): Promise<void> {
  const { directory, log } = context;
  await owningRun(context, () =>
    withReport(context, async () => {
      const results = await optimizeInFolder(config, context);
      if (results === null) {
        log('stopped; the same command resumes it');
        return 'interrupted';
      }
      await writeResults(directory, results);
      context.progress.report?.({ event: 'results', ...results });
      context.print(`\n${resultText(results)}\n\nprompts: ${join(directory, PROMPTS_FILE)}\n`);
      return 'finished';
    }),
  );
}

async function optimizeInFolder(config: OptimizeConfig, context: TaskContext): Promise<RunResults | null> {
  const agents = await openAgents(config.task, context);
  await using device = await openDevice(deviceOf(config));
  const policy = await loadPolicy(config.task.model!, config, device);
  const trials = await PromptTrials.open(policy, config, context, agents);
  try {
    await claimDirectory(context.directory, context.config.decisive);
    return await optimizeWith(trials, agents, config, context);
  } finally {
    await trials.close();
    await policy.release();
  }
}

/**
 * Runs the search, and then tests the best prompts.
 *
 * @returns null where the user stopped the run
 */
async function optimizeWith(
  trials: PromptTrials,
  agents: Agents,
  config: OptimizeConfig,
  context: TaskContext,
): Promise<RunResults | null> {
  const { directory } = context;
  const saved = await readState(directory);
  const own = saved?.own ?? (await givenPrompts(config.task)) ?? (await trials.findPrompts());
  trials.use(own);
  context.log(`prompts that may be changed: ${Object.keys(own).join(', ')}`);
  const files = await RunFiles.open(directory, saved?.fileLengths ?? {});
  let stopRequested = false;
  context.onInterrupt(() => (stopRequested = true), 'stopping after this iteration');
  const reflector = openReflector(config);
  try {
    const state = await evolvePrompts(
      {
        seedPrompts: own,
        evaluate: (prompts, set) => trials.evaluate(prompts, set),
        reflect: reflector.reflect,
        onIteration: async (evolution, report) => {
          context.log(reportText(evolution, report));
          await files.logMetrics(evolution.iterations - 1, metricsOf(evolution, report));
          await saveState(directory, { own, evolution, fileLengths: files.lengths });
        },
        stopRequested: () => stopRequested,
      },
      { ...config.task, seed: config.seed, mostWithoutText: MOST_WITHOUT_TEXT },
      saved?.evolution ?? null,
    );
    if (stopRequested && state.rollouts < config.task.budget) return null;
    context.onInterrupt(null);
    return await tested(own, state, trials, agents, context);
  } finally {
    await reflector.close();
  }
}

/** Plays the final test with the agent's own prompts and with the best ones, and compares them. */
async function tested(
  own: Prompts,
  state: EvolutionState,
  trials: PromptTrials,
  agents: Agents,
  context: TaskContext,
): Promise<RunResults> {
  const best = bestPrompts(state).prompts;
  await writeFileAtomically(join(context.directory, PROMPTS_FILE), `${JSON.stringify(best, null, 1)}\n`);
  const played = [
    { name: 'first prompts', decoding: 'sample' as const, trajectories: await trials.test(own) },
    { name: 'best prompts', decoding: 'sample' as const, trajectories: await trials.test(best) },
  ];
  await storeTest(context.directory, played, undefined);
  const shared = { shared: agents.shared };
  const [first, last] = played.map(byEpisode);
  return {
    iterations: state.iterations,
    policies: played.map((policy) => policyResult(policy, shared)),
    items: testedItems({ noun: 'tasks', ...shared }, played[0].trajectories, null),
    comparisons: [compared(first, last, shared, 'sample')],
    optimalReturn: null,
    calibration: null,
  };
}

/** Throws where the file has no texts, or two texts with the same name. */
async function givenPrompts({ prompts: file }: OptimizeConfig['task']): Promise<Prompts | null> {
  if (file === null) return null;
  const prompts: unknown = JSON.parse(await readFile(file, 'utf8'));
  const texts = isRecord(prompts) ? Object.values(prompts) : [];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' || text === ''))
    throw new Error(
      `task.prompts=${file}: the file should have a JSON object of texts by name, such as {"system": "You …"}`,
    );
  const given = prompts as Prompts;
  const places = Object.keys(given).filter((place) => !place.startsWith('tool '));
  const second = places.find((place, i) => places.findIndex((other) => given[other] === given[place]) < i);
  if (second !== undefined)
    throw new Error(
      `task.prompts=${file}: '${second}' has the text of another prompt, so that a change of one would be a change of the other: leave it out`,
    );
  return given;
}

function metricsOf(state: EvolutionState, { before, after }: IterationReport): Record<string, number> {
  const { candidates, rollouts } = state;
  return {
    'eval/episodic_return': mean(bestPrompts(state).scores),
    'prompts/candidates': candidates.length,
    'prompts/selection_mean': mean(candidates.map(({ scores }) => mean(scores))),
    'prompts/rollouts': rollouts,
    'prompts/minibatch_before': before,
    ...(after !== null && { 'prompts/minibatch_after': after }),
  };
}

function reportText({ iterations, candidates, rollouts }: EvolutionState, report: IterationReport): string {
  const { place, parent, outcome, before, after, merge } = report;
  const change = after === null ? before.toFixed(3) : `${before.toFixed(3)} → ${after.toFixed(3)}`;
  const merged =
    merge === undefined ? '' : `; a merge of ${merge.parents.join(' and ')} is ${merge.isKept ? 'kept' : 'rejected'}`;
  return (
    `iteration ${iterations}: ${place} of candidate ${parent} ${change}, ${outcome}${merged}; ` +
    `${candidates.length} candidates, ${rollouts} rollouts`
  );
}

const readState = (directory: string): Promise<SavedState | null> => jsonIfThere(join(directory, STATE_FILE));

const saveState = (directory: string, state: SavedState): Promise<void> =>
  writeFileAtomically(join(directory, STATE_FILE), `${JSON.stringify(state, null, 1)}\n`);
