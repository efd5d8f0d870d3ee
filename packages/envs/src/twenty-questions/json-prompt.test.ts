import { environmentInfo, makeEnv } from '../registry.js';
import { decodeQuestion, encodeQuestion } from './json-prompt.js';

test.each([
  ['{"Question": "Is it a dog? yes"}', 'Is it a dog?'],
  ['Sure! {"Question": "is it big?"} {"Question": "is it a \\"cat\\"?"}', 'is it a \\cat\\?'],
  ['is it a piano', 'is it a piano?'],
  ['', '?'],
])('of %s the environment sees %s', (reply, question) => {
  expect(decodeQuestion(reply)).toBe(question);
});

test('a question in JSON is the question', () => {
  expect(decodeQuestion(encodeQuestion('is it a dog?'))).toBe('is it a dog?');
});

test('the game inside the prompt is the same game', async () => {
  const [plain, prompted] = [{}, { format: 'json_prompt' }].map((options) =>
    makeEnv('twenty_questions', { words: 'subset10', ...options }),
  );
  await plain.reset({ seed: 4 });
  const { observation } = await prompted.reset({ seed: 4 });
  expect(observation).toContain('one of these: football, dog, banana');
  const [one, other] = [await plain.step('is it a dog?'), await prompted.step('{"Question": "is it a dog?"}')];
  expect(other.observation).toContain(`${one.observation}Reply with JSON`);
  expect({ ...other, observation: '' }).toEqual({ ...one, observation: '' });
  await Promise.all([plain.close(), prompted.close()]);
});

test('demonstrations have the prompts that are played, and questions in JSON', async () => {
  const { demonstrations } = environmentInfo('twenty_questions');
  const options = { words: 'subset10', maxTurns: 20, winTest: 'lastToken', format: 'json_prompt' };
  const request = { count: 2, seed: 0, noise: 0, attributes: null, wordings: 1, maxUnclear: 0 };
  const [{ opening, turns }] = (await demonstrations!.make(options, request)).demonstrations;
  const env = makeEnv('twenty_questions', { words: 'subset10', format: 'json_prompt' });
  expect((await env.reset({ seed: 0 })).observation).toBe(opening);
  expect(decodeQuestion(turns[0].action)).toMatch(/^\w.*\?$/);
  expect(turns[0].nextObservation).toContain(`${decodeQuestion(turns[0].action)} `);
  await env.close();
});
