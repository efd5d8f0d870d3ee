// An oracle behind any OpenAI-compatible chat server. The secret is told as ArCHer tells it to its own oracle model
// ("The object is …", "Your home town is …"); what the answer may look like is told in a system message of our own.
import type { OpenAiChat } from './http/openai-chat.js';
import type { Oracle } from './oracle.js';

export interface OpenAiOracleRules {
  system: string;
  secret: (name: string) => string;
  /** Answer tokens, as ArCHer's models have them. */
  maxTokens: number;
}

/** By environment. */
export const openAiOracleRules = {
  twenty_questions: {
    system:
      'You answer questions in a game of Twenty Questions. Answer with the single word Yes or No, as it is true of the ' +
      'object; where neither is true, or what was said is no yes/no question, answer: Invalid Question.',
    secret: (name) => `The object is ${name}.`,
    maxTokens: 16,
  },
  guess_my_city: {
    system:
      'You play a game in which others find out where you come from. Answer the question truthfully in one short sentence, ' +
      'and never say the name of your home town in any spelling.',
    secret: (name) => `Your home town is ${name}.`,
    maxTokens: 64,
  },
} as const satisfies Record<string, OpenAiOracleRules>;

export class OpenAiOracle implements Oracle {
  readonly id: string;

  /** @param model the server's name of it, kept in `id`; the chat is closed by whoever opened it */
  constructor(
    private readonly chat: OpenAiChat,
    model: string,
    private readonly rules: OpenAiOracleRules,
  ) {
    this.id = `openai/${model}`;
  }

  /** Greedy, as ArCHer's oracle. What the model refuses to say is its answer. @throws {HttpError} */
  async answer(secret: string, question: string): Promise<string> {
    const { system, maxTokens } = this.rules;
    const { content, refusal } = await this.chat.complete(
      [
        { role: 'system', content: system },
        { role: 'user', content: `${this.rules.secret(secret)} ${question}` },
      ],
      { temperature: 0, max_tokens: maxTokens },
    );
    const said = content === '' && refusal !== null ? refusal : content;
    return said.replace(/\s+/g, ' ').trim();
  }
}
