// Plays the final test of a run: its initial, its last and its best agent play held-out episodes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  criticCalibration,
  decodingsOf,
  evaluate,
  policyPlayer,
  type Agent,
  type AnyAlgorithm,
  type Decoding,
  type Metrics,
} from '@bowyer/algorithms';
import type { Trajectory } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import type { DoubleCritic, LanguageModel } from '@bowyer/models';
import { memoryFileOf } from '../../agent/folders/model-folders.js';
import type { AgentMemory } from '../../agent/memory/agent-memory.js';
import { playOptions, recipeOptions, type PlayConfig } from '../../agent/play/play-options.js';
import { loadPolicy, type PolicyConfig } from '../../agent/policy/policy-setup.js';
import { TestCache } from '../../run/test-cache.js';
import { failureLog } from '../../run/failure-log.js';
import type { Recorder } from '../../run/recorder.js';
import {
  byEpisode,
  compared,
  returnInterval,
  testedItems,
  type Comparison,
  type HandedOut,
  type PolicyResult,
  type RunResults,
  type TestedItems,
} from '../../run/results.js';
import { RunFiles } from '../../run/run-files.js';
import { storeTest } from '../../run/stored-test.js';
import { tokenTexts } from '../../run/token-texts.js';
import type { TaskContext } from '../../context/task-context.js';
import { playHooks } from '../../run/play-hooks.js';
import { handOut } from './hand-out.js';
import type { RolloutSource } from './rollout-source.js';
import type { TrainConfig } from './train-config.js';

/** Returns the member of the results that describes asynchronous rollouts; nothing for synchronous ones. */
const aheadOf = ({ rollout }: Pick<TrainConfig, 'rollout'>): Pick<RunResults, 'rollouts'> =>
  rollout === undefined || rollout.mode === 'synchronous'
    ? {}
    : { rollouts: { mode: rollout.mode, maxStaleness: rollout.maxStaleness! } };

/** The config keys that decide how the agents are loaded and played, and those of the training that the results mention. */
type TestConfig = PolicyConfig &
  PlayConfig &
  Pick<TrainConfig, 'algorithm' | 'task' | 'policy' | 'rollout' | 'demonstrations'>;

interface Played {
  name: string;
  decoding: Decoding;
  metrics: Metrics;
  trajectories: Trajectory[];
}

/** Plays the initial and the trained agents on episodes that neither training nor the choice of the best policy has seen. */
export class FinalTest {
  readonly #cache: TestCache<Played>;
  /** The number of iterations, or of optimizer steps, for which the last policy was trained. */
  #trained = 0;

  constructor(
    private readonly unit: AnyAlgorithm,
    private readonly config: TestConfig,
    private readonly context: TaskContext,
    private readonly device: Device,
    private readonly memory: AgentMemory | null,
    private readonly source: RolloutSource,
  ) {
    this.#cache = new TestCache(join(context.directory, 'tested'));
  }

