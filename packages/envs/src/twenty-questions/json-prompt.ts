// Plays Twenty Questions as ArCHer does with large language models: the history of the game is part of a prompt, and replies
// contain the question in JSON.
// Source: Zhou et al. 2024, arXiv:2402.19446, code at 7c771a7 (archer_llm). The structure of the prompt and the rule that finds
// the question in a reply are ArCHer's; the wording is ours.
import type { Demonstration, DemonstrationSet } from '@bowyer/core';
import type { Env, ResetResult, StepResult } from '../contract/env.js';
import { historyHeader } from '../guessing-game/history.js';
import type { Word } from './words.js';

/** Returns a turn's prompt: request to play, objects, example game, history, form of the reply, and the objects again. */
function jsonPrompt(history: string, words: readonly Word[]): string {
  const objects = words.map(({ name }) => name).join(', ');
  return [
    'Let us play twenty questions. I think of an object; find out which by questions that I answer with yes or no.',
    `The object is one of these: ${objects}.`,
    'Here is a game whose object is a banana.',
    `${historyHeader}is it alive? No.\nis it made of metal? No.\ncan you eat it? Yes.\nis it sweet? Yes.\nis it round? No.`,
    'is it yellow? Yes.\nis it a banana? Yes.\nThat is right, you have found it.',
    'Now a new game begins. Ask the next question of this one.',
    `${history}Reply with JSON of this form alone: {"Question": "your question"}`,
    `The object is one of these: ${objects}.\n`,
  ].join('\n');
}

/** Returns the question in a reply: the text after the last `"Question":` up to the first question mark, without quotes. */
export function decodeQuestion(reply: string): string {
  const said = reply.split('"Question":').at(-1)!;
  return `${said.split('?')[0].trim()}?`.replaceAll('"', '').trim();
}

export const encodeQuestion = (question: string): string => JSON.stringify({ Question: question });

/** Wraps the environment of Twenty Questions, so that its observations are prompts and its actions replies in JSON. */
export class PromptedQuestions implements Env {
  constructor(
    private readonly game: Env,
    private readonly words: readonly Word[],
  ) {}

  async reset(options?: { seed?: number }): Promise<ResetResult> {
    return this.#prompted(await this.game.reset(options));
  }

  async step(action: string): Promise<StepResult> {
    return this.#prompted(await this.game.step(decodeQuestion(action)));
  }

  close(): Promise<void> {
    return this.game.close();
  }

  #prompted<Result extends ResetResult>(result: Result): Result {
    return { ...result, observation: jsonPrompt(result.observation, this.words) };
  }
}

/** Converts demonstrations of the game without prompts to prompts and replies in JSON. */
export function promptedSet({ demonstrations, ...set }: DemonstrationSet, words: readonly Word[]): DemonstrationSet {
  const prompted = demonstrations.map(({ opening, turns }): Demonstration => {
    let history = opening;
    return {
      opening: jsonPrompt(opening, words),
      turns: turns.map(({ action, reply, ...turn }) => {
        history += action + reply;
        return { ...turn, action: encodeQuestion(action), reply: '', nextObservation: jsonPrompt(history, words) };
      }),
    };
  });
  return { ...set, demonstrations: prompted };
}
