// Extracts the action from an agent's reply in a format other than function calls. The rules are those of AgentGym's clients at
// commit 3ef9235.

/** The thought and the action of a reply, or the text that the agent gets as observation if its reply has no valid action. */
export type ParsedReply = { thought: string; action: string } | { refusal: string };

export type ReplyRule = (reply: string) => ParsedReply;

interface EndMarkerOptions {
  /** Whether the character before the end marker `</s>` is removed too: AgentGym cuts five characters instead of four. */
  upstreamEndCut: boolean;
}

const END_MARKER = '</s>';

export function withoutEndMarker(reply: string, { upstreamEndCut }: EndMarkerOptions): string {
  return reply.endsWith(END_MARKER) ? reply.slice(0, -(END_MARKER.length + (upstreamEndCut ? 1 : 0))) : reply;
}

/** Extracts the action of webshop, alfworld and sciworld: the text after the last `Action:`. */
export const reactRule: ReplyRule = (reply) => {
  const at = reply.lastIndexOf('Action:');
  if (at < 0) {
    const isBare = reply.includes('search[') || reply.includes('click[');
    return isBare ? { thought: '', action: reply } : { thought: reply, action: '' };
  }
  const before = reply.slice(0, at);
  const action = reply.slice(at + 'Action:'.length).trim();
  return { thought: before.includes('Thought:') ? before.split('Thought:')[1].trim() : before, action };
};

export const oneActionOnly = "Error: Only one 'Action' is allowed per response. Please adjust your response.";

/** Extracts the action of textcraft and babyai: letters, digits, commas and spaces after the reply's only `Action:`. */
export const wordsRule: ReplyRule = (reply) => {
  const found = [...reply.matchAll(/Action:\s*(.*?)(?=\n|$)/gs)].map(([, action]) => action);
  if (found.length > 1) return { refusal: oneActionOnly };
  const kept = (found[0] ?? '').replace(/[^A-Za-z0-9, ]+/g, '');
  return { thought: '', action: kept.replace(/ +/g, ' ').trim() };
};

/** Extracts the action of maze and wordle: the text after the first `Action:`, or the whole reply. */
export const splitRule: ReplyRule = (reply) => {
  const pieces = reply.split('Action:');
  return { thought: '', action: (pieces[1] ?? pieces[0]).trim() };
};

/** Extracts the action of sqlgym: the text between the last ```sql and the next fence. */
export const sqlRule: ReplyRule = (reply) => {
  const after = reply.split('```sql').at(-1)!;
  return { thought: '', action: after.split('```')[0].trim() };
};

/** Returns the whole reply, since the servers of searchqa and of the tool-use environments parse replies themselves. */
export const wholeRule: ReplyRule = (reply) => ({ thought: '', action: reply });

/** Writes a ReAct reply on one line, for policies that stop generating at a newline. All rules of this file can parse it. */
export const reactLine = (thought: string, action: string): string => `Thought: ${thought} Action: ${action}`;