  async run(agent: Agent, startFolder: string | null, recorder: Recorder): Promise<RunResults> {
    const { config } = this;
    const { policy, critic } = agent;
    const { best } = recorder;
    this.#trained = recorder.iteration;
    const last = await this.#play('last', agent);
    const known = best !== null && this.#policyDecides ? { weights: await this.#digest(policy), played: last } : null;
    await policy.release(); // only one policy at a time fits into memory if the base is large
    const tested = [...last];
    const start = (config.policy.checkpoint ?? config.policy.model) ? 'start' : 'warm start';
    // The initial agent plays without a critic, since the critic was not trained yet.
    if (startFolder !== null) tested.unshift(...(await this.#playFrom(start, startFolder, null)));
    if (best !== null && best.iteration > 0) {
      await critic?.restore(join(recorder.bestFolder, 'critic'));
      const unit = config.algorithm.iterations === undefined ? 'optimizer step' : 'iteration';
      tested.push(...(await this.#playFrom(`best (${unit} ${best.iteration})`, recorder.bestFolder, critic, known)));
    }
    // The calibration of the critic is measured on the episodes of the policy with which the critic was saved.
    const { trajectories: ofBest } = tested.findLast(({ decoding }) => decoding === this.#decodings[0])!;
    const calibration = critic && (await criticCalibration(critic, ofBest, config.algorithm.gamma!));
    const items = await this.#items(tested.flatMap(({ trajectories }) => trajectories));
    const { directory, ranks } = this.context;
    if ((ranks?.rank ?? 0) === 0) await storeTest(directory, tested, tokenTexts(policy.tokenizer));
    const comparisons = comparisonsWith(start, tested, items);
    const handedOut = recorder.isWatched && (await this.#handOut(comparisons, recorder));
    await this.#cache.remove();
    const { ended } = recorder;
    return {
      iterations:
        recorder.stoppedByGuard === null && ended === null ? (config.algorithm.iterations ?? 0) : recorder.iteration,
      ...(recorder.stoppedByGuard !== null && { stopped: recorder.stoppedByGuard }),
      ...(ended !== null && { ended }),
      ...(handedOut && { handedOut }),
      ...aheadOf(config),
      ...(this.context.processes && { processes: this.context.processes }),
      policies: tested.map(({ name, decoding, metrics, trajectories }): PolicyResult => ({
        name,
        decoding,
        metrics,
        interval: returnInterval(trajectories, items),
      })),
      items,
      ...(comparisons.length > 0 && { comparisons }),
      tasks: Object.fromEntries(
        tested.map(({ name, decoding, trajectories }) => [
          `${name} (${decoding})`,
          this.source.breakdown(trajectories),
        ]),
      ),
      optimalReturn: this.source.optimalReturn,
      calibration: calibration && {
        qMean: calibration['eval/q_mean'],
        discountedReturnMean: calibration['eval/discounted_return_mean'],
      },
    };
  }

  async #handOut(comparisons: readonly Comparison[], { best, notes }: Recorder): Promise<HandedOut> {
    const { directory } = this.context;
    const isBest = ({ name, decoding }: Comparison) => name.startsWith('best') && decoding === this.#decodings[0];
    const { metrics } = await RunFiles.read(directory);
    const comparison = comparisons.find(isBest) ?? null;
    return handOut({ directory, comparison, iteration: best?.iteration ?? 0, metrics, notes });
  }

  /** @param known the digest and the episodes of a policy that has already played; they are reused if the weights are equal */
  async #playFrom(
    name: string,
    folder: string,
    critic: DoubleCritic | null,
    known: { weights: string; played: Played[] } | null = null,
  ): Promise<Played[]> {
    // A policy plays with the memory that was saved with it or, without one, with the memory that the run has at its end.
    const memoryFile = memoryFileOf(folder);
    if (memoryFile !== null) await this.memory?.restore(memoryFile);
    const policy: LanguageModel = await loadPolicy(folder, this.config, this.device);
    try {
      if (known !== null && known.weights === (await this.#digest(policy)))
        return known.played.map((one) => ({ ...one, name }));
      return await this.#play(name, {
        policy,
        critic,
        dialogues: await this.source.dialogues(policy),
      });
    } finally {
      await policy.release();
    }
  }

  /**
   * Counts the items of the test, and those on which the run has trained. The latter are read from the stored rollouts, not from
   * the plan of splits.
   */
  async #items(episodes: readonly Trajectory[]): Promise<TestedItems> {
    const { plan } = this.source;
    if (this.unit.needs.source !== 'episodes') return testedItems(plan, episodes, null);
    const { rollouts } = await RunFiles.read(this.context.directory);
    return testedItems(plan, episodes, new Set(rollouts.flatMap(({ item }) => item ?? [])));
  }

  /** Whether the agent's actions depend only on the policy's weights, and not also on a critic or a memory. */
  get #policyDecides(): boolean {
    return !this.unit.playsWithCritic && this.memory === null;
  }

  /** Computes a digest of the trained parameters. Only one tensor is in memory at a time. */
  async #digest({ parameters }: LanguageModel): Promise<string> {
    const hash = createHash('sha256');
    for (const name of parameters.names) {
      const { data } = (await this.device.read(parameters, [name]))[name];
      hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
    return hash.digest('hex');
  }

  get #decodings() {
    return decodingsOf(this.unit.alwaysSamples ? 'sample' : this.config.algorithm.eval!.decoding!);
  }

  async #play(name: string, agent: Agent): Promise<Played[]> {
    const played: Played[] = [];
    for (const decoding of this.#decodings) played.push(await this.#playOnce(name, agent, decoding));
    return played;
  }

  /** Plays the test with one decoding, or returns the stored episodes if an interrupted test has already played it. */
  async #playOnce(name: string, agent: Agent, decoding: Decoding): Promise<Played> {
    const { config, context } = this;
    if ((context.ranks?.size ?? 1) > 1) return this.#playDecoded(name, agent, decoding);
    // The number of iterations is part of the cache key, because the critic and the memory change with it while the policy may
    // stay the same.
    const identity = { name, decoding, trained: this.#trained, weights: await this.#digest(agent.policy), config };
    const found = await this.#cache.find(identity);
    if (found !== null) context.log(`the ${name} policy has played its test (${decoding}) before the run was killed`);
    const played = found ?? (await this.#playDecoded(name, agent, decoding));
    if (found === null) await this.#cache.keep(identity, played);
    return played;
  }

  async #playDecoded(name: string, agent: Agent, decoding: Decoding): Promise<Played> {
    const { config, unit, context } = this;
    context.log(
      `testing the ${name} policy on ${config.task.testSize} held-out ${config.task.testSize === 1 ? 'episode' : 'episodes'}`,
    );
    const bar = new ProgressBar('episodes', config.task.testSize, context.progress);
    const options = recipeOptions(config, agent.policy.tokenizer);
    const canAct = agent.critic !== null || !unit.playsWithCritic;
    const openPlayer = canAct ? unit.openPlayer(agent, options) : policyPlayer(agent, options);
    await using played = await this.source.open(agent, () => this.#trained);
    const { metrics, trajectories } = await evaluate(
      {
        ...played.parts,
        hooks: playHooks(context, (_, done, total) => {
          bar.update(done);
          context.onProgress?.({ phase: 'rollouts', model: name, done, total });
        }),
        givesUp: true,
        ...failureLog(context.log),
        ranks: context.ranks,
      },
      openPlayer,
      { ...playOptions(config, agent.policy.tokenizer), eval: { size: config.task.testSize, decoding } },
      'test',
    );
    bar.finish();
    return { name, decoding, metrics, trajectories };
  }
}

/** Compares each other policy with the initial one, for each decoding. */
function comparisonsWith(start: string, tested: readonly Played[], items: TestedItems): Comparison[] {
  return tested.flatMap((played) => {
    const first = tested.find(({ name, decoding }) => name === start && decoding === played.decoding);
    return first === undefined || first.name === played.name
      ? []
      : [compared(byEpisode(first), byEpisode(played), items, played.decoding)];
  });
}
