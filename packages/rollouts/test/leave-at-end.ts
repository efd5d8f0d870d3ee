// A client that closes a stream at the event which says that its answer has ended, as real clients do.

const END = /"(finish|stop)_reason": ?"|"type": ?"response\.(completed|incomplete)"/;

/** Sends a request and closes its stream at the end of the answer. @returns whether the end was seen */
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
