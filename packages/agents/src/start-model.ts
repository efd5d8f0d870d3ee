import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runAsLibrary } from '@bowyer/runner';
import type { AgentProgress } from './run-agent-task.js';

/**
 * A dialogue in the format of OpenAI's chat completions. The model learns tools and tool calls in the format in which the agent
 * sends them.
 */
export interface StartDialogue {
  messages: readonly object[];
  tools?: readonly object[];
}

export interface StartModelOptions {
  /** The dialogues, or the path of a file or folder of dialogues, such as `conversations` of `recordAgent`. */
  data: string | readonly StartDialogue[];
  /** The folder of the run's files and of the resulting model. If it contains an unfinished run, that run is resumed. */
  savePath: string;
  /** The size of the hidden states. Default: 64, which is about 0.1 million weights with two layers. */
  width?: number;
  layers?: number;
  /** The number of passes over the dialogues. Default: as many as need 300 optimizer steps. */
  epochs?: number;
  /** The share of the dialogues that is held out of training, to select the best epoch. */
  validationShare?: number;
  seed?: number;
  /**
   * Stops the training when it is aborted, so that the same call resumes it. The promise is then rejected with the signal's
   * reason.
   */
  signal?: AbortSignal;
  /** Called with every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  /** Called with the progress after each optimizer step. */
  onProgress?: (progress: AgentProgress) => void;
  /** Any other key of the config `start_model`, in camelCase; see docs/configs.md. Unknown keys are refused. */
  [setting: string]: unknown;
}

export interface StartModel {
  /** The folder of the run's files. */
  directory: string;
  /** The folder of the model in Hugging Face's format, for `model` of `trainAgent`, `evaluateAgent` and `recordAgent`. */
  model: string;
  /**
   * The mean loss of the model on the replies, in nats per token: on the held-out dialogues if there are some, otherwise on the
   * training data.
   */
  loss: number;
}

/**
 * Trains a small model from scratch on an agent's dialogues, without a download, like `npx bowyer --config-name start_model`: it
 * makes a tokenizer from the words of the dialogues, a chat template that writes tools, and a decoder that is trained on the
 * dialogues.
 *
 * @throws for invalid settings and dialogues; if the run was stopped by the signal, with the signal's reason
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
