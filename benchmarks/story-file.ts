// Story files: steps per second of one game on one core with and without the search for valid actions, and what a player
// who picks valid actions at random earns.
// Run: node --conditions=source --import tsx benchmarks/story-file.ts [story file] [episodes of the random player]
import { Rng } from '@bowyer/core';
import { StoryFile, type StoryFileInfo, type StoryFileOptions } from '@bowyer/envs';

const story = process.argv[2] ?? null;
const episodes = Number(process.argv[3] ?? 20);
const defaults: StoryFileOptions = { story, stepLimit: 50, observation: 'archer', validActions: false, undo: false };
const commands = 'north,west,take all,south,east,look,examine me,inventory,up,open door,drop all,down,wait,jump'.split(
  ',',
);

/** Best of several stretches, so that other work on the machine counts less. */
async function stepsPerSecond(options: StoryFileOptions, stretch: number): Promise<number> {
  const env = new StoryFile(options);
  const rng = new Rng(1);
  let [best, isRunning] = [0, false];
  for (let round = 0; round < 8; round++) {
    const start = performance.now();
    for (let step = 0; step < stretch; step++) {
      if (!isRunning) await env.reset({ seed: step });
      const { terminated, truncated } = await env.step(rng.choice(commands));
      isRunning = !terminated && !truncated;
    }
    best = Math.max(best, (1000 * stretch) / (performance.now() - start));
  }
  await env.close();
  return best;
}

async function randomPlay(): Promise<{ returns: number[]; steps: number; trialRate: number }> {
  const env = new StoryFile({ ...defaults, validActions: true });
  const rng = new Rng(2);
  const returns: number[] = [];
  let steps = 0;
  const start = performance.now();
  for (let seed = 0; seed < episodes; seed++) {
    let info = (await env.reset({ seed })).info as StoryFileInfo;
    let total = 0;
    for (let isOver = false; !isOver; steps++) {
      const result = await env.step(info.validActions.length > 0 ? rng.choice(info.validActions) : 'wait');
      total += result.reward;
      isOver = result.terminated || result.truncated;
      info = result.info as StoryFileInfo;
    }
    returns.push(total);
  }
  await env.close();
  return { returns, steps, trialRate: (1000 * steps) / (performance.now() - start) };
}

const name = story ?? 'The Lighthouse';
const rate = (value: number) => value.toFixed(value < 100 ? 1 : 0);
console.log(
  `${name}, the command's text alone: ${rate(await stepsPerSecond({ ...defaults, observation: 'text' }, 2000))} steps/s`,
);
console.log(`${name}, with look and inventory: ${rate(await stepsPerSecond(defaults, 1000))} steps/s`);
const { returns, steps, trialRate } = await randomPlay();
const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
const deviation = Math.sqrt(
  returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, returns.length - 1),
);
console.log(
  `${name}, with the search for valid actions: ${rate(trialRate)} steps/s (random valid play, ${steps} steps)`,
);
console.log(
  `${name}, random valid play: return ${mean.toFixed(1)} ± ${deviation.toFixed(1)} over ${returns.length} episodes`,
);
