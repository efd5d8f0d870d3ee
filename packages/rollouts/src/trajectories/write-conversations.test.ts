import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordedCall, recordedChoice } from '../../test/recorded-call.js';
import type { RecordedRollout } from '../record/recorded.js';
import { writeConversations } from './write-conversations.js';
import { newFolder } from '@bowyer/testing';

function rollout(id: string, reward: number | null, status: RecordedRollout['status'] = 'ended'): RecordedRollout {
  const messages = [{ role: 'user', content: id }];
  const call = recordedCall({ rollout: id, messages, choices: [recordedChoice('yes')] });
  const rewards = reward === null ? [] : [{ name: 'reward', value: reward, at: 0 }];
  return { id, status, failures: [], metrics: {}, rewards, calls: [call] };
}

test('rollouts that have failed, or whose reward is too small or missing, are left out', async () => {
  const folder = newFolder();
  const path = join(folder, 'conversations.jsonl');
  const rollouts = [rollout('a', 1), rollout('b', 0), rollout('c', null, 'open'), rollout('d', 1, 'failed')];
  const written = async () =>
    (await readFile(path, 'utf8'))
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      .map(({ messages: [{ content }], reward }) => `${content} ${reward}`);
  expect(await writeConversations(path, rollouts, null)).toEqual({
    rollouts: 4,
    kept: 3,
    conversations: 3,
    unread: [],
  });
  expect(await written()).toEqual(['a 1', 'b 0', 'c undefined']);
  expect(await writeConversations(path, rollouts, 1)).toEqual({
    rollouts: 4,
    kept: 1,
    conversations: 1,
    unread: [],
  });
  expect(await written()).toEqual(['a 1']);
});
