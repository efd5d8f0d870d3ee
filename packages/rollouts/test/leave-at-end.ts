// A client that leaves a stream at the piece which says that its answer has ended, as clients do that act on it.

const END = /"(finish|stop)_reason": ?"|"type": ?"response\.(completed|incomplete)"/;

/** @returns whether the end was seen */
export async function leaveAtEnd(url: string, body: object): Promise<boolean> {
  const headers = { 'content-type': 'application/json' };
  const sent = JSON.stringify({ ...body, stream: true });
  const answer = await fetch(url, { method: 'POST', headers, body: sent });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { done, value } = await reader.read();
    if (done) return false;
    text += value;
    if (!END.test(text)) continue;
    await reader.cancel();
    return true;
  }
}
