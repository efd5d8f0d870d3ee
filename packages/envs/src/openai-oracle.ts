// Answers the agent's questions in the guessing games by an OpenAI-compatible chat server. The sentence with the secret is that
// of ArCHer's oracle model ("The object is …", "Your home town is …"); our system message prescribes the form of the answer.
import type { OpenAiChat } from './http/openai-chat.js';
import type { ChatOraclePrompt, Oracle } from './oracle.js';

export class OpenAiOracle implements Oracle {
  readonly id: string;

  /** The caller closes the chat client. @param model name of the model on the server, a part of the oracle's `id` */
  constructor(
    private readonly chat: OpenAiChat,
    model: string,
    private readonly rules: ChatOraclePrompt,
  ) {
    this.id = `openai/${model}`;
  }

  /** Decodes greedily, as ArCHer's oracle does. A refusal of the model is its answer. @throws {HttpError} for an empty answer */
  async answer(secret: string, question: string): Promise<string> {
    const { system, maxTokens } = this.rules;
    const { content } = await this.chat.complete(
      [
        { role: 'system', content: system },
        { role: 'user', content: `${this.rules.secret(secret)} ${question}` },
      ],
      { temperature: 0, max_tokens: maxTokens },
      { mayBeBlank: false, takesRefusal: true },
    );
    return content.replace(/\s+/g, ' ').trim();
  }
}
