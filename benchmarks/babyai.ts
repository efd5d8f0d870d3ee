// Scores of a random player, of the expert that knows the map and of the one that explores on each level of BabyAI, and
// the speed of the environment.
// Run: node --conditions=source --import tsx benchmarks/babyai.ts [episodes]
import { Rng } from '@bowyer/core';
import { BabyAi, babyAiLevels, babyAiSchema, withDefaults, type BabyAiOptions } from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 200);

for (const level of babyAiLevels) {
  const options = withDefaults(babyAiSchema, { levels: [level], stepLimit: 64 }, 'babyai') as Record<string, unknown> &
    BabyAiOptions;
  for (const player of ['random', 'expert', 'explorer'] as const) {
    const env = new BabyAi(options);
    const rng = new Rng(0);
    let [total, steps, stepping] = [0, 0, 0];
    for (let seed = 0; seed < episodes; seed++) {
      let { info } = await env.reset({ seed });
      const path = player === 'explorer' ? env.explorerPath() : env.expertPath();
      if (path === null) continue; // it earns nothing
      const start = performance.now();
      for (let ended = false; !ended; steps++) {
        const action = player === 'random' ? rng.choice(info.validActions as string[]) : path.shift()!;
        const result = await env.step(action);
        total += result.reward;
        ({ info } = result);
        ended = result.terminated || result.truncated || (player !== 'random' && path.length === 0);
      }
      stepping += performance.now() - start;
    }
    console.log(
      `${level} ${player}: mean return ${(total / episodes).toFixed(3)}, ${(steps / episodes).toFixed(1)} actions, ${Math.round((1000 * steps) / stepping)} steps/s`,
    );
  }
}
