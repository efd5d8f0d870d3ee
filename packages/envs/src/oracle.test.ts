// Tests that an oracle given from outside answers the game's questions, and that its absence is reported.
import { makeEnv } from './registry.js';
import type { Oracle } from './oracle.js';

const yesOracle: Oracle = {
  id: 'yes-1',
  answer: async (secret, question) => (question.endsWith('?') ? `yes, ${secret}` : 'maybe'),
};

test('the oracle that is given is asked with the word’s name, and recorded', async () => {
  const env = makeEnv('twenty_questions', { oracle: 't5', words: ['dog'] }, { oracle: yesOracle });
  expect((await env.reset({ seed: 0 })).info).toMatchObject({ oracle: 'yes-1' });
  const asked = await env.step('is it big?');
  expect(asked.observation).toBe('Questions:\nis it big? Yes.\n');
  expect((await env.step('hello')).observation).toBe('Questions:\nis it big? Yes.\nhello Invalid Question.\n');
  expect(await env.step('is it a dog?')).toMatchObject({ reward: 0, terminated: true });
});

test('without the option the rules answer, whatever was given', async () => {
  const env = makeEnv('twenty_questions', { words: ['dog'] }, { oracle: yesOracle });
  expect((await env.reset({ seed: 0 })).info).toMatchObject({ oracle: 'rules-1' });
});

test('an oracle that is missing is named', () => {
  expect(() => makeEnv('twenty_questions', { oracle: 't5' })).toThrow(
    "twenty_questions: the option oracle is 't5', but no oracle was given",
  );
});

test.each([
  ['  ', 'a text without a word'],
  [undefined, 'undefined in place of a text'],
])('an oracle that answers %j has not answered', async (said, what) => {
  const oracle = { id: 'mute', answer: () => said } as unknown as Oracle;
  const env = makeEnv('twenty_questions', { oracle: 't5', words: ['dog'] }, { oracle });
  await env.reset({ seed: 0 });
  await expect(env.step('is it big?')).rejects.toThrow(
    `twenty_questions: the oracle mute answered "is it big?" with ${what}`,
  );
});
