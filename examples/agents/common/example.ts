// The contents of an example: its tasks, their reward, an expert that solves them, and an agent.
import type { Rng } from '@bowyer/core';

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { type: 'function'; function: { name: string; arguments: string } }[];
}

/** The next message of the expert: a text, or calls of tools. */
export type Said = string | [tool: string, args: object][];

/** @template Answer what the agent returns */
export interface Example<Task, Answer> {
  /** Draws a task from all that are possible. */
  draw(rng: Rng): Task;
  /** Sets of words or digits that stand for each other, for copies of the records with others in their places. */
  names: string[][];
  warmStart: WarmStart;
  training: Training;
  /** The expert: a script that sees what the model sees, and nothing else. */
  expert(messages: readonly Message[], tools: readonly string[]): Said;
  /** The message of a careless expert: too early an answer, a wrong tool. Null: it cannot err here. */
  slip(messages: readonly Message[], tools: readonly string[], rng: Rng): Said | null;
  /** 1 for the right answer, 0 for any other. */
  reward(task: Task, answer: Answer): number;
  /** Returns whether a task with this reward is solved; a reward of 1 is required if not given. */
  isSolved?(reward: number): boolean;
}

/** Supervised learning on what a careless expert did, so that the agent begins as a mediocre one. */
export interface WarmStart {
  /** Tasks that the expert is recorded with. */
  records: number;
  /** Share of its turns in which the expert is careless. */
  carelessness: number;
  /** Copies of each dialogue, with other names. */
  copies: number;
  /** Passes over their dialogues. */
  epochs: number;
  batchSize: number;
  lmLr: number;
  /** Width of the model; 64 if not given, which makes 0.1 million weights. */
  width?: number;
  /** 2 if not given. */
  layers?: number;
}

/** Keys of `trainAgent`. */
export interface Training {
  iterations: number;
  lmLr: number;
  /** Tasks of an iteration, each of which is played eight times; 8 if not given. */
  groups?: number;
}

export interface Endpoint {
  baseURL: string;
  apiKey: string;
}

/** An agent of a framework: it solves a task with the model behind the endpoint. */
export type Agent<Task, Answer> = (task: Task, endpoint: Endpoint) => Promise<Answer>;
