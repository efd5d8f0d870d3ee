// Plays one game of Twenty Questions with prepared questions, to show an environment's interface: reset, step, and observations
// as text.
//   node --conditions=source --import tsx examples/2-play-an-environment.ts
import { makeEnv } from '@bowyer/envs';

const env = makeEnv('twenty_questions', { words: 'subset10' });
const script = [
  'is it alive?',
  'is it used in an office?',
  'can you wear it?',
  'how old is it?',
  'is it a pen?',
  'is it a computer?',
  'is it a chair?',
  'is it a pair of scissors?',
];

let { observation } = await env.reset({ seed: 4 });
let total = 0;
for (const question of script) {
  const step = await env.step(question);
  observation = step.observation;
  total += step.reward;
  if (step.terminated) break;
}
await env.close();
console.log(observation.trimEnd());
console.log(`return ${total}`);
