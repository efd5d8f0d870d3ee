// An oracle behind any OpenAI-compatible chat server. The secret is worded as for ArCHer's own oracle model ("The object is …",
// "Your home town is …"); a system message of our own states the form of the answer.
import type { OpenAiChat } from './http/openai-chat.js';
import type { ChatOraclePrompt, Oracle } from './oracle.js';

export class OpenAiOracle implements Oracle {
  readonly id: string;

  /** Takes a chat, which is closed by whoever opened it. @param model the server's name of it, kept in `id` */
  constructor(
    private readonly chat: OpenAiChat,
    model: string,
    private readonly rules: ChatOraclePrompt,
  ) {
    this.id = `openai/${model}`;
  }

  /**
   * Answers a question. Decoding is greedy, as with ArCHer's oracle. A refusal is the answer where there is no other text.
   *
   * @throws {HttpError} for an empty one
   */
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
