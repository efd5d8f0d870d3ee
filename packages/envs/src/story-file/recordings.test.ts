// Tests recorded play of detective.z5 through Jericho.
import { recordedLines, recordings, whenRecorded } from '@bowyer/testing';
import { Machine } from './machine/machine.js';
import { giveCommand, readOpening } from './give-command.js';
import { ScoreReader } from './score.js';
import { loadStory, StoryFile } from './story-file.js';
import { ValidActionFinder } from './valid-actions.js';

interface Moment {
  observation: string;
  score: number;
  moves: number;
  look?: string;
  inventory?: string;
  /** The valid actions; absent after the end. */
  validActions?: string[];
}
interface Recording {
  seed: number;
  reset: Moment;
  steps: (Moment & { command: string; reward: number; done: boolean; victory: boolean })[];
}

const detective = recordings('archer/detective.z5');
const recorded = whenRecorded('archer/detective.z5', 'transcripts/detective.jsonl');
const episodes = recordedLines<Recording>('transcripts/detective.jsonl');

const infoOf = ({ observation, score, moves, look = '', inventory = '' }: Moment) => ({
  text: observation,
  look,
  inventory,
  score,
  moves,
  maxScore: 360,
  fault: null,
});

recorded.test('every text, score, reward and end is reproduced', async () => {
  const env = new StoryFile({
    story: detective,
    stepLimit: 1000,
    observation: 'archer',
    validActions: false,
    undo: false,
  });
  for (const { seed, reset, steps } of episodes) {
    expect((await env.reset({ seed })).info).toMatchObject(infoOf(reset));
    for (const step of steps) {
      const result = await env.step(step.command);
      expect(result.info).toMatchObject({ ...infoOf(step), won: step.victory });
      expect(result).toMatchObject({ reward: step.reward, terminated: step.done });
    }
  }
  await env.close();
});

recorded.test('lists of valid actions are reproduced: one moment in six, for the time it takes', () => {
  const machine = new Machine(loadStory(detective), { seed: 0, hasUndo: false });
  readOpening(machine);
  const opening = machine.snapshot();
  const finder = new ValidActionFinder(machine, new ScoreReader(machine.story));
  let moment = 0;
  for (const { reset, steps } of episodes) {
    machine.restore(opening);
    for (const { command, validActions } of [{ ...reset, command: null }, ...steps]) {
      if (command !== null) giveCommand(machine, command);
      if (validActions !== undefined && moment++ % 6 === 0) expect(finder.find()).toEqual(validActions);
    }
  }
  expect(moment).toBeGreaterThan(0);
});
