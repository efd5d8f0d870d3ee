// Replays the recorded episodes of the original engine: worlds, scores, rewards, ends and valid actions must be equal. The
// embedded games have our wording, so that observations are not compared; where TEXTWORLD_EXPRESS_SERVER names a listening
// simulator (host:port), its whole answers are compared.
import { recordedLines, recordings, when, whenRecorded } from '@bowyer/testing';
import type { TextWorldExpressOptions } from './options.js';
import type { Fold } from './parameters.js';
import { TextWorldExpress } from './textworld-express.js';

interface RecordedTurn {
  action: string;
  observation: string;
  look: string;
  inventory: string;
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
  taskDescription: string;
  reset: RecordedTurn;
  steps: RecordedTurn[];
}

const contentDir = recordings('textworldexpress');
const recorded = whenRecorded('transcripts/textworldexpress.jsonl', 'textworldexpress');
const episodes = recordedLines<RecordedEpisode>('transcripts/textworldexpress.jsonl');

const server = process.env.TEXTWORLD_EXPRESS_SERVER ?? null;
type Backend = TextWorldExpressOptions['backend'];

/** Converts a recorded turn to our form; floats are equal to the last bit, since both engines divide the same doubles. */
const wanted = (turn: RecordedTurn, backend: Backend) => ({
  validActions: turn.validActions,
  score: turn.score,
  scoreRaw: turn.scoreRaw,
  won: turn.tasksuccess,
  failed: turn.taskfailure,
  ...(backend === 'java' ? { look: turn.look, inventory: turn.inventory } : {}),
});

const optionsOf = (episode: RecordedEpisode, backend: Backend): TextWorldExpressOptions => ({
  backend,
  baseUrl: server,
  timeoutMs: 10_000,
  fold: episode.fold,
  params: episode.params,
  stepLimit: episode.envStepLimit,
  contentDir,
  showValidActions: false,
});

async function replay(episode: RecordedEpisode, backend: Backend): Promise<void> {
  const env = new TextWorldExpress(episode.game, optionsOf(episode, backend));
  try {
    const start = await env.reset({ seed: episode.seed });
    expect({ id: episode.id, ...start.info }).toMatchObject({ id: episode.id, ...wanted(episode.reset, backend) });
    expect(start.info.properties).toEqual(episode.properties);
    if (backend === 'java') {
      expect(start.observation).toBe(`${episode.taskDescription}\n\n${episode.reset.observation}`);
    }
    for (const [turn, step] of episode.steps.entries()) {
      const result = await env.step(step.action);
      const place = `${episode.id}, turn ${turn}: ${step.action}`;
      expect({ place, ...result.info }).toMatchObject({ place, ...wanted(step, backend), numMoves: step.numMoves });
      expect(result.reward).toBe(step.reward);
      expect(result.terminated || result.truncated).toBe(step.done);
      if (backend === 'java' && result.info.accepted) expect(result.observation).toBe(step.observation);
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
  const title = `${played.length} recorded episodes replay turn by turn`;

  test(title, async () => {
    for (const episode of played) await replay(episode, 'embedded');
  });

  when(server !== null, 'TEXTWORLD_EXPRESS_SERVER names no simulator').test(`${title} over the wire`, async () => {
    for (const episode of played) await replay(episode, 'java');
  });
});
