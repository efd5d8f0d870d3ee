// Implements the worker process that plays parts of an evaluation. It opens the agents of the parts, one at a time.
import { loadPluginFiles } from '../../plugins/plugins.js';
import { openEnvParts } from '../../agent/environment/env-parts.js';
import { openModel, type ModelConfig, type OpenAgent, type Part, type PlayedPart } from './open-agent.js';

export interface WorkerRequest {
  /** The config of the evaluation, which is sent with the first request only. */
  config?: ModelConfig;
  folder: string;
  part: Part;
}

export type WorkerAnswer = { episode: true } | { played: PlayedPart } | { error: string };

let config: ModelConfig | undefined;
let opened: { folder: string; agent: OpenAgent; close: () => Promise<void> } | null = null;

const send = (answer: WorkerAnswer): void => void process.send!(answer);

async function agentOf(folder: string): Promise<OpenAgent> {
  if (opened?.folder === folder) return opened.agent;
  await opened?.close();
  const { parts, close } = await openEnvParts(config!);
  const agent = await openModel(folder, config!, { envParts: parts, log: () => undefined });
  opened = {
    folder,
    agent,
    close: async () => {
      await agent.close();
      await close();
    },
  };
  return agent;
}

async function answer(request: WorkerRequest): Promise<void> {
  if (request.config) {
    config = request.config;
    await loadPluginFiles(config.plugins);
  }
  const agent = await agentOf(request.folder);
  send({ played: await agent.play(request.part, () => send({ episode: true })) });
}

process.on('message', (request: WorkerRequest) => {
  answer(request).catch((error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }));
});
// The parent process closes the channel when it ends or has no more parts.
process.on('disconnect', () => process.exit(0));
