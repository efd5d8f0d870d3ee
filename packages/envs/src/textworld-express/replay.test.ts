// Replays the recorded episodes of the original engine: same worlds, scores, rewards, ends and valid actions.
// The wording is ours, so observations are not compared. Skipped where ../shared does not lie beside the repository.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TextWorldExpressOptions } from './options.js';
import type { Fold } from './parameters.js';
import { TextWorldExpress } from './textworld-express.js';

interface RecordedTurn {
  action: string;
  validActions: string[];
  scoreRaw: number;
  score: number;
  tasksuccess: boolean;
  taskfailure: boolean;
  reward: number;
  done: boolean;
  numMoves: number;
}

interface RecordedEpisode {
  id: string;
  game: string;
  params: string;
  fold: Fold;
  seed: number;
  envStepLimit: number;
  properties: Record<string, number>;
  goldPath: string[];
  reset: RecordedTurn;
  steps: RecordedTurn[];
}

const shared = fileURLToPath(new URL('../../../../../shared/', import.meta.url));
const recording = `${shared}data/transcripts/textworldexpress.jsonl`;
const contentDir = `${shared}data/textworldexpress`;
const isThere = existsSync(recording) && existsSync(contentDir);
if (!isThere) console.warn(`skipping the recorded episodes of TextWorldExpress: no ${recording}`);

const episodes: RecordedEpisode[] = isThere
  ? readFileSync(recording, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];

/** The engine's turn and ours in the same words; floats agree to the last bit, as both divide the same doubles. */
const wanted = (turn: RecordedTurn) => ({
  validActions: turn.validActions,
  score: turn.score,
  scoreRaw: turn.scoreRaw,
  won: turn.tasksuccess,
  failed: turn.taskfailure,
});

const optionsOf = (episode: RecordedEpisode): TextWorldExpressOptions => ({
  backend: 'embedded',
  baseUrl: null,
  timeoutMs: 1000,
  fold: episode.fold,
  params: episode.params,
  stepLimit: episode.envStepLimit,
  contentDir,
  showValidActions: false,
});

/** Their action histories may open with the look that the reset has already given, and drop it where they do not. */
const withoutFirstLook = (path: string[]) => (path[0] === 'look around' ? path.slice(1) : path);

const gamesWithSeededPath = ['cookingworld', 'mapreader', 'arithmetic', 'sorting', 'simonsays', 'peckingorder'];

const games = [...new Set(episodes.map((episode) => episode.game))];
(isThere ? describe.each(games) : describe.skip.each(['any game']))('%s', (game) => {
  const played = episodes.filter((episode) => episode.game === game);

  test(`${played.length} recorded episodes replay turn by turn`, async () => {
    for (const episode of played) {
      const env = new TextWorldExpress(episode.game, optionsOf(episode));
      const { info } = await env.reset({ seed: episode.seed });
      expect({ id: episode.id, ...info }).toMatchObject({ id: episode.id, ...wanted(episode.reset) });
      expect(info.properties).toEqual(episode.properties);
      for (const [turn, step] of episode.steps.entries()) {
        const result = await env.step(step.action);
        const place = `${episode.id}, turn ${turn}: ${step.action}`;
        expect({ place, ...result.info }).toMatchObject({ place, ...wanted(step), numMoves: step.numMoves });
        expect(result.reward).toBe(step.reward);
        expect(result.terminated || result.truncated).toBe(step.done);
      }
      if (gamesWithSeededPath.includes(game)) expect(await env.goldPath()).toEqual(withoutFirstLook(episode.goldPath));
    }
  });
});
