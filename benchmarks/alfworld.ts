// Scores of random and expert players in ALFWorld's households of our own, and the speed of the environment.
// Run: node --conditions=source --import tsx benchmarks/alfworld.ts [episodes]
import { Rng } from '@bowyer/core';
import { Alfworld, alfworldSchema, withDefaults, type AlfworldOptions } from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 1000);
const options = withDefaults(alfworldSchema, {}, 'alfworld') as Record<string, unknown> & AlfworldOptions;

/** Says what `commands` gives after each observation until the episode ends. */
async function play(
  env: Alfworld,
  commands: (validActions: readonly string[]) => string | undefined,
  validActions: readonly string[],
) {
  let steps = 0;
  for (let command = commands(validActions); command !== undefined; command = commands(validActions)) {
    const { reward, terminated, truncated, info } = await env.step(command);
    steps++;
    if (terminated || truncated) return { reward, steps };
    validActions = info.validActions as readonly string[];
  }
  return { reward: 0, steps };
}

for (const player of ['random', 'expert'] as const) {
  const env = new Alfworld(options);
  const rng = new Rng(0);
  let [won, steps] = [0, 0];
  const start = performance.now();
  for (let seed = 0; seed < episodes; seed++) {
    const { info } = await env.reset({ seed });
    const path = player === 'expert' ? env.expertPath(seed).commands : [];
    const next = player === 'expert' ? () => path.shift() : (valid: readonly string[]) => rng.choice(valid);
    const result = await play(env, next, info.validActions as readonly string[]);
    won += result.reward;
    steps += result.steps;
  }
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${player}: mean return ${(won / episodes).toFixed(3)}, ${(steps / episodes).toFixed(1)} commands, ${Math.round(steps / seconds)} steps/s`,
  );
}
