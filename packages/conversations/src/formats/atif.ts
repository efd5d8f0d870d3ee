// Reads trajectories in Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.7: {schema_version, agent, steps,
// subagent_trajectories}. Source: Harbor's RFC 0001 (laude-institute/harbor, docs/rfcs/0001-trajectory-format.md). Unlike the
// RFC, steps copied from another trajectory (`is_copied_context`) are read but not trained on, since they are trained on there.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { conversationOf } from './chat.js';
import { scoreOf, type Reading, type RecordedDialogue, type TraceFormat } from './format.js';
import { answerText, recordsOf, textOfParts, toolAnswer, toolCall } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

export const atifFormat: TraceFormat = {
  name: 'atif',
  expected:
    '{"schema_version": "ATIF-v1.7", "agent": {…}, "steps": [{"step_id": 1, "source": "user", "message": "…"}]}',
  fits: ({ schema_version: version }) => typeof version === 'string' && version.startsWith('ATIF-'),
  read: readAtif,
};

/** Returns the dialogue of a trajectory, followed by those of its sub-agents. */
function readAtif(item: Item, reading: Reading): RecordedDialogue[] {
  const { schema_version: version, steps, agent, subagent_trajectories: subagents } = item;
  if (!/^ATIF-v1\.[0-7]$/.test(String(version)))
    throw new BadItem(`'schema_version' is ${found(version)}; versions ATIF-v1.0 to ATIF-v1.7 are read`);
  reading.keys.check('a trajectory', reading.place, item, READ, LOST);
  const messages = recordsOf(steps, "'steps'").flatMap((step, i) => messagesOf(step, `step ${i + 1}`, reading));
  const tools = (asRecord(agent)?.tool_definitions as unknown) ?? undefined;
  const below = (subagents ?? null) === null ? [] : recordsOf(subagents, "'subagent_trajectories'");
  return [
    { ...conversationOf({ messages, tools }, reading.keys, reading.place), ...scoreOfTrajectory(item) },
    ...below.flatMap((trajectory) => readAtif({ schema_version: version, ...trajectory }, reading)),
  ];
}

const READ = ['schema_version', 'agent', 'steps', 'subagent_trajectories', 'reward', 'score'];
const LOST = ['trajectory_id', 'notes', 'final_metrics', 'continued_trajectory_ref', 'extra'];
const READ_OF_STEP = ['source', 'message', 'reasoning_content', 'tool_calls', 'observation', 'is_copied_context'];
const LOST_OF_STEP = ['step_id', 'model_name', 'reasoning_effort', 'metrics', 'llm_call_count', 'extra'];

/** Returns the reward of a trajectory. The format has no field for it; Harbor writes it into `extra`. */
function scoreOfTrajectory(item: Item): { score?: number } {
  const places = [item, asRecord(item.extra), asRecord(asRecord(item.final_metrics)?.extra)];
  return places.map((place) => scoreOf(place ?? {})).find(({ score }) => score !== undefined) ?? {};
}

const ROLES: Readonly<Record<string, string>> = { system: 'system', user: 'user', agent: 'assistant' };

function messagesOf(step: Item, what: string, { keys, place }: Reading): Record<string, unknown>[] {
  const {
    source,
    message,
    reasoning_content: reasoning,
    tool_calls: calls,
    observation,
    is_copied_context: isCopied,
  } = step;
  keys.check('a step', place, step, READ_OF_STEP, LOST_OF_STEP);
  if (typeof source !== 'string' || !Object.hasOwn(ROLES, source))
    throw new BadItem(`'source' of ${what} is ${found(source)}; known: ${Object.keys(ROLES).join(', ')}`);
  const content = textOfParts(message, what, ['text']);
  const called = (calls ?? null) === null ? [] : recordsOf(calls, `'tool_calls' of ${what}`);
  const said = {
    role: ROLES[source],
    content,
    ...(typeof reasoning === 'string' && reasoning !== '' && { reasoning_content: reasoning }),
    ...(called.length > 0 && {
      tool_calls: called.map((call) => toolCall(call.tool_call_id, call.function_name, call.arguments)),
    }),
    ...(isCopied === true && source === 'agent' && { loss: false }),
  };
  const isEvent = source === 'system' && content === '' && observation !== undefined;
  return [...(isEvent ? [] : [said]), ...observed(observation, what)];
}

/** Converts an observation: results of tool calls become tool messages, other texts user messages. */
function observed(observation: unknown, what: string): Record<string, unknown>[] {
  const results = asRecord(observation)?.results;
  if ((results ?? null) === null) return [];
  return recordsOf(results, `'observation.results' of ${what}`).map(({ source_call_id: id, content }) => {
    const text = Array.isArray(content) ? textOfParts(content, what, ['text']) : answerText(content ?? '');
    return (id ?? null) === null ? { role: 'user', content: text } : toolAnswer(id, text);
  });
}
