// Records an agent that leaves a rejection unhandled in one of three rollouts, or outside of them (`outside`), and prints the failures.
import { recordAgent } from '@bowyer/agents';

const [upstream, savePath, place] = process.argv.slice(2);
const isOutside = place === 'outside';
const reject = () => void Promise.reject(new TypeError('no JSON'));
/** A timer that was set outside of all rollouts fires while they are played. */
const timer = isOutside && setInterval(() => playing > 0 && reject(), 10);
let playing = 0;
const { rollouts, failures } = await recordAgent({
  upstream,
  tasks: ['a', 'b', 'c'].map((id) => ({ id })),
  savePath,
  async run({ id }, { baseURL, apiKey }) {
    playing++;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    const body = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'say red' }] });
    await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body });
    if (isOutside) return new Promise(() => {});
    if (id !== 'b') return 1;
    reject();
    return new Promise(() => {});
  },
});
clearInterval(timer);
console.log(JSON.stringify({ rollouts: rollouts.length, failures: failures.map(({ error }) => error.message) }));
