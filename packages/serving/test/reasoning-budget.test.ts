// Tests thinking.budget_tokens over HTTP, with a model of random weights whose prompts end within reasoning, and without.
import { ConstraintCompiler, jsonValue, TokenVocabulary, wordLevelTokenizer } from '@bowyer/text';
import { sendJson } from '@bowyer/testing';
import { boundedReasoning, type ReasoningBudget } from '../src/generation/reasoning-budget.js';
import { tinyServer } from './tiny-server.js';

const words = 'the big red fox runs over my old house'.split(' ').map((word) => ` ${word}`);
const wholeTokens = ['[user]', '[bot]', '<think>', '</think>', '{', '}', '"a"', ':', '1', '\n'];
const tokenizer = wordLevelTokenizer([words.join('')], { wholeTokens: [...wholeTokens, ...words] });
const source = (ending: string) =>
  `{% for m in messages %}[user]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[bot]${ending}{% endif %}`;
const serve = (ending: string, known = tokenizer) =>
  tinyServer({
    tokenizer: known,
    template: source(ending),
    maxQueued: 8,
    splitsMessages: true,
    storage: { responses: 2, bytes: 100_000 },
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: 8 },
  });
const servers = {
  thinking: await serve('<think>'),
  plain: await serve('', wordLevelTokenizer([words.join('')], { wholeTokens: ['[user]', '[bot]', ...words] })),
};

interface Answer {
  content: { type: string; thinking?: string; text?: string }[];
  usage: { output_tokens: number };
  error?: { message: string };
}

async function ask(name: keyof typeof servers, budget: number, more: object = {}): Promise<Answer> {
  const { body } = await sendJson<Answer>(new URL('/v1/messages', servers[name].url), {
    model: 'tiny',
    max_tokens: 60,
    messages: [{ role: 'user', content: ' the fox' }],
    thinking: { type: 'enabled', budget_tokens: budget },
    ...more,
  });
  return body;
}

const tokensOf = (text = '') => tokenizer.encode(text).length;

test('the reasoning ends within its budget, and the answer continues', async () => {
  const lengths: number[] = [];
  for (let i = 0; i < 6; i++) {
    const { content, usage } = await ask('thinking', 4);
    const thinking = content.find(({ type }) => type === 'thinking')?.thinking;
    expect(tokensOf(thinking)).toBeLessThanOrEqual(4);
    lengths.push(tokensOf(thinking));
    // More was said than the reasoning and its mark, unless an end token came by chance.
    if (usage.output_tokens > 6) expect(content.some(({ type, text }) => type === 'text' && text !== '')).toBe(true);
  }
  expect(lengths).toContain(4);
});

test('the limit of the answer must be greater, as in Anthropic’s API', async () => {
  const { error } = await ask('thinking', 60);
  expect(error!.message).toBe("'max_tokens' is 60 and must be greater than thinking.budget_tokens, which is 60");
  expect((await ask('thinking', 0)).error!.message).toContain("'thinking.budget_tokens'");
});

test('a model without a form of reasoning refuses the budget by name', async () => {
  const { error } = await ask('plain', 4);
  expect(error!.message).toBe(
    "'thinking.budget_tokens' cannot be kept to: this model has no form of reasoning; leave it out",
  );
  expect((await ask('plain', 4, { thinking: { type: 'disabled' } })).error).toBeUndefined();
});

describe('token by token', () => {
  const form = { start: '<think>', end: '</think>', startsInside: true };
  const budget: ReasoningBudget = { form, tokens: 2, tokenizer, decode: (ids) => tokenizer.decode(ids) };
  const all = (count: number) => Array.from({ length: count }, (_, id) => id);
  const idOf = (word: string) => tokenizer.tokenToId(word)!;

  function allowed(constraint: ReturnType<ReturnType<typeof boundedReasoning>['start']>): number[] {
    const mask = new Uint32Array(Math.ceil(tokenizer.vocabSize / 32));
    constraint.allowed(mask);
    return all(tokenizer.vocabSize).filter((id) => (mask[id >>> 5] >>> (id & 31)) & 1);
  }

  test('the mark alone may follow two tokens, and then anything', () => {
    const answer = boundedReasoning(null, budget).start();
    for (const word of [' fox', ' runs']) {
      expect(allowed(answer)).toHaveLength(tokenizer.vocabSize);
      answer.accept(idOf(word));
    }
    const copy = answer.clone();
    expect([allowed(answer), answer.canEnd]).toEqual([[idOf('</think>')], false]);
    answer.accept(idOf('</think>'));
    for (let i = 0; i < 5; i++) answer.accept(idOf(' fox'));
    expect([allowed(answer).length, answer.canEnd]).toEqual([tokenizer.vocabSize, true]);
    expect(allowed(copy)).toEqual([idOf('</think>')]);
  });

  test('a mark that is several tokens is forced one after the other; reasoning that has not begun is not ended', () => {
    const marks = { start: 'big red', end: ' my old', startsInside: false };
    const begun = boundedReasoning(null, { ...budget, form: marks }).start();
    for (const word of [' big', ' red', ' fox', ' runs']) begun.accept(idOf(word));
    expect(allowed(begun)).toEqual([idOf(' my')]);
    begun.accept(idOf(' my'));
    expect(allowed(begun)).toEqual([idOf(' old')]);
    begun.accept(idOf(' old'));
    expect(allowed(begun)).toHaveLength(tokenizer.vocabSize);
    const other = boundedReasoning(null, { ...budget, form: marks }).start();
    for (const word of [' big', ' fox', ' big', ' red', ' fox', ' runs']) other.accept(idOf(word));
    expect(allowed(other)).toHaveLength(tokenizer.vocabSize);
  });

  test('a grammar of the whole answer continues behind the mark', () => {
    const compiler = new ConstraintCompiler(new TokenVocabulary(tokenizer));
    const answer = boundedReasoning(compiler.compile(jsonValue({ const: { a: 1 } })), budget).start();
    // This grammar has no reasoning, so that nothing can be forced.
    for (const word of ['{', '"a"', ':', '1', '}']) {
      expect(allowed(answer)).toContain(idOf(word));
      answer.accept(idOf(word));
    }
    expect([answer.canEnd, answer.mustEnd]).toEqual([true, true]);
  });
});
