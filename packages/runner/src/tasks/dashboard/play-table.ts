// Plays games in the dashboard's page: a person and the newest policy of a run act in the run's environment, one turn at a time.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findAlgorithm, policyPlayer, type Player } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { dialoguesOf } from '../../agent/chat/dialogues.js';
import { agentEnvironment } from '../../agent/context/agent-context.js';
import { openEnvParts } from '../../agent/environment/env-parts.js';
import { environmentOf } from '../../agent/environment/environment.js';
import { agentFolderOf } from '../../agent/folders/model-folders.js';
import { openMemoryOf } from '../../agent/memory/agent-memory.js';
import { playOptions } from '../../agent/play/play-options.js';
import { deviceOf } from '../../agent/policy/device-choice.js';
import { loadPolicy } from '../../agent/policy/policy-setup.js';
import { CONFIG_FILE, recordedConfig } from '../../run/recorded-config.js';
import type { ModelConfig } from '../evaluate/open-agent.js';
import { Refused } from './refused.js';

export interface GameView {
  game: string;
  /** The name of the policy that plays, such as `checkpoint 40`. */
  policy: string;
  /** The newest text of the environment, which the person reads. */
  observation: string;
  /** Null before the first action. */
  action: { by: 'you' | 'policy'; text: string; reward: number } | null;
  validActions: string[];
  ended: 'won' | 'over' | 'cut by the limit' | null;
}

interface Game {
  id: string;
  policy: string;
  player: Player;
  env: ReturnType<ReturnType<typeof agentEnvironment>>;
  rng: Rng;
  /** The complete text that the policy will read for its next action. */
  observation: string;
  validActions: string[];
  ended: GameView['ended'];
  close(): Promise<void>;
}

/** Plays the games of the page, only one at a time, because the policy of a game is in memory. */
export class PlayTable {
  #game: Game | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  /** Starts a new game: ends the one in progress, loads the run's policy and resets the run's environment. */
  open(directory: string, seed: number): Promise<GameView> {
    return this.#inTurn(async () => {
      await this.#leave();
      const game = await openGame(directory, seed);
      this.#game = game;
      return viewOf(game, game.observation, null);
    });
  }

  /** @param action of the person; null: the policy chooses the action */
  step(id: unknown, action: string | null): Promise<GameView> {
    return this.#inTurn(async () => {
      const game = this.#game;
      if (game === null || game.id !== id)
        throw new Refused(409, 'this game has ended, because another one was started');
      if (game.ended !== null) throw new Refused(409, 'the episode has ended');
      const by = action === null ? 'policy' : 'you';
      const text = action ?? (await chosenAction(game));
      const before = game.observation;
      const result = await game.env.step(text);
      const { observation, reward, terminated, truncated, info } = result;
      game.observation = observation;
      game.validActions = validActionsOf(info);
      game.ended = info.won === true ? 'won' : terminated ? 'over' : truncated ? 'cut by the limit' : null;
      const said = before + text;
      const news = result.state ?? (observation.startsWith(said) ? observation.slice(said.length) : observation);
      return viewOf(game, news, { by, text, reward });
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#leave());
  }

  async #leave(): Promise<void> {
    const game = this.#game;
    this.#game = null;
    await game?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}

async function openGame(directory: string, seed: number): Promise<Game> {
  const record = recordedConfig(await readFile(join(directory, CONFIG_FILE), 'utf8'));
  if (record.env === undefined) throw new Refused(409, 'this run has no environment to play in');
  if (record.play?.asChat)
    throw new Refused(409, 'this policy plays through a chat template: play it with task=serve_model');
  const algorithm = record.algorithm?.name ?? '';
  if (findAlgorithm(algorithm)?.playsWithCritic)
    throw new Refused(409, `${algorithm} acts with its critic, which the page does not load; use task=evaluate`);
  const config = record as object as ModelConfig;
  const [folder, policyName] = playedPolicy(directory);
  const { parts, close: closeParts } = await openEnvParts(config);
  const device = await openDevice(deviceOf({ device: { ...config.device, threads: 1 } }));
  const policy = await loadPolicy(folder, config, device);
  const memory = await openMemoryOf(folder, config, device);
  const dialogues = await dialoguesOf(policy, config, { envParts: parts, log: () => undefined });
  const { sampling } = playOptions(config, policy.tokenizer);
  const player = await policyPlayer({ policy, dialogues }, { slots: 1 })(sampling);
  const env = agentEnvironment(config, environmentOf(config, parts), memory?.memory ?? null)('test');
  const { observation, info } = await env.reset({ seed });
  return {
    id: randomUUID(),
    policy: policyName,
    player,
    env,
    observation,
    ended: null,
    rng: Rng.forPurpose(seed, 'play in the dashboard'),
    validActions: validActionsOf(info),
    async close() {
      await env.close();
      await player.close();
      await memory?.release();
      await policy.release();
      await device.close();
      await closeParts();
    },
  };
}

/** The policy reads the complete text as in a first turn, because a person may have acted in between. */
async function chosenAction({ player, observation, validActions, rng }: Game): Promise<string> {
  const [decision] = await player.act([{ slot: 0, turn: 0, observation, validActions, rng }]);
  if (decision instanceof Error) throw decision;
  return decision.action;
}

/** Returns the folder and the name of the policy that plays for a run: its best agent or, without one, its newest checkpoint. */
function playedPolicy(directory: string): [folder: string, name: string] {
  const folder = agentFolderOf(directory);
  if (folder === directory) throw new Refused(409, 'this run has no checkpoint yet');
  return [folder, basename(folder) === 'best' ? 'the best agent' : `checkpoint ${Number(basename(dirname(folder)))}`];
}

const validActionsOf = ({ validActions }: Record<string, unknown>): string[] =>
  Array.isArray(validActions) ? validActions.map(String) : [];

const viewOf = (
  { id, policy, validActions, ended }: Game,
  observation: string,
  action: GameView['action'],
): GameView => ({ game: id, policy, observation, action, validActions, ended });
