// Plays the customer in a conversation of tau2: a script says the texts of the task's scenario, or a model plays the customer.
import type { ChatOraclePrompt, Oracle } from '../oracle.js';
import type { Tau2Task } from './domain-folder.js';

/** A message of the customer; null if the customer ends the conversation. */
export type Said = string | null;

export interface User {
  /** Returns the customer's answer to a message of the agent. The first message is the agent's greeting. */
  answer(message: string): Said | Promise<Said>;
}

/** A scripted customer: it states reason and facts, and answers questions with yes; any other message ends the conversation. */
export class ScriptedUser implements User {
  readonly #lines: string[];

  constructor({ reason, known, unknown, manner }: Tau2Task['scenario']) {
    this.#lines = [reason, [known, unknown].filter(Boolean).join(' '), manner].map(inFirstPerson);
  }

  answer(message: string): Said {
    if (!message.includes('?')) return null;
    let line = this.#lines.shift();
    while (line === '') line = this.#lines.shift();
    return line ?? 'Yes.';
  }
}

const FIRST_PERSON: Readonly<Record<string, string>> = {
  'you are': 'I am',
  "you're": "I'm",
  "you've": "I've",
  "you'd": "I'd",
  "you'll": "I'll",
  you: 'I',
  your: 'my',
  yours: 'mine',
  yourself: 'myself',
};

/** Rewrites the scenario's instructions from the second to the first person, so that the customer can say them. */
const inFirstPerson = (text: string): string =>
  text.replaceAll(/\b(you are|you're|you've|you'd|you'll|yourself|yours|your|you)\b/gi, (word: string) => {
    const said = FIRST_PERSON[word.toLowerCase()];
    return word.startsWith('Y') ? said[0].toUpperCase() + said.slice(1) : said;
  });

const ENDS = ['###STOP###', '###TRANSFER###', '###OUT-OF-SCOPE###'];

export const userPrompt: ChatOraclePrompt = {
  system:
    'You play a customer who talks to the service of a shop. Write only the next message of the customer, in a sentence or two. ' +
    'Follow the scenario, in your own words; say what the agent asks for and no more at a time; never make up what the scenario does not ' +
    `say. Write ${ENDS[0]} when the goal of the scenario is reached, ${ENDS[1]} when the agent has transferred you, and ${ENDS[2]} when the ` +
    'scenario does not say how to continue.',
  secret: (scenario) => `Scenario:\n${scenario}\n\nThe conversation so far:\n`,
  maxTokens: 256,
};

/** A customer that a model plays. Each request to the model contains the whole conversation. */
export class ModelUser implements User {
  readonly #scenario: string;
  readonly #conversation: string[] = [];

  constructor(
    { reason, known, unknown, manner }: Tau2Task['scenario'],
    private readonly oracle: Oracle<{ readonly name: string }>,
  ) {
    this.#scenario = [reason, known, unknown, manner].filter(Boolean).join('\n');
  }

  async answer(message: string): Promise<Said> {
    this.#conversation.push(`Agent: ${message}`);
    const said = await this.oracle.answer({ name: this.#scenario }, this.#conversation.join('\n'));
    this.#conversation.push(`Customer: ${said}`);
    return ENDS.some((end) => said.includes(end)) ? null : said;
  }
}
