import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runAsLibrary } from '@bowyer/runner';
import type { AgentProgress } from './run-agent-task.js';

/** A dialogue in OpenAI's form. The model learns tools and tool calls in the form in which the agent sends them. */
export interface StartDialogue {
  messages: readonly object[];
  tools?: readonly object[];
}

export interface StartModelOptions {
  /** The dialogues, or the path of a file or folder of dialogues, such as `conversations` of `recordAgent`. */
  data: string | readonly StartDialogue[];
  /** The run's folder, which also is the model's. A run in it is resumed. */
  savePath: string;
  /** The size of the hidden states. Default: 64, which is about 0.1 million weights with two layers. */
  width?: number;
  layers?: number;
  /** The number of passes over the dialogues. Default: as many as need 300 optimizer steps. */
  epochs?: number;
  /** The share of the dialogues that selects the best epoch, and is not trained on. */
  validationShare?: number;
  seed?: number;
  /** Stops the training so that the same call resumes it. The promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called with every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  /** Called with the progress after each optimizer step. */
  onProgress?: (progress: AgentProgress) => void;
  /** Any other key of the config `start_model`, in camelCase; see docs/configs.md. Unknown keys are refused. */
  [setting: string]: unknown;
}

export interface StartModel {
  /** The run's folder. */
  directory: string;
  /** The folder of the model in Hugging Face's format, for `model` of `trainAgent`, `evaluateAgent` and `recordAgent`. */
  model: string;
  /** The mean loss of its replies in nats per token, on held-out dialogues if there are some. */
  loss: number;
}

/**
 * Makes a small model from an agent's dialogues, without a download, like `npx bowyer --config-name start_model`: a tokenizer of
 * their words, a chat template with tools, and a decoder that is trained on them.
 *
 * @throws for invalid settings and dialogues; the signal's reason after it has stopped
 */
export async function startModel({
  data,
  signal,
  log,
  onProgress,
  ...settings
}: StartModelOptions): Promise<StartModel> {
  const file = typeof data === 'string' ? data : await writeDialogues(`${settings.savePath}.jsonl`, data);
  const run = { configName: 'start_model', settings: { ...settings, data: file }, signal, log, onProgress };
  const { directory } = await runAsLibrary(run);
  const { models } = JSON.parse(await readFile(join(directory, 'results.json'), 'utf8')) as {
    models: { name: string; nll: number }[];
  };
  const best = models.find(({ name }) => name.startsWith('best')) ?? models.at(-1)!;
  return { directory, model: join(directory, 'checkpoints', 'best'), loss: best.nll };
}

async function writeDialogues(path: string, dialogues: readonly StartDialogue[]): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
  return path;
}
