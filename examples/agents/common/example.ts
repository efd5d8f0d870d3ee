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
  training: Training;
  /** The expert: a script that sees only what the model sees. */
  expert(messages: readonly Message[], tools: readonly string[]): Said;
  /**
   * Returns the message of a careless expert, such as a premature answer or a wrong tool; null where the expert cannot make a
   * mistake.
   */
  slip(messages: readonly Message[], tools: readonly string[], rng: Rng): Said | null;
  /** Returns the reward of an answer: 1 for the right one, 0 for any other. */
  reward(task: Task, answer: Answer): number;
  /** Returns whether a task with this reward is solved; if not given, only a reward of 1 counts. */
  isSolved?(reward: number): boolean;
}

/** Supervised learning of a careless expert's dialogues, so that the agent is mediocre at first. */
export interface WarmStart {
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
  /** The width of the model; 64 if not given, which makes 0.1 million weights. */
  width?: number;
  /** The number of layers; 2 if not given. */
  layers?: number;
}

/** Settings of `trainAgent`. */
export interface Training {
  iterations: number;
  lmLr: number;
  /** The number of tasks of an iteration, each of which is played eight times; 8 if not given. */
  groups?: number;
}

export interface Endpoint {
  baseURL: string;
  apiKey: string;
}

/** An agent in a framework: it solves a task with the model at the endpoint. */
export type Agent<Task, Answer> = (task: Task, endpoint: Endpoint) => Promise<Answer>;
