// Tests our clients against servers that answer from recordings: AgentGym's babyai server, exchange by exchange, and one that
// presents recordings of ScienceWorld's engine like AgentGym's server (whose routes are known from its source).
import { answerRequests, recordedLines, whenRecorded } from '@bowyer/testing';
import { recordedEpisodes, type RecordedCall } from '../../test/recorded-traffic.js';
import type { StepResult } from '../contract/env.js';
import { agentGymEnv } from './agentgym-env.js';
import { reactLine } from './reply-rules.js';

type Fields = Record<string, unknown>;

/** Runs a server on a free port during the task. @param answer the body for a request; undefined: 404 */
async function withServer(
  answer: (route: string, fields: Fields) => unknown,
  task: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const { address, close } = await answerRequests(({ route, json = {}, response }) => {
    const said = answer(route, json);
    if (said === undefined) response.writeHead(404).end('{"detail":"Not Found"}');
    return said;
  });
  try {
    await task(address);
  } finally {
    close();
  }
}

const babyai = recordedLines<RecordedCall>('transcripts/babyai.jsonl');

whenRecorded('transcripts/babyai.jsonl').test(
  'babyai: the same requests; observations, rewards and ends as recorded',
  async () => {
    const episodes = recordedEpisodes(babyai, '');
    expect(episodes.length).toBeGreaterThan(5);
    const played = episodes.flat();
    const created = babyai.find(({ request }) => request.path === '/create')!;
    const closed = babyai.find(({ request }) => request.path === '/close')!;
    const expected = [created, ...played, closed];
    let at = 0;
    // Each request must equal the next recorded one, so that a missing or an additional request fails the test.
    const answer = (route: string, fields: Fields) => {
      const { request, response } = expected[at++];
      expect({ route, fields }).toEqual({ route: `${request.method} ${request.path}`, fields: request.json ?? {} });
      return response.json;
    };
    await withServer(answer, async (baseUrl) => {
      const env = agentGymEnv('babyai', { baseUrl, instructions: false, maxRounds: 100 });
      for (const [reset, ...steps] of episodes) {
        const start = await env.reset({ dataIdx: reset.request.json!.data_idx as number });
        expect(start.observation).toBe((reset.response.json as Fields).observation);
        const results: StepResult[] = [];
        for (const { request } of steps) results.push(await env.step(reactLine('', String(request.json!.action))));
        const told = steps.map(({ response }) => response.json as Fields);
        expect(results.map(({ observation }) => observation)).toEqual(told.map(({ observation }) => observation));
        expect(results.map(({ terminated }) => terminated)).toEqual(told.map(({ done }) => done));
        expect(results.reduce((sum, { reward }) => sum + reward, 0)).toBeCloseTo(Number(told.at(-1)!.score), 12);
        expect(results.at(-1)!.info).toMatchObject({ worth: told.at(-1)!.score, won: Number(told.at(-1)!.score) > 0 });
      }
      await env.close();
    });
    expect(at).toBe(expected.length);
  },
);

interface ScienceEpisode {
  id: string;
  task: string;
  variation: number;
  taskDesc: string;
  finalScore: number;
  /** The score at the start. It may be above 0, since the start can fulfil some subgoals. */
  reset: { observation: string; score: number };
  steps: { action: string; observation: string; score: number; reward: number; done: boolean; completed: boolean }[];
}

const science = recordedLines<ScienceEpisode>('transcripts/scienceworld.jsonl');

/** A server like AgentGym's with the recorded engine. It plays one recorded episode for each problem, in order. */
class ScienceServer {
  #at: { episode: ScienceEpisode; step: number } | null = null;
  readonly routes: string[] = [];

  answer = (route: string, fields: Fields): unknown => {
    this.routes.push(route);
    if (route === 'POST /create') return { id: 0 };
    if (route === 'POST /close') return true;
    if (route === 'POST /reset') return this.#reset(science[Number(fields.data_idx)]);
    return route === 'POST /step' ? this.#step(String(fields.action)) : undefined;
  };

  #reset(episode: ScienceEpisode): unknown {
    this.#at = { episode, step: 0 };
    const { task, variation, taskDesc, reset } = episode;
    const names = { task_name: task, var_num: variation, task_description: taskDesc };
    return { ...names, observation: reset.observation, reward: 0, score: reset.score, deleted: false, done: false };
  }

  #step(action: string): unknown {
    const at = this.#at!;
    const recorded = at.episode.steps[at.step++];
    if (action !== recorded.action) return { error: `not recorded: '${action}', but '${recorded.action}'` };
    const { observation, reward, score, done } = recorded;
    return { observation, reward, score, done };
  }
}

whenRecorded('transcripts/scienceworld.jsonl').test.each(science.map((episode, item) => ({ ...episode, item })))(
  'sciworld $id ($task): observations, scores, rewards and ends as the engine recorded them',
  async ({ item, taskDesc, reset, steps, finalScore }: ScienceEpisode & { item: number }) => {
    const server = new ScienceServer();
    await withServer(server.answer, async (baseUrl) => {
      const env = agentGymEnv('sciworld', { baseUrl, instructions: false, maxRounds: 200 });
      const start = await env.reset({ dataIdx: item });
      expect(start.observation).toBe(`${taskDesc}\n${reset.observation}`);
      expect(start.info.worth).toBe(reset.score);
      let total = reset.score;
      for (const recorded of steps) {
        const { observation, reward, terminated, info } = await env.step(reactLine('On with it.', recorded.action));
        total += reward;
        expect({ observation, reward, terminated }).toEqual({
          observation: recorded.observation,
          reward: recorded.reward,
          terminated: recorded.done,
        });
        expect(info).toMatchObject({ worth: recorded.score, won: recorded.score === 100, sent: recorded.action });
      }
      expect(total).toBe(finalScore);
      await env.close();
    });
    expect(server.routes).toEqual(['POST /create', 'POST /reset', ...steps.map(() => 'POST /step'), 'POST /close']);
  },
);
