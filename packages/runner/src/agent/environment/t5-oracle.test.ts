// Tests the T5 oracle on a tiny random Flan-T5. The model's answers are nonsense, but its prompts and the parsing of answers are
// those of a real oracle.
import { fileURLToPath } from 'node:url';
import { environmentInfo, makeEnv } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { generateTargets, Seq2SeqModel } from '@bowyer/models';
import { openEnvParts } from './env-parts.js';
import type { EnvironmentConfig } from './environment.js';
import { T5Oracle } from './t5-oracle.js';

const dir = fileURLToPath(new URL('../../../../models/test/seq2seq-fixtures/flan-t5', import.meta.url));
const cpu = { device: 'cpu', threads: 1 } as const;
const questions = ['is it a dog?', 'is it big?', 'can it fly?'];

test.each([
  ['twenty_questions', 'dog', 'The object is dog.', 16],
  ['guess_my_city', 'Oslo, Norway', 'Your home town is Oslo, Norway.', 64],
] as const)(
  '%s: asked at once or one by one, the answer is that of the spec’s prompt',
  async (env, secret, told, tokens) => {
    const oracle = await T5Oracle.open(environmentInfo(env).oracles!.t5!, dir, cpu);
    const together = await Promise.all(questions.map((question) => oracle.answer(secret, question)));
    const last = await oracle.answer(secret, questions[2]);
    await oracle.close();
    expect(oracle.id).toBe('t5:flan-t5');
    expect(last).toBe(together[2]);

    const device = await openDevice(cpu);
    const model = await Seq2SeqModel.load({ device, dir });
    const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: tokens, seed: 0, batchSize: 1 };
    const expected: (string | null)[] = [];
    for await (const { text } of generateTargets(
      model,
      questions.map((question) => ({ prompt: `${told}${question}` })),
      greedy,
    ))
      expected.push(text);
    await device.close();
    expect(together).toEqual(expected);
    expect(new Set(together).size).toBe(3);
  },
);

const configOf = (env: object) => ({ ...cpu, env }) as unknown as EnvironmentConfig;
const game = { name: 'twenty_questions', oracle: 't5', oracleModel: null, oracleUrl: null };

test('the game maps the model’s text to one of the three answers', async () => {
  const { parts, close } = await openEnvParts(configOf({ ...game, oracleModel: dir }));
  const env = makeEnv('twenty_questions', { oracle: 't5', words: ['dog'] }, parts);
  expect((await env.reset({ seed: 0 })).info).toMatchObject({ oracle: 't5:flan-t5' });
  const { observation } = await env.step('is it a dog?');
  expect(observation).toMatch(/^Questions:\nis it a dog\? (Yes\.|No\.|Invalid Question\.)\n$/);
  await close();
});

test.each([
  [game, 'env.oracle=t5 needs a Flan-T5: env.oracle_model is null'],
  [{ ...game, oracleModel: `${dir}/config.json` }, 'config.json is a file; a Hugging Face folder is needed'],
  [{ ...game, oracle: 'openai' }, 'env.oracle=openai needs a server and a model: env.oracle_url is null'],
  [{ name: 'coin', oracle: 't5', oracleModel: dir }, "coin has no oracle 't5'"],
])('an oracle that cannot be made is reported (%#)', async (env, message) => {
  await expect(openEnvParts(configOf(env))).rejects.toThrow(message);
});
