// The cost of recording: the same chats with a server of models and with a recording one, in turns, with the same weights. It is measured in
// tokens of answers a second of CPU time of the process (clients included in both), since other programs share the machine.
//   node --conditions=source --import tsx packages/rollouts/benchmarks/recording-cost.ts [ROUNDS] [CHATS of a round]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean, Rng, standardError } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer, type ModelServerOptions } from '@bowyer/serving';
import { chatTemplate, wordLevelTokenizer } from '@bowyer/text';
import { AgentServer, RolloutLog } from '../src/index.js';

const rounds = Number(process.argv[2] ?? '8');
const chats = Number(process.argv[3] ?? '16');
const CALLS = 3;
/** At most: the lengths differ, or all clients would wait for each other in step. */
const NEW_TOKENS = 96;
const CLIENTS = 8;

// Characters: an answer that comes back has the tokens that it was sampled in, so that both servers read prompts of the same length.
const characters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
const tokenizer = wordLevelTokenizer([characters.join('\n')], {
  wholeTokens: ['[start]', '[end]', '\n', ' ', ...characters],
});
const config = {
  model_type: 'llama',
  hidden_size: 256,
  intermediate_size: 704,
  num_hidden_layers: 6,
  num_attention_heads: 4,
  max_position_embeddings: 1024,
};
const template =
  '{% for m in messages %}[start]{{ m.content }}[end]{% endfor %}{% if add_generation_prompt %}[start]{% endif %}';

/** Dialogues of several questions, each with its history, from some clients at the same time. */
async function play(addressOf: (chat: string) => Promise<string>, round: string): Promise<number> {
  let tokens = 0;
  const left = Array.from({ length: chats }, (_, i) => `${round}-${i}`);
  const client = async () => {
    for (let chat = left.shift(); chat !== undefined; chat = left.shift()) {
      const url = await addressOf(chat);
      const messages: object[] = [];
      for (let call = 0; call < CALLS; call++) {
        messages.push({ role: 'user', content: 'What is it?' });
        const length = 32 + ((17 * left.length + 13 * call) % (NEW_TOKENS - 31));
        const body = { model: 'm', messages, max_tokens: length, ignore_eos: true, seed: 7 };
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${url}/chat/completions`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const answer = (await response.json()) as {
          choices: { message: object }[];
          usage: { completion_tokens: number };
        };
        tokens += answer.usage.completion_tokens;
        messages.push(answer.choices[0].message);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return tokens;
}

/** Tokens a second of CPU time, and of the clock. */
async function measured(work: () => Promise<number>): Promise<{ cpu: number; clock: number }> {
  const [before, started] = [process.cpuUsage(), performance.now()];
  const tokens = await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: tokens / ((user + system) / 1e6), clock: tokens / ((performance.now() - started) / 1e3) };
}

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const stepped = new SteppedTokenizer(tokenizer);
const options: ModelServerOptions = {
  model,
  tokenizer: stepped,
  name: 'm',
  template: chatTemplate(template, stepped),
  terminatorIds: [tokenizer.tokenToId('[end]')!],
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: CLIENTS,
  maxQueued: 64,
  splitsMessages: true,
  defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: NEW_TOKENS },
};
const folder = await mkdtemp(join(tmpdir(), 'recording-cost-'));
const log = await RolloutLog.open(folder);
const plain = await ModelServer.listen(options);
const recording = await AgentServer.listen({ ...options, log, splice: 'sampled' });
const plainAddress = () => Promise.resolve(plain.url);
const recordedAddress = async (id: string) => (await recording.begin({ id })).baseURL;
const ratios = { cpu: [] as number[], clock: [] as number[] };
for (let round = -1; round < rounds; round++) {
  const kinds = [
    () => measured(() => play(plainAddress, `p${round}`)),
    () => measured(() => play(recordedAddress, `r${round}`)),
  ];
  const isSwapped = round % 2 !== 0;
  const first = await kinds[Number(isSwapped)]();
  const second = await kinds[Number(!isSwapped)]();
  const [without, withRecord] = isSwapped ? [second, first] : [first, second];
  if (round < 0) continue; // warms up
  for (const key of ['cpu', 'clock'] as const) ratios[key].push(1 - withRecord[key] / without[key]);
  console.log(
    `round ${round + 1}: ${without.cpu.toFixed(1)} and ${withRecord.cpu.toFixed(1)} tokens/CPU-s, ` +
      `${without.clock.toFixed(1)} and ${withRecord.clock.toFixed(1)} tokens/s`,
  );
}
const share = (values: readonly number[]) =>
  `${(100 * mean(values)).toFixed(2)} % ± ${(100 * standardError(values)).toFixed(2)}`;
console.log(`recording costs ${share(ratios.cpu)} of tokens a CPU second, ${share(ratios.clock)} of tokens a second`);
console.log(
  `${rounds} rounds of ${chats * CALLS} calls of 32 to ${NEW_TOKENS} tokens; load average ${loadavg()[0].toFixed(1)}`,
);
await plain.close();
await recording.close();
await log.close();
await device.close();
await rm(folder, { recursive: true });
