// The interface of an example: its tasks, their reward, an expert that solves them, and an agent.
import type { Rng } from '@bowyer/core';

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { type: 'function'; function: { name: string; arguments: string } }[];
}

/** The next message of the expert: a text, or tool calls. */
export type Said = string | [tool: string, args: object][];

/** @template Answer the agent's result */
export interface Example<Task, Answer> {
  /** Draws a random task. */
  draw(rng: Rng): Task;
  /** Sets of words or digits that may replace each other in copies of the recorded dialogues. */
  names: string[][];
  warmStart: WarmStart;
  /** The expert: a script that sees only what the model sees. */
  expert(messages: readonly Message[], tools: readonly string[]): Said;
  /**
   * Returns the message of a careless expert, such as a premature answer or a wrong tool; null where the expert cannot make a
   * mistake.
   */
  slip(messages: readonly Message[], tools: readonly string[], rng: Rng): Said | null;
  /** Returns the reward of an answer: 1 for the right one, 0 for any other. */
  reward(task: Task, answer: Answer): number;
}

/** Supervised learning of a careless expert's dialogues, so that the agent is mediocre at first. */
interface WarmStart {
  /** The number of tasks that the expert is recorded with. */
  records: number;
  /** The share of its turns in which the expert is careless. */
  carelessness: number;
  /** The number of copies of each dialogue, with other names. */
  copies: number;
  /** The number of passes over all dialogues. */
  epochs: number;
  batchSize: number;
  lmLr: number;
  /** The width of the model's layers. */
  width?: number;
}

interface Endpoint {
  baseURL: string;
  apiKey: string;
}

/** An agent in a framework: it solves a task with the model at the endpoint. */
export type Agent<Task, Answer> = (task: Task, endpoint: Endpoint) => Promise<Answer>;

/** A set of names, for agents that copy digits and neither count nor compare with them. */
export const digits = [...'0123456789'];
