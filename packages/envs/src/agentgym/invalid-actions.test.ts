// Tests replies that cannot be parsed, in every action format of every family. Nothing is sent, and the agent reads what
// AgentGym's client (at 3ef9235) shows: 'Invalid Action.', an empty line and the last observation.
import { answerRequests } from '@bowyer/testing';
import type { AgentGymFamily } from './families.js';
import { agentGymEnv } from './agentgym-env.js';

const START = 'A room with a door.';
const LATER = 'The door is open.';

/** Runs a server that answers in the forms of all three families, and records the actions that it gets. */
async function withServer(task: (baseUrl: string, actions: unknown[]) => Promise<void>): Promise<void> {
  const actions: unknown[] = [];
  const { address, close } = await answerRequests(({ path, json }) => {
    if (path === '/step') actions.push(json!.action);
    const observation = actions.length === 0 ? START : LATER;
    const told = { observation, state: observation, reward: 0, score: 0, done: false, id: 0, env_idx: 0 };
    const more = { available_actions: ['look', 'go to desk 1'] };
    return { ...told, ...more, ...(path === '/reset' && { task_description: 'Melt the ice.' }) };
  });
  try {
    await task(address, actions);
  } finally {
    close();
  }
}

const ACTIONS = '\nAVAILABLE ACTIONS: look,go to desk 1';

/** The observation of each family's client after /reset and after a step. */
const observed: [AgentGymFamily, string, string][] = [
  ['webshop', START, LATER],
  ['alfworld', START + ACTIONS, LATER + ACTIONS],
  ['sciworld', `Melt the ice.\n${START}`, LATER],
];

const formats = [
  ['function_calling', 'I think I will look.'],
  ['code_as_action', 'I think I will look.'],
] as const;

const good: Partial<Record<AgentGymFamily, Record<(typeof formats)[number][0], string>>> = {
  webshop: {
    function_calling: '{"thought":"","function_name":"click","arguments":{"item":"Next >"}}',
    code_as_action: "click('Next >')",
  },
  alfworld: {
    function_calling: '{"thought":"","function_name":"look","arguments":{}}',
    code_as_action: 'look()',
  },
  sciworld: {
    function_calling: '{"thought":"","function_name":"lookaround","arguments":{}}',
    code_as_action: 'lookaround()',
  },
};

const cases = observed.flatMap(([family, atStart, later]) =>
  formats.map(([actionFormat, unreadable]) => ({ family, atStart, later, actionFormat, unreadable })),
);

test.each(cases)(
  '$family in $actionFormat: Invalid Action, with what its client observes',
  async ({ family, atStart, later, actionFormat, unreadable }) => {
    await withServer(async (baseUrl, actions) => {
      const env = agentGymEnv(family, { baseUrl, actionFormat, instructions: false });
      expect((await env.reset({ dataIdx: 0 })).observation).toBe(atStart);
      const refused = { reward: 0, terminated: false, truncated: false };
      expect(await env.step(unreadable)).toMatchObject({ ...refused, observation: `Invalid Action.\n\n${atStart}` });
      expect((await env.step(good[family]![actionFormat])).observation).toBe(LATER);
      expect(await env.step(unreadable)).toMatchObject({ ...refused, observation: `Invalid Action.\n\n${later}` });
      expect(actions).toHaveLength(1);
      await env.close();
    });
  },
);

test.each(['webshop', 'alfworld', 'sciworld'] as const)(
  '%s in react: a reply without an action is sent as the empty action',
  async (family) => {
    await withServer(async (baseUrl, actions) => {
      const env = agentGymEnv(family, { baseUrl, instructions: false });
      await env.reset({ dataIdx: 0 });
      await env.step('I think I will look.');
      await env.step('Thought:\nNow.\n\nAction:\nlook');
      expect(actions).toEqual(['', 'look']);
      await env.close();
    });
  },
);
