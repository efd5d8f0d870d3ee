// Requests a streamed completion of token ids from our server.

interface Usage {
  prompt_tokens_details?: { cached_tokens: number };
}

interface Chunk {
  choices: { token_ids?: number[] }[];
  usage?: Usage;
}

/**
 * Streams a completion.
 *
 * @param arrived called with the number of tokens in each piece
 */
export async function streamCompletion(
  url: string,
  { prompt, newTokens, signal }: { prompt: number[]; newTokens: number; signal?: AbortSignal },
  arrived: (tokens: number) => void,
): Promise<Usage | undefined> {
  const response = await fetch(`${url}/completions`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt,
      max_tokens: newTokens,
      ignore_eos: true,
      return_token_ids: true,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  let [unread, counts]: [string, Usage | undefined] = ['', undefined];
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (unread + piece).split('\n\n');
    unread = events.pop()!;
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const { choices, usage } = JSON.parse(event.slice('data: '.length)) as Chunk;
      for (const { token_ids = [] } of choices) if (token_ids.length > 0) arrived(token_ids.length);
      counts = usage ?? counts;
    }
  }
  return counts;
}
