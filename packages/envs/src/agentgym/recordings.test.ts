// Tests whole episodes of AgentGym's controller: our clients play them again on a server that answers from the recordings.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerRequests, newFolder, recordedLines, whenRecorded, type AnsweringServer } from '@bowyer/testing';
import type { ActionFormat, AgentGymFamily } from './families.js';
import { agentGymEnv } from './agentgym-env.js';

interface Exchange {
  request: { method: string; path: string; json?: unknown };
  response: { status: number; json?: unknown; text?: string };
}

interface Rollout {
  name: string;
  task: string;
  data_idx: number;
  max_rounds: number;
  action_format: ActionFormat;
  reward: number;
  conversation: { role: string; content: string }[];
  http: Exchange[];
}

const file = 'transcripts/controller_rollouts.jsonl';
const rollouts = recordedLines<Rollout>(file);

const requestKey = ({ method, path, json }: Exchange['request']) =>
  `${method} ${path} ${JSON.stringify(Object.entries(json ?? {}).sort())}`;

/** Returns the requests that our client must make: without repeated observations, and without routes that the server lacks. */
function expectedRequests({ http }: Rollout): string[] {
  const keys = http.filter(({ response }) => response.status === 200).map(({ request }) => requestKey(request));
  return keys.filter((key, i) => !key.startsWith('GET') || keys.indexOf(key) === i).sort();
}

/** Answers each request with the next recorded answer to it, and records the request. */
function answering({ http }: Rollout, seen: string[]): Promise<AnsweringServer> {
  const left = [...http];
  return answerRequests(({ path, json, request, response }) => {
    const key = requestKey({ method: request.method!, path, json });
    seen.push(key);
    const at = left.findIndex((exchange) => requestKey(exchange.request) === key);
    if (at < 0) return void response.writeHead(599).end(`not recorded: ${key}`);
    const [found] = left.splice(at, 1);
    response.writeHead(found.response.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found.response.json));
  });
}

function datasetOf({ conversation }: Rollout, family: AgentGymFamily): string {
  const path = join(newFolder(), 'data.json');
  const conversations = conversation.map(({ role, content }) => ({
    from: role === 'user' ? 'human' : 'gpt',
    value: content,
  }));
  writeFileSync(path, JSON.stringify([{ item_id: `${family}_0`, conversations }]));
  return path;
}

whenRecorded(file).test.each(rollouts)('$name: the same requests, states and reward', async (rollout) => {
  const family = rollout.task.toLowerCase().replace('lmrl-gym.', '') as AgentGymFamily;
  const seen: string[] = [];
  const { address, close } = await answering(rollout, seen);
  const env = agentGymEnv(family, {
    baseUrl: address,
    actionFormat: rollout.action_format,
    maxRounds: rollout.max_rounds,
    dataset: datasetOf(rollout, family),
    upstreamEndCut: true,
  });
  try {
    const { conversation } = rollout;
    const said = ({ role, content }: { role: string; content: string }) => ({ role, content });
    const start = await env.reset({ dataIdx: rollout.data_idx });
    expect(await env.opening()).toEqual(conversation.slice(0, 2).map(said));
    expect(start.observation).toBe(`${conversation[0].content}\n\n${conversation[2].content}`);
    let total = 0;
    for (let i = 3; i < conversation.length; i += 2) {
      const step = await env.step(conversation[i].content);
      expect(step.observation).toBe(conversation[i + 1].content);
      expect(step.terminated || step.truncated).toBe(i + 2 >= conversation.length);
      total += step.reward;
    }
    expect(total).toBe(rollout.reward);
  } finally {
    await env.close();
    close();
  }
  const vocabulary = ({ path }: Exchange['request']) => path.includes('filtered_vocab');
  const unasked = rollout.http.filter(({ request }) => vocabulary(request)).map(({ request }) => requestKey(request));
  expect(seen.sort()).toEqual(expectedRequests(rollout).filter((key) => !unasked.includes(key)));
});
