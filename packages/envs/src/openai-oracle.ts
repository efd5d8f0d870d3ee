// Answers questions by an OpenAI-compatible chat server. The secret has the wording of ArCHer's oracle model ("The object is …",
// "Your home town is …"); our system message prescribes the form of the answer.
import type { OpenAiChat } from './http/openai-chat.js';
import type { ChatOraclePrompt, Oracle } from './oracle.js';

export class OpenAiOracle implements Oracle {
  readonly id: string;

  /** Takes a chat, which the caller closes. @param model name of the model on the server, a part of `id` */
  constructor(
    private readonly chat: OpenAiChat,
    model: string,
    private readonly rules: ChatOraclePrompt,
  ) {
    this.id = `openai/${model}`;
  }

  /**
   * Answers a question. Decoding is greedy, as with ArCHer's oracle. If the only text is a refusal, that is the answer.
   *
   * @throws {HttpError} for an empty answer
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
