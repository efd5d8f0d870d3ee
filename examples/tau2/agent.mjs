// Plays tau2's shop as an agent of train_agent: the environment runs in this program, and the model in training gives its replies.
// TAU2_DATA names the folder of a domain, as `env.data` does; without it the shop that ships with Bowyer is played.
import { readFileSync } from 'node:fs';
import { makeEnv } from '@bowyer/envs';

const { id, oracle = 'rules', turns = 20 } = JSON.parse(readFileSync(process.env.BOWYER_TASK_FILE, 'utf8'));
const env = makeEnv('tau2', { data: process.env.TAU2_DATA ?? null, oracle, maxTurns: turns, showTools: 'names' });

/** A reply calls a tool, or is said to the user; constrained decoding makes each reply one of the two. */
const text = { type: 'string', minLength: 1, maxLength: 60 };
const reply = (properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const schema = {
  anyOf: [reply({ name: text, arguments: { type: 'object', maxProperties: 3 } }), reply({ answer: text })],
};
const responseFormat = { type: 'json_schema', json_schema: { name: 'reply', schema } };

const messages = [];
let { observation } = await env.reset({ task: id });
let total = 0;
for (let ends = false; !ends;) {
  messages.push({ role: 'user', content: observation });
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({ model: 'any', messages, response_format: responseFormat, max_completion_tokens: 120 }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { choices } = await response.json();
  const said = choices[0].message.content;
  messages.push({ role: 'assistant', content: said });
  const step = await env.step(said);
  ({ observation } = step);
  total += step.reward;
  ends = step.terminated || step.truncated;
}
await env.close();
console.log(JSON.stringify({ reward: total }));
