// Steps per second of the embedded shop on one core, and what a random player and the scripted shopper score.
// Run: node --conditions=source --import tsx benchmarks/webshop.ts [episodes]
import { Rng } from '@bowyer/core';
import { makeEnv, Shopper, type WebShopInfo } from '@bowyer/envs';

const episodes = Number(process.argv[2] ?? 500);

type Player = (info: WebShopInfo) => string;

/** Searches for the instruction's words, then clicks anything that the page lets be clicked. */
const randomPlayer = (rng: Rng): Player => {
  return ({ instruction, text, availableActions: { hasSearchBar, clickables } }) => {
    if (hasSearchBar) return `search[${instruction.split(',')[0]}]`;
    const written = [...text.matchAll(/\[+([^\]]+)\]+/g)].map(([, label]) => label);
    return `click[${rng.choice(written.length > 0 ? written : clickables)}]`;
  };
};

async function play(makePlayer: (rng: Rng) => Player) {
  const env = makeEnv('webshop');
  let [steps, total, whole, seconds] = [0, 0, 0, 0];
  for (let seed = 0; seed < episodes; seed++) {
    const player = makePlayer(new Rng(seed));
    const start = performance.now();
    let { info } = await env.reset({ seed });
    for (;;) {
      const result = await env.step(player(info as WebShopInfo));
      steps++;
      total += result.reward;
      whole += Number(result.reward === 1);
      info = result.info;
      if (result.terminated || result.truncated) break;
    }
    seconds += (performance.now() - start) / 1000;
  }
  await env.close();
  return { mean: total / episodes, whole: whole / episodes, length: steps / episodes, stepsPerSecond: steps / seconds };
}

console.log(`${episodes} episodes, built-in catalogue, ArCHer's observation`);
console.log('player   return  reward 1  length  steps/s');
for (const [name, makePlayer] of Object.entries({
  random: randomPlayer,
  expert: () => {
    const shopper = new Shopper();
    return (info: WebShopInfo) => shopper.act(info);
  },
})) {
  const { mean, whole, length, stepsPerSecond } = await play(makePlayer);
  console.log(
    [
      name.padEnd(8),
      mean.toFixed(3),
      whole.toFixed(3).padStart(9),
      length.toFixed(1).padStart(7),
      stepsPerSecond.toFixed(0).padStart(8),
    ].join(' '),
  );
}
