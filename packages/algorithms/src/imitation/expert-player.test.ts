import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type SamplingOptions } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { expertPlayer } from './expert-player.js';
import { textDialogues } from '../rollout/text-dialogue.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const observation = 'A door.\n';
const expertReply = 'open the door';
const tokenizer = wordLevelTokenizer([observation, expertReply, 'close', '\n'], { wholeTokens: [] });
const sampling: SamplingOptions = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 3,
  terminatorIds: tokenizer.encode('\n'),
};

async function said(
  share: number,
  { reply = expertReply, labels = 'played' }: { reply?: string | null; labels?: 'played' | 'all' } = {},
) {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
  const dialogues = textDialogues(tokenizer);
  const slots = 200;
  const player = await expertPlayer({ policy, dialogues }, { slots, share, labels })(sampling);
  expect(player.asksExpert).toBe(true);
  const requests = Array.from({ length: slots }, (_, slot) => ({
    slot,
    turn: 0,
    observation,
    expertReply: reply,
    rng: new Rng(slot),
  }));
  const decisions = await player.act(requests);
  await player.close();
  await policy.release();
  return decisions.map((decision) => {
    if (decision instanceof Error) throw decision;
    return { action: decision.action, ...decision.data! };
  });
}

test('the expert plays its share of the turns; the others are slips, unless the policy writes the same action', async () => {
  const turns = await said(0.3);
  const [expert, policy] = [true, false].map((isExpert) =>
    turns.filter(({ logprobs }) => (logprobs.length === 0) === isExpert),
  );
  expect(expert.length).toBeGreaterThan(40);
  expect(expert.length).toBeLessThan(80);
  for (const turn of expert) {
    expect(turn).toMatchObject({ action: expertReply, ids: tokenizer.encode(`${expertReply}\n`), terminated: true });
    expect(turn).not.toHaveProperty('slip');
    expect(turn).not.toHaveProperty('tokenMasks');
  }
  for (const turn of policy) expect(turn.slip ?? false).toBe(turn.action !== expertReply);
  expect(policy.some(({ slip }) => slip)).toBe(true);
});

test('the policy plays where the expert has no action', async () => {
  expect((await said(1, { reply: null })).every(({ slip, logprobs }) => slip && logprobs.length > 0)).toBe(true);
});

test('labels=all: every turn has the tokens of the expert, the policy plays its own', async () => {
  const turns = await said(0, { labels: 'all' });
  expect(new Set(turns.map(({ action }) => action)).size).toBeGreaterThan(1);
  for (const { ids, terminated, logprobs, slip = false } of turns)
    expect({ ids, terminated, logprobs, slip }).toEqual({
      ids: tokenizer.encode(`${expertReply}\n`),
      terminated: true,
      logprobs: [],
      slip: false,
    });
  expect((await said(0, { labels: 'all', reply: null })).every(({ slip }) => slip)).toBe(true);
});
