// What a folder of this directory gives: its tasks, their reward, an expert that solves them, and an agent.
import type { Rng } from '@bowyer/core';

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { type: 'function'; function: { name: string; arguments: string } }[];
}

/** What the expert says next: a text, or calls of tools. */
export type Said = string | [tool: string, args: object][];

/** @template Answer what the agent returns */
export interface Example<Task, Answer> {
  /** Draws a task from all that are possible. */
  draw(rng: Rng): Task;
  /** Whether the expert's records may hold such a task; those that they do not hold are left to reinforcement learning. */
  isRecorded(task: Task, rng: Rng): boolean;
  warmStart: WarmStart;
  training: Training;
  /** The expert: a script that sees what the model sees, and nothing else. */
  expert(messages: readonly Message[], tools: readonly string[]): Said;
  /** 1 for the right answer, 0 for any other. */
  reward(task: Task, answer: Answer): number;
}

/** Supervised learning on what the expert did, cut short so that the agent begins as a mediocre one. */
export interface WarmStart {
  /** Tasks that the expert is recorded with. */
  records: number;
  /** Passes over their dialogues. */
  epochs: number;
  batchSize: number;
  lmLr: number;
}

/** Keys of `trainAgent`. */
export interface Training {
  iterations: number;
  lmLr: number;
}

export interface Endpoint {
  baseURL: string;
  apiKey: string;
}

/** An agent of a framework: it solves a task with the model behind the endpoint. */
export type Agent<Task, Answer> = (task: Task, endpoint: Endpoint) => Promise<Answer>;

/** A seeded task; `id` names it in logs. */
export type Identified<Task> = Task & { id: string };
