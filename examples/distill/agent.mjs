// An agent at the front desk of a hotel: it reads a guest's message, looks up the room, and sends the right team or leaves a
// note. It calls a model over OpenAI's protocol. As a program, it reads the variables that Bowyer sets, and prints the reward in
// its last line.
const SYSTEM = `You work at the front desk of a hotel. Look up the room of the message first.
Send the team that can help: plumber, electrician or housekeeping. Where the guest is asleep, leave a note for that team instead.`;

const text = { type: 'string' };
const room = { ...text, description: 'The number of the room.' };
const team = { ...text, enum: ['plumber', 'electrician', 'housekeeping'] };
const tool = (name, description, properties) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
});
const tools = [
  tool('find_room', 'Returns whether the guest of a room is awake or asleep.', { room }),
  tool('send_team', 'Sends a team to a room now.', { team, room }),
  tool('leave_note', 'Leaves a note for a team, which comes in the morning.', { team, room }),
];

/** The maximum number of calls of the model for a message. */
const TURNS = 5;

/** Returns the agent's actions for the guest, such as ['send_team plumber 212']. */
export async function attend(task, { baseURL, apiKey, signal }) {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: task.message },
  ];
  const done = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: 'any', messages, tools }),
      signal,
    });
    if (!response.ok) throw new Error(`the model's endpoint answered ${response.status}: ${await response.text()}`);
    const { message } = (await response.json()).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) break;
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: use(task, call, done) });
  }
  return done;
}

function use(task, { name, arguments: json }, done) {
  const args = JSON.parse(json);
  if (args.room !== task.room) return `error: there is no room ${args.room}`;
  if (name === 'find_room') return JSON.stringify({ room: args.room, guest: task.guest });
  done.push(`${name} ${args.team} ${args.room}`);
  return 'done';
}

/** Returns the reward: 1 if exactly the right action was taken, else 0. */
export const judge = ({ guest, team, room }, done) =>
  Number(String(done) === `${guest === 'asleep' ? 'leave_note' : 'send_team'} ${team} ${room}`);

const { BOWYER_TASK, OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
if (BOWYER_TASK !== undefined) {
  const task = JSON.parse(BOWYER_TASK);
  const done = await attend(task, { baseURL: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY });
  console.log(JSON.stringify({ reward: judge(task, done) }));
}
