// Replays the recorded episodes of the original engine: worlds, scores, rewards, ends and valid actions must be equal. The games
// here have our wording, so that observations are not compared.
import { recordedLines, recordings, whenRecorded } from '@bowyer/testing';
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

const contentDir = recordings('textworldexpress');
const recorded = whenRecorded('transcripts/textworldexpress.jsonl', 'textworldexpress');
const episodes = recordedLines<RecordedEpisode>('transcripts/textworldexpress.jsonl');

/** Converts a recorded turn to our form; floats are equal to the last bit, since both engines divide the same doubles. */
const wanted = (turn: RecordedTurn) => ({
  validActions: turn.validActions,
  score: turn.score,
  scoreRaw: turn.scoreRaw,
  won: turn.tasksuccess,
  failed: turn.taskfailure,
});

const optionsOf = (episode: RecordedEpisode): TextWorldExpressOptions => ({
  fold: episode.fold,
  params: episode.params,
  stepLimit: episode.envStepLimit,
  contentDir,
  showValidActions: false,
});

async function replay(episode: RecordedEpisode): Promise<void> {
  const env = new TextWorldExpress(episode.game, optionsOf(episode));
  try {
    const start = await env.reset({ seed: episode.seed });
    expect({ id: episode.id, ...start.info }).toMatchObject({ id: episode.id, ...wanted(episode.reset) });
    expect(start.info.properties).toEqual(episode.properties);
    for (const [turn, step] of episode.steps.entries()) {
      const result = await env.step(step.action);
      const place = `${episode.id}, turn ${turn}: ${step.action}`;
      expect({ place, ...result.info }).toMatchObject({ place, ...wanted(step), numMoves: step.numMoves });
      expect(result.reward).toBe(step.reward);
      expect(result.terminated || result.truncated).toBe(step.done);
    }
    if (gamesWithSeededPath.includes(episode.game)) {
      expect(await env.goldPath()).toEqual(withoutFirstLook(episode.goldPath));
    }
  } finally {
    await env.close();
  }
}

/** Removes the first look from an action history, which some of the recorded ones have although the reset gave it already. */
const withoutFirstLook = (path: string[]) => (path[0] === 'look around' ? path.slice(1) : path);

const gamesWithSeededPath = ['cookingworld', 'mapreader', 'arithmetic', 'sorting', 'simonsays', 'peckingorder'];

const games = [...new Set(episodes.map((episode) => episode.game))];
recorded.describe.each(games.length > 0 ? games : ['any game'])('%s', (game) => {
  const played = episodes.filter((episode) => episode.game === game);

  test(`${played.length} recorded episodes replay turn by turn`, async () => {
    for (const episode of played) await replay(episode);
  });
});
