// Plays the client scenarios with an environment of the suite's server and a scripted expert.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { makeEnv } from '@bowyer/envs';

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

interface Scenario {
  url: string;
  scenario: string;
  context: { toolCalls?: Call[] };
}

const call = (name: string, given: Record<string, unknown> = {}): Call => ({ name, arguments: given });

/** The calls that the scenarios expect, as the SDK's client makes them; http-custom-headers itself lists its calls. */
const calls: Readonly<Record<string, readonly Call[]>> = {
  tools_call: [call('add_numbers', { a: 5, b: 3 })],
  'elicitation-sep1034-client-defaults': [call('test_client_elicitation_defaults')],
  'sse-retry': [call('test_reconnection')],
  'http-standard-headers': [call('test_headers')],
  'http-invalid-tool-headers': [call('valid_tool', { region: 'us-west1' })],
  'sep-2322-client-request-state': [
    call('test_mrtr_echo_state'),
    call('test_mrtr_no_state'),
    call('test_mrtr_unrelated'),
    call('test_mrtr_no_result_type'),
  ],
};

async function play({ url, scenario, context }: Scenario, tasks: string): Promise<string> {
  const steps = [...(context.toolCalls ?? calls[scenario] ?? [])];
  writeFileSync(tasks, JSON.stringify({ id: 'one', prompt: 'Play.', answer: 'done' }));
  const env = makeEnv('mcp', { url, tasks });
  try {
    const observations = [(await env.reset()).observation];
    const shown = /^{"name": "json_schema_2020_12_tool".*$/m.exec(observations[0]);
    if (shown) steps.push(call('json_schema_echo', { schema: JSON.parse(shown[0]).parameters }));
    for (const step of [...steps, { answer: 'done' }])
      observations.push((await env.step(JSON.stringify(step))).observation);
    return observations.join('\n');
  } finally {
    await env.close();
  }
}

/** Answers the suite's clients until it is closed. @returns the port, and a function that closes it */
export async function startPlayer(folder: string): Promise<{ port: number; close: () => void }> {
  let played = 0;
  const server = createServer((request, response) => {
    const tasks = join(folder, `tasks-${played++}.jsonl`);
    json(request)
      .then((scenario) => play(scenario as Scenario, tasks))
      .then(
        (text) => response.end(text),
        (error: Error) => response.writeHead(500).end(error.stack),
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
