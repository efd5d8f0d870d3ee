// Makes the REST routes by which agents and other programs begin, reward, end and read rollouts.
import { openaiError, type Exchange, type Protocol, type Route } from '@bowyer/serving';
import type { HttpAnswer } from '@bowyer/serving';
import { treeOf } from '../tree/build-tree.js';
import type { CallNode } from '../tree/tree.js';
import { effectiveRewards } from '../record/effective-rewards.js';
import type { Recorder } from './recorder.js';
import { RolloutBody } from './rollout-body.js';
import { RolloutStateError, UnknownRolloutError } from './rollout-state-error.js';

const one = '/rollouts/{id}';

/** The largest number of characters of the reason of a rollout's end, which may be a program's last lines on stderr. */
const LONGEST_REASON = 65_536;

export const rolloutRoutes = (recorder: Recorder): Protocol => {
  const route = (method: Route['method'], path: string, work: (exchange: Exchange) => Promise<unknown>): Route => ({
    method,
    path,
    respond: async (exchange) => answerOf(() => work(exchange)),
  });
  const bodyOf = async (exchange: Exchange, ...known: string[]) => new RolloutBody(await exchange.body(), known);
  const id = ({ parameters }: Exchange) => parameters.id;
  return {
    errorBody: openaiError,
    routes: [
      {
        ...route('POST', '/rollouts', async (exchange) =>
          begun(recorder, await bodyOf(exchange, 'id', 'task', 'group', 'attempt')),
        ),
        isOperators: true,
      },
      route('GET', one, async (exchange) => shown(recorder, id(exchange))),
      route('POST', `${one}/rewards`, async (exchange) => {
        const body = await bodyOf(exchange, 'value', 'name', 'call', 'key');
        const reward = {
          value: body.number('value'),
          name: body.text('name'),
          call: body.count('call'),
          key: body.text('key'),
        };
        return { counts: await recorder.reward(id(exchange), reward) };
      }),
      route('POST', `${one}/metrics`, async (exchange) => {
        await recorder.metrics(id(exchange), new RolloutBody(await exchange.body(), null).numbers());
        return {};
      }),
      route('POST', `${one}/end`, async (exchange) => {
        const body = await bodyOf(exchange, 'status', 'reason');
        const status = body.text('status') ?? 'ended';
        if (status !== 'ended' && status !== 'failed') throw new RolloutStateError("'status' is 'ended' or 'failed'");
        await recorder.end(id(exchange), { status, reason: body.text('reason', LONGEST_REASON) });
        return { status };
      }),
    ],
  };
};

/** Calls `work` and returns its result as an HTTP answer, or the status that belongs to its error. */
export async function answerOf(work: () => Promise<unknown>): Promise<HttpAnswer> {
  try {
    return { status: 200, json: await work() };
  } catch (error) {
    if (!(error instanceof RolloutStateError)) throw error;
    const { message } = error;
    const status = error instanceof UnknownRolloutError ? 404 : 409;
    return { status, json: openaiError({ kind: 'invalid', status, message, param: null, code: null }) };
  }
}

async function begun(recorder: Recorder, body: RolloutBody): Promise<object> {
  const given = { task: body.text('task'), group: body.text('group'), attempt: body.count('attempt') };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { id, baseURL, anthropicBaseURL, apiKey, url } = await recorder.begin({
    id: body.text('id') ?? newId(),
    ...known,
  });
  return { id, base_url: baseURL, anthropic_base_url: anthropicBaseURL, api_key: apiKey, url };
}

const newId = (): string => `rollout-${crypto.randomUUID()}`;

/** Returns the record of a rollout without token ids, for the REST route that reads it. */
async function shown(recorder: Recorder, id: string): Promise<object> {
  const rollout = await recorder.read(id);
  const { calls, rewards, ...state } = rollout;
  const { nodes } = treeOf(rollout);
  return { ...state, tree: nodes.map(shownNode), calls: calls.length, rewards, effective: effectiveRewards(rollout) };
}

function shownNode({ call, choice, parent }: CallNode): object {
  const { delivered, auxiliary, supersededBy, promptIds } = call;
  return {
    call: call.call,
    choice: choice.index,
    parent: parent && { call: parent.call.call, choice: parent.choice.index },
    prompt_tokens: promptIds.length,
    completion_tokens: choice.ids.length,
    finish_reason: choice.finishReason,
    delivered,
    auxiliary,
    ...(supersededBy !== undefined && { superseded_by: supersededBy }),
  };
}
