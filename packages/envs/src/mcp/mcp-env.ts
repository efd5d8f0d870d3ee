// Plays the environment `mcp`: tasks for which the agent calls tools of a server of the Model Context Protocol (MCP). See mcp.md.
import { isDeepStrictEqual } from 'node:util';
import { Rng } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { EpisodeOrder } from '../contract/episode-order.js';
import { shortened } from '../reply-text.js';
import { exactMatch, judged, loadChecker, type CalledTool, type Checker, type TranscriptTurn } from './checker.js';
import { commandWords } from './command-line.js';
import type { McpOptions } from './options.js';
import { readReply, writeReply, writeResults } from './replies.js';
import { openToolSession, type ToolSession } from './tool-session.js';
import { mcpTasks, type ExpertStep, type McpTask, type ToolCall } from './task-file.js';
import { namedTask } from '../task-units.js';
import { toolsText } from './tool-text.js';

interface McpReset {
  seed?: number;
  task?: string;
}

export class McpEnv implements Env {
  readonly #order = new EpisodeOrder('mcp');
  readonly #tasks: readonly McpTask[];
  #rng = new Rng(0);
  #checker: Promise<Checker> | null = null;
  #session: ToolSession | null = null;
  #task!: McpTask;
  #transcript: TranscriptTurn[] = [];
  /** The number of the expert's steps that the agent has made so far. */
  #done = 0;

  /** Reads the tasks from the file in the options. @throws {TaskFileError} if the file cannot be used */
  constructor(private readonly options: McpOptions) {
    if (options.tasks === null) throw new TypeError('mcp: env.tasks is null: give a file of tasks');
    this.#tasks = mcpTasks(options.tasks, options.checker !== null);
  }

  async reset({ seed, task: id }: McpReset = {}): Promise<ResetResult> {
    this.#order.begin();
    this.#order.end(); // No step is allowed until the server has answered.
    if (seed !== undefined) this.#rng = new Rng(seed);
    this.#task = namedTask(this.#tasks, id, this.#rng, `mcp: ${this.options.tasks}`);
    this.#transcript = [];
    this.#done = 0;
    await this.#beginSession();
    const observation = await this.#opening(this.#session!);
    this.#order.begin();
    return { observation, info: this.#info({ taskDescription: this.#task.prompt }) };
  }

  async step(action: string): Promise<StepResult> {
    this.#order.assertRunning();
    const isLast = this.#transcript.length + 1 >= this.options.maxTurns;
    const reply = readReply(action, this.options.callFormat);
    this.#order.end(); // If the server or the checker fails, the episode has ended.
    if ('answer' in reply) return this.#ended(action, reply.answer);
    const calls: CalledTool[] = [];
    const observation = 'fault' in reply ? reply.fault : await this.#results(reply.calls, calls);
    this.#transcript.push({ action, observation, calls });
    const info = { invalid: 'fault' in reply || calls.length < reply.calls.length };
    if (isLast) {
      const { reward, ...judgement } = await this.#judged(null);
      return { observation, reward, terminated: false, truncated: true, info: this.#info({ ...info, ...judgement }) };
    }
    this.#order.begin();
    return { observation, reward: 0, terminated: false, truncated: false, info: this.#info(info) };
  }

  expertReply(): string | null {
    const step = this.#task.expert?.[this.#done];
    return step === undefined ? null : writeReply(step, this.options.callFormat);
  }

  async close(): Promise<void> {
    this.#order.close();
    await this.#leave();
  }

  /** The former session is closed only afterwards, since a shared server ends with its last session. */
  async #beginSession(): Promise<void> {
    if (this.options.isolate === 'episode') await this.#leave();
    const former = this.#session;
    this.#session = await openToolSession(this.options, commandOf(this.options), this.#task);
    await former?.close();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.close();
  }

  async #opening(session: ToolSession): Promise<string> {
    const tools = toolsText(session.offered, session.instructions, this.options);
    const resources: string[] = [];
    for (const uri of this.#task.resources) {
      const text = shortened(await session.read(uri), this.options.resultChars);
      resources.push(`<resource uri="${uri}">\n${text}\n</resource>`);
    }
    return [tools, ...resources, this.#task.prompt].filter((part) => part !== '').join('\n\n');
  }

  /** Makes the calls in order, up to the first refused one. @param called receives the calls that reached the server */
  async #results(calls: readonly ToolCall[], called: CalledTool[]): Promise<string> {
    const results: string[] = [];
    for (const call of calls) {
      const fault = await this.#session!.fault(call);
      if (fault !== null) {
        results.push(fault);
        break;
      }
      const { text, isError } = await this.#session!.call(call);
      called.push({ ...call, result: text, isError });
      results.push(shortened(isError ? `Error: ${text.replace(/^Error: /, '')}` : text, this.options.resultChars));
      this.#follow(call);
    }
    return writeResults(results, this.options.callFormat);
  }

  /** Counts a call that equals the expert's next step, so that the expert can continue after it. */
  #follow(call: ToolCall): void {
    const step: ExpertStep | undefined = this.#task.expert?.[this.#done];
    if (step !== undefined && 'name' in step && isDeepStrictEqual({ ...step }, { ...call })) this.#done++;
  }

  async #ended(action: string, answer: string): Promise<StepResult> {
    this.#transcript.push({ action, observation: '', calls: [] });
    const { reward, ...judgement } = await this.#judged(answer);
    const info = this.#info({ ...judgement, answer });
    return { observation: '', reward, terminated: true, truncated: false, info };
  }

  async #judged(answer: string | null) {
    const { checker: path } = this.options;
    if (path !== null) this.#checker ??= loadChecker(path);
    const checker = (await this.#checker) ?? exactMatch(this.#task);
    const session = this.#session!;
    const episode = {
      task: this.#task.row,
      answer,
      transcript: this.#transcript,
      folder: session.folder,
      callTool: (name: string, given: ToolCall['arguments'] = {}) => session.call({ name, arguments: given }),
    };
    return judged(checker, episode, path ?? 'the answer of the task');
  }

  #info(more: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { id: item, kind } = this.#task;
    return { item, kind, won: false, invalid: false, ...more };
  }
}

/** Returns the command that starts the MCP server, split into arguments; null for a server at a URL. */
export const commandOf = ({ command, args }: Pick<McpOptions, 'command' | 'args'>): readonly string[] | null =>
  command === null ? null : [...commandWords(command), ...args];
