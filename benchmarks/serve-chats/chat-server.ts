// The interface of everything that serve-chats.ts measures: a server, or a library that answers many chats at once.

export interface ServedChat {
  tokens: number;
  firstTokenMs: number;
  /** Between two pieces of the answer. */
  longestGapMs: number;
  /** Tokens of the prompt that were not read for it, where the server says so. */
  cachedTokens?: number;
}

/** Either `chat` or `all`. */
export interface ChatServer {
  chat?(prompt: number[], newTokens: number): Promise<ServedChat>;
  /** Answers [clients][chats] prompts; for libraries whose chats cannot join one another. */
  all?(prompts: number[][][], newTokens: number): Promise<ServedChat[]>;
  close(): Promise<void>;
}

/** Measures a chat from here on; call the function it returns with the tokens of each piece. */
export function watchChat() {
  const start = performance.now();
  let last = start;
  const chat: ServedChat = { tokens: 0, firstTokenMs: 0, longestGapMs: 0 };
  const arrived = (tokens: number) => {
    const now = performance.now();
    if (chat.tokens === 0) chat.firstTokenMs = now - start;
    else chat.longestGapMs = Math.max(chat.longestGapMs, now - last);
    chat.tokens += tokens;
    last = now;
  };
  return { chat, arrived };
}
