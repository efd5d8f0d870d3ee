// Episodes of the scripted shopper, for supervised warm starts.
import type { Transition } from '@bowyer/core';
import type { WebShopOptions } from './options.js';
import { Shopper } from './expert.js';
import { WebShop, type WebShopInfo } from './webshop.js';

/** Plays goals drawn from seeds 0, 1, …; every episode is kept, whatever it earned. */
export async function webShopDemonstrations(options: WebShopOptions, episodes: number): Promise<Transition[][]> {
  const env = new WebShop({ ...options, backend: 'embedded', observation: 'archer' });
  try {
    const played: Transition[][] = [];
    for (let seed = 0; seed < episodes; seed++) played.push(await playShopper(env, seed));
    return played;
  } finally {
    await env.close();
  }
}

async function playShopper(env: WebShop, seed: number): Promise<Transition[]> {
  const shopper = new Shopper();
  const transitions: Transition[] = [];
  let { observation, info } = await env.reset({ seed });
  for (;;) {
    const action = shopper.act(info as WebShopInfo);
    const { observation: nextObservation, reward, terminated, truncated, info: nextInfo } = await env.step(action);
    transitions.push({ observation, action, reward, nextObservation, terminated, truncated });
    if (terminated || truncated) return transitions;
    [observation, info] = [nextObservation, nextInfo];
  }
}
