// Plays rollouts of a user's agent to try other prompts: the server of the model replaces the prompts in the agent's requests
// before the model reads them.
import { textDialogues, type GroupOptions, type PlayedSet } from '@bowyer/algorithms';
import { episodicReturn, type Trajectory } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { commonPrompts, withPrompts, type Prompts, type Trial, type TrialSet } from '@bowyer/rollouts';
import type { TaskContext } from '../../context/task-context.js';
import { agentSource } from '../train-agent/agent-source.js';
import type { Agents } from '../train-agent/open-agents.js';
import { playAgents } from '../train-agent/play-agents.js';
import type { OpenRolloutSource } from '../train/rollout-source.js';
import type { OptimizeConfig } from './prompt-keys.js';

/** The number of rollouts whose requests are searched for the agent's own prompts. */
const FIRST_ROLLOUTS = 2;

export class PromptTrials {
  /** Null until the agent's own prompts are found; requests are passed to the model unchanged before. */
  #own: Prompts | null = null;
  #prompts: Prompts = {};
  /** The bodies of the requests of each rollout, by the rollout's id, in the order of arrival. */
  readonly #bodies = new Map<string, unknown[]>();
  #source!: OpenRolloutSource;

  private constructor(
    private readonly policy: LanguageModel,
    private readonly config: OptimizeConfig,
    private readonly context: TaskContext,
    private readonly agents: Agents,
  ) {}

  static async open(
    policy: LanguageModel,
    config: OptimizeConfig,
    context: TaskContext,
    agents: Agents,
  ): Promise<PromptTrials> {
    const trials = new PromptTrials(policy, config, context, agents);
    const source = agentSource(config, context, agents, (rollout, body) => trials.#bodyOf(rollout, body));
    trials.#source = await source.open({ policy, critic: null, dialogues: textDialogues(policy.tokenizer) }, () => 0);
    return trials;
  }

  /** Sets the agent's own prompts, which are the ones that may be replaced. */
  use(own: Prompts): void {
    this.#own = own;
    this.#bodies.clear();
  }

  /**
   * Plays the first rollouts, and finds the prompts that the agent sends in all of them.
   *
   * @throws where the rollouts have no prompt in common
   */
  async findPrompts(): Promise<Prompts> {
    const trajectories = await this.#play(
      {},
      { purpose: 'prompts', split: 'train', firstEpisode: 0, episodes: FIRST_ROLLOUTS },
    );
    if (trajectories.length === 0) throw new Error('the agent has failed in its first rollouts');
    return commonPrompts([...this.#bodies.values()]);
  }

  async evaluate(prompts: Prompts, set: TrialSet): Promise<Trial[]> {
    const { tasks } = this.agents;
    const played: PlayedSet =
      set.kind === 'feedback'
        ? { purpose: 'feedback', split: 'train', firstEpisode: set.first, episodes: set.count }
        : { purpose: 'selection', split: 'eval', firstEpisode: 0, episodes: tasks.eval.length };
    const trajectories = new Map((await this.#play(prompts, played)).map((each) => [each.episode, each]));
    return Array.from({ length: played.episodes }, (_, i) => this.#trial(trajectories.get(played.firstEpisode + i)));
  }

  /** Plays `testSamples` rollouts of every test task with these prompts. */
  test(prompts: Prompts): Promise<Trajectory[]> {
    const { testSamples } = this.config.task;
    const episodes = this.agents.tasks.test.length * testSamples;
    return this.#play(prompts, { purpose: 'test', split: 'test', firstEpisode: 0, episodes, groupSize: testSamples });
  }

  async close(): Promise<void> {
    await this.#source[Symbol.asyncDispose]();
  }

  #play(prompts: Prompts, set: PlayedSet & GroupOptions): Promise<Trajectory[]> {
    this.#prompts = prompts;
    return playAgents(this.#source, this.config, this.context, set);
  }

  #trial(trajectory: Trajectory | undefined): Trial {
    if (trajectory === undefined)
      return { task: 'unknown', score: this.config.task.failedReward!, feedback: 'The rollout could not be played.' };
    const { segments, task = '', infos } = trajectory;
    const { tokenizer } = this.policy;
    const dialogues = segments.map(({ ids }) => tokenizer.decode(ids, { keepSpecialTokens: true }));
    const { rewards, metrics } = infos.at(-1) ?? {};
    const figures = Object.entries({ rewards, metrics }).filter(([, value]) => value !== undefined);
    const said = figures.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return { task, score: episodicReturn(trajectory), feedback: [...dialogues, ...said].join('\n\n') };
  }

  #bodyOf(rollout: string | null, body: unknown): unknown {
    if (this.#own !== null) return withPrompts(body, this.#own, this.#prompts);
    if (rollout !== null) this.#bodies.set(rollout, [...(this.#bodies.get(rollout) ?? []), body]);
    return body;
  }
}
