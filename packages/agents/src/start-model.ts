import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runAsLibrary } from '@bowyer/runner';
import type { AgentProgress } from './run-agent-task.js';

/** A dialogue in OpenAI's form. Calls of tools, and the tools themselves, are learned as the agent sends them. */
export interface StartDialogue {
  messages: readonly object[];
  tools?: readonly object[];
}

export interface StartModelOptions {
  /** Dialogues, or the path of a file or folder with some, such as `conversations` of `recordAgent`. */
  data: string | readonly StartDialogue[];
  /** The run's folder, which is the model; a run found there is resumed. */
  savePath: string;
  /** Size of the hidden states; 64 if not given, which makes about 0.1 million weights with two layers. */
  width?: number;
  layers?: number;
  /** Passes over the dialogues; as many as take 300 optimizer steps if not given. */
  epochs?: number;
  /** Share of the dialogues that is not trained on, but chooses the best epoch. */
  validationShare?: number;
  seed?: number;
  /** Stops the training where the same call resumes it; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Gets every line of the run's log. */
  log?: (message: string, level: 'INFO' | 'WARNING') => void;
  /** Gets how far the training has come, after each optimizer step. */
  onProgress?: (progress: AgentProgress) => void;
  /** Any other key of the config `start_model`, in camelCase: docs/configs.md. An unknown one is refused. */
  [setting: string]: unknown;
}

export interface StartModel {
  /** The run's folder. */
  directory: string;
  /** The folder of the model, in Hugging Face layout: the `model` of `trainAgent`, `evaluateAgent` and `recordAgent`. */
  model: string;
  /** The mean loss of its replies in nats per token, on dialogues that were not trained on where some were held out. */
  loss: number;
}

/**
 * Makes a small model for an agent from the agent's dialogues, without a download: a tokenizer of their words, a chat template with tools,
 * a decoder, and supervised training. `npx bowyer --config-name start_model` from within a program.
 *
 * @throws for settings and dialogues that are refused; the signal's reason once it has stopped
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

/** Writes the dialogues to a file, whose path it returns. */
async function writeDialogues(path: string, dialogues: readonly StartDialogue[]): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
  return path;
}
