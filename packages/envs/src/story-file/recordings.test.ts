// Recorded play of detective.z5 through Jericho, from ../shared where that is there.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Machine } from './machine/machine.js';
import { giveCommand, readOpening } from './play.js';
import { ScoreReader } from './score.js';
import { loadStory, StoryFile } from './story-file.js';
import { ValidActionFinder } from './valid-actions.js';

interface Moment {
  observation: string;
  score: number;
  moves: number;
  look?: string;
  inventory?: string;
  /** Absent after the end. */
  validActions?: string[];
}
interface Recording {
  seed: number;
  reset: Moment;
  steps: (Moment & { command: string; reward: number; done: boolean; victory: boolean })[];
}

const shared = (path: string) => fileURLToPath(new URL(`../../../../../shared/data/${path}`, import.meta.url));
const [detective, recordingsFile] = [shared('archer/detective.z5'), shared('transcripts/detective.jsonl')];
const hasRecordings = existsSync(detective) && existsSync(recordingsFile);
if (!hasRecordings) console.warn('Recorded play of detective.z5 is not replayed: ../shared is not there.');
const testRecordings = hasRecordings ? test : test.skip;

const recordings = (): Recording[] =>
  readFileSync(recordingsFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording);

const infoOf = ({ observation, score, moves, look = '', inventory = '' }: Moment) => ({
  ...{ text: observation, look, inventory, score, moves, maxScore: 360, fault: null },
});

testRecordings('every text, score, reward and end is reproduced', async () => {
  const env = new StoryFile({
    story: detective,
    stepLimit: 1000,
    observation: 'archer',
    validActions: false,
    undo: false,
  });
  for (const { seed, reset, steps } of recordings()) {
    expect((await env.reset({ seed })).info).toMatchObject(infoOf(reset));
    for (const step of steps) {
      const result = await env.step(step.command);
      expect(result.info).toMatchObject({ ...infoOf(step), won: step.victory });
      expect(result).toMatchObject({ reward: step.reward, terminated: step.done });
    }
  }
  await env.close();
});

testRecordings(
  'lists of valid actions are reproduced: one moment in six, for the time it takes',
  () => {
    const machine = new Machine(loadStory(detective), { seed: 0, hasUndo: false });
    readOpening(machine);
    const opening = machine.snapshot();
    const finder = new ValidActionFinder(machine, new ScoreReader(machine.story));
    let moment = 0;
    for (const { reset, steps } of recordings()) {
      machine.restore(opening);
      for (const { command, validActions } of [{ ...reset, command: null }, ...steps]) {
        if (command !== null) giveCommand(machine, command);
        if (validActions !== undefined && moment++ % 6 === 0) expect(finder.find()).toEqual(validActions);
      }
    }
    expect(moment).toBeGreaterThan(0);
  },
  60_000,
);
