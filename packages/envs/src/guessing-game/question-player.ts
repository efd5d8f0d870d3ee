// Defines the base class of the scripted players of the guessing games. It plays the random turns, and keeps the secrets that
// agree with all answers so far.
import type { Rng } from '@bowyer/core';
import { choice } from '@bowyer/core';

/** The option `ties` of the demonstrations of both guessing games. */
export const tiesSchema = choice(
  ['drawn', 'first'],
  'drawn',
  "Choice among equally good questions: 'drawn' asks any of them, 'first' always the same one. The same answers then lead to the same question, which a small policy clones better.",
);

export type Ties = 'drawn' | 'first';

/** The shares of the kinds of random turns. The other random turns repeat a question of the episode. */
const randomTurn = { question: 0.65, guess: 0.2 } as const;

export abstract class QuestionPlayer<Question extends { readonly wins: number | null }, Answer> {
  /** The indices of the secrets that agree with all answers so far in the episode. */
  protected possible: number[];
  protected readonly asked: Question[] = [];

  /** Prepares a player. @param guesses one question for each secret @param noise share of random turns */
  constructor(
    protected readonly questions: readonly Question[],
    protected readonly guesses: readonly Question[],
    secretCount: number,
    private readonly noise: number,
    protected readonly rng: Rng,
    private readonly ties: Ties,
  ) {
    this.possible = Array.from({ length: secretCount }, (_, place) => place);
  }

  protected abstract best(): Question;

  protected abstract answerTo(question: Question, place: number): Answer;

  /** Returns the next question of the player. The caller must pass the oracle's answer to `learn`. */
  ask(): Question {
    const question = this.rng.uniform() < this.noise ? this.random() : this.best();
    this.asked.push(question);
    return question;
  }

  /** Removes the secrets for which the answer to the last question would not be `answer`. */
  learn(answer: Answer): void {
    const last = this.asked.at(-1)!;
    // Since the game continues, the last question was not a winning guess: its secret is removed, whatever the oracle answered.
    this.possible = this.possible.filter((place) => this.answerTo(last, place) === answer && place !== last.wins);
  }

  protected oneOf(questions: readonly Question[]): Question {
    return this.ties === 'first' ? questions[0] : this.rng.choice(questions);
  }

  protected random(): Question {
    const draw = this.rng.uniform();
    if (draw < randomTurn.question && this.questions.length > 0) return this.rng.choice(this.questions);
    const isGuess = draw < randomTurn.question + randomTurn.guess || this.asked.length === 0;
    return this.rng.choice(isGuess ? this.guesses : this.asked);
  }
}
