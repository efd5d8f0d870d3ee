// Defines the interface of everything that serve-chats.ts measures: a server, or a library that answers many chats at the same
// time.

export interface ServedChat {
  tokens: number;
  firstTokenMs: number;
  /** The longest time between two pieces of the answer. */
  longestGapMs: number;
  /** The number of the prompt's tokens from the cache, if the server reports it. */
  cachedTokens?: number;
}

/** A server has either `chat` or `all`. */
export interface ChatServer {
  chat?(prompt: number[], newTokens: number): Promise<ServedChat>;
  /** Answers [clients][chats] prompts; for libraries that cannot add a chat to a running batch. */
  all?(prompts: number[][][], newTokens: number): Promise<ServedChat[]>;
  close(): Promise<void>;
}

/** Begins to measure a chat. @returns a function to be called with the number of tokens in each piece */
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
