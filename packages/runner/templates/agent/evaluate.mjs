// Plays the test tasks with each model, and compares the first model with the others: node evaluate.mjs [MODEL [MODEL …]]
import { evaluateAgent } from '@bowyer/agents';
import { answer } from './agent.mjs';
import { reward } from './reward.mjs';
import { makeStart } from './start.mjs';
import { tasks } from './tasks.mjs';

const [model = await makeStart(), ...compareWith] = process.argv.slice(2);
const { results, failed, directory } = await evaluateAgent({
  model,
  compareWith,
  tasks,
  run: answer,
  reward,
  log: (line, level) => level === 'WARNING' && console.warn(line),
});
for (const { name, metrics, interval } of results.policies)
  console.log(
    `${name}: mean reward ${metrics['test/episodic_return'].toFixed(2)}`,
    `(95 %: ${interval.low.toFixed(2)} … ${interval.high.toFixed(2)})`,
  );
for (const { baseline, meanDifference, interval } of results.comparisons)
  console.log(
    `${model} beside ${baseline}: ${meanDifference.toFixed(2)}`,
    `(95 %: ${interval.low.toFixed(2)} … ${interval.high.toFixed(2)})`,
  );
console.log(`${failed.rollouts} of ${failed.of} rollouts failed; the page: ${directory}/report.html`);
